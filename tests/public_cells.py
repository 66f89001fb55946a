"""The model against public measurements of one disk and an md array of the same disks: `python -m tests.public_cells`
prints measured over predicted of each. `tests/core/raid/public_cells.toml` names sources and rules.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

import msgspec

from raidtui.core.raid import theory
from raidtui.core.raid.ceilings import HostLimits, Limit, parity_reads_per_s
from raidtui.core.raid.confidence import Asked, Confidence, confidence
from raidtui.core.raid.depth_curve import one_figure
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES
from raidtui.core.raid.placement import RequestShape
from raidtui.core.raid.queueing import Load

_FILE = Path(__file__).parent / "core" / "raid" / "public_cells.toml"
_MB, _KIB = 1e6, 1024


class PublicCell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """MB/s of "read" and "write", operations/s of "randread" and "randwrite"; `depth` of a job, `disk`: one alone."""

    level: str
    layout: str | None = None
    disks: int
    chunk_kib: int = DEFAULT_CHUNK_BYTES // _KIB
    pattern: str
    block_kib: int
    depth: int = 1
    jobs: int = 1
    threads: int | None = None
    disk: float
    measured: float

    @property
    def setup(self) -> str:
        threads = f", {self.threads} threads" if self.threads else ""
        return f"RAID {self.level}{f' {self.layout}' if self.layout else ''} of {self.disks}{threads}"

    @property
    def test(self) -> str:
        return f"{self.pattern} {self.block_kib} KiB, QD{self.depth * self.jobs}"


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    author: str
    date: str
    address: str
    kernel: str = ""
    flash: bool
    left_out: str = ""
    second: bool = False  # of the second set
    cells: tuple[PublicCell, ...]


class Compared(NamedTuple):
    source: Source
    cell: PublicCell
    predicted: float
    limit: Limit
    confirmed: bool

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.cell.measured / self.predicted


def compared() -> list[Compared]:
    sources = msgspec.convert(tomllib.loads(_FILE.read_text())["source"], list[Source])
    return [_compared(source, cell) for source in sources for cell in source.cells]


def share_within(cells: list[Compared], deviation: float) -> float:
    return sum(abs(cell.ratio - 1) <= deviation for cell in cells) / len(cells)


def _compared(source: Source, cell: PublicCell) -> Compared:
    shape = RequestShape(
        cell.level,
        cell.disks,
        (cell.layout or "n2") if cell.level == "10" else None,
        chunk_bytes=cell.chunk_kib * _KIB,
        block_bytes=cell.block_kib * _KIB,
        rotating=not source.flash,
    )
    host = HostLimits(
        processes=cell.jobs,
        parity_threads=cell.threads or 1,
        parity_reads_per_s=parity_reads_per_s(source.kernel),
    )
    queue, writes = cell.depth * cell.jobs, cell.pattern.endswith("write")
    if cell.pattern.startswith("rand"):
        rate = theory.random_rate(shape, one_figure(cell.disk), Load(queue, float(not writes)), host, None)
        asked, unit = Asked(shape, False, writes, rate.limit, host.parity_threads), 1.0
    else:
        rate = theory.sequential_rate(shape, cell.disk * _MB, writes, None, host, queue)
        asked, unit = Asked(shape, True, writes, rate.limit, host.parity_threads), _MB
    return Compared(source, cell, rate.value / unit, rate.limit, confidence(asked) is Confidence.CONFIRMED)


def main() -> None:
    cells = compared()
    for found in cells:
        known = "" if found.confirmed else "up to"
        figures = (
            f"{known:6}{found.cell.measured:>9g} {found.predicted:>9.0f} {found.ratio:5.2f} {found.limit.value:10}"
        )
        print(f"{found.cell.setup:28} {found.cell.test:24} {figures} {found.source.title[:40]}")
    shares = ", ".join(f"{share_within(cells, off):.0%} within {off:.0%}" for off in (0.15, 0.30))
    print(f"{len(cells)} cells: {shares}")


if __name__ == "__main__":
    main()
