"""Every parser of outside text: good input, how it is read, what it may raise, what must hold of its answer."""

import math
import re
import struct
import tomllib
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec

from raidtui import recipes
from raidtui.core import units
from raidtui.core.disks import dumps
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio import result
from raidtui.core.fio import text as fio_text
from raidtui.core.fio.measurement import Measurement
from raidtui.core.hardware import megacli, smartctl, storcli
from raidtui.core.hardware.controllers import Controller, ControllersError, seat
from raidtui.core.hardware.drive import DriveHealth, Fitness, judge
from raidtui.core.hardware.pages import controller_page, drive_page
from raidtui.core.page.markdown import markdown as page
from raidtui.core.plan import answers, model, planner, recipe, validate
from raidtui.core.raid import filesystems
from raidtui.core.report import markdown, provenance
from raidtui.core.run import journal_lines
from raidtui.core.run.samples import Sample, rates
from raidtui.core.run.state import RunState, fold_all
from raidtui.runs import directory
from raidtui.runs import planning as runs_planning
from raidtui.runs.follow import Follower
from raidtui.system import discovery, drive_locks, md
from tests.broken import arrays
from tests.builders import controllers, smart
from tests.builders.prints import DUMPE2FS, XFS_INFO, XFS_INFO_NO_STRIPES

RECORDINGS = Path(__file__).parents[1] / "recordings"
RUN = RECORDINGS / "runs" / "raid5-of-3"
MACHINES = RECORDINGS / "machines"
ANSWERS = b"""\
disks  = ["wwn-0x33333330000007d0", "wwn-0x3333333000000fa0", "wwn-0x3333333000001770"]
recipe = "quick"
variant = ""
repeat = 2
after  = "teardown"
disk_speed = "180MB/s"
disk_iops = 150.5
[[axes]]
level = ["5", "10"]
chunk = ["64KiB", "512KiB"]
member_size = ["100MiB"]
[setup]
layout     = ""
bitmap     = "internal"
filesystem = "xfs"
first_sync = "wait"
partition_start_sectors = 2048
stripe_cache_size = 4096
[fio]
ramp_time = 0
[job.seq_read]
runtime = "60s"
bs = "1m"
iodepth = 8
direct = true
[job.rand_write]
size = "50%"
numjobs = 2
ramp_time = 1.5
"""
MOUNTINFO = b"""\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
23 22 0:21 / /proc rw,nosuid,nodev,noexec - proc proc rw
31 22 8:17 / /srv/my\\040data rw,noatime shared:7 - xfs /dev/sdb1 rw,attr2
40 22 0:38 /@home /home rw - btrfs /dev/sdc rw,space_cache=v2,subvolid=257
"""
SWAPS = b"""\
Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority
/dev/sda2                               partition\t998396\t\t0\t\t-2
/swap\\040file                           file\t\t1048572\t\t12\t\t-3
"""


class Parser(msgspec.Struct, frozen=True):
    """`errors` are the classes that it documents; a subclass of them is a leak. `check` raises AssertionError."""

    name: str
    seeds: tuple[bytes, ...]
    read: Callable[[bytes], Any]
    errors: tuple[type[Exception], ...]
    check: Callable[[Any], None]


def text_of(data: bytes) -> str:
    return data.decode(errors="replace")


_UNCLEAN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def is_clean(text: str) -> bool:
    """Nothing that a terminal would obey, on one line."""
    return _UNCLEAN.search(text) is None


def numbers(value: Any) -> Iterable[float]:
    if isinstance(value, bool | str) or value is None:
        return
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from numbers(one)
    else:
        for one in value:
            yield from numbers(one)


