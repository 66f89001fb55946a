"""The charts of one test: setups as bars, chunks as lines, latency percentiles, each disk over time. Pure."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan import parsed_setup
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.results.analysis import ResultRow
from raidtui.core.run import samples
from raidtui.core.run.samples import Sample
from raidtui.core.run.state import RunState, TrialState
from raidtui.core.units import MIB, Units, shown_in
from raidtui.ui.render import charts
from raidtui.ui.render.card_lines import bar_lines
from raidtui.ui.render.cells import Line, wrap
from raidtui.ui.render.charts import Curve
from raidtui.ui.render.result_rows import Page

_HEIGHT = 14
_MOST_WIDE = 110


def chart_lines(
    page: Page,
    chosen: tuple[str, ResultRow],
    base: tuple[str, ResultRow],
    over_time: Sequence[Curve],
    units: Units,
    width: int,
    logarithmic: bool,
) -> list[Line]:
    """All charts that the recorded figures give, one under another; `over_time` as of `disks_over_time`."""
    room = min(width, _MOST_WIDE) - 2
    shown_unit = shown_in(page.kind, units)[0]
    by_chunk, ticks = _by_chunk(page, units)
    charts_drawn = [(f"By chunk, {shown_unit}", charts.curves(by_chunk, ticks, room, _HEIGHT))]
    rows = [chosen] if chosen[1] is base[1] else [chosen, base]
    late, points = _percentiles(rows)
    how = "logarithmic" if logarithmic else "l: logarithmic"
    charts_drawn.append(
        (f"Latency by percentile, ms ({how})", charts.curves(late, points, room, _HEIGHT, logarithmic=logarithmic))
    )
    rate_unit = shown_in("sequential", units)[0]
    charts_drawn.append(
        (
            f"Each disk second by second, reads and writes together, in {rate_unit}: {chosen[0]}. fio's start and ramp"
            " are in it; means are of the time that was measured",
            charts.curves(over_time, (), room, _HEIGHT),
        )
    )
    bars = bar_lines(page.named, units, room)
    lines: list[Line] = [((f" {page.heading}, {shown_unit}", "head"),), *bars] if bars else []
    for heading, chart in charts_drawn:
        if chart:
            lines += [*([()] if lines else []), *(((f" {text}", "head"),) for text in wrap(heading, width - 2))]
            lines += [((f" {text}", ""),) for text in chart]
    return lines or [((" Nothing was measured here that a chart could be made of.", "warn"),)]


def _by_chunk(page: Page, units: Units) -> tuple[list[Curve], list[tuple[float, str]]]:
    """A line for each choice of all else, in the order of the table; nothing for fewer than 2 chunks."""
    unit_size = shown_in(page.kind, units)[1]
    sizes: dict[int, str] = {}
    by_setup: dict[str, dict[int, float]] = {}
    for name, row in page.named:
        chunk = parsed_setup.chunk_bytes(row.cell) if row.cell else None
        if chunk and row.cell and row.array.value is not None:
            word = row.cell.chunk
            sizes[chunk] = f"{chunk // MIB}M" if chunk >= MIB else f"{chunk // 1024}K"
            other_words = " ".join(word_left for word_left in name.replace("chunk ", "").split() if word_left != word)
            by_setup.setdefault(other_words, {})[chunk] = row.array.value / unit_size
    if len(sizes) < 2:
        return [], []
    places = {chunk: float(place) for place, chunk in enumerate(sorted(sizes))}
    setup_curves = [
        Curve(name or page.heading, tuple((places[chunk], value) for chunk, value in sorted(values.items())))
        for name, values in by_setup.items()
    ]
    return setup_curves, [(places[chunk], sizes[chunk]) for chunk in sorted(sizes)]


def _percentiles(rows: Sequence[tuple[str, ResultRow]]) -> tuple[list[Curve], list[tuple[float, str]]]:
    """Every recorded percentile at an even distance from the next: the far ones are what matters."""
    tables = [(name, {float(point): ns for point, ns in row.latency.percentiles_ns.items()}) for name, row in rows]
    points = sorted({point for _, table in tables for point in table})
    places = {point: float(place) for place, point in enumerate(points)}
    percentile_curves = [
        Curve(name, tuple((places[point], table[point] / 1e6) for point in points if point in table))
        for name, table in tables
    ]
    step = max(1, len(points) // 9)
    return percentile_curves, [(places[point], f"{point:g}") for point in points[::step]]


def trial_of(plan: Plan, row: ResultRow) -> Trial | None:
    trials = plan.stages[row.stage].trials
    return next((trial for trial in trials if trial.job == row.job and trial.target != "member"), None)


def when(state: RunState, trial: Trial) -> TrialState | None:
    return next(
        (
            trial_state
            for trial_state in reversed(state.trials)
            if trial_state.trial == trial.id and trial_state.ended_at_s
        ),
        None,
    )


def disks_over_time(
    plan: Plan, slots: Sequence[str], history: Sequence[Sample], measured: Mapping[str, DiskRates], units: Units
) -> list[Curve]:
    """Bytes read and written of each member, a point a sample; of many disks the busiest, the median and the idlest.
    `measured`: by identity, in the seconds of fio's measurement, for the means.
    """
    unit_size = shown_in("sequential", units)[1]
    names = {member.id: f"{member.name} {member.serial}".strip() for member in plan.disks}
    by_slot: dict[str, list[tuple[float, float]]] = {}
    for older, newer in pairwise(history):
        at_s = (newer.monotonic_ns - history[0].monotonic_ns) / 1e9
        for slot, rate in zip(slots, samples.rates(older, newer), strict=True):
            if slot in names and rate is not None:
                moved = (rate.read_bytes_per_s + rate.write_bytes_per_s) / unit_size
                by_slot.setdefault(slot, []).append((at_s, moved))
    if len(by_slot) > charts.MOST_CURVES:
        busy = sorted(by_slot, key=lambda slot: sum(value for _, value in by_slot[slot]))
        slots_shown = {busy[-1]: "the busiest: ", busy[len(busy) // 2]: "the middle: ", busy[0]: "the idlest: "}
    else:
        slots_shown = dict.fromkeys(by_slot, "")
    means = {  # where lines meet, one hides the other
        slot: f", mean {(rates.read_bytes_per_s + rates.write_bytes_per_s) / unit_size:.1f}"
        for slot, rates in measured.items()
    }
    return [
        Curve(f"{mark}{names[slot]}{means.get(slot, '')}", tuple(by_slot[slot])) for slot, mark in slots_shown.items()
    ]
