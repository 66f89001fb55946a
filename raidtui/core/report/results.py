"""Results of a run with one setup: tables of figures, charts, latencies, slow disks."""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.answer import numbers
from raidtui.core.fio.job import Kind
from raidtui.core.page.blocks import Bar, Bars, Block, Bullets, Heading, PageTable, Role, Text
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import (
    TIMES,
    TOO_FEW,
    Column,
    figure_cell,
    gain_cell,
    lacks_points,
    model_cell,
    operations_cell,
    row_table,
    theory_columns,
)
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import LEFT_OUT, Figure
from raidtui.core.results.series.families import kind_of
from raidtui.core.units import MB, change, format_ms, format_number, format_percent, shown_in

_BY_LITTLE = "By Little's law the mean is QD / IOPS while the queue is full"
_NOT_OFF, _OFF = ", as here within 10 %", "; (off): by over 10 %"
_HEADINGS: dict[Kind, str] = {
    "sequential": "Sequential throughput (MB/s = 10^6 bytes/s)",
    "random": "Random operations (IOPS = I/Os per second)",
}


def without_families(comparison: Comparison) -> Comparison:
    """The comparison without the rows that stand in tables of their own."""
    rows = tuple(row for row in comparison.rows if not kind_of(row.family, row.varied))
    return msgspec.structs.replace(comparison, rows=rows)


def results(run: RunContext) -> Iterator[Block]:
    """The figures of the one setup as tables and charts, then what is to be known about them."""
    comparison = without_families(run.comparison)
    for stage in dict.fromkeys(row.stage for row in comparison.rows):
        rows = [row for row in comparison.rows if row.stage == stage]
        yield Heading(f"Results: {rows[0].setup}")
        for of_what in _HEADINGS:
            if of_kind := [row for row in rows if row.kind == of_what]:
                yield Heading(_HEADINGS[of_what], 3)
                yield _result_table(of_kind, comparison.members)
                yield _chart(of_kind)
        if sentences := about_theory(rows, comparison.flash):
            yield Text(f"{sentences} A gain with ~ is rounded.")
        yield Bullets(list(dict.fromkeys(_notes(rows))))
        late = [row for row in rows if row.kind == "random" and row.latency.mean_ns is not None]
        if late := [row for row in late if not row.flushes]:  # whose mean leaves the flushes out
            yield Text(_about_latencies(late))


def _about_latencies(rows: Sequence[ResultRow]) -> str:
    all_known = all(row.by_latency is not None for row in rows)
    off = _OFF if any(row.little_off for row in rows) else _NOT_OFF if all_known else ""
    stragglers = [f"{test_title(row)}: {text}." for row in rows if (text := row.latency.straggler_words)]
    too_few = [TOO_FEW] if lacks_points([row.latency for row in rows]) else []
    return " ".join((f"{_BY_LITTLE}{off}.", *too_few, *stragglers))


def about_theory(rows: Sequence[ResultRow], flash: bool) -> str:
    """What theory's figures are made of, and how exact the simulated ones are; nothing where there are none."""
    if not any(row.predicted for row in rows):
        return ""
    media, others = ("flash, which has no seeks", "hard disks") if flash else ("hard disks", "flash")
    corrected = ", corrected by all disks at once where this is noted," if any(r.expected.shares for r in rows) else ""
    words = f"Expected values come from one disk alone{corrected} and the model of {media} ({others} differ)."
    if errors := [row.expected.error_share for row in rows if row.expected.error_share]:
        words += (
            f" Random ones are simulated at the test's queue depth (standard error at most {100 * max(errors):.1f} %);"
            " ~: no disk was measured at that depth."
        )
    return words


def _compared(rows: Sequence[ResultRow]) -> bool:
    return any(figure.standing != "not run" for row in rows for figure in (row.single, row.all_at_once))


def _result_table(rows: Sequence[ResultRow], members: int) -> PageTable:
    """The figures beside those of one disk, all disks, theory and the source, as far as there are any."""
    unit, scale = shown_in(rows[0].kind)
    is_compared = _compared(rows)
    columns: list[Column] = [
        (f"One disk, {unit}", lambda row: figure_cell(row.single, scale) if is_compared else ""),
        (f"All {members} at once, {unit}", lambda row: figure_cell(row.all_at_once, scale) if is_compared else ""),
        (f"{_measured(rows[0])}, {unit}", lambda row: figure_cell(row.array, scale)),
        (f"Gain, {TIMES}", lambda row: gain_cell(row.gain)),
        ("Per disk, %", lambda row: format_percent(row.efficiency)),
        (f"Of slowest disk {TIMES} n, %", lambda row: format_percent(row.efficiency_slowest)),
        *theory_columns(unit, scale),
        (f"Published: one disk, {unit}", lambda row: format_number(row.published_single, scale)),
        (f"Article, {unit}", lambda row: format_number(row.published, scale)),
        (f"Published: gain, {TIMES}", _published_gain),
        ("Queue", lambda row: str(row.queue or "") if row.kind == "random" else ""),
        ("QD / IOPS, ms", lambda row: format_ms(row.little_ns) + (" (off)" if row.little_off else "")),
    ]
    return row_table(["Test"], [[test_title(row)] for row in rows], rows, columns)


