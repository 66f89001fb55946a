"""What an array of equal disks should do, from what one of its disks does.

First-order formulas for a queue that keeps all disks busy, the simulation of `queueing` for any other, and the least of
them and of `ceilings`. Knows no measurement. s is the bytes/s of one disk, x its IOPS, n disks, c copies, r the share
of reads. Sources: Patterson, Gibson, Katz 1988 (the small-write penalty); Chen et al. 1994 (levels side by side);
kernel raid5.c, raid10.c; our own measurements where said so.
"""

import math
from typing import NamedTuple

import msgspec

from raidtui.core.raid.ceilings import HostLimits, Limit, Traffic, ceilings, stored_share
from raidtui.core.raid.demand import full_queue_iops
from raidtui.core.raid.depth_curve import DiskCurves, one_figure
from raidtui.core.raid.levels import copies, layout10, level, possible
from raidtui.core.raid.placement import RequestShape
from raidtui.core.raid.queueing import Load, Service, rate_at
from raidtui.core.raid.stripes import parity_only_disks

_SHORT_OF_FULL = 0.95  # a figure below this share of a full queue's is limited by its queue


class Prediction(msgspec.Struct, frozen=True):
    """What the model expects of an array.

    `write_penalty` counts the disk operations that a small write costs. `rand_mixed_iops` is None without a share of
    reads. `upper_bound`: the queue is shorter than the disks are many. `limited_by` says for each figure, by its name
    in the JSON, what it ends at; `assumed_limits` are those of them that nobody measured. `error_share` is the largest
    standard error of the simulated figures, None where none was simulated.
    """

    seq_read_bytes_per_s: float
    seq_write_bytes_per_s: float
    rand_read_iops: float
    rand_write_iops: float
    rand_mixed_iops: float | None
    write_penalty: int
    upper_bound: bool
    limited_by: dict[str, Limit]
    assumed_limits: frozenset[Limit] = frozenset()
    error_share: float | None = None


class Rate(NamedTuple):
    """A figure, what it ends at, and its standard error as a share where it was simulated."""

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
) -> Prediction:
    """The figures of an array of level `key` over `disks` equal disks (of unequal ones, give the slowest).

    `iops` of 4 KiB is one figure, that holds at every depth, or curves. `queue_depth` is iodepth x numjobs, None for a
    queue that keeps all disks busy, however many processes that takes; `read_share` is 0 to 1; `flash` means disks
    without seeks. Full disks read n x, write n x / P, mix n x / (r + (1-r) P), the mix never above the reads. Disks
    of parity alone, as RAID4's, answer no reads (measured on 4 disks: 2.8 x of 3, against RAID5's 3.96 x).
    Raises ValueError, one sentence, for an impossible array or an input out of range.
    """
    can, reason = possible(key, layout, disks, None)
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
    curves = iops if isinstance(iops, DiskCurves) else one_figure(iops)
    host = host or HostLimits()
    shape = RequestShape(key, disks, layout, rotating=not flash)

    def random(share: float) -> Rate:
        return random_rate(shape, curves, Load(queue_depth, share) if queue_depth else share, host, link_bytes_per_s)

    rates = {
        "seq_read_mbps": sequential_rate(shape, bytes_per_s, False, link_bytes_per_s),
        "seq_write_mbps": sequential_rate(shape, bytes_per_s, True, link_bytes_per_s),
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
        write_penalty=write_penalty(key, disks, layout),
        upper_bound=queue_depth is not None and queue_depth < disks,
        limited_by={name: rate.limit for name, rate in rates.items()},
        assumed_limits=host.assumed,
        error_share=max(errors, default=None),
    )


def sequential_rate(shape: RequestShape, bytes_per_s: float, writes: bool, link_bytes_per_s: float | None) -> Rate:
    """bytes/s of one stream of whole stripes, each disk doing `bytes_per_s`: the disks', or what the link lets through.

    On the link each byte written is as many as the array stores.
    """
    key, disks, layout = shape.key, shape.disks, shape.layout
    disks_at_once = (
        writing_disks(key, disks, layout) if writes else reading_disks(key, disks, layout, not shape.rotating)
    )
    rate = Rate(disks_at_once * bytes_per_s, Limit.DISKS)
    if link_bytes_per_s is not None:
        through = link_bytes_per_s / (stored_share(key, disks, layout) if writes else 1)
        rate = min(rate, Rate(through, Limit.LINK), key=lambda rate: rate.value)
    return rate


def random_rate(
    shape: RequestShape,
    curves: DiskCurves,
    load: Load | float,
    host: HostLimits,
    link_bytes_per_s: float | None,
) -> Rate:
    """IOPS of requests of the shape's size: the least of what the disks, the queue and the ceilings give.

    `load` is a share of reads where the queue keeps all disks busy, however many processes that takes.
    """
    read_share = load.read_share if isinstance(load, Load) else load
    rate = disks_rate(shape, curves, load)
    endless = not isinstance(load, Load)
    by_limit = ceilings(shape.key, small_write(shape), read_share, host, link_bytes_per_s, endless=endless)
    for limit, iops in by_limit.items():
        if iops < rate.value:
            rate = Rate(iops, limit)
    return rate


