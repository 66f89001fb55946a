"""The model against all recordings: `python -m tests.theory_table` writes docs/theory.md."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from raidtui.core.page.blocks import PageTable
from raidtui.core.page.markdown import markdown
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.fields import FIELDS, word
from raidtui.core.plan.model import Plan
from raidtui.core.raid.ceilings import HostLimits
from raidtui.core.raid.confidence import WORDS, Confidence
from raidtui.core.raid.placement import RequestShape
from raidtui.core.raid.queueing import Load, simulate
from raidtui.core.results.analysis import ResultRow, compare, test_title
from raidtui.core.run.state import RunState
from raidtui.demo.recording import load
from tests import public_cells
from tests.builders.measured_arrays import DISK, MEASURED, OTHERS, QUEUES, READ, X
from tests.recordings.reports import kept

_RECORDINGS = Path(__file__).parent / "recordings"
_OUT = Path(__file__).parent.parent / "docs" / "theory.md"
_RUNS = ("raid5-of-3", "rack-of-24")
_THROTTLED = frozenset({"1", "10", "4", "5", "6"})  # levels whose writes writeback throttling slows
_SHORT = {"partition_start_sectors": "start", "allocation_unit": "unit", "wbt_lat_usec": "wbt", "filesystem": "on"}
_EXACT = 5000  # requests a cell of the lab's


class Cell(NamedTuple):
    """One figure: IOPS. `held` names effects that the model omits on purpose."""

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
    """Six throttled disks of 97.5 IOPS, 4 s in the steady middle of a test; writeback throttling off, no bitmap."""
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
        test = f"{shape.block_bytes // 1024} KiB {'read' if share == READ else 'write'}, QD{queue}"
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
    """Effects in the recording that the model omits."""
    cell = row.cell
    throttled = cell is not None and cell.level in _THROTTLED and cell.wbt_lat_usec != 0 and row.direction == "write"
    unaligned = cell is not None and cell.allocation_unit == "4KiB" and not state.placed.get(row.stage)
    return ", ".join(word for word, holds in (("wbt", throttled), ("file's start", unaligned)) if holds)


_HOST_TERMS = (
    (
        "parity, full stripes",
        f"{HostLimits().parity_pages_per_s:,.0f} pages of 4 KiB a second and thread, each of all data disks",
        "RAID 5 and 6 of 4 SAS SSDs: 108,000 to 116,000; others 55,000 to 168,000",
        "md's thread in the run",
    ),
    (
        "parity, small writes",
        f"{HostLimits().parity_writes_per_s:,.0f} a second and thread",
        "58,000 to 70,000; 64,700 of 3 NVMe (README of overlay-nosync, Linux 6.8)",
        "md's thread in the run",
    ),
    (
        "parity, small reads",
        "1.2 million a second before Linux 5.14, 5.5 million from there",
        "1.2 million (Ofri, linux-raid, 2021-04-08); 5.3 to 5.9 million (Finlayson, linux-raid, 2021)",
        "-",
    ),
    (
        "submitting process",
        f"{1e6 * HostLimits().fio_s_per_operation:g} us a request,"
        f" {1e6 * HostLimits().md_s_per_operation:g} us a copy or chunk",
        "225,000, 143,000 and 92,000 writes a second in 1, 2 and 4 copies",
        "fio's CPU seconds in the run",
    ),
    (
        "end of further chunks",
        f"{1e6 * HostLimits().end_s_per_chunk:g} us a chunk, {1e6 * HostLimits().end_s_per_page:g} us a page of it",
        "NVMe at depth 1 in 2 to 128 chunks: 1.5 to 3.7 us each (Milivojevic, linux-raid, 2024-06-07)",
        "-",
    ),
)
_UNKNOWN = """\
- Several streams on mirrors and parity: 0.7 to 0.8 of the model in public measurements.
- Flash that rests between requests: one disk at QD1 may be slower than each disk of a busy array.
- Blocks that were never written: one disk may read them twice as fast.
- One reader on RAID 1: one disk's rate. Newer kernels were reported to spread one reader over the copies.
  Practice kernels do not. Linux 7.2.7: RAID 1 of 2 and of 4 read 46 MiB/s at QD32, one disk 58. Linux 6.1: 106 and 91.
