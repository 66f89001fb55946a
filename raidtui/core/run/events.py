"""What happens in a run, as values: one event a line of its journal. Times are seconds since 1970 (UTC).

An unknown kind (a newer worker, an older viewer) is read as Unknown and passes through the fold; a line that is none,
or tells a known kind in no shape of it, is Damaged and counted.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from raidtui.core.arrays.array import Sync
from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.ownership import Owned
from raidtui.core.disks.extents import Extent
from raidtui.core.fio.measurement import Measurement
from raidtui.core.run.kernel import Message
from raidtui.core.text import MOST_COUNTED

Moment = Annotated[float, Meta(ge=0, le=253402300799)]  # to the end of the year 9999
Seconds = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]
Rate = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]  # bytes/s
Count = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]
Pid = Annotated[int, Meta(ge=1, le=2**31)]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """`at_s`: when it happened."""

    at_s: Moment


SCHEMA = 1


class WorkerStarted(Event, frozen=True, kw_only=True, tag="worker-started"):
    """The first event of each boot and of each worker. `start_ticks` tells a reused pid from ours."""

    schema: int
    run: str
    boot_id: str
    pid: Pid
    start_ticks: Count
    tools: dict[str, str] = msgspec.field(default_factory=dict)  # program -> version, with kernel and machine
    resolved: dict[str, str] = msgspec.field(default_factory=dict)  # member identity -> device node at that time
    host: str = ""  # the machine's name


class StageStarted(Event, frozen=True, kw_only=True, tag="stage-started"):
    stage: Count


class StageEnded(Event, frozen=True, kw_only=True, tag="stage-ended"):
    """All of the stage is measured, and cleared away unless its array is to be `kept`: a resumed run passes it over."""

    stage: Count
    kept: bool = False


class ArrayKept(Event, frozen=True, kw_only=True, tag="array-kept"):
    """The tests of the stage whose array the plan keeps have ended: from here on only a person removes the array."""

    stage: int


class StepStarted(Event, frozen=True, kw_only=True, tag="step-started"):
    """`line` is the step as run, names resolved. `undoing`: part of a teardown. `estimate_s`: how long it may take.

    `members`: identities of the members that a command names, and may write to. `role` is the step's (see `steps`);
    `array`: the UUID of the one that a creation makes.
    """

    stage: Count
    what: str
    line: str
    role: str = ""
    undoing: bool = False
    estimate_s: Seconds | None = None
    members: tuple[str, ...] = ()
    array: str = ""


class StepEnded(Event, frozen=True, kw_only=True, tag="step-ended"):
    """`error` is None when all went well, else the tool's own words. `output` is the end of what it printed.

    `refused`: the last look before it found a member in use; no program was begun, nothing was written.
    `written_bytes`: to all members meanwhile, as the kernel counts.
    """

    what: str
    error: str | None = None
    refused: bool = False
    output: str = ""
    duration_s: Seconds = 0.0
    written_bytes: Count = 0


class ProgramLeft(Event, frozen=True, kw_only=True, tag="program-left"):
    """A program of the run's was killed and does not end: as long as it lives it may use these members (identities).

    `start_ticks` and `boot_id` tell a reused pid from its own.
    """

    program: str
    pid: Pid
    start_ticks: Count
    boot_id: str
    members: tuple[str, ...]


class ArrayBuilt(Event, frozen=True, kw_only=True, tag="array-built"):
    """The array exists: its node in this boot, and its size as the kernel gives it."""

    node: str
    size_bytes: Count
    detail: dict[str, str] = msgspec.field(default_factory=dict)


class FilesystemMade(Event, frozen=True, kw_only=True, tag="filesystem-made"):
    """The file system is mounted: geometry read back, and what statvfs says."""

    filesystem: str
    geometry: dict[str, int] = msgspec.field(default_factory=dict)
    total_bytes: Count = 0
    free_bytes: Count = 0


class PoolMade(Event, frozen=True, kw_only=True, tag="pool-made"):
    """The run's ZFS pool: the GUID that ZFS drew for it; told again with what `zfs list` says of it, its properties."""

    pool: str
    guid: str
    used_bytes: Count = 0
    available_bytes: Count = 0
    properties: dict[str, str] = msgspec.field(default_factory=dict)


