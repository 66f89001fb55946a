"""fio's arguments for one job on one target, under fio's own option names. Starts nothing.

Queue depth by disk: one disk alone has the depth that each disk of an array has. Within bounds of the machine.

Allowed fio options and the form of their values: a closed list, none names a file or program.
"""

import math
import re
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Annotated, Literal, TypeVar

import msgspec

from raidtui.core.fio import text
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.text import brief

PATTERNS = ("read", "write", "rw", "randread", "randwrite", "randrw")
ENGINES = ("libaio", "io_uring", "psync", "sync", "vsync", "pvsync", "pvsync2", "posixaio", "mmap")
_CHECKSUMS = """
    crc32c crc32c-intel crc32 crc64 crc16 crc7 md5 sha1 sha256 sha512 sha3-224 sha3-256 sha3-384 sha3-512 xxhash pattern
"""
_ONE = r"[0-9][0-9A-Za-z.%]{0,30}"  # with a unit, or a share
_NUMBER = rf"-?{_ONE}(?:[,:/-]{{1,3}}{_ONE}){{0,60}}"  # or a list of them
_WORDS = {
    "iodepth": "[0-9]{1,9}",
    "numjobs": "[0-9]{1,9}",
    "ioengine": "|".join(ENGINES),
    "rw": "|".join(PATTERNS),
    "verify": "|".join(_CHECKSUMS.split()),
    # of a run, by the digits that are drawn for it, and of a pass of it; then where the block is
    "verify_pattern": r"0x(?:\{name:[0-9]{1,5}\}|[0-9a-f]{8}){2}%o0x5a",
    "zonemode": "strided",
    "rate_iops": rf"{_NUMBER}|\{{rate:[\w.-]{{1,200}}:[0-9]{{1,3}}:[0-9]{{1,3}}\}}",
    "rate_process": "linear|poisson",
    "rw_sequencer": "sequential|identical",
    "random_generator": "tausworthe|tausworthe64|lfsr",
    "random_distribution": rf"(?:random|zipf|pareto|normal|zoned|zoned_abs)(?::{_NUMBER})?",
    "cpus_allowed_policy": "shared|split",
    "fallocate": "none|native|posix|keep|truncate|[01]",
    "unified_rw_reporting": "none|mixed|both|[012]",
    "ss": r"(?:iops|bw|iops_slope|bw_slope):[0-9][0-9.]{0,19}%?",
    "numa_cpu_nodes": r"all|[0-9][0-9,-]{0,99}",
    "numa_mem_policy": r"(?:default|prefer|bind|interleave|local)(?::[0-9][0-9,-]{0,99})?",
}
_NUMBERS = """
    blockalign bs bsrange bssplit buffer_compress_percentage clat_percentiles cpus_allowed direct disable_clat
    disable_lat disable_slat do_verify end_fsync fdatasync fixedbufs fsync group_reporting gtod_reduce hipri
    invalidate io_size iodepth_batch iodepth_batch_complete iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_batch_submit iodepth_low lat_percentiles loops nonvectored norandommap
    number_ios offset offset_increment percentile_list ramp_time randrepeat randseed rate refill_buffers
    registerfiles runtime rwmixread rwmixwrite scramble_buffers size slat_percentiles softrandommap
    sqthread_poll ss_dur ss_ramp startdelay thinktime thread time_based verify_backlog verify_fatal
    verify_interval zero_buffers zonerange zonesize zoneskip
"""
FORMS = {
    name: re.compile(form, re.ASCII) for name, form in {**dict.fromkeys(_NUMBERS.split(), _NUMBER), **_WORDS}.items()
}
PLANNED = frozenset({"verify_pattern", "zonemode", "zonerange", "zonesize", "zoneskip"})  # that a plan alone gives


def is_formed(option: str, value: str) -> bool:
    form = FORMS.get(option)
    return form is not None and form.fullmatch(value) is not None


@lru_cache(maxsize=4096)
def is_option(word: str) -> bool:
    option, equals, value = word.removeprefix("--").partition("=")
    return bool(equals) and word.startswith("--") and is_formed(option, value)


Kind = Literal["sequential", "random"]