def disks_rate(shape: RequestShape, curves: DiskCurves, load: Load | float) -> Rate:
    """IOPS that disks and queue alone give; `load` as in `random_rate`."""
    full = full_rate(shape, curves, load.read_share if isinstance(load, Load) else load)
    if not isinstance(load, Load) or not full:
        return Rate(full, Limit.DISKS)
    queued = rate_at(shape, curves, load, Service.ROTATING if shape.rotating else Service.EVEN)
    limit = Limit.QUEUE if queued.iops < _SHORT_OF_FULL * full else Limit.DISKS
    return Rate(min(queued.iops, full), limit, queued.error_share)


def small_write(shape: RequestShape) -> Traffic:
    """What a write that no chunk splits makes the disks do: every copy, each parity, and what is read before."""
    written_chunks = level(shape.key).parity_disks + copies(shape.key, shape.layout, shape.disks)
    return Traffic(
        written_chunks, write_penalty(shape.key, shape.disks, shape.layout) - written_chunks, shape.block_bytes
    )


def full_rate(shape: RequestShape, curves: DiskCurves, read_share: float) -> float:
    """IOPS at a queue that keeps all disks busy.

    A disk of parity alone (RAID4's) answers no reads, and lets through no more than its own operations. On 3 and 4
    disks md reconstructs and only writes it (1,024 writes of 4 KiB on a test kernel of 4: 1,026 there and no read).
    """
    reads, writes = curves.reads.full_iops, curves.writes.full_iops
    is_even = not parity_only_disks(shape.key, shape.layout, shape.disks)
    if reads and writes and (shape.split or not is_even):
        return full_queue_iops(shape, reads, writes, read_share)
    return _full_iops(shape.key, shape.disks, shape.layout, curves, read_share)


def reading_disks(key: str, disks: int, layout: str | None = None, flash: bool = False) -> float:
    """How many disks' speed one sequential reader gets; on JBOD, one reader a disk.

    Rotating disks pass over the parity and the copies that they skip, so only data counts; far copies are
    read as a RAID0. Disks without seeks skip for free, so all of them read (measured on the throttled disks
    of a test kernel: RAID5 of 3 disks 3.00 s, RAID6 of 4 4.03 s, RAID10 n2 and o2 of 3 3.01 s), but for
    disks of parity alone. RAID10 near and offset may read faster than this when the read balancer is lucky or
    chunks are large.
    """
    skips_for_free = flash and key in ("4", "5", "6", "10")
    if skips_for_free or (key == "10" and layout10(layout).kind == "far"):
        return disks - parity_only_disks(key, layout, disks)
    return writing_disks(key, disks, layout)


def writing_disks(key: str, disks: int, layout: str | None = None) -> float:
    """How many disks' speed one sequential writer gets; on JBOD, one writer a disk.

    Parity: of full stripes, with a stripe cache that holds enough of them, and a CPU that is not the limit. Measured
    on RAID5 of 3 throttled disks. Of 94 MB/s each, 188 expected: 91 at 256 pages, 156 at 1024, 168 at 4096. Of 47 each,
    94 expected, 4096 pages: 93.7 in whole stripes past the page cache, 85.2 through it, and no disk read meanwhile.
    With a CPU to itself the kernel wrote 174 to 175 of 188 through the page cache, at 256 pages and at 4096.
    Copies written far from each other cost rotating disks a seek (measured: offset 0.96, far 0.92 of this).
    """
    if key == "linear":
        return 1
    return (disks - level(key).parity_disks) / copies(key, layout, disks)


def journalled_bytes_per_s(key: str, disks: int, bytes_per_s: float) -> float:
    """What one writer gets at most where data and parity go first to a journal on a disk as fast as the members."""
    return bytes_per_s * (disks - level(key).parity_disks) / disks


def write_penalty(key: str, disks: int, layout: str | None = None) -> int:
    """Disk operations that one small random write costs: P.

    Mirrors write every copy. Parity levels read and write the block and each parity, or, where that is less,
    read the rest of the stripe instead (kernel raid5.c weighs read-modify-write against reconstruct-write): 2
    + min(2, n-2) with one parity, 3 + min(3, n-3) with two. Patterson, Gibson, Katz 1988 have the 4.
    """
    written_chunks = level(key).parity_disks + 1
    if written_chunks == 1:
        return copies(key, layout, disks)
    return written_chunks + min(written_chunks, disks - written_chunks)


def split_share(block_bytes: int, chunk_bytes: int, offset_bytes: int = 0) -> float:
    """The share of transfers of one block, on a grid of blocks that starts at `offset_bytes`, that take two disks.

    None where the start is on the blocks' grid, else block / chunk; blocks larger than a chunk are split always. It is
    the most that aligning can gain for reads, and for writes without parity (parity writes of partial pages lose more).
    """
    if block_bytes > chunk_bytes:
        return 1.0
    return block_bytes / chunk_bytes if offset_bytes % block_bytes else 0.0


def _full_iops(key: str, disks: int, layout: str | None, curves: DiskCurves, read_share: float) -> float:
    """n x / (r + (1-r) P), operations weighed where a disk writes at another rate than it reads."""
    reads, writes = curves.reads.full_iops, curves.writes.full_iops
    if not reads or not writes:
        return 0.0
    penalty = write_penalty(key, disks, layout)
    written_chunks = level(key).parity_disks + copies(key, layout, disks)
    write_share = 1 - read_share
    cost = (penalty - written_chunks) + written_chunks * (reads / writes)  # of a write, in reads
    return disks * reads / (read_share + write_share * cost)