UNITS_WRITTEN = "written by hosts, units of 512,000 bytes"  # a count of HealthTold; NVMe 1.4, SMART log
UNIT_BYTES = 512_000


class HealthTold(Event, frozen=True, kw_only=True, tag="health-told"):
    """What SMART counts: member identity -> a count's name -> value, of those that answered; `why_not`: why none."""

    stage: int
    disks: dict[str, dict[str, float | str]] = msgspec.field(default_factory=dict)
    why_not: str = ""


class SelfTestResult(msgspec.Struct, frozen=True, kw_only=True):
    """Of one disk's own test. `passed`: None where there was none, or nothing came of it; `words` say what or why."""

    passed: bool | None = None
    words: str = ""


class SelfTestsEnded(Event, frozen=True, kw_only=True, tag="self-tests-ended"):
    """What the members' own tests of this `length` found: member identity -> result."""

    stage: int
    length: Literal["short", "long"]
    disks: dict[str, SelfTestResult] = msgspec.field(default_factory=dict)


class FileMade(Event, frozen=True, kw_only=True, tag="file-made"):
    """A file of the run's own was made where none was; `inode` tells it from another one of its name."""

    path: str
    inode: int


class FileEdited(Event, frozen=True, kw_only=True, tag="file-edited"):
    """Written before lines are added to a file of the system's. `backup`: where in the run's folder the file as it was
    is kept, "" where there was none; `mark` is in the comments around the `lines`.

    `in_initramfs`: the initramfs has a copy of it.
    """

    path: str
    lines: tuple[str, ...]
    mark: str
    backup: str = ""
    in_initramfs: bool = False


class LinesTakenOut(Event, frozen=True, kw_only=True, tag="lines-taken-out"):
    """The lines of the run are not in this file any more."""

    path: str


class OwnerChanged(Event, frozen=True, kw_only=True, tag="owner-changed"):
    """Written before the root of the run's file system, mounted at `folder`, gets another owner or mode."""

    folder: str
    old: Owned
    new: Owned


class MonitorTold(Event, frozen=True, kw_only=True, tag="monitor-told"):
    """Whether `mdadm --monitor` runs here, when the array was made permanent."""

    monitor: Monitor


class FilePlaced(Event, frozen=True, kw_only=True, tag="file-placed"):
    """A test file has been filled: where it lies on the device that its file system is on."""

    path: str
    extents: tuple[Extent, ...]


class FileRemoved(Event, frozen=True, kw_only=True, tag="file-removed"):
    """A file of the run's own is not there any more, and what it was in is."""

    path: str


class SyncProgress(Event, frozen=True, kw_only=True, tag="sync-progress"):
    """A resync, recovery or check as /sys/block/mdX/md tells it: bytes of each member, bytes/s."""

    action: str
    done_bytes: Count
    total_bytes: Count
    bytes_per_s: Rate


def sync_progress(at_s: float, sync: Sync) -> SyncProgress:
    """The event of a sync as it is at this moment, with the reason in its action where it waits."""
    return SyncProgress(
        at_s=at_s,
        action=sync.words,
        done_bytes=sync.done_bytes,
        total_bytes=sync.total_bytes,
        bytes_per_s=sync.bytes_per_s,
    )


class RebuildTold(Event, frozen=True, kw_only=True, tag="rebuild-told"):
    """How far a rebuild that the run began has come, bytes of each member, where nothing was measured beside it."""

    stage: Count
    done_bytes: Count
    total_bytes: Count