def check_measured(found: Iterable[Measurement]) -> None:
    for measurement in found:
        assert all(
            0 <= number < 2**80 and math.isfinite(number) for number in numbers(msgspec.to_builtins(measurement))
        )
        for direction in (measurement.read, measurement.write):
            if direction is None or measurement.status != "ok" or measurement.warnings or not measurement.runtime_ms:
                continue
            assert direction.iops > 0 and direction.io_bytes > 0
            # both directions of a mix may end a little before the longer one
            flowed = direction.bytes_per_s * measurement.runtime_ms / 1000
            assert flowed >= direction.io_bytes * 0.95 - 2048, "bytes contradict runtime"
            percentiles = list((direction.lat_percentiles_ns or {}).values())
            assert percentiles == sorted(percentiles), "percentiles fall"
    page(provenance.of_measurements(list(found)))


def read_journal(data: bytes) -> tuple[Any, int, bytes]:
    return (*journal_lines.read(data), data)


@cache
def recorded_plan() -> model.Plan:
    return validate.decode((RUN / "plan.json").read_bytes())


def check_journal(read: tuple[Any, int, bytes]) -> None:
    found, end, data = read
    assert data[end:].count(b"\n") == 0 and len(found) == data.count(b"\n")
    state = fold_all(found)
    assert all(number - number == 0 for number in numbers(msgspec.to_builtins(state)))  # neither infinite nor NaN
    if zlib.crc32(data) % 8 == 0:  # a report takes ten times as long as all the rest
        check_report(recorded_plan(), state)


def check_report(made: model.Plan, state: RunState) -> None:
    text = markdown.markdown(made, state)
    assert all(map(is_clean, text.split("\n"))), "control characters in the report"
    provenance.measurements_csv(provenance.measurements(made, state))


def check_plan(made: model.Plan) -> None:
    assert validate.decode(model.encode(made)) == made
    list(model.shown_steps(made))
    check_report(made, recorded_state())


@cache
def recorded_state() -> RunState:
    return fold_all(journal_lines.read((RUN / "journal.jsonl").read_bytes())[0])


@cache
def scratch() -> Path:
    return Path(mkdtemp(prefix="raidtui-broken-"))


def read_samples(data: bytes) -> tuple[Sample, ...]:
    """As a viewer reads it, of a run directory whose sample file is broken."""
    folder = scratch() / "run"
    if not folder.exists():
        folder.mkdir(mode=0o700)
        for name in (directory.PLAN, directory.JOURNAL):
            (folder / name).write_bytes((RUN / name).read_bytes())
    (folder / directory.SAMPLES).write_bytes(data)
    view = Follower(folder).poll()
    assert view is not None
    return view.history


def check_samples(history: tuple[Sample, ...]) -> None:
    for older, newer in pairwise(history):
        for rate in rates(older, newer):
            if rate is not None:
                assert rate.read_bytes_per_s >= 0 and rate.write_bytes_per_s >= 0 and 0 <= rate.util <= 1
                assert math.isfinite(rate.read_bytes_per_s + rate.write_bytes_per_s)


@cache
def rack() -> tuple[Disk, ...]:
    return disks_of(dumps.read((MACHINES / "rack-of-three.json").read_bytes()))


def read_answers(data: bytes) -> answers.Answers:
    path = scratch() / "answers.toml"
    path.write_bytes(data)
    return runs_planning.read_answers(path)


def seed_answers() -> bytes:
    ids = ", ".join(f'"{disk.id}"' for disk in rack())
    return ANSWERS.replace(ANSWERS.partition(b"\n")[0], f"disks = [{ids}]".encode())


def seed_plan() -> bytes:
    return (RUN / "plan.json").read_bytes()


def seed_sas() -> bytes:
    return smart.said(smart.SAS).encode()


def seed_trial_ended() -> bytes:
    """The line of a journal on a trial that has ended."""
    lines = (RUN / "journal.jsonl").read_bytes().splitlines(keepends=True)
    return next(line for line in lines if line.startswith(b'{"event":"trial-ended"'))


def check_answers(given: answers.Answers) -> None:
    if given.recipe and given.axes != answers.Axes():  # no name is refused where it is looked for; no axis is none
        assert answers.parse(answers.to_document(given)) == given
    check_plan_of(given, recipes.load("quick"))


