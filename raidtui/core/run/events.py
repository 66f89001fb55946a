"""Events of a run, one per journal line; Unix time. Unknown kinds become Unknown, unreadable lines Damaged.

Base of a journal's events, and the bounds of their numbers.

Events of data that were not as written, of tests outside of proofs.
"""

from typing import Annotated, Literal, dataclass_transform

import msgspec
from msgspec import Meta

from raidtui.core.arrays.array import Sync
from raidtui.core.arrays.monitor import Monitor, Watch
from raidtui.core.boot.ownership import Owned
from raidtui.core.disks.extents import Extent
from raidtui.core.fio.measurement import Measurement
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.proof.witnessed import CopiesAsked
from raidtui.core.run.kernel import Message
from raidtui.core.text import MOST_COUNTED

Moment = Annotated[float, Meta(ge=0, le=253402300799)]  # to the end of the year 9999
Seconds = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]
Rate = Annotated[float, Meta(ge=0, le=MOST_COUNTED)]  # bytes/s
Count = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]
Pid = Annotated[int, Meta(ge=1, le=2**31)]


@dataclass_transform(frozen_default=True)
class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    at_s: Moment


class DataDiffered(Event, kw_only=True, tag="data-differed"):
    """A test of no proof got back something else than was written. `first`: member identity, or else path -> first
    byte.
    """

    trial: str
    first: dict[str, Count]


SCHEMA = 1


class WorkerStarted(Event, kw_only=True, tag="worker-started"):
    """Once per boot and worker. `start_ticks` detects a reused pid."""

    schema: int
    run: str
    boot_id: str
    pid: Pid
    start_ticks: Count
    tools: dict[str, str] = {}  # program -> version, with kernel and machine
    resolved: dict[str, str] = {}  # member identity -> device node at that time
    host: str = ""  # the machine's name


class StageStarted(Event, kw_only=True, tag="stage-started"):
    stage: Count


class StageEnded(Event, kw_only=True, tag="stage-ended"):
    """Measured and torn down, or `kept`: a resumed run skips it."""

    stage: Count
    kept: bool = False


class ArrayKept(Event, kw_only=True, tag="array-kept"):
    """The kept array's tests have ended: from now on only a person removes it."""

    stage: int


class StepStarted(Event, kw_only=True, tag="step-started"):
    """`line`: as run, names resolved. `undoing`: in a teardown. `members`: identities that the command may write to.
    `array`: UUID of the array to be created.
    """

    stage: Count
    what: str
    line: str
    role: str = ""
    undoing: bool = False
    estimate_s: Seconds | None = None
    members: tuple[str, ...] = ()
    array: str = ""


class StepEnded(Event, kw_only=True, tag="step-ended"):
    """`error`: the tool's words, or None. `output`: its end. `refused`: a member was in use at the last check; nothing
    was started or written. `written_bytes`: to all members, by the kernel.
    """

    what: str
    error: str | None = None
    refused: bool = False
    output: str = ""
    duration_s: Seconds = 0.0
    written_bytes: Count = 0


class ProgramLeft(Event, kw_only=True, tag="program-left"):
    """A killed program that lives on: it may use `members` (identities). `start_ticks`, `boot_id`: with its pid."""

    program: str
    pid: Pid
    start_ticks: Count
    boot_id: str
    members: tuple[str, ...]


class ArrayBuilt(Event, kw_only=True, tag="array-built"):
    """Node in this boot; size by the kernel."""

    node: str
    size_bytes: Count
    detail: dict[str, str] = {}


class FilesystemMade(Event, kw_only=True, tag="filesystem-made"):
    """Mounted: geometry read back, statvfs' sizes."""

    filesystem: str
    geometry: dict[str, int] = {}
    total_bytes: Count = 0
    free_bytes: Count = 0


class PoolMade(Event, kw_only=True, tag="pool-made"):
    """The run's ZFS pool: GUID drawn by ZFS; then again with sizes of `zfs list` and properties."""

    pool: str
    guid: str
    used_bytes: Count = 0
    available_bytes: Count = 0
    properties: dict[str, str] = {}


UNITS_WRITTEN = "written by hosts, units of 512,000 bytes"  # a count of HealthTold; NVMe 1.4, SMART log
UNIT_BYTES = 512_000


class HealthRead(Event, kw_only=True, tag="health-told"):
    """SMART: member identity -> count -> value; `why_not`: no values."""

    stage: int
    disks: dict[str, dict[str, float | str]] = {}
    why_not: str = ""


class SelfTestResult(msgspec.Struct, frozen=True, kw_only=True):
    """A disk's own test. `passed`: None if there was none, or no result; `words`: result or reason."""

    passed: bool | None = None
    words: str = ""


class SelfTestsEnded(Event, kw_only=True, tag="self-tests-ended"):
    """Member identity -> result. `after`: the last trial, not before anything was erased."""

    stage: int
    length: Literal["short", "long"]
    after: bool = False
    disks: dict[str, SelfTestResult] = {}


class FileMade(Event, kw_only=True, tag="file-made"):
    """A file of the run, new; `inode` identifies it."""

    path: str
    inode: int


class FileEdited(Event, kw_only=True, tag="file-edited"):
    """Before `lines` go into a system file. `backup`: of the run's folder, "" if new; `mark`: in comments around."""

    path: str
    lines: tuple[str, ...]
    mark: str
    backup: str = ""
    in_initramfs: bool = False


class LinesTakenOut(Event, kw_only=True, tag="lines-taken-out"):
    """The run's lines are out of this file."""

    path: str


class OwnerChanged(Event, kw_only=True, tag="owner-changed"):
    """Written before owner or mode of the file system's root at `folder` change."""

    folder: str
    old: Owned
    new: Owned