def _published_gain(row: ResultRow) -> str:
    return gain_cell(row.published / row.published_single) if row.published and row.published_single else ""


def _measured(row: ResultRow) -> str:
    return "As it is" if row.stood else "Array"


def _chart(rows: Sequence[ResultRow]) -> Bars:
    unit, scale = shown_in(rows[0].kind)
    bars: list[Bar] = []
    for row in rows:
        test = test_title(row)
        figures: list[tuple[Role, str, Figure]] = [("array", _measured(row).lower(), row.array)]
        if _compared(rows):
            figures = [("one", "one disk", row.single), ("all", "all at once", row.all_at_once), *figures]
        bars += [bar_of(f"{test}, {name}", figure, row.kind, role) for role, name, figure in figures]
        if row.predicted:
            words = f"{format_number(row.predicted, scale)} {unit}"
            bars.append(Bar(f"{test}, expected", row.predicted, words, "theory"))
    return Bars(_HEADINGS[rows[0].kind].partition(" (")[0] + f", {unit}", bars)


def bar_of(name: str, figure: Figure, of_kind: Kind, role: Role) -> Bar:
    unit, scale = shown_in(of_kind)
    no_figure = figure.value is None
    words = figure_cell(figure, scale) if no_figure else f"{format_number(figure.value, scale)} {unit}"
    return Bar(name, figure.value, words, role)


def _notes(rows: Sequence[ResultRow]) -> Iterator[str]:
    """What stands against a row's figures: failures with the tool's own words, lost repetitions, flags, reasons."""
    for row in rows:
        test = test_title(row)
        for where, figure in (("one disk", row.single), ("all at once", row.all_at_once), ("array", row.array)):
            if figure.error and figure.standing != "ok":
                yield f"{test}, {where}: {figure.standing.upper()}: {figure.error}"
            elif figure.lost:
                lost = f"{figure.lost} of {figure.lost + figure.runs} repetitions have no result"
                yield f"{test}, {where}: {lost}: {figure.error}"
        if off_model := numbers.lines(row.causes):
            yield f"{test}: {change(row.deviation or 0)} vs expected: {'; '.join(off_model)}"
        if (operations := operations_cell(row)) and (model := model_cell(row)):
            yield f"{test}: disk I/Os per write: {operations}, reads + writes; model: {model}"
        yield from (f"{test}: {flag}" for flag in row.flags)
        if row.latency.leaves_out:
            yield f"{test}: p99 {LEFT_OUT}: the mean is above it"
        if row.little_off:
            yield f"{test}: {LITTLE_DIFFERS} (Little's law)"


def slow_members(run: RunContext) -> Iterator[Block]:
    comparison, lines = run.comparison, []
    for member in dict.fromkeys(slow.member for slow in comparison.slow_members):
        mine = [slow for slow in comparison.slow_members if slow.member == member]
        tests = [
            f"{slow.job} {format_number(slow.bytes_per_s, MB)} MB/s"
            f" (median {format_number(slow.median_bytes_per_s, MB)})"
            for slow in mine
        ]
        serial = mine[0].serial or "unknown"
        lines.append(f"Disk {member + 1} ({mine[0].model}, serial {serial}): {'; '.join(tests)}")
    if unsure := [f"{member + 1} ({name})" for member, name in comparison.unsure]:
        lines.append(f"Possibly slow (below 90 % of the median in two tests, n.s.): {', '.join(unsure)}")
    limits = comparison.screen.words
    if lines or limits:
        yield Heading("Slow disks (in two tests or more, by over 10 %, significant)")
        if lines:
            yield Bullets(lines)
        elif comparison.screen.is_tested:
            yield Text("No disk is slow.")
        if limits:
            yield Text(limits)


def warnings(run: RunContext) -> Iterator[Block]:
    """What is to be known of the plan and its figures, and what of the recipe was left out."""
    if texts := dict.fromkeys((*run.plan.notes, *run.comparison.warnings)):
        yield Heading("Warnings")
        yield Bullets(list(texts))
    if run.plan.pruned:
        yield Heading("Left out")
        yield Bullets(run.plan.pruned)