_DIRECTIONS: dict[str, tuple[DirectionName, ...]] = {
    "read": ("read",),
    "write": ("write",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
}


FioOptions = dict[str, str | int | float | bool]


Files = Literal["one", "per-disk"]
Depth = Annotated[int, msgspec.Meta(ge=1, le=1024)]


class DiskDepth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Requests outstanding at each disk, by kind."""

    hdd: Depth
    flash: Depth


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fio job. `title`: for tables. `files` "per-disk": a fio job per member, each on its own file (or disk).
    `write_cache` "off": members' caches off meanwhile. `baseline` False: only on setups. `vary`: a job per combination:
    `vary.iodepth = [1, 2]` of `rand` gives `rand-iodepth1`, `rand-iodepth2`, of `family` "rand". `share_of`: an earlier
    job in the same place: `rate_iops = "30%"` of its IOPS. `disk_depth`: queue depth of each disk in place of `iodepth`
    (`of_disks`); `numjobs` is then that of each disk, too. `uses`: only for these purposes, or where it is named.
    `level_s`: random writes of rotating disks last until their rate is level, at most so long (`until_level`).
    """

    name: str
    fio: FioOptions
    title: str = ""
    drop_caches_before: bool = False
    write_cache: Literal["", "off"] = ""
    files: Files = "one"
    baseline: bool = True
    vary: dict[str, tuple[int | str, ...]] = {}
    family: str = ""
    share_of: str = ""
    disk_depth: DiskDepth | None = None
    uses: tuple[str, ...] = ()
    level_s: Annotated[int, msgspec.Meta(ge=0, le=3600)] = 0


# What a job may say. Everything that names a file, a device, a host or a program is left out: what is written to,
# and what is started, only the plan decides.
OPTIONS = frozenset(FORMS) - PLANNED
Number = TypeVar("Number", int, float)
_POSITIVE = ("bs", "size", "iodepth", "numjobs")
MOST_JOBS = 256
LEVEL_S = 30
_MOST_OF = {"numjobs": MOST_JOBS + 1, "iodepth": 65537}  # fewer than that
_AS = {  # how each is written
    "bs": "4k or 1m",
    "size": "10g or 50%",
    "offset": "10g or 50%",
    "runtime": "60s or 2m",
    "ramp_time": "5s",
    "iodepth": "a whole number from 1 to 65536",
    "numjobs": "a whole number from 1 to 256",
}
_MOST = 2**63  # bytes, seconds, requests: what fio keeps them in
# Shares of a size, as fio writes them ("100%"), are of the device; a file gets the same share of its span.
_PERCENT, _WHOLE_PERCENT = "%", 100
# A request's whole time, as its mean has it: by itself fio leaves out of percentiles the wait until the kernel took it.
# Both options are named because fio up to 3.18 keeps percentiles of one kind only.
_OF_WHOLE_TIME: FioOptions = {"lat_percentiles": True, "clat_percentiles": False}
_OWN_LATENCIES = ("lat_percentiles", "clat_percentiles", "disable_lat", "gtod_reduce")


def with_whole_latency(options: FioOptions) -> FioOptions:
    """Adds percentiles of total latency, unless latency options are set."""
    return options if any(name in options for name in _OWN_LATENCIES) else {**options, **_OF_WHOLE_TIME}


def pattern(run: str, trial_id: str) -> str:
    """fio's verify pattern: run (eight digits), pass, offset. crc32c accepts any consistent block, also of an earlier
    pass or another place. `%o`: the request's offset; one more byte makes 17, so that pieces moved within a request
    differ.
    """
    return f"0x{run}{zlib.crc32(trial_id.encode()):08x}%o0x5a"


def argv(
    job: Job,
    output: str,
    filenames: Sequence[str],
    size_bytes: int | None = None,
    *,
    creates: bool = False,
    readonly: bool = False,
) -> tuple[str, ...]:
    """JSON goes into `output`; one fio job per file name, in parallel. `size_bytes`: 100 %, for a file (None: device).
    Unless it `creates` the file, a missing target fails; fio would create and measure a file. `readonly`: fio refuses
    writes.
    """
    allowed = () if creates else ("--allow_file_create=0",)
    guard = ("--readonly",) if readonly else ()
    options = dict(job.fio)
    if size_bytes is not None:
        options["size"] = file_span_bytes(options, size_bytes)
    common = [f"--{name}={_text(value)}" for name, value in options.items()]
    sections = []
    for number, filename in enumerate(filenames):
        name = job.name if len(filenames) == 1 else f"{job.name}.{number}"
        sections += [f"--name={name}", f"--filename={filename}"]
    return ("fio", "--output-format=json", f"--output={output}", *guard, *common, *allowed, *sections)


def file_span_bytes(options: FioOptions, span_bytes: int) -> int:
    """File size if 100 % is `span_bytes`; never larger."""
    size = str(options.get("size", "100%"))
    if size.endswith(_PERCENT):
        return int(span_bytes * _share(options) / _WHOLE_PERCENT)
    return min(_known_number(text.parse_bytes(size)), span_bytes)


def clamped(options: FioOptions, device_bytes: int) -> FioOptions:
    """A size beyond the device: all from the offset on. Else fio stops at the first block past it, successfully."""
    if is_share(options):
        return options
    return {**options, "size": file_span_bytes(options, device_bytes - offset_bytes(options, device_bytes))}


def offset_bytes(options: FioOptions, device_bytes: int) -> int:
    """Of a share of the device too; default 0."""
    offset = str(options.get("offset", 0))
    if offset.endswith(_PERCENT):
        return min(int(device_bytes * float(offset.removesuffix(_PERCENT)) / _WHOLE_PERCENT), device_bytes)
    return min(_known_number(text.parse_bytes(offset)), device_bytes)


def is_share(options: FioOptions) -> bool:
    return str(options.get("size", "100%")).endswith(_PERCENT)


def _share(options: FioOptions) -> float:
    return float(str(options.get("size", "100%")).removesuffix(_PERCENT))


def seconds(options: FioOptions, name: str) -> float:
    """ "5", "600s", "2m"; 0 if not given."""
    return _known_number(text.parse_seconds(str(options.get(name, 0))))


def block_bytes(options: FioOptions) -> int:
    """Of reads, if different; default 4096."""
    return _known_number(text.parse_bytes(str(options.get("bs", "4k")).partition(",")[0]))


def count(options: FioOptions, name: str) -> int:
    """iodepth, numjobs; default 1."""
    return int(str(options.get(name, 1)))  # of 1.5 there is none


def check(job: Job) -> None:
    """ValueError with job and option for one not allowed or unreadable."""
    for name in sorted(job.fio):
        if name not in OPTIONS:
            raise ValueError(f"job.{job.name}: {brief(repr(name))} is not an option that a job may have; leave it out")
        if (value := job.fio[name]) in (math.inf, -math.inf) or value != value:
            raise ValueError(f"job.{job.name}: {name} cannot be {value}")
    if (engine := job.fio.get("ioengine", ENGINES[0])) not in ENGINES:
        raise ValueError(
            f"job.{job.name}: ioengine cannot be {brief(repr(engine))}; choose one of {', '.join(ENGINES)}"
        )
    readers: dict[str, Callable[[FioOptions], float]] = {
        "bs": block_bytes,
        "size": lambda options: file_span_bytes(options, 1 << 60),
        "offset": lambda options: offset_bytes(options, 1 << 60),
        **{name: partial(seconds, name=name) for name in ("runtime", "ramp_time")},
        **{name: partial(count, name=name) for name in ("iodepth", "numjobs")},
    }
    if wrong := _wrong_rate(job):
        raise ValueError(f"job.{job.name}: {wrong}")
    if job.fio.get("rw", "read") not in PATTERNS:
        raise ValueError(
            f"job.{job.name}: rw cannot be {brief(repr(job.fio['rw']))}; choose one of {', '.join(PATTERNS)}"
        )
    for name, reader in readers.items():
        try:
            usable = (name in _POSITIVE) <= reader(job.fio) < _MOST_OF.get(name, _MOST)
        except (ValueError, OverflowError):
            usable = False
        usable = usable and not (name == "size" and is_share(job.fio) and _share(job.fio) > _WHOLE_PERCENT)
        if not usable:
            raise ValueError(f"job.{job.name}: {name} cannot be {brief(repr(job.fio.get(name)))}; write {_AS[name]}")
    for name, value in job.fio.items():
        if not is_formed(name, _text(value)):
            raise ValueError(f"job.{job.name}: {name} cannot be {brief(repr(value))}; fio(1) has its form")


def rate_percent(options: FioOptions) -> int | None:
    """Percent of another job's IOPS; None if no share."""
    rate = str(options.get("rate_iops", ""))
    return int(rate.removesuffix(_PERCENT)) if re.fullmatch(r"[1-9][0-9]{0,2}%", rate) else None


def offered_iops(iops: float, percent: int, jobs: int) -> int:
    """rate_iops of each job, together that share; at least 1."""
    return max(1, int(iops * percent / _WHOLE_PERCENT / jobs))


def _wrong_rate(job: Job) -> str:
    rate, share = str(job.fio.get("rate_iops", "")), rate_percent(job.fio)
    if not job.share_of:
        return f"rate_iops cannot be {brief(rate)} without `share_of`, the job it is a share of" if "%" in rate else ""
    if share is None or share > _WHOLE_PERCENT:
        return f"rate_iops cannot be {brief(repr(rate))}; of {brief(repr(job.share_of))} it offers 1% to 100%"
    if len(directions(str(job.fio.get("rw", "read")))) > 1:
        return "rw cannot be a mix where the rate is a share; choose one direction"
    return ""


def until_level(job: Job) -> Job:
    """fio ends once the rate moves by at most 5 % over the last 30 s, by its slope: a write cache takes the first
    seconds.
    """
    if not job.level_s or job.fio.get("rw") != "randwrite" or job.write_cache == "off":
        return job
    ends = {"runtime": f"{job.level_s}s", "ss": f"iops_slope:{5 / LEVEL_S:.3f}%", "ss_dur": f"{LEVEL_S}s"}
    return msgspec.structs.replace(job, fio=job.fio | ends)


def is_sequential(rw: str) -> bool:
    return not rw.startswith("rand")


def _known_number(value: Number | None) -> Number:
    if value is None:
        raise ValueError("not a number that fio reads")
    return value


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def kind(rw: str) -> Kind:
    """Sequential (bytes/s) or random (IOPS)."""
    return "sequential" if is_sequential(rw) else "random"


def directions(rw: str) -> tuple[DirectionName, ...]:
    return _DIRECTIONS.get(rw.split(":")[0].removeprefix("rand"), ())


_MEMORY_SHARE, _REQUESTS_SHARE = 20, 2  # at most 5 % of memory for buffers, half of fs.aio-max-nr
USUAL_REQUESTS = 65536  # fs.aio-max-nr, unless it was set


def resolved(job: Job, flash: bool, disks: int, requests: int = USUAL_REQUESTS, memory_bytes: int = 0) -> Job:
    """Its options are those of one disk; `disks`: the most of one array. An `iodepth` of its own is of all disks.
    `memory_bytes` 0: unknown.
    """
    if job.disk_depth is None or "iodepth" in job.fio:
        return msgspec.structs.replace(job, disk_depth=None)
    most = requests // _REQUESTS_SHARE
    if memory_bytes:
        most = min(most, memory_bytes // _MEMORY_SHARE // block_bytes(job.fio))
    asked = job.disk_depth.flash if flash else job.disk_depth.hdd
    queue = max(1, min(asked, most // max(1, disks)))
    processes = min(queue, count(job.fio, "numjobs"))
    return msgspec.structs.replace(job, fio={**job.fio, "iodepth": queue // processes, "numjobs": processes})


def of_disk(job: Job) -> int:
    """Queue depth of one disk; 0 where the job's own is of all."""
    return count(job.fio, "iodepth") * count(job.fio, "numjobs") if job.disk_depth else 0


def of_disks(options: FioOptions, disks: int) -> FioOptions:
    """Options of a resolved job on an array of so many: as many processes more, as far as fio starts them."""
    processes = count(options, "numjobs") * disks
    queue = count(options, "iodepth") * processes
    if processes > MOST_JOBS:
        processes = max(number for number in range(1, MOST_JOBS + 1) if queue % number == 0)
    return {**options, "iodepth": queue // processes, "numjobs": processes}


def on_array(job: Job, disks: int) -> Job:
    """The same job with all depth in its options."""
    return msgspec.structs.replace(job, fio=of_disks(job.fio, disks), disk_depth=None) if job.disk_depth else job