def check_plan_of(given: answers.Answers, chosen: recipe.Recipe) -> None:
    """What can be read is planned, or refused in a sentence."""
    try:
        made = planner.make(given, chosen, rack(), "a machine")
    except (answers.PlanRefused, recipe.RecipeError) as error:
        assert str(error) and is_clean(str(error)), repr(str(error))
        return
    assert made.estimate_s >= 0 and math.isfinite(made.estimate_s)
    assert validate.decode(model.encode(made)) == made
    for trial in made.trials:
        assert all(number > 0 for number in (trial.bs_bytes, trial.iodepth, trial.numjobs) if number is not None)


def read_recipe(data: bytes) -> recipe.Recipe:
    """What is no TOML is for the reader of the file (see `raidtui.recipes`), which says so."""
    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise recipe.RecipeError("not TOML") from error
    return recipe.parse(document, "broken.toml")


def check_recipe(chosen: recipe.Recipe) -> None:
    check_plan_of(answers.Answers(disks=tuple(disk.id for disk in rack()), setup=answers.Setup(level="5")), chosen)


def check_disks(machine: Any) -> None:
    for disk in disks_of(machine):
        assert disk.id and is_clean(repr(disk))
        assert disk.size_bytes >= 0
        assert bool(disk.verdict.reason) == (disk.verdict.standing is not Usability.OK)
        if disk.verdict.standing is Usability.OK:
            assert disk.checked and disk.size_bytes


def check_geometry(found: filesystems.Geometry) -> None:
    assert found.block_bytes > 0 and found.su_bytes >= 0 and found.sw_disks >= 0


def read_superblock(data: bytes) -> str | None:
    path = scratch() / "disk"
    path.write_bytes(data.ljust(8192, b"\0"))
    return md.superblock(str(path))


def check_superblock(uuid: str | None) -> None:
    assert uuid is None or len(uuid) == 35


def superblock() -> bytes:
    return bytes(4096) + bytes.fromhex("fc4e2ba9 01000000 00000000 00000000") + bytes(range(16)) + bytes(224)


def check_mounts(mounts: Iterable[Any]) -> None:
    assert all(is_clean(mount.source + mount.mountpoint) for mount in mounts)


def read_swaps(data: bytes) -> Any:
    return discovery.swaps_of(data)


def check_swaps(swaps: Iterable[Any]) -> None:
    assert all(is_clean(swap.source) for swap in swaps)


def check_not_negative(found: Any) -> None:
    assert all(number >= 0 and math.isfinite(number) for number in numbers([found]))
    if isinstance(found, int):
        assert units.format_bytes(found) and units.both(found)


def check_seconds(found: float | None) -> None:
    assert found is None or (0 <= found < 10**15)


def files(*paths: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in paths)


def fio_results() -> tuple[bytes, ...]:
    paths = (RECORDINGS / "fio").rglob("*.*")
    return files(*sorted(path for path in paths if path.is_file() and path.name != "failed-engine.txt"))


def shipped_recipes() -> tuple[bytes, ...]:
    return files(*sorted(Path(recipes.__path__[0]).glob("*.toml")))


def check_health(words: str) -> None:
    assert is_clean(words) and len(words) < 100


def check_drive(told: DriveHealth) -> None:
    assert all(map(is_clean, texts(msgspec.to_builtins(told))))
    assert all(-60 < number < 2**63 for number in numbers(msgspec.to_builtins(told)))
    judgement = judge(told)
    assert (judgement.fitness is Fitness.UNKNOWN) <= (not told.is_known)
    assert all(map(is_clean, drive_page("a drive", told, judgement)))


def check_controllers(told: tuple[Controller, ...]) -> None:
    for controller in told:
        assert all(map(is_clean, texts(msgspec.to_builtins(controller))))
        assert all(map(is_clean, controller_page(controller, {0: "sda"})))
        for volume in controller.virtual_disks:
            assert volume.strip_bytes is None or volume.strip_bytes.bit_count() == 1
        seat(told, "0x600508b1001c0000000000000000a0b1", "pci-0000:3b:00.0-scsi-0:2:0:0")


def texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


