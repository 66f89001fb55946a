"""A run's executor on a machine that is written down: which commands it would give, answered by a function of theirs.

Nothing is started and no disk is opened; the plan, the journal and the course are the real ones.
"""

import errno
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from weakref import finalize

from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.arrays.array import Sync
from raidtui.core.arrays.monitor import Monitor, Watch
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.boot.ownership import Owned
from raidtui.core.disks.extents import Extent
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.hardware.smartctl import SelfTestStatus
from raidtui.core.plan import model as plans
from raidtui.core.plan import slots, target_plan
from raidtui.core.plan.answers import After, Answers, Between, FirstSync, MembersAs, Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.roles import Role
from raidtui.core.plan.target import NotMeasurable, Seen
from raidtui.core.run import events
from raidtui.core.run.samples import Counters
from raidtui.runs import child, directory, stages
from raidtui.runs.executor import Executor
from raidtui.runs.host import Clock, CounterReader, Host, LogReader
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler
from raidtui.runs.stages import Outcome
from raidtui.runs.waiting import Ended, Waiter
from raidtui.system.arrays.contents import Contents
from raidtui.system.claims import IO_IDLE_S, MemberError
from raidtui.system.health import Celsius
from raidtui.system.process import Done
from raidtui.system.settings import Setting
from raidtui.system.signatures import Reading
from tests.builders.machines import device, machine
from tests.builders.plans import DEBIAN, planned

SEEN = machine(*(device(name) for name in ("sda", "sdb", "sdc")))
BOOT = "0000-this-boot"
RESULT = (Path(__file__).parents[1] / "recordings/fio/ramp-in-flight.json").read_text()
ROOTS = Owned(uid=0, gid=0, mode=0o755)
FINISHED: Outcome = ("finished", "", [])
Argv = tuple[str, ...]
Ask = Callable[[Any, Sequence[str], float], Done]


# What a run asks of other programs, word for word; `*`: a name, a device, a folder of the moment.
QUESTIONS = (
    "findmnt --verify",
    "findmnt --noheadings --output UUID,SOURCE --mountpoint *",
    "findmnt --noheadings --types zfs --output SOURCE --mountpoint *",
    "findmnt --noheadings --raw --types zfs --output SOURCE,TARGET",
    "wipefs --no-act --parsable /dev/*", "wipefs --no-act --parsable --noheadings --output TYPE *",
    "mdadm --assemble --readonly --run --uuid=* /dev/md/*", "mdadm --stop /dev/*",
    "vgchange --activate n raidtui-*", "cryptsetup luksDump --dump-json-metadata /dev/*",
    "pvs --reportformat json --units b --nosuffix"
    " --options pv_name,vg_name,pv_count,pe_start,lv_name --select pv_uuid=*",
    "dumpe2fs -h /dev/*", "xfs_info */mnt", "zdb -l /dev/*", "zdb -C -U /etc/zfs/zpool.cache",
    "zpool list -H -o name,guid", "zpool list -H -o health *", "zpool status -P -L *",
    "zpool get -H -p -o property,value ashift,cachefile,failmode *",
    "zfs list -H -r -t all -o name *", "zfs list -H -p -o used,available *", "zfs get -H -o value mountpoint *",
    "zfs get -H -p -o property,value recordsize,compression,atime,primarycache,sync,logbias,checksum *",
    "zfs get -H -r -t filesystem -o name,source mountpoint *",
)  # fmt: skip


def known(ask: Ask) -> Ask:
    """Whatever a test answers: no run asks anything else."""

    def asked(host: "WrittenHost", argv: Sequence[str], timeout_s: float) -> Done:
        assert any(fnmatchcase(" ".join(argv), form) for form in QUESTIONS), argv
        return ask(host, argv, timeout_s)

    return asked


class Still:
    """Counters of disks that do nothing."""

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        return tuple(Counters(0, 0, 0, 0, 0) if name else None for name in names)

    def close(self) -> None:
        """Nothing is open."""


class Silent:
    """A kernel's log with these records in it."""

    why_not = ""

    def __init__(self, *records: str) -> None:
        self.records = list(records)

    def read(self) -> list[str]:
        return self.records

    def close(self) -> None: ...


