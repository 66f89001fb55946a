"""`raidtui compare --json`: results side by side, and grids of queue depth and jobs, a cell a figure."""

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.results.comparison import DepthGrid, Matched
from raidtui.core.results.figure import Figure, Latency


class GridCell(msgspec.Struct, frozen=True, kw_only=True):
    """A test of the grid."""

    iodepth: int
    numjobs: int
    figure: Figure
    latency: Latency


class GridDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that differ in queue depth and number of jobs alone."""

    title: str
    kind: Kind
    cells: tuple[GridCell, ...]


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`grids`: of a single source."""

    compared: tuple[Matched, ...]
    grids: tuple[GridDocument, ...]


def grid_of(grid: DepthGrid) -> GridDocument:
    cells = (
        GridCell(iodepth=depth, numjobs=jobs, figure=figure, latency=latency)
        for (depth, jobs), (figure, latency) in grid.cells.items()
    )
    return GridDocument(title=grid.title, kind=grid.kind, cells=tuple(cells))
