"""Theory against everything that was recorded: `python -m tests.theory_table` writes docs/theory.md.

Recorded runs are analysed as the program does it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from raidtui.core.page.blocks import PageTable
from raidtui.core.page.markdown import markdown
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.fields import FIELDS, word
from raidtui.core.plan.model import Plan
from raidtui.core.raid.placement import RequestShape
from raidtui.core.raid.queueing import Load, simulate
from raidtui.core.results.analysis import ResultRow, compare, test_title
from raidtui.core.run.state import RunState
from tests.builders.measured_arrays import DISK, MEASURED, OTHERS, QUEUES, READ, X
from tests.recordings.reports import kept
from tests.replay import load

_RECORDINGS = Path(__file__).parent / "recordings"
_OUT = Path(__file__).parent.parent / "docs" / "theory.md"
_RUNS = ("raid5-of-3", "rack-of-24")
_THROTTLED = frozenset({"1", "10", "4", "5", "6"})  # levels whose writes the kernel's write-back throttling holds back
_SHORT = {"partition_start_sectors": "start", "allocation_unit": "unit", "wbt_lat_usec": "wbt", "filesystem": "on"}
_EXACT = 5000  # requests a cell of the lab's


class Cell(NamedTuple):
    """One figure: IOPS. `held` names what the model leaves out on purpose."""

    source: str
    setup: str
    test: str
    measured: float
    model: float
    held: str = ""

    @property
    def ratio(self) -> float:
        return self.model / self.measured


def lab() -> Iterator[Cell]:
    """Six throttled disks of 97.5 IOPS, 4 s in the steady middle of a test; write-back throttling off, no bitmap."""
    grid = [
        (RequestShape(key, disks, layout), queue, share, 1, measured)
        for (key, layout, disks, share), row in MEASURED.items()
        for queue, (measured, _) in zip(QUEUES, row, strict=True)
    ]
    for shape, queue, share, batch, measured in (*grid, *(one[:5] for one in OTHERS)):
        model = simulate(shape, DISK, Load(queue, share, batch), requests=_EXACT).iops
        words = [f"RAID {shape.key}", shape.layout or "", f"of {shape.disks}"]
        words += (
            [f"chunk {shape.chunk_bytes // 1024} KiB, start {shape.start_bytes}"] if shape.block_bytes > 4096 else []
        )
        test = f"{shape.block_bytes // 1024} KiB {'read' if share == READ else 'write'}, queue {queue}"
        yield Cell("lab", " ".join(filter(None, words)), test + (f", by {batch}" if batch > 1 else ""), measured, model)


def reports() -> Iterator[Cell]:
    for name in kept.names():
        yield from _cells(name, *kept.load(name))


def runs() -> Iterator[Cell]:
    for name in _RUNS:
        recording = load(_RECORDINGS / "runs" / name)
        yield from _cells(name, recording.plan, recording.view().state)


def _cells(source: str, plan: Plan, state: RunState) -> Iterator[Cell]:
    """By the fields in which the run's setups differ."""
    rows = [row for row in compare(plan, state).rows if row.kind == "random" and row.array.value and row.predicted]
    setups = [row.cell or Setup() for row in rows]
    varying = [name for name in Setup.__struct_fields__ if len({str(getattr(setup, name)) for setup in setups}) > 1]
    for row, setup in zip(rows, setups, strict=True):
        label = {name: word(name, getattr(setup, name)) or FIELDS[name].unsaid for name in varying}
        words = ", ".join(f"{_SHORT.get(field, field)} {value}" for field, value in label.items() if value) or row.setup
        yield Cell(source, words, test_title(row), row.array.value or 0.0, row.predicted or 0.0, _held(row, state))


def _held(row: ResultRow, state: RunState) -> str:
    """What the recording had and the model leaves out."""
    cell = row.cell
    throttled = cell is not None and cell.level in _THROTTLED and cell.wbt_lat_usec != 0 and row.direction == "write"
    unaligned = cell is not None and cell.allocation_unit == "4KiB" and not state.placed.get(row.stage)
    return ", ".join(word for word, holds in (("wbt", throttled), ("file's start", unaligned)) if holds)


def _summary(name: str, cells: Sequence[Cell]) -> list[str]:
    off = [abs(cell.ratio - 1) for cell in cells]
    return [name, str(len(cells)), f"{100 * median(off):.1f}", f"{100 * max(off):.0f}"] if off else [name, "0", "", ""]


def main() -> None:
    cells = [*lab(), *reports(), *runs()]
    whole = [cell for cell in cells if not cell.held]
    sources = dict.fromkeys(cell.source for cell in cells)
    summary = [_summary(name, [cell for cell in whole if cell.source == name]) for name in sources]
    summary.append(_summary("held back by wbt", [cell for cell in cells if "wbt" in cell.held]))
    summary.append(_summary("file's start not known", [cell for cell in cells if "start" in cell.held]))
    summary = [line for line in summary if line[1] != "0"]
    blocks = [
        "# Theory against what was recorded",
        "Made by `python -m tests.theory_table`. Random tests, IOPS; the ratio is model over measured. Each recorded"
        " figure is judged by the program's own analysis, from what the run's own baseline gave for one disk, at the"
        f" depths at which it was measured. The lab's cells are of throttled disks of {X:g} IOPS, in the steady middle"
        " of a test; the other recordings are shorter, on disks that are as fast as the machine lets them be.",
        "The model predicts as without write-back throttling (`wbt`), and takes a file whose place was not recorded for"
        " one that begins on the grid of its requests: where the recording had something else, the cell says so, and"
        " counts apart.",
        markdown([PageTable(["Cells of", "Cells, count", "Median off, %", "Worst off, %"], summary)]).rstrip(),
        "## Every cell",
    ]
    for name in sources:
        lines = [
            [c.setup, c.test, f"{c.measured:.0f}", f"{c.model:.0f}", f"{c.ratio:.2f}", c.held]
            for c in cells
            if c.source == name
        ]
        blocks += [
            f"### {name}",
            markdown([PageTable(["Setup", "Test", "Measured", "Model", "Ratio", "Not in it"], lines, 2)]).rstrip(),
        ]
    _OUT.write_text("\n\n".join(blocks) + "\n")


if __name__ == "__main__":
    main()
