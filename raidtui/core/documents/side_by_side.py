"""`raidtui compare --json`: results side by side, grids of queue depth and jobs."""

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.results.comparison import Matched
from raidtui.core.results.figure import Figure, Latency


class GridCell(msgspec.Struct, frozen=True, kw_only=True):
    iodepth: int
    numjobs: int
    figure: Figure
    latency: Latency


class GridDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Tests that differ in queue depth and jobs only."""

    title: str
    kind: Kind
    cells: tuple[GridCell, ...]


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`grids`: of a single source."""

    compared: tuple[Matched, ...]
    grids: tuple[GridDocument, ...]