class WrittenSetting:
    """A setting in a test's own file; `shared`: the other disks that have it."""

    teller = "the kernel"

    def __init__(self, host: "WrittenHost", file: Path) -> None:
        self._host, self._file = host, file

    def __str__(self) -> str:
        return str(self._file)

    def read(self) -> str:
        return self._host.text(self._file)

    def write(self, value: str) -> None:
        self._file.write_text(value)

    def shared_with(self) -> tuple[str, ...]:
        return self._host.shared


class WrittenHost:
    """A machine that is written down: what is asked of it stands in its fields, which a test sets.

    `superblocks`: node -> the UUID in it; `array`: the kernel name of the run's array, while it stands; `stands_on`:
    its disks, None for all; `faulty`: those of them that md does not use any more; `put_back`: those that it builds in
    while it is `syncing`; `boot_files`: path -> content, of which some are `read_only`; `folders`: with their inodes;
    `owners`: whose some of them are, the others are ROOTS; `partitions`: of a disk; `gone`: nodes behind which there is
    nothing any more; `mapped`: what lies on the array, by the device mapper's names; `signatures`: of every device;
    `no_self_test`: disk -> why it begins none; `self_tested`: how the tests of these disks stand, `self_tests_ended`:
    those that were ended; `remembered`: disks that hold a test's own data; `target`: what is measured as it
    stands; `settings`: where the kernel's files of this pattern are; `says`: what each of them says, "" where it
    is read; `files_lie`: where a file of this name lies; `holds`: what is in a file system; `assembles`: do
    superblocks make an array for a look? A test's own files are
    what they are.
    """

    def __init_subclass__(cls) -> None:
        if "ask" in vars(cls):
            cls.ask = known(cls.ask)  # type: ignore[method-assign]

    def __init__(self, seen: Machine = SEEN) -> None:
        self.seen = seen
        self.clock: Clock = time
        self.disk_counters: CounterReader = Still()
        self.superblocks: dict[str, str] = {}
        self.array: str | None = None
        self.stands_on: tuple[str, ...] | None = None
        self.signatures: tuple[Signature, ...] = ()
        self.partitions: dict[str, tuple[str, ...]] = {}
        self.remembered: list[str] = []
        self.mapped: dict[str, str] = {}
        self.identity = "machine"
        self.claims: list[tuple[str, ...]] = []
        self.gone: tuple[str, ...] = ()
        self.typed: Callable[[], bool] = lambda: False  # does a person type what the run waits for?
        self.mounted = False
        self.holds = Contents()
        self.assembles = True
        self.target: Seen | None = None
        self.settings: dict[str, Path] = {}
        self.says = ""
        self.shared: tuple[str, ...] = ()  # disks that have a member's settings, too
        self.geometry = ""  # what a file system's own program prints of it
        self.outlives: bool | None = None  # does a program that was left live? None: as its process does
        self.in_use: Callable[[], dict[str, str]] = dict  # path -> why it is not free
        self.faulty: Callable[[], set[str]] = set
        self.put_back: set[str] = set()
        self.syncing: Sync | None = None
        self.thread_s: Callable[[], dict[str, float]] = dict
        self.files_lie: dict[str, tuple[Extent, ...]] = {}
        self.corrected: Callable[[], dict[str, int]] = dict
        self.boot_files: dict[str, bytes] = {}
        self.read_only: tuple[str, ...] = ()
        self.folders: dict[str, int] = {}
        self.owners: dict[str, Owned] = {}
        self.monitored = Monitor(running=False)
        self.watched = Watch()
        self.not_mountable = ""
        self.no_self_test: dict[str, str] = {}
        self.self_tests_ended: list[str] = []
        self.self_tested: Callable[[list[str]], dict[str, SelfTestStatus]] = lambda names: {}
        self.celsius: Callable[[list[str]], dict[str, Celsius]] = lambda names: {}

    def read_machine(self) -> Machine:
        return self.seen

    def look_at(self, target: str, machine: Machine) -> Seen:
        if self.target is None:
            raise NotMeasurable(f"target {target}: No such file or directory")
        return self.target

    def machine_id(self) -> str:
        return self.identity

    def host_name(self) -> str:
        return "server"

    def boot_id(self) -> str:
        return BOOT

    def tools(self, made: Collection[str]) -> dict[str, str]:
        return {}

    def missing_for_run(self) -> str | None:
        return None

    @known
    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        if argv[:2] == ("mdadm", "--assemble") and self.assembles:
            self.array = "md127"
        if argv[:2] == ("mdadm", "--stop"):
            self.array = None
        return Done(0, "" if argv[0] == "wipefs" else self.geometry, "")

    def processors_worked_s(self) -> dict[str, float]:
        return {"cpu0": time.monotonic() / 2}

    def process_started(self, pid: int) -> int:
        return child.started(pid)

    def process_lives(self, pid: int, start_ticks: int) -> bool:
        return child.lives(pid, start_ticks) if self.outlives is None else self.outlives

    def is_person_at(self, run: Path) -> bool:
        return self.typed()

    def lock_run(self, run: Path, identities: Iterable[str]) -> AbstractContextManager[None]:
        return nullcontext()

    def kernel_log(self) -> LogReader:
        return Silent()

    def counters(self) -> CounterReader:
        return self.disk_counters

    def text(self, path: str | Path) -> str:
        if Path(path).name == "diskseq":
            name = Path(path).parent.name
            return next((one.attributes.get("diskseq", "") for one in self.seen.devices if one.name == name), "")
        return self.says or (Path(path).read_text().strip() if _is_own(Path(path)) else "")

    def matching(self, pattern: str) -> list[Path]:
        file = self.settings.get(pattern, Path(pattern))
        return [file] if _is_own(file) else []

    def settings_at(self, path: str) -> list[Setting]:
        return [WrittenSetting(self, file) for file in self.matching(path)]

    def size_bytes(self, name: str) -> int:
        return 0

    def devnum_of(self, path: str) -> str:
        return ""

    def read_bytes(self, node: str, offset: int, size_bytes: int) -> bytes:
        raise OSError(errno.EIO, "nothing is written there")

    def extents(self, path: Path) -> tuple[Extent, ...]:
        return self.files_lie.get(path.name, ())

    def partition(self, disk: str, number: int) -> str | None:
        return next((f"/dev/{name}" for name in self.partitions_of(disk) if name.endswith(str(number))), None)

    def stable_link(self, node: str) -> str:
        return f"/dev/disk/by-id/{node.rpartition('/')[2]}"

    def pool_units_off(self) -> tuple[str, ...]:
        return ()

    def why_pools_by_scan(self, own: str) -> str:
        return ""

    def partitions_of(self, disk: str) -> tuple[str, ...]:
        return self.partitions.get(disk, ())

    def mapped_on(self, device: str) -> dict[str, str]:
        return self.mapped if device == self.array else {}

    def is_mounted(self, folder: Path) -> bool:
        return self.mounted

    def signatures_on(self, names: Sequence[str]) -> Mapping[str, Reading]:
        return {name: Reading(signatures=self.signatures) for name in names}

    def not_free(self, paths: Sequence[str], *, watched_s: float = IO_IDLE_S) -> dict[str, str]:
        return {path: reason for path, reason in self.in_use().items() if path in paths}

    def is_gone(self, path: str) -> bool:
        return path in self.gone

    def claimed(self, paths: Sequence[str]) -> AbstractContextManager[tuple[int, ...]]:
        self.claims.append(tuple(paths))
        if in_the_way := self.not_free(paths):
            raise MemberError(next(iter(in_the_way.values())))
        return nullcontext(())

    def lock_nodes(self, paths: Sequence[str]) -> AbstractContextManager[None]:
        return nullcontext()

    def remember(self, name: str) -> None:
        self.remembered.append(name)

    def temperatures(self, names: Iterable[str]) -> Mapping[str, Celsius]:
        return self.celsius(list(names))

    def temperatures_by_kernel(self, names: Iterable[str]) -> Mapping[str, Celsius]:
        return self.celsius(list(names))

    def health_counts(self, names: Iterable[str]) -> dict[str, dict[str, float | str]]:
        return {}

    def begin_self_test(self, name: str, length: str) -> str:
        return self.no_self_test.get(name, "")

    def end_self_test(self, name: str) -> None:
        self.self_tests_ended.append(name)

    def self_tests(self, names: Iterable[str]) -> dict[str, SelfTestStatus]:
        return self.self_tested(list(names))

    def why_no_health(self) -> str:
        return "no disk tells"

    def read_boot_file(self, path: str) -> bytes | None:
        return self.boot_files.get(path)

    def replace_boot_file(self, path: str, expected: bytes | None, content: bytes | None, mark: str) -> None:
        if path in self.read_only:
            raise OSError(errno.EROFS, "Read-only file system", path)
        assert self.boot_files.get(path) == expected
        self.boot_files = {name: text for name, text in self.boot_files.items() if name != path}
        if content is not None:
            self.boot_files[path] = content

    def why_not_mountable(self, folder: str) -> str:
        return self.not_mountable

    def why_not_in_initramfs(self, path: str) -> str:
        return ""

    def folder_inode(self, folder: str) -> int | None:
        return self.folders.get(folder)

    def is_empty(self, folder: str) -> bool:
        return True

    def owned(self, folder: str) -> Owned:
        return self.owners.get(folder, ROOTS)

    def owned_as(self, folder: str, owner: str, mode: str) -> Owned:
        user, group = map(int, owner.split(":"))
        return Owned(uid=user, gid=group, mode=int(mode, 8))

    def own(self, folder: str, expected: Owned, new: Owned) -> None:
        assert self.owned(folder) == expected
        self.owners[folder] = new

    def monitor(self) -> Monitor:
        return self.monitored

    def watch(self, names: Collection[str]) -> Watch:
        return self.watched

    def find_array(self, uuid: str) -> str | None:
        return self.array

    def named(self, name: str) -> str | None:
        return self.array

    def slaves(self, array: str) -> tuple[str, ...]:
        here = tuple(one.name for one in self.seen.devices if array)
        return here if self.stands_on is None else tuple(name for name in here if name in self.stands_on)

    def superblock(self, node: str) -> str | None:
        return self.superblocks.get(node)

    def superblock_record(self, node: str) -> Superblock | None:
        return Superblock(updated_s=1_800_000_000, events=37) if node in self.superblocks else None

    def contents(self, name: str, kind: str, mark: str) -> Contents:
        return self.holds

    def forget_contents(self, mark: str) -> None:
        """Nobody was killed while he looked."""

    def is_dead(self, array: str) -> bool:
        return self.array is None

    def lacking(self, array: str) -> int:
        assert array
        return 0 if self.syncing else max(0, len(self.seen.devices) - len(self.working(array)))

    def sync(self, array: str) -> Sync | None:
        return self.syncing

    def rebuilt_bytes(self, array: str) -> int | None:
        return None

    def checked_bytes(self, array: str) -> int | None:
        return None

    def building(self, array: str) -> set[str]:
        return self.put_back & set(self.slaves(array)) - self.faulty() if self.syncing else set()

    def working(self, array: str) -> set[str]:
        return set(self.slaves(array)) - self.faulty() - self.building(array)

    def write_mostly(self, array: str) -> set[str]:
        return set()

    def read_errors(self, array: str) -> dict[str, int]:
        return self.corrected()

    def threads_s(self, array: str) -> dict[str, float]:
        return self.thread_s()

    def array_settings(self, array: str) -> dict[str, str]:
        return {}

    def data_offset_bytes(self, array: str, member: str) -> int:
        return 0


