"""What an array of equal disks should do, from what one of its disks does.

First-order formulas, marked with where they end. Knows nothing of controllers, links and caches, nor of any
measurement. s is the bytes/s of one disk, x its IOPS at its share of the queue, n disks, c copies, r the
share of reads. Sources: Patterson, Gibson, Katz 1988 (the small-write penalty); Chen et al. 1994 (levels side
by side); kernel raid5.c, raid10.c; interactive response time law and Little's law for queues; our own
measurements where said so.
"""

import msgspec

from raidtui.core.raid.levels import (
    copies,
    layout10,
    level,
    possible,
)
from raidtui.core.units import MB


class Prediction(msgspec.Struct, frozen=True):
    """What the model expects of an array.

    `write_penalty` counts the disk operations that a small write costs. `rand_mixed_iops` is None without a
    share of reads. `upper_bound`: the queue is shorter than the disks are many. Random writes are a ceiling then;
    random reads are about what requests spread by chance give, and disks that take even times reach more: their
    ceiling is n x, the figure without a queue depth.
    """

    seq_read_bytes_per_s: float
    seq_write_bytes_per_s: float
    rand_read_iops: float
    rand_write_iops: float
    rand_mixed_iops: float | None
    write_penalty: int
    upper_bound: bool

    def to_json(self) -> dict[str, float | int | bool | None]:
        """The same in the fields of `raidtui predict --json`, rates in MB/s."""
        return {
            "seq_read_mbps": self.seq_read_bytes_per_s / MB,
            "seq_write_mbps": self.seq_write_bytes_per_s / MB,
            "rand_read_iops": self.rand_read_iops,
            "rand_write_iops": self.rand_write_iops,
            "rand_mixed_iops": self.rand_mixed_iops,
            "write_penalty": self.write_penalty,
            "upper_bound": self.upper_bound,
        }


def predict(
    key: str,
    disks: int,
    bytes_per_s: float,
    iops: float,
    layout: str | None = None,
    queue_depth: int | None = None,
    read_share: float | None = None,
    flash: bool = False,
) -> Prediction:
    """The figures of an array of level `key` over `disks` equal disks (of unequal ones, give the slowest).

    `queue_depth` is iodepth x numjobs, None for a queue that keeps all disks busy; `read_share` is 0 to 1; `flash`
    means disks without seeks. Random reads are n x Q / (Q + n - 1), random writes n x / P whatever the queue, a mix
    n x / (r + (1-r) P) and never above the reads. RAID4's parity disk answers no reads, so that n - 1 disks do at most
    (measured on 4 disks: 2.8 x, against RAID5's 3.96 x). Raises ValueError, one sentence, for an impossible
    array or an input out of range.
    """
    can, reason = possible(key, layout, disks, None)
    if not can:
        raise ValueError(reason)
    if bytes_per_s < 0 or iops < 0:
        raise ValueError("A disk's MB/s and IOPS cannot be negative: give what one disk does alone.")
    if queue_depth is not None and queue_depth < 1:
        raise ValueError(f"A queue depth of {queue_depth} does nothing: give 1 or more.")
    if read_share is not None and not 0 <= read_share <= 1:
        raise ValueError(f"A read share of {read_share:g} is not possible: give 0 (all writes) to 1 (all reads).")
    penalty = write_penalty(key, disks, layout)
    answering = disks - (key == "4")
    read_iops = answering * iops * _busy_share(answering, queue_depth)
    return Prediction(
        seq_read_bytes_per_s=bytes_per_s * reading_disks(key, disks, layout, flash),
        seq_write_bytes_per_s=bytes_per_s * writing_disks(key, disks, layout),
        rand_read_iops=read_iops,
        rand_write_iops=_mixed_iops(key, disks, iops, penalty, 0.0),
        rand_mixed_iops=None
        if read_share is None
        else min(read_iops, _mixed_iops(key, disks, iops, penalty, read_share)),
        write_penalty=penalty,
        upper_bound=queue_depth is not None and queue_depth < disks,
    )


def reading_disks(key: str, disks: int, layout: str | None = None, flash: bool = False) -> float:
    """How many disks' speed one sequential reader gets; on JBOD, one reader a disk.

    Rotating disks pass over the parity and the copies that they skip, so only data counts; far copies are
    read as a RAID0. Disks without seeks skip for free, so all of them read (measured on the throttled disks
    of a test kernel: RAID5 of 3 disks 3.00 s, RAID6 of 4 4.03 s, RAID10 n2 and o2 of 3 3.01 s), but for
    RAID4's parity disk. RAID10 near and offset may read faster than this when the read balancer is lucky or
    chunks are large.
    """
    skips_for_free = flash and key in ("5", "6", "10")
    if skips_for_free or (key == "10" and layout10(layout).kind == "far"):
        return disks
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


def write_penalty(key: str, disks: int, layout: str | None = None) -> int:
    """Disk operations that one small random write costs: P.

    Mirrors write every copy. Parity levels read and write the block and each parity, or, where that is less,
    read the rest of the stripe instead (kernel raid5.c weighs read-modify-write against reconstruct-write): 2
    + min(2, n-2) with one parity, 3 + min(3, n-3) with two. Patterson, Gibson, Katz 1988 have the 4.
    """
    written = level(key).parity_disks + 1
    if written == 1:
        return copies(key, layout, disks)
    return written + min(written, disks - written)


def split_share(block_bytes: int, chunk_bytes: int, offset_bytes: int = 0) -> float:
    """The share of transfers of one block, on a grid of blocks that starts at `offset_bytes`, that take two disks.

    None where the start is on the blocks' grid, else block / chunk; blocks larger than a chunk are split always. It is
    the most that aligning can gain for reads, and for writes without parity (parity writes of partial pages lose more).
    """
    if block_bytes > chunk_bytes:
        return 1.0
    return block_bytes / chunk_bytes if offset_bytes % block_bytes else 0.0


def _mixed_iops(key: str, disks: int, iops: float, penalty: int, read_share: float) -> float:
    """n x / (r + (1-r) P), and not more than RAID4's parity disk lets through."""
    write_share = 1 - read_share
    all_disks = disks * iops / (read_share + write_share * penalty)
    if key != "4" or not write_share:
        return all_disks
    # Every write writes the parity disk; from 4 disks on it also reads it before (read-modify-write).
    parity_operations = 2 if disks >= 4 else 1
    return min(all_disks, iops / (write_share * parity_operations))


def _busy_share(disks: int, queue_depth: int | None) -> float:
    """The share of n disks that Q requests, spread at random, keep busy: Q / (Q + n - 1).

    The balanced closed network of mean value analysis (Reiser, Lavenberg 1980).
    """
    return 1.0 if queue_depth is None else queue_depth / (queue_depth + disks - 1)
