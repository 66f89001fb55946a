"""Operations of a mean request per disk, hence the full queue's rate. Queues are in `queueing`."""

import functools
import math
from typing import NamedTuple

from raidtui.core.raid.placement import Placements, RequestShape, merged
from raidtui.core.raid.stripes import cycle_stripes, parity_only_disks

_MOST_ADDRESSES = 4096  # of a pattern that repeats late, as many are looked at


class Demand(NamedTuple):
    """Operations on one disk per request, averaged over request positions."""

    reads: float
    writes: float


@functools.cache
def demands(shape: RequestShape, writes: bool) -> tuple[Demand, ...]:
    """Per disk with all disks busy: copies are read in turn, neighbours merged."""
    count = [[0.0, 0.0] for _ in range(shape.disks)]
    placements = Placements(shape)
    addresses = _addresses(shape)
    for address in addresses:
        placement = placements.at(address, writes)
        for placed_read in placement.reads:
            for disk in placed_read.disks:
                count[disk][0] += 1 / len(placed_read.disks)
        for extent in merged(extent for group in placement.groups for extent in group.writes):
            count[extent.disk][1] += 1
    by_disk = [Demand(reads / len(addresses), disk_writes / len(addresses)) for reads, disk_writes in count]
    if shape.split or not _parity_rotates(shape):
        return tuple(by_disk)
    mean = Demand(
        sum(demand.reads for demand in by_disk) / shape.disks, sum(demand.writes for demand in by_disk) / shape.disks
    )
    return (mean,) * shape.disks


def _parity_rotates(shape: RequestShape) -> bool:
    return shape.key in ("5", "6") and not parity_only_disks(shape.key, shape.layout, shape.disks)


def _addresses(shape: RequestShape) -> range:
    """One request of each position, or evenly spaced ones if there are very many."""
    if not shape.split:
        one_for_all = _parity_rotates(shape)  # one stripe stands for all
        cycle = shape.cycle_bytes // (cycle_stripes(shape.key, shape.layout, shape.disks) if one_for_all else 1)
        return range(shape.start_bytes, shape.start_bytes + cycle, shape.piece_bytes)
    step = max(1, shape.positions // _MOST_ADDRESSES)
    while math.gcd(step, shape.positions) > 1:
        step += 1
    return range(shape.start_bytes, shape.start_bytes + shape.positions * shape.block_bytes, step * shape.block_bytes)


def full_queue_iops(shape: RequestShape, reads: float, writes: float, read_share: float) -> float:
    """Upper bound of any queue, by the bottleneck law (Denning, Buzen 1978): X <= 1 / max D, with so many operations of
    each kind per second on the busiest disk. For unsplit requests n x / P.
    """
    shares = {False: read_share, True: 1 - read_share}
    busy_s = [0.0] * shape.disks
    for writing, share in shares.items():
        for number, demand in enumerate(demands(shape, writing) if share else ()):
            busy_s[number] += share * (demand.reads / reads + demand.writes / writes)
    return 1 / max(busy_s)