class MismatchesTold(Event, frozen=True, kw_only=True, tag="mismatches-told"):
    """What md counts as unequal: before a check of the run's, or (`final`) at its end."""

    sectors: Count
    final: bool = False


class GrownTold(Event, frozen=True, kw_only=True, tag="grown-told"):
    """The array after it has grown, and by identity of each new disk the slot in which md has put it."""

    size_bytes: Count
    slots: dict[str, Count]


class QueuesTold(Event, frozen=True, kw_only=True, tag="queues-told"):
    """How the kernel works with the disks: member identity -> setting -> value. Told again where one has changed."""

    disks: dict[str, dict[str, str]]


class TrialStarted(Event, frozen=True, kw_only=True, tag="trial-started"):
    trial: str
    expected_s: Seconds


class TrialEnded(Event, frozen=True, kw_only=True, tag="trial-ended"):
    """`lost`: it failed because its array or a disk went away, not by itself; a resumed run measures it again."""

    trial: str
    measurement: Measurement
    lost: bool = False


class AskedAgain(Event, frozen=True, kw_only=True, tag="asked-again"):
    """These trials are measured once more, and what they gave until now does not count.

    `why`: "stall", in a second of one less than half was done; "baseline", that of their `block` was off the other
    blocks' by the `share`.
    """

    trials: tuple[str, ...]
    why: Literal["stall", "baseline"]
    block: Count = 0
    share: Annotated[float, Meta(ge=-MOST_COUNTED, le=MOST_COUNTED)] = 0.0


class KernelTold(Event, frozen=True, kw_only=True, tag="kernel-told"):
    """What the kernel said of the run's disks and links while a trial was measured."""

    trial: str
    messages: tuple[Message, ...]


class TrialsPassedOver(Event, frozen=True, kw_only=True, tag="trials-passed-over"):
    """These trials need not be measured any more, and why."""

    trials: tuple[str, ...]
    reason: str


class SettingChanged(Event, frozen=True, kw_only=True, tag="setting-changed"):
    """Written before the change is made, so that a crash cannot lose the old value. `path` is the plan's."""

    path: str
    old: str
    new: str


class SettingRestored(Event, frozen=True, kw_only=True, tag="setting-restored"):
    path: str
    value: str


class Warned(Event, frozen=True, kw_only=True, tag="warned"):
    text: str


class StopAsked(Event, frozen=True, kw_only=True, tag="stop-asked"):
    """Someone asked the run to stop (SIGTERM, `raidtui stop`)."""


class RunEnded(Event, frozen=True, kw_only=True, tag="run-ended"):
    """`outcome`: finished, stopped or failed. `kept`: the array stands. `left`: what could not be cleared away.

    `refused`: it failed as something must not be touched, for somebody else has it.
    """

    outcome: str
    reason: str = ""
    refused: bool = False
    kept: bool = False
    left: tuple[str, ...] = ()


class Unknown(msgspec.Struct, frozen=True):
    """An event of a kind that this version does not know."""

    event: str = ""
    at_s: float = 0.0


class Damaged(msgspec.Struct, frozen=True):
    """A whole line that cannot be read: what it told is lost."""


AnyEvent = (
    WorkerStarted
    | StageStarted
    | StageEnded
    | ArrayKept
    | StepStarted
    | StepEnded
    | ProgramLeft
    | ArrayBuilt
    | FilesystemMade
    | PoolMade
    | FileMade
    | FilePlaced
    | FileRemoved
    | FileEdited
    | LinesTakenOut
    | OwnerChanged
    | MonitorTold
    | HealthTold
    | SelfTestsEnded
    | SyncProgress
    | RebuildTold
    | MismatchesTold
    | GrownTold
    | QueuesTold
    | TrialStarted
    | TrialEnded
    | AskedAgain
    | KernelTold
    | TrialsPassedOver
    | SettingChanged
    | SettingRestored
    | Warned
    | StopAsked
    | RunEnded
)
