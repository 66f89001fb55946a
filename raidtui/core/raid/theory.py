"""Model of an array of equal disks from one disk: first-order formulas for full queues, `queueing` for others, limited
by `ceilings`. s: bytes/s of a disk, x: IOPS, n disks, c copies, r share of reads. Patterson, Gibson, Katz 1988
(small-write penalty); Chen et al. 1994; kernel raid5.c, raid10.c; own measurements where stated.
"""

import math
from typing import NamedTuple

import msgspec

from raidtui.core.raid.ceilings import (
    PAGE_BYTES,
    HostLimits,
    Limit,
    Traffic,
    ceilings,
    md_parities,
    stored_share,
    stripe_bytes_per_s,
)
from raidtui.core.raid.confidence import Asked, Confidence, confidence
from raidtui.core.raid.depth_curve import DiskCurves, one_figure
from raidtui.core.raid.levels import copies, layout10, level, possible, why_no_groups
from raidtui.core.raid.placement import RequestShape, full_queue_iops, parity_only_disks
from raidtui.core.raid.queueing import Load, Service, rate_at

_SHORT_OF_FULL = 0.95  # a figure below this share of a full queue's is limited by its queue


class Prediction(msgspec.Struct, frozen=True):
    """Expected values. `write_penalty`: disk I/Os per small write. `rand_mixed_iops`: None without a share of reads.
    `upper_bound`: queue depth below the number of disks. `limited_by`, `confidence`: by JSON name; `assumed_limits`:
    the unmeasured ones. `error_share`: largest standard error of simulated values, None if none.
    """

    seq_read_bytes_per_s: float
    seq_write_bytes_per_s: float
    rand_read_iops: float
    rand_write_iops: float
    rand_mixed_iops: float | None
    write_penalty: int
    upper_bound: bool
    limited_by: dict[str, Limit]
    confidence: dict[str, Confidence]
    assumed_limits: frozenset[Limit] = frozenset()
    error_share: float | None = None


class Rate(NamedTuple):
    """Value, its limit, standard error as a share if simulated."""

    value: float
    limit: Limit
    error_share: float | None = None