def _is_own(file: Path) -> bool:
    return file.exists() and file.parts[1] not in ("sys", "proc")


class Answered(Waiter):
    """A pace at which nothing is started and nothing awaited: a command is written down and answered."""

    def __init__(self, rig: "Rig") -> None:
        super().__init__(rig.folder, rig.journal, rig.sampler, wakeup=-1)
        self._rig = rig

    def run(
        self,
        argv: Argv,
        stdin: str = "",
        role: Role = "settled",
        claim: AbstractContextManager[tuple[int, ...]] | None = None,
        log: Path | None = None,
    ) -> Ended:
        with claim or nullcontext():
            self._rig.given.append(argv)
        return self._rig.answer(argv)

    def pause(self, duration_s: float) -> None:
        """No time passes."""


ENDS: list[Callable[[], object]] = []  # of a test's workers


def _close(journal: Journal, samples: int) -> None:
    journal.close()
    os.close(samples)


class Rig(WrittenHost):
    """An executor on a written machine: its commands, with the devices of this moment, are `given` to `answer`."""

    def __init__(self, folder: Path, plan: Plan, seen: Machine = SEEN) -> None:
        super().__init__(seen)
        self.folder = folder
        drawn = plan if plan.uuids else directory.drawn(plan)
        self.plan = replace(slots.filled(drawn), boot_id=BOOT)
        self.given: list[Argv] = []
        own = (
            (stage.array and stage.array.name, stage.filesystem and stage.filesystem.pool) for stage in self.plan.stages
        )
        self.to_remove = tuple(name for names in own for name in names if name)  # by a person, to be removed
        self.answer: Callable[[Argv], Ended] = lambda argv: Ended(0, "")
        self.end: Callable[[], object] = lambda: None  # of the worker
        self.open()

    def open(self) -> None:
        """As another worker finds it."""
        self.end()
        host: Host = self
        self.journal = Journal(self.folder / "journal.jsonl")
        identities = tuple(member.id for member in self.plan.members)
        self.sampler = Sampler(self.folder / "samples.bin", identities, host)
        self.executor = Executor(self.folder, self.plan, self.journal, self.sampler, Answered(self), host)
        self.executor.to_remove = self.to_remove
        self.end = finalize(self, _close, self.journal, self.sampler._file)
        ENDS.append(self.end)

    def build(self) -> None:
        """The array and the members' superblocks come and go as mdadm is told from now on."""

        def answer(argv: Argv) -> Ended:
            if argv[:2] == ("mdadm", "--create"):
                self.array, self.stands_on = "md127", tuple(one.name for one in self.seen.devices)
                uuid = next(word.removeprefix("--uuid=") for word in argv if word.startswith("--uuid="))
                self.superblocks |= {one.path: uuid for one in self.seen.devices}
            if argv[:2] == ("mdadm", "--stop"):
                self.array = None
            if argv[:2] == ("mdadm", "--zero-superblock"):
                del self.superblocks[argv[-1]]
            return Ended(0, "")

        self.answer = answer

    def measure(self) -> None:
        """Every test gives one figure from now on, that of a recording."""
        (self.folder / "fio").mkdir(exist_ok=True)
        answer = self.answer

        def measured(argv: Argv) -> Ended:
            if argv[0] == "fio":
                output = next(word.partition("=")[2] for word in argv if word.startswith("--output="))
                (self.folder / output).write_text(RESULT)
            return answer(argv)

        self.answer = measured

    def without(self, index: int) -> None:
        """The disk of this index is gone."""
        devices = (*SEEN.devices[:index], *SEEN.devices[index + 1 :])
        self.seen = replace(self.seen, devices=devices)

    def go(self) -> Outcome:
        return stages.go(self.plan, self.executor, self.journal.state)

    def taken_back(self) -> Outcome:
        return stages.take_back(self.plan, self.executor, self.journal.state)

    def enter_last(self, stage: Stage | None = None) -> None:
        """As a worker that is in the last stage; `stage`: as it is there."""
        self.executor.context.enter(len(self.plan.stages) - 1, stage or self.plan.stages[-1])

    def programs(self) -> list[str]:
        """What was given, without udev's settling: program and first word, as "mdadm --create"."""
        return [" ".join(argv[:2]) for argv in self.given if argv[0] != "udevadm"]


