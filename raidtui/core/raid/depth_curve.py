"""IOPS of a disk by queue depth, x(q), read and write, and source. Log-log linear, flat beyond both ends."""

import enum
import math
import re
from collections.abc import Mapping, Sequence

import msgspec

from raidtui.core.text import brief

Points = tuple[tuple[int, float], ...]
_POINT = re.compile(r"\s*([1-9][0-9]{0,5})\s*:\s*([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*")


class DepthCurve(msgspec.Struct, frozen=True):
    """(queue depth at the disk, IOPS). ValueError, one sentence, if invalid."""

    points: Points

    def __post_init__(self) -> None:
        depths = [depth for depth, _ in self.points]
        if not depths or depths != sorted(set(depths)) or depths[0] < 1:
            raise ValueError("A depth curve needs depths of 1 or more, each once, in ascending order: 1:106,4:150.")
        rates = [iops for _, iops in self.points]
        if not all(math.isfinite(iops) and iops >= 0 for iops in rates):
            raise ValueError("A disk's MB/s and IOPS are numbers from 0 on: give what one disk does alone.")
        if len(rates) > 1 and not min(rates):
            raise ValueError("A depth curve has no room for 0 IOPS: leave out the depth that was not measured.")

    @property
    def deepest(self) -> int:
        """From this depth on the curve is flat."""
        return self.points[-1][0]

    @property
    def full_iops(self) -> float:
        return self.points[-1][1]

    @property
    def best_iops(self) -> float:
        return max(iops for _, iops in self.points)

    def at(self, depth: float) -> float:
        lower = self.points[0]
        for upper in self.points:
            if depth <= upper[0]:
                if upper is lower:
                    return upper[1]
                share = math.log(depth / lower[0]) / math.log(upper[0] / lower[0])
                return float(lower[1] * (upper[1] / lower[1]) ** share)
            lower = upper
        return lower[1]


def flat(iops: float) -> DepthCurve:
    return DepthCurve(((1, iops),))


def parse_curve(text: str) -> DepthCurve:
    """ "1:106,4:150,32:220". ValueError: one sentence with the accepted form."""
    matches = [_POINT.fullmatch(point_text) for point_text in text.split(",")]
    points = sorted((int(match[1]), float(match[2])) for match in matches if match)
    if len(points) < len(matches):
        raise ValueError(f"{brief(repr(text))} is no depth curve: write depth:IOPS pairs, as 1:106,4:150,32:220.")
    return DepthCurve(tuple(points))


class CurveSource(enum.Enum):
    MEASURED = "measured"
    FIO_FILES = "fio files"
    AS_GIVEN = "as given"
    ONE_FIGURE = "one figure: flat"
    ASSUMED_HDD = "assumed HDD with NCQ"
    ASSUMED_SATA_SSD = "assumed SATA SSD"
    ASSUMED_NVME = "assumed NVMe"


class DiskCurves(msgspec.Struct, frozen=True):
    reads: DepthCurve
    writes: DepthCurve
    source: CurveSource
    measured_depths: tuple[int, ...] = ()
    assumed_below: CurveSource | None = None  # the kind of disk whose figures stand below the first measured depth

    def times(self, share: float) -> "DiskCurves":
        """Of a disk that does this share of it at each depth."""
        reads, writes = (
            DepthCurve(tuple((depth, iops * share) for depth, iops in curve.points))
            for curve in (self.reads, self.writes)
        )
        return msgspec.structs.replace(self, reads=reads, writes=writes)

    @property
    def varies(self) -> bool:
        return len(self.reads.points) > 1 or len(self.writes.points) > 1


def one_figure(iops: float) -> DiskCurves:
    return DiskCurves(flat(iops), flat(iops), CurveSource.ONE_FIGURE)


# 4 KiB at random. Orders of magnitude to begin with, of one published disk each; what a disk really does is measured.
# HDD: 7,200 turns a minute, WD Ultrastar DC HC310 (specification 4.5.1: seek 7.4 ms reading, 8.2 writing, 4.16 ms until
#   the block comes round: 86 and 81 a second); NCQ's gain of 1.4 at 4 and 2.1 at 32 is assumed.
# SATA SSD: Toshiba HK4E: data sheet 75,000 and 30,000 (depth 32), 6,500 of both at depth 1 as its users report.
# NVMe: Lexar NM790 4 TB as KitGuru measured it (reads 20,176 at 1, 132,941 at 8, 479,318 at 4 x 8; writes 57,109 and
#   252,678 at 1 and 4 x 1, into its cache: one that is written to for long does less).
_ASSUMED: Mapping[CurveSource, tuple[Points, Points]] = {
    CurveSource.ASSUMED_HDD: (((1, 86), (4, 120), (32, 180)), ((1, 81), (4, 113), (32, 170))),
    CurveSource.ASSUMED_SATA_SSD: (((1, 6_500), (32, 75_000)), ((1, 6_500), (32, 30_000))),
    CurveSource.ASSUMED_NVME: (
        ((1, 20_000), (8, 133_000), (32, 480_000)),
        ((1, 57_000), (4, 250_000)),
    ),
}
ASSUMED_KINDS: Mapping[str, CurveSource] = {
    "hdd": CurveSource.ASSUMED_HDD,
    "sata-ssd": CurveSource.ASSUMED_SATA_SSD,
    "nvme": CurveSource.ASSUMED_NVME,
}


def assumed_curves(kind: str) -> DiskCurves:
    """Of an unmeasured disk: hdd, sata-ssd, nvme. ValueError names them."""
    source = ASSUMED_KINDS.get(kind)
    if source is None:
        raise ValueError(f"{brief(repr(kind))} is no kind of disk: choose one of {', '.join(ASSUMED_KINDS)}.")
    reads, writes = _ASSUMED[source]
    return DiskCurves(DepthCurve(reads), DepthCurve(writes), source)


def completed(measured: DepthCurve, kind: CurveSource, *, writes: bool) -> DepthCurve:
    """Adds assumed values below the first measured depth. Rotating disks: scaled by the kind's ratio (a queue gains by
    ordering seeks). Flash: the kind's values, at most the first measured one (latency of a request, up to the disk's or
    a throttle's limit).
    """
    depth, iops = measured.points[0]
    shape = DepthCurve(_ASSUMED[kind][writes])
    below_depth = [(queue, shape.at(queue)) for queue, _ in shape.points if queue < depth]
    if kind is CurveSource.ASSUMED_HDD:
        below_depth = [(queue, rate * iops / shape.at(depth)) for queue, rate in below_depth]
    return DepthCurve((*((queue, min(rate, iops)) for queue, rate in below_depth), *measured.points))


def measured_curve(pairs: Sequence[tuple[int, float]]) -> DepthCurve:
    """In any order; mean of repeated depths."""
    by_depth: dict[int, list[float]] = {}
    for depth, iops in pairs:
        by_depth.setdefault(depth, []).append(iops)
    return DepthCurve(tuple((depth, sum(rates) / len(rates)) for depth, rates in sorted(by_depth.items())))