def predict(
    key: str,
    disks: int,
    bytes_per_s: float,
    iops: float | DiskCurves,
    layout: str | None = None,
    queue_depth: int | None = None,
    read_share: float | None = None,
    flash: bool = False,
    link_bytes_per_s: float | None = None,
    host: HostLimits | None = None,
    groups: int = 1,
) -> Prediction:
    """For `disks` equal disks (unequal: pass the slowest). `iops` at 4 KiB. `queue_depth` = iodepth x numjobs, None:
    enough for all disks, with any number of processes. Full: reads n x, writes n x / P, mix n x / (r + (1-r) P), at
    most the reads. Parity-only disks (RAID4) serve no reads (4 disks: 2.8 x of 3, RAID5 3.96 x). `groups`: see
    `RequestShape`. ValueError, one sentence, for bad input.
    """
    if why_no := why_no_groups(level(key), groups, disks):
        raise ValueError(why_no)
    can, reason = possible(key, layout, disks // groups, None)
    if not can:
        raise ValueError(reason)
    if not 0 <= bytes_per_s < math.inf:
        raise ValueError("A disk's MB/s and IOPS are numbers from 0 on: give what one disk does alone.")
    if link_bytes_per_s is not None and link_bytes_per_s <= 0:
        raise ValueError("A link of 0 bytes/s carries nothing: give its rate, as 3.9GB/s, or leave it out.")
    if queue_depth is not None and queue_depth < 1:
        raise ValueError(f"A queue depth of {queue_depth} does nothing: give 1 or more.")
    if read_share is not None and not 0 <= read_share <= 1:
        raise ValueError(f"A read share of {read_share:g} is not possible: give 0 (all writes) to 1 (all reads).")
    if why_not := level(key).no_model:
        raise ValueError(why_not)
    curves = iops if isinstance(iops, DiskCurves) else one_figure(iops)
    host = host or HostLimits()
    shape = RequestShape(key, disks, layout, rotating=not flash, groups=groups)
    # A block of raidz lies on all disks of its vdev, so that a small read takes all of them.
    small = RequestShape("jbod", groups, rotating=not flash) if level(key).pool and level(key).parity_disks else shape

    def random(share: float) -> Rate:
        return random_rate(small, curves, Load(queue_depth, share) if queue_depth else share, host, link_bytes_per_s)

    rates = {
        "seq_read_mbps": sequential_rate(shape, bytes_per_s, False, link_bytes_per_s, host),
        "seq_write_mbps": sequential_rate(shape, bytes_per_s, True, link_bytes_per_s, host),
        "rand_read_iops": random(1.0),
        "rand_write_iops": random(0.0),
    }
    if read_share is not None:
        mixed = random(read_share)
        rates["rand_mixed_iops"] = min(mixed, rates["rand_read_iops"], key=lambda rate: rate.value)
    errors = [rate.error_share for rate in rates.values() if rate.error_share is not None]
    return Prediction(
        seq_read_bytes_per_s=rates["seq_read_mbps"].value,
        seq_write_bytes_per_s=rates["seq_write_mbps"].value,
        rand_read_iops=rates["rand_read_iops"].value,
        rand_write_iops=rates["rand_write_iops"].value,
        rand_mixed_iops=rates["rand_mixed_iops"].value if read_share is not None else None,
        write_penalty=write_penalty(key, shape.group_disks, layout),
        upper_bound=queue_depth is not None and queue_depth < disks,
        limited_by={name: rate.limit for name, rate in rates.items()},
        confidence={name: _confidence(shape, name, rate, host) for name, rate in rates.items()},
        assumed_limits=host.assumed,
        error_share=max(errors, default=None),
    )


def _confidence(shape: RequestShape, name: str, rate: Rate, host: HostLimits) -> Confidence:
    writes = name not in ("seq_read_mbps", "rand_read_iops")
    return confidence(Asked(shape, name.startswith("seq"), writes, rate.limit, host.parity_threads))


def _of_groups(shape: RequestShape, host: HostLimits) -> HostLimits:
    """Each group has threads and locks of its own."""
    if shape.groups == 1:
        return host
    threads, reads_per_s = shape.groups * host.parity_threads, shape.groups * host.parity_reads_per_s
    return msgspec.structs.replace(host, parity_threads=threads, parity_reads_per_s=reads_per_s)


def sequential_rate(
    shape: RequestShape,
    bytes_per_s: float,
    writes: bool,
    link_bytes_per_s: float | None,
    host: HostLimits,
    queue: int | None = None,
) -> Rate:
    """bytes/s of streams of full stripes, at most what each allows: disks, link (which carries all stored bytes), md's
    parity threads; with a `queue` of direct requests of `shape` also the outstanding chunks and the submitters' CPUs.
    `bytes_per_s`: one disk's, at this queue.
    """
    key, disks, layout, host = shape.key, shape.group_disks, shape.layout, _of_groups(shape, host)
    disks_at_once = (
        writing_disks(key, disks, layout) if writes else reading_disks(key, disks, layout, not shape.rotating)
    )
    rate = Rate(shape.groups * disks_at_once * bytes_per_s, Limit.DISKS)
    through = []
    if queue is not None and bytes_per_s:
        through = _of_queue(shape, rate.value, bytes_per_s, writes, host, queue)
    if link_bytes_per_s is not None:
        through.append(Rate(link_bytes_per_s / (stored_share(key, disks, layout) if writes else 1), Limit.LINK))
    if writes:
        through.append(Rate(stripe_bytes_per_s(key, disks, host), Limit.MD_THREAD))
    return min([rate, *through], key=lambda rate: rate.value)


def _of_queue(
    shape: RequestShape, bytes_per_s: float, of_disk: float, writes: bool, host: HostLimits, queue: int
) -> list[Rate]:
    """Outstanding requests keep no more disks busy than they have chunks; each is handed on chunk by chunk before all
    of it can run, and its chunks end one by one: X <= N / (D + Z) (Denning, Buzen 1978).
    """
    outstanding_bytes = queue * shape.block_bytes
    chunks = max(1.0, shape.block_bytes / shape.piece_bytes)
    parity = md_parities(shape.key) > 0
    handed_on_s = host.md_s_per_operation * chunks if shape.key != "jbod" else 0.0
    if writes:
        handed_on_s *= 1 if parity else copies(shape.key, shape.layout, shape.disks)
    ended_s = (chunks - 1) * (host.end_s_per_chunk + host.end_s_per_page * shape.piece_bytes / PAGE_BYTES)
    reached = (
        min(bytes_per_s, max(1.0, outstanding_bytes / shape.piece_bytes) * of_disk) if shape.striped else bytes_per_s
    )
    queued = outstanding_bytes / (outstanding_bytes / reached + handed_on_s + ended_s)
    return [
        Rate(queued, Limit.QUEUE if queued < _SHORT_OF_FULL * bytes_per_s else Limit.DISKS),
        Rate(host.processes * shape.block_bytes / (host.fio_s_per_operation + handed_on_s), Limit.CPU),
    ]


def random_rate(
    shape: RequestShape,
    curves: DiskCurves,
    load: Load | float,
    host: HostLimits,
    link_bytes_per_s: float | None,
) -> Rate:
    """IOPS: least of disks, queue, ceilings. `load` as a read share: all disks busy, any number of processes."""
    read_share = load.read_share if isinstance(load, Load) else load
    rate, host = disks_rate(shape, curves, load), _of_groups(shape, host)
    endless = not isinstance(load, Load)
    by_limit = ceilings(shape.key, small_write(shape), read_share, host, link_bytes_per_s, endless=endless)
    for limit, iops in by_limit.items():
        if iops < rate.value:
            rate = Rate(iops, limit)
    return rate


def disks_rate(shape: RequestShape, curves: DiskCurves, load: Load | float) -> Rate:
    """IOPS by disks and queue alone; `load` as in `random_rate`."""
    full = full_rate(shape, curves, load.read_share if isinstance(load, Load) else load)
    if not isinstance(load, Load) or not full:
        return Rate(full, Limit.DISKS)
    queued = rate_at(shape, curves, load, Service.ROTATING if shape.rotating else Service.EVEN)
    limit = Limit.QUEUE if queued.iops < _SHORT_OF_FULL * full else Limit.DISKS
    return Rate(min(queued.iops, full), limit, queued.error_share)


def small_write(shape: RequestShape) -> Traffic:
    """Unsplit write: every copy, each parity, reads before."""
    written_chunks = shape.raid.parity_disks + copies(shape.key, shape.layout, shape.disks)
    return Traffic(
        written_chunks, write_penalty(shape.key, shape.group_disks, shape.layout) - written_chunks, shape.block_bytes
    )


def full_rate(shape: RequestShape, curves: DiskCurves, read_share: float) -> float:
    """IOPS with all disks busy. A parity-only disk (RAID4) serves no reads, but may be the limit of writes. On 3 and 4
    disks md reconstructs, so that disk is only written (test kernel, 4 disks, 1,024 writes of 4 KiB: 1,026 writes, no
    reads there).
    """
    reads, writes = curves.reads.full_iops, curves.writes.full_iops
    is_even = not parity_only_disks(shape.key, shape.layout, shape.group_disks)
    if reads and writes and (shape.split or not is_even):
        return full_queue_iops(shape, reads, writes, read_share)
    return shape.groups * _full_iops(shape.key, shape.group_disks, shape.layout, curves, read_share)


def reading_disks(key: str, disks: int, layout: str | None = None, flash: bool = False) -> float:
    """Disks' worth of speed for one sequential reader (JBOD: one each). Rotating disks pass over parity and copies:
    data counts; far reads as RAID0. Flash: all disks (measured, throttled: RAID5 of 3 3.00 s, RAID6 of 4 4.03 s, RAID10
    n2, o2 of 3 3.01 s), except parity-only ones. RAID10 near, offset may exceed it with large chunks or a lucky read
    balance.
    """
    skips_for_free = flash and key in ("4", "5", "6", "10")
    if skips_for_free or (key == "10" and layout10(layout).kind == "far"):
        return disks - parity_only_disks(key, layout, disks)
    return writing_disks(key, disks, layout)


def writing_disks(key: str, disks: int, layout: str | None = None) -> float:
    """Disks' worth of speed for one sequential writer (JBOD: one each). Parity: full stripes, enough stripe cache and
    CPU.

    RAID5 of 3 throttled disks: 94 MB/s each (188 expected): 91 at 256 pages, 156 at 1024, 168 at 4096. 47 each (94),
    4096 pages: 93.7 direct in full stripes, 85.2 buffered, no disk reads. With a CPU for the kernel 174 to 175 of 188
    buffered, at 256 and 4096 pages. Distant copies cost rotating disks a seek (offset 0.96, far 0.92 of this).
    """
    if key == "linear":
        return 1
    return (disks - level(key).parity_disks) / copies(key, layout, disks)


def journalled_bytes_per_s(key: str, disks: int, bytes_per_s: float) -> float:
    """Maximum of one writer with a journal disk as fast as the members: it takes data and parity first."""
    return bytes_per_s * (disks - level(key).parity_disks) / disks


def write_penalty(key: str, disks: int, layout: str | None = None) -> int:
    """P, disk I/Os per small random write. Mirrors: copies. Parity: block and each parity read and written, or the rest
    of the stripe read if less (kernel raid5.c): 2 + min(2, n-2), with two parities 3 + min(3, n-3). The 4: Patterson,
    Gibson, Katz 1988.
    """
    written_chunks = level(key).parity_disks + 1
    if written_chunks == 1:
        return copies(key, layout, disks)
    return written_chunks + min(written_chunks, disks - written_chunks)


def split_share(block_bytes: int, chunk_bytes: int, offset_bytes: int = 0) -> float:
    """Share of aligned blocks, starting at `offset_bytes`, that span two disks: 0 if the start is on the grid, else
    block / chunk; 1 above a chunk. The maximum gain of alignment for reads and non-parity writes (partial-page parity
    writes lose more).
    """
    if block_bytes > chunk_bytes:
        return 1.0
    return block_bytes / chunk_bytes if offset_bytes % block_bytes else 0.0


def _full_iops(key: str, disks: int, layout: str | None, curves: DiskCurves, read_share: float) -> float:
    """n x / (r + (1-r) P), weighted if reads and writes differ."""
    reads, writes = curves.reads.full_iops, curves.writes.full_iops
    if not reads or not writes:
        return 0.0
    penalty = write_penalty(key, disks, layout)
    written_chunks = level(key).parity_disks + copies(key, layout, disks)
    write_share = 1 - read_share
    cost = (penalty - written_chunks) + written_chunks * (reads / writes)  # of a write, in reads
    return disks * reads / (read_share + write_share * cost)