RESERVATIONS = (struct.pack(">IIQIBBH", 7, 16, 0xABC, 0, 0, 5, 0), struct.pack(">II2Q", 7, 16, 1, 2))
SIZES = (b"1.2TB", b"931GiB", b"64K", b"1000204886016", b" 512 KiB ", b"0.5m")
PARSERS = (
    Parser(
        "fio results",
        fio_results(),
        lambda data: result.parse(text_of(data), "broken"),
        (result.FioResultError,),
        check_measured,
    ),
    Parser("journal", files(RUN / "journal.jsonl"), read_journal, (), check_journal),
    Parser("plan", files(RUN / "plan.json"), validate.decode, (ValueError,), check_plan),
    Parser("samples", files(RUN / "samples.bin"), read_samples, (), check_samples),
    Parser("answers", (seed_answers(),), read_answers, (answers.AnswersError,), check_answers),
    Parser("recipes", shipped_recipes(), read_recipe, (recipe.RecipeError,), check_recipe),
    *(
        Parser(f"machine {name}", files(MACHINES / name), dumps.read, (ValueError,), check_disks)
        for name in ("in-use.json", "stacked.json", "in-use.lsblk.json", "in-use.udevadm.txt")
    ),
    Parser(
        "geometry of ext4",
        (DUMPE2FS.encode(),),
        lambda data: filesystems.parse_geometry("ext4", text_of(data)),
        (ValueError,),
        check_geometry,
    ),
    Parser(
        "geometry of xfs",
        (XFS_INFO.encode(), XFS_INFO_NO_STRIPES.encode()),
        lambda data: filesystems.parse_geometry("xfs", text_of(data)),
        (ValueError,),
        check_geometry,
    ),
    Parser("md superblock", (superblock(),), read_superblock, (), check_superblock),
    Parser(
        "smartctl",
        tuple(smart.said(drive).encode() for drive in smart.ALL),
        lambda data: smartctl.parse(text_of(data)),
        (smartctl.SmartError,),
        check_drive,
    ),
    Parser(
        "storcli",
        tuple(controllers.said(answer).encode() for answer in controllers.STORCLI),
        lambda data: storcli.parse(text_of(data)),
        (ControllersError,),
        check_controllers,
    ),
    Parser(
        "megacli",
        tuple(answer.encode() for answer in controllers.MEGACLI),
        lambda data: megacli.parse(text_of(data)),
        (ControllersError,),
        check_controllers,
    ),
    Parser("reservations", RESERVATIONS, lambda data: drive_locks.reservation(data, data[1:]), (), check_health),
    Parser("mountinfo", (MOUNTINFO,), discovery.mounts_of, (), check_mounts),
    Parser("swaps", (SWAPS,), read_swaps, (), check_swaps),
    Parser("arrays", arrays.machines(), arrays.read_status, (ValueError,), arrays.check_status),
    Parser("files of boot", (arrays.CONF, arrays.FSTAB, arrays.UNIT), arrays.read_boot, (), arrays.check_boot),
    Parser("marks of checks", (arrays.LOG, arrays.MARK), arrays.read_marks, (), arrays.check_marks),
    Parser("sizes", SIZES, lambda data: units.parse_bytes(text_of(data)), (ValueError,), check_not_negative),
    Parser(
        "disks", (b"1.2TBx24", b"1TBx3", b"931GiB"), lambda data: units.parse_disks(text_of(data)), (ValueError,),
        check_not_negative,
    ),
    Parser(
        "rates", (b"94MB/s", b"90MiB/s"), lambda data: units.parse_bytes_per_s(text_of(data)), (ValueError,),
        check_not_negative,
    ),
    Parser("fio's sizes", SIZES, lambda data: fio_text.parse_bytes(text_of(data)) or 0, (), check_not_negative),
    Parser(
        "fio's times", (b"60", b"10m", b"500ms", b"1.5h"), lambda data: fio_text.parse_seconds(text_of(data)), (),
        check_seconds,
    ),
)  # fmt: skip
BY_NAME = {parser.name: parser for parser in PARSERS}
