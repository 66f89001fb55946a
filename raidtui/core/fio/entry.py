"""An entry of fio's job list (2.1 on), in bytes, ns, ms. Groups: `result`. fio's stat.c, client.c."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from raidtui.core.fio import text as fio_text
from raidtui.core.fio.biases import SYNCHRONOUS
from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import Flushes

_ALL_CLIENTS = "All clients"
_DEEPEST_LEVEL = 64  # that fio tells apart
_DIRECTIONS = ("read", "write", "trim", "mixed")
_ROUNDED = 0.1  # of a thread: what a lone one's two times, in ms, may differ by
Shared = TypeVar("Shared")


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """A direction of a job. `counted_ios`: counted by fio; `ios`: by bytes, where they differ (`_whole_blocks`)."""

    ios: float
    counted_ios: float
    iops: float
    io_bytes: int
    bytes_per_s: float
    runtime_ms: float
    lat_mean_ns: float | None
    lat_max_ns: float | None
    lat_mean_of: str
    percentiles_ns: dict[str, float] | None
    percentiles_of: str
    bins_ns: dict[float, int]
    doubtful: bool


class JobEntry(msgspec.Struct, frozen=True, kw_only=True):
    """`threads`: jobs already merged by fio (`group_reporting`). Rates are those of the last `level_s`, if any."""

    name: str
    group: int
    error: int
    passed_over: int
    options: dict[str, str]
    transfers: dict[str, Transfer]
    runtime_ms: float
    threads: int
    level_s: float  # at its end, in which its rate was level (`ss`); 0: it did not end by that
    cpu: float | None  # share of one CPU that a thread of it used, 0 to 1
    start_ms: float | None = None  # by the wall clock; of newer fios only
    flushes: Flushes | None = None
    depth_reached: int = 0  # 0: not told


def entries(document: dict[str, Any]) -> tuple[list[dict[str, Any]], bool]:
    """Job list, and whether it is the total over clients, which would otherwise count twice. fio's total includes
    groups that ran one after the other: then the clients count.
    """
    for key in ("client_stats", "jobs"):
        entry_list = document.get(key)
        jobs = [entry for entry in entry_list if isinstance(entry, dict)] if isinstance(entry_list, list) else []
        total = [entry for entry in jobs if entry.get("jobname") == _ALL_CLIENTS]
        jobs = [entry for entry in jobs if entry.get("jobname") != _ALL_CLIENTS]
        if total and len({_number(entry, "groupid") for entry in jobs}) < 2:
            of_a_client = {key: next((e[key] for e in jobs if e.get(key)), None) for key in ("job options", "error")}
            return [{**total[-1], **{key: value for key, value in of_a_client.items() if value}}], True
        if jobs:
            return jobs, False
    return [], False


def read_job(entry: dict[str, Any], document: dict[str, Any]) -> JobEntry:
    job_and_global = [_section(document, "global options"), _section(entry, "job options")]
    options: dict[str, str] = {}
    for section in job_and_global:
        options |= {key: str(value) for key, value in section.items() if isinstance(value, str | int)}
    transfers = {key: _transfer(_section(entry, key), _version(document)) for key in _DIRECTIONS}
    runtime_ms = max((transfer.runtime_ms for transfer in transfers.values() if transfer), default=0.0)
    # job_runtime is the sum over the joined threads, of which some end before the last; it is the only place that tells
    # how many they were where fio joined jobs of several names (it then prints the options of one of them).
    total_ms = _number(entry, "job_runtime") or 0.0
    threads = max(1, math.ceil(total_ms / runtime_ms - _ROUNDED) if runtime_ms else 1)
    in_flight = whole_option(options, "iodepth", 1) * max(threads, whole_option(options, "numjobs", 1))
    blocks = {key: _whole_blocks(transfer, options, in_flight) for key, transfer in transfers.items() if transfer}
    steady = _section(entry, "steadystate")
    return JobEntry(
        name=str(entry.get("jobname", "")),
        group=int(_number(entry, "groupid") or 0),
        error=_errno(entry),
        passed_over=int(_number(entry, "total_err") or 0),
        options=options,
        transfers={key: _at_level(transfer, options, steady) for key, transfer in blocks.items()},
        runtime_ms=runtime_ms,
        threads=threads,
        cpu=_cpu(entry),
        start_ms=_number(entry, "job_start"),
        level_s=_number(steady, "duration") or 0.0 if _number(steady, "attained") == 1 else 0.0,
        flushes=_flushes(_section(_section(entry, "sync"), "lat_ns")),
        depth_reached=_depth_reached(_section(entry, "iodepth_level"), whole_option(options, "iodepth", 1)),
    )


def _flushes(lat: dict[str, Any]) -> Flushes | None:
    count, mean_ns = _number(lat, "N"), _number(lat, "mean")
    if not count or mean_ns is None:
        return None
    return Flushes(count=int(count), mean_ns=mean_ns, percentiles_ns=_named_points(lat, 1))


def window_s(document: dict[str, Any], group: Sequence[JobEntry]) -> tuple[float, float] | None:
    """Wall clock that the rates are of, no ramp; None without ms. `timestamp_ms`: last job's end (stat.c); `job_start`:
    newer fio.
    """
    lasted_s = max((job.runtime_ms for job in group), default=0.0) / 1000
    counts_s = min(lasted_s, group[0].level_s if len(group) == 1 else 0.0) or lasted_s
    began = [job.start_ms for job in group if job.start_ms]
    ended_ms = _number(document, "timestamp_ms")
    if lasted_s and len(began) == len(group):
        ramp_s = max(fio_text.parse_seconds(job.options.get("ramp_time", "")) or 0.0 for job in group)
        end_s = min(began) / 1000 + ramp_s + lasted_s
        return end_s - counts_s, end_s
    return (ended_ms / 1000 - counts_s, ended_ms / 1000) if lasted_s and ended_ms else None


def _cpu(entry: dict[str, Any]) -> float | None:
    user, kernel = _number(entry, "usr_cpu"), _number(entry, "sys_cpu")
    return None if user is None or kernel is None else (user + kernel) / 100


def _whole_blocks(transfer: Transfer, options: dict[str, str], in_flight: int) -> Transfer:
    """Adds operations outstanding when the ramp ended: fio counts operations at issue and bytes at completion
    (backend.c, io_u.c), and resets both after `ramp_time`. Only with a single block size, and at most QD missing.
    """
    size = _one_block(options)
    ios = transfer.io_bytes / size if size else 0.0
    if not fio_text.parse_seconds(options.get("ramp_time", "")) or not 0 < ios - transfer.ios <= in_flight:
        return transfer
    return msgspec.structs.replace(transfer, ios=ios, iops=ios * 1000 / transfer.runtime_ms)


def _at_level(transfer: Transfer, options: dict[str, str], steady: dict[str, Any]) -> Transfer:
    """Rates of the time in which fio found them level; as they are where blocks differ or data go both ways."""
    iops, size = _number(_section(steady, "data"), "iops_mean"), _one_block(options)
    if _number(steady, "attained") != 1 or not iops or not size or len(directions(options.get("rw", "read"))) > 1:
        return transfer
    return msgspec.structs.replace(transfer, iops=iops, bytes_per_s=iops * size)


def _one_block(options: dict[str, str]) -> int | None:
    if {"bsrange", "bssplit"} & set(options):
        return None
    base = options.get("kb_base", "1024")
    return shared(fio_text.parse_bytes(part, base) for part in options.get("bs", "4096").split(",") if part)


def _errno(entry: dict[str, Any]) -> int:
    """A value that is no number is an error too."""
    error = entry.get("error", 0)
    return error if isinstance(error, int) else -1


def _section(entry: dict[str, Any], key: str) -> dict[str, Any]:
    section = entry.get(key)
    return section if isinstance(section, dict) else {}


def _number(entry: dict[str, Any], key: str) -> float | None:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**63:
        return None
    return value


def _version(document: dict[str, Any]) -> int:
    version = str(document.get("fio version", "")).removeprefix("fio-")
    return 2 if version.startswith(("1.", "2.")) and not version.startswith("2.99") else 3


def _transfer(entry: dict[str, Any], version: int) -> Transfer | None:
    runtime_ms = _number(entry, "runtime") or 0.0
    if runtime_ms < 1:  # fio tells whole ones: a fraction of it is no time, and a figure over it no figure
        runtime_ms = 0.0
    count = _number(entry, "io_bytes") or 0.0
    kib_per_s = _number(entry, "bw") or 0.0
    if "io_kbytes" not in entry and (kib_per_s * runtime_ms / 1000 * 32 > count if kib_per_s else version == 2):
        count *= 1024  # 2.x writes KiB under this name
    iops = _number(entry, "iops") or 0.0
    if not count or not iops or not runtime_ms:
        return None
    by_count = count * 1000 / runtime_ms
    bytes_per_s = _number(entry, "bw_bytes")
    ios = _number(entry, "total_ios")
    counted_ios = iops * runtime_ms / 1000
    clat, lat = _latency(entry, "clat"), _latency(entry, "lat")
    recorded = next((latency for latency in (lat, clat) if latency and latency.percentiles_ns), None)
    total = lat or clat
    slat = _latency(entry, "slat")
    return Transfer(
        ios=counted_ios if ios is None else ios,
        counted_ios=counted_ios if ios is None else ios,
        iops=iops,
        io_bytes=int(count),
        bytes_per_s=by_count if bytes_per_s is None else bytes_per_s,
        runtime_ms=runtime_ms,
        lat_mean_ns=total.mean_ns if total else None,
        lat_max_ns=total.max_ns if total else None,
        lat_mean_of=("lat" if total is lat else "clat") if total else "",
        percentiles_ns=recorded.percentiles_ns if recorded else None,
        percentiles_of=("clat" if recorded is clat else "lat") if recorded else "",
        bins_ns=recorded.bins_ns if recorded else {},
        doubtful=_differ(by_count, kib_per_s * 1024 if bytes_per_s is None else bytes_per_s, 1024)
        or (ios is not None and _differ(ios, counted_ios, 1 + runtime_ms / 1000))
        or any(latency.doubtful for latency in (clat, lat) if latency)
        or any(_lost(_section(entry, key)) for key in ("clat_ns", "lat_ns"))
        or bool(slat and clat and lat and _differ(lat.mean_ns, slat.mean_ns + clat.mean_ns, 2000)),
    )


def _differ(a: float, b: float, rounding: float) -> bool:
    return abs(a - b) > max(rounding, 0.02 * max(a, b))


class _Latency(msgspec.Struct, frozen=True):
    mean_ns: float
    max_ns: float | None
    percentiles_ns: dict[str, float]
    bins_ns: dict[float, int]
    doubtful: bool


def _latency(entry: dict[str, Any], kind: str) -> _Latency | None:
    """`clat` (completion) or `lat` (with submission), in ns. None if not measured."""
    for key, to_ns in ((f"{kind}_ns", 1), (kind, 1000)):
        section = _section(entry, key)
        mean = _number(section, "mean")
        if mean and _number(section, "N") != 0:
            percentiles = _named_points(section, to_ns)
            bins = {float(point): int(value) for point, value in _points(section, "bins")}
            percentiles = percentiles if any(percentiles.values()) else {}
            doubtful = _out_of_order(section, mean, list(percentiles.values()), to_ns)
            max_ns = _number(section, "max")
            return _Latency(mean * to_ns, max_ns * to_ns if max_ns else None, percentiles, bins, doubtful)
    return None


def _named_points(section: dict[str, Any], to_ns: int) -> dict[str, float]:
    return {
        point.rstrip("0").rstrip(".") if "." in point else point: value * to_ns
        for point, value in _points(section, "percentile")
        if float(point)  # 2.x fills its list up with "0.00"
    }


def _lost(entry: dict[str, Any]) -> bool:
    return bool(_number(entry, "N")) and not _number(entry, "mean")


def _out_of_order(entry: dict[str, Any], mean: float, percentiles_ns: list[float], to_ns: int) -> bool:
    """Mean or percentiles outside of min and max, or falling percentiles. A bin is 1/64 wide (stat.h)."""
    min_value, max_value = (_number(entry, key) for key in ("min", "max"))
    if min_value is None or max_value is None:
        return percentiles_ns != sorted(percentiles_ns)
    low, high = (0.96 * min_value - 1) * to_ns, (1.04 * max_value + 1) * to_ns
    points = [low, *percentiles_ns, high]
    return points != sorted(points) or not low <= mean * to_ns <= high


def _points(entry: dict[str, Any], key: str) -> list[tuple[str, float]]:
    section = _section(entry, key)
    pairs = [(point, value) for point in section if (value := _number(section, point)) is not None and _is_point(point)]
    return sorted(pairs, key=lambda pair: float(pair[0]))


def _is_point(text: str) -> bool:
    return text.replace(".", "", 1).isascii() and text.replace(".", "", 1).isdigit() and len(text) < 20


def rw(job: JobEntry) -> str:
    return job.options.get("rw", "read").split(":")[0] if job.options else ""


def block_bytes(job: JobEntry) -> int | None:
    """None if several, without options (up to 2.2), or bytes do not fit: merged jobs show one job's options."""
    if not job.options:
        return None
    block = _one_block(job.options)
    moved = [
        (transfer.io_bytes, transfer.ios * (block or 0), transfer.runtime_ms) for transfer in job.transfers.values()
    ]
    if any(_differ(bytes_, blocks, (block or 0) * (1 + job.threads + ms / 1000)) for bytes_, blocks, ms in moved):
        return None
    return block