- More threads (`group_thread_cnt`) help stripes little: 1.38, 1.69 and 1.77 GB/s with 1, 2 and 8 of them.
- Requests of many chunks at low depth: the term is of one source; the second set has 0.7 to 1.05 of the model.
- Buffered reads of arrays about which somebody asked for help (second set): five of seven 0.1 to 0.5 of the model.
- One process on a file: its CPU may be the limit of the disk's own figure. An array then does no more.
- A level of btrfs has no model and is refused.
- Small blocks of raidz have the rate of one disk a vdev, as each lies on all of its disks.
  Its streams are an upper limit."""


def _public() -> list[str]:
    """The cells of others, what they confirm and what not."""
    cells = public_cells.compared()

    def shares(those: Sequence[public_cells.Compared]) -> list[str]:
        return [
            str(len(those)),
            *(f"{100 * public_cells.share_within(list(those), off):.0f} %" for off in (0.15, 0.30)),
        ]

    of_kind = [(words, [c for c in cells if c.confirmed is known]) for known, words in _KINDS.items()]
    first, second = ([cell for cell in cells if cell.source.second is later] for later in (False, True))
    rows = [["first set, before these terms", "35", "31 %", "37 %"], ["first set", *shares(first)]]
    rows += [["second set, before the end of chunks", "34", "24 %", "50 %"], ["second set", *shares(second)]]
    rows += [[words, *shares(those)] for words, those in of_kind]
    sources = [
        f"- {s.title}. {s.author}, {s.date}, <{s.address}>"
        if s.address.startswith("http")
        else f"- {s.title}. {s.author}, {s.date}; {s.address}"
        for s in dict.fromkeys(cell.source for cell in cells)
    ]
    lines = [
        [
            c.cell.setup,
            c.cell.test,
            f"{c.cell.measured:g}",
            f"{'' if c.confirmed else '≤ '}{c.predicted:.0f}",
            f"{c.ratio:.2f}",
            c.limit.value,
        ]
        for c in cells
    ]
    heads = ["Setup", "Test", "Measured", "Model", "Ratio", "Limit"]
    return [
        "## Assumed of a host",
        "A limit of the host is assumed until a run has measured it. Such a rate is marked as assumed.",
        markdown(
            [PageTable(["Term", "Assumed", "Measured elsewhere", "Gives way to"], [list(row) for row in _HOST_TERMS])]
        ).rstrip(),
        "## What is not known",
        _UNKNOWN,
        "## Public measurements",
        "One disk and an md array of the same disks, measured by others. Ratio: measured over model.\n"
        "A figure with ≤ is marked as an upper limit.\n"
        "`tests/core/raid/public_cells.toml` has the cells and the rules.\n"
        "The first set is older than the other terms, the second than the end of chunks, found in the first.\n"
        "What counts as confirmed was decided with these cells in view (`raidtui/core/raid/confidence.py`).",
        markdown([PageTable(["Cells", "Count", "Within 15 %", "Within 30 %"], rows)]).rstrip(),
        "\n".join(sources),
        markdown([PageTable(heads, lines, 2)]).rstrip(),
    ]


_KINDS = {True: WORDS[Confidence.CONFIRMED], False: "upper limit"}


def _summary(name: str, cells: Sequence[Cell]) -> list[str]:
    off = [abs(cell.ratio - 1) for cell in cells]
    return [name, str(len(cells)), f"{100 * median(off):.1f}", f"{100 * max(off):.0f}"] if off else [name, "0", "", ""]


def main() -> None:
    cells = [*lab(), *reports(), *runs()]
    whole = [cell for cell in cells if not cell.held]
    sources = dict.fromkeys(cell.source for cell in cells)
    summary = [_summary(name, [cell for cell in whole if cell.source == name]) for name in sources]
    summary.append(_summary("throttled by wbt", [cell for cell in cells if "wbt" in cell.held]))
    summary.append(_summary("file's start unknown", [cell for cell in cells if "start" in cell.held]))
    summary = [line for line in summary if line[1] != "0"]
    blocks = [
        "# The model against all recordings",
        "Generated by `python -m tests.theory_table`. Random tests, IOPS; the ratio is model over measured.",
        "- Expected values come from the run's one-disk baseline at its queue depths, by the program's analysis.\n"
        f"- The lab's cells are of throttled disks of {X:g} IOPS, in the steady middle of a test.\n"
        "- The other recordings are shorter, on disks as fast as the machine allows.\n"
        "- The model omits writeback throttling (`wbt`).\n"
        "- A file with an unrecorded place is assumed to begin on the grid of its requests.\n"
        "- Cells of recordings that differ in the last two points are marked, and count apart.",
        markdown([PageTable(["Source", "Cells", "Median deviation, %", "Largest, %"], summary)]).rstrip(),
        *_public(),
        "## All cells",
    ]
    for name in sources:
        lines = [
            [c.setup, c.test, f"{c.measured:.0f}", f"{c.model:.0f}", f"{c.ratio:.2f}", c.held]
            for c in cells
            if c.source == name
        ]
        blocks += [
            f"### {name}",
            markdown([PageTable(["Setup", "Test", "Measured", "Model", "Ratio", "Not modelled"], lines, 2)]).rstrip(),
        ]
    _OUT.write_text("\n\n".join(blocks) + "\n")


if __name__ == "__main__":
    main()