def plan_of(
    level: str = "5",
    after: After = "teardown",
    filesystem: str = "none",
    seen: Machine = SEEN,
    repeat: int = 1,
    members: MembersAs = "disks",
    between: Between = "",
) -> Plan:
    stays = members == "partitions" or between  # what only an array that stays has
    first_sync: FirstSync = "wait" if stays else "skip"
    setup = Setup(level=level, filesystem=filesystem, first_sync=first_sync, members=members, between=between)
    return planned(disks_of(seen), setup, after=after, repeat=repeat)


def plan_permanent(filesystem: str = "ext4", **given: Any) -> Plan:
    """A mirror that is kept and made permanent, on Debian."""
    setup = Setup(level="1", filesystem=filesystem)
    return planned(disks_of(SEEN), setup, DEBIAN, after="keep", repeat=1, permanent=True, **given)


def plan_of_existing(seen: Seen) -> Plan:
    """A plan that measures what stands already."""
    answers = Answers(target=seen.target.path, recipe="existing")
    return target_plan.make(answers, recipes.load("existing"), seen, "machine")


def run_in(root: Path, plan: Plan, name: str, *told: events.AnyEvent) -> Path:
    """The directory of a run of this plan, whose journal says this."""
    path = root / name
    path.mkdir(parents=True, mode=0o700)
    (path / directory.PLAN).write_bytes(plans.encode(plan))
    journal = Journal(path / directory.JOURNAL)
    for event in told:
        journal.add(event)
    journal.close()
    return path