def iodepth(job: JobEntry) -> int | None:
    """As reached: synchronous engines have one request each; of others half of the requests were at it, or deeper."""
    if not job.options:
        return None
    asked = whole_option(job.options, "iodepth", 1)
    if job.options.get("ioengine") in SYNCHRONOUS:
        return 1
    return min(asked, job.depth_reached) if job.depth_reached else asked


def depth_words(job: JobEntry) -> tuple[str, ...]:
    """Where less was reached than asked for."""
    asked, reached = whole_option(job.options, "iodepth", 1), iodepth(job)
    return (f"queue depth {reached} reached, {asked} asked",) if reached and reached < asked else ()


def _depth_reached(levels: dict[str, Any], asked: int) -> int:
    """By the shares of `iodepth_level`, of which each is of a power of two up to the next, or ">=64"; 0: not told."""
    shares = {int(label.removeprefix(">=")): _number(levels, label) or 0.0 for label in levels if _is_level(label)}
    total = sum(shares.values())
    deeper = 0.0
    for depth in sorted(shares, reverse=True):
        deeper += shares[depth]
        if deeper >= total / 2 > 0:
            return asked if depth <= asked < 2 * depth or depth >= _DEEPEST_LEVEL else depth
    return 0


def _is_level(label: str) -> bool:
    number = label.removeprefix(">=")
    return number.isascii() and number.isdigit() and len(number) < 5


def whole_option(options: dict[str, str], key: str, default: int) -> int:
    text = options.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def targets(options: dict[str, str]) -> tuple[str, ...]:
    file_names = fio_text.split_filenames(options.get("filename", ""))
    return file_names or ((options["directory"],) if options.get("directory") else ())


def shared(values: Iterable[Shared]) -> Shared | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