class MonitorSeen(Event, kw_only=True, tag="monitor-told"):
    """Who watches the array, when it was made permanent; disks by identity."""

    monitor: Monitor
    watch: Watch | None = None


class FilePlaced(Event, kw_only=True, tag="file-placed"):
    """A filled test file: its place on the device."""

    path: str
    extents: tuple[Extent, ...]


class FileRemoved(Event, kw_only=True, tag="file-removed"):
    """A file of the run, and its contents, are gone."""

    path: str


class SyncProgress(Event, kw_only=True, tag="sync-progress"):
    """As in /sys/block/mdX/md: bytes per member, bytes/s."""

    action: str
    done_bytes: Count
    total_bytes: Count
    bytes_per_s: Rate


def sync_progress(at_s: float, sync: Sync) -> SyncProgress:
    """While waiting, `action` has the reason."""
    return SyncProgress(
        at_s=at_s,
        action=sync.description,
        done_bytes=sync.done_bytes,
        total_bytes=sync.total_bytes,
        bytes_per_s=sync.bytes_per_s,
    )


class RebuildProgress(Event, kw_only=True, tag="rebuild-told"):
    """Progress of the run's rebuild, bytes per member, without load."""

    stage: Count
    done_bytes: Count
    total_bytes: Count


class MismatchesCounted(Event, kw_only=True, tag="mismatches-told"):
    """md's mismatch count: before a check, or (`final`) after it."""

    sectors: Count
    final: bool = False


class BlocksDiffered(Event, kw_only=True, tag="blocks-differed"):
    """A state of a proof in which the array gave back something else, or in which a check counted `mismatches` sectors.
    `named`: where, by fio, in `trial`; `blocks`: once they were looked at; `count`: of all differing blocks, of which
    few are named and located. `why_not`: the look failed. `of_groups`: number of a group -> sectors of these that its
    check counted.
    """

    stage: Count
    state: str
    blocks: tuple[BlockDiffers, ...] = ()
    mismatches: Count = 0
    count: Count = 0
    trial: str = ""
    named: tuple[Count, ...] = ()
    why_not: str = ""
    of_groups: dict[str, Count] = {}


class PowerCutAwaited(Event, kw_only=True, tag="power-cut-awaited"):
    """Acknowledged writes with this tag begin. `waits`: an array that comes up waits for its first write (start_ro)."""

    tag: str
    boot_id: str
    waits: bool | None = None


class PowerCutAnswered(Event, kw_only=True, tag="power-cut-answered"):
    """The highest number that the witness has (0: no cut). `found`: of the writes due, once all were read back."""

    acknowledged: Count
    found: Count = 0
    copies: CopiesAsked | None = None


class ArrayGrown(Event, kw_only=True, tag="grown-told"):
    """After growing; new disk's identity -> slot."""

    size_bytes: Count
    slots: dict[str, Count]


class QueuesRead(Event, kw_only=True, tag="queues-told"):
    """Queue settings: member identity -> setting -> value. Repeated after changes."""

    disks: dict[str, dict[str, str]]


class TrialStarted(Event, kw_only=True, tag="trial-started"):
    trial: str
    expected_s: Seconds


class TrialEnded(Event, kw_only=True, tag="trial-ended"):
    """`lost`: failed because array or disk vanished; measured again after a resume."""

    trial: str
    measurement: Measurement
    lost: bool = False


class TrialsRepeated(Event, kw_only=True, tag="asked-again"):
    """Trials to repeat; former results do not count. `why`: "stall": a second under half of the rate; "baseline": that
    of `block` differs by `share` from the others.
    """

    trials: tuple[str, ...]
    why: Literal["stall", "baseline"]
    block: Count = 0
    share: Annotated[float, Meta(ge=-MOST_COUNTED, le=MOST_COUNTED)] = 0.0


class KernelReported(Event, kw_only=True, tag="kernel-told"):
    """Kernel messages about the run's disks and links during a trial."""

    trial: str
    messages: tuple[Message, ...]


class TrialsPassedOver(Event, kw_only=True, tag="trials-passed-over"):
    """Trials no longer needed."""

    trials: tuple[str, ...]
    reason: str


class SettingChanged(Event, kw_only=True, tag="setting-changed"):
    """Written before the change, so that a crash loses no old value. `path` as in the plan; `lasts`: beyond the run."""

    path: str
    old: str
    new: str
    lasts: bool = False


class SettingRestored(Event, kw_only=True, tag="setting-restored"):
    path: str
    value: str


class Warned(Event, kw_only=True, tag="warned"):
    text: str


class StopAsked(Event, kw_only=True, tag="stop-asked"):
    """By SIGTERM or `raidtui stop`."""


class RunEnded(Event, kw_only=True, tag="run-ended"):
    """`outcome`: finished, stopped, failed. `kept`: array exists. `left`: not torn down. `refused`: in use."""

    outcome: str
    reason: str = ""
    refused: bool = False
    kept: bool = False
    left: tuple[str, ...] = ()


class Unknown(msgspec.Struct, frozen=True):
    event: str = ""
    at_s: float = 0.0


class Damaged(msgspec.Struct, frozen=True):
    """An unreadable line; its content is lost."""


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
    | MonitorSeen
    | HealthRead
    | SelfTestsEnded
    | SyncProgress
    | RebuildProgress
    | MismatchesCounted
    | BlocksDiffered
    | DataDiffered
    | PowerCutAwaited
    | PowerCutAnswered
    | ArrayGrown
    | QueuesRead
    | TrialStarted
    | TrialEnded
    | TrialsRepeated
    | KernelReported
    | TrialsPassedOver
    | SettingChanged
    | SettingRestored
    | Warned
    | StopAsked
    | RunEnded
)
