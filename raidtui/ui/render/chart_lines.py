"""The charts of a run: throughput on its axis, latency percentiles, each disk against the median. Pure.

Charts as text: lines over an axis. The only module that imports plotext, and only to draw.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from math import ceil, floor, log10
from statistics import median

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan import parsed_setup
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.figure import value_of
from raidtui.core.run import samples
from raidtui.core.run.samples import Sample
from raidtui.core.run.state import RunState, TrialState
from raidtui.core.units import MIB, Units, change, format_iops, format_ms, format_number, shown_in
from raidtui.ui.render.cells import ASCII, Line, Piece, fit, fit_right, of_terminal, round_top
from raidtui.ui.render.parts import column, columns_to_lines, join
from raidtui.ui.render.rates import Pair, whole
from raidtui.ui.render.result_rows import Page, short, title


class Curve(msgspec.Struct, frozen=True):
    """A line of a chart: its name, and its points by x; an x without a figure is left out. `look`: "" for one of its
    own.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    look: str = ""


_ASCII_AXES = str.maketrans("│┤└┬─", "||++-")
_MARKS = "123456789"  # each line is drawn in its own number: without colours nothing else tells lines apart
_ALONE, _ALONE_ASCII = "hd", "*"
MOST_CURVES = len(_MARKS)
_LOOKS = ("accent", "array", "all", "mirror", "parity", "one", "strong", "data", "dim")
_STEPS = 5  # of an axis, at most
_ROUNDING = 1e-9
_Y_LABELS = 8  # columns that the labels of y take at most


def curves(
    all_curves: Sequence[Curve], ticks: Sequence[tuple[float, str]], width: int, height: int, logarithmic: bool = False
) -> list[Line]:
    """From 0 (logarithmic: the least) up, at most `MOST_CURVES`, a legend below; [] without a point. `ticks`:
    along x. One line where plotext cannot be loaded: a part of it is compiled.
    """
    try:
        import plotext
    except ImportError as error:
        return [((f"no chart: plotext cannot be loaded: {str(error).partition(chr(10))[0]}"[:width], "dim"),)]

    curves_drawn = [curve for curve in all_curves if curve.points][:MOST_CURVES]
    values = [ns for curve in curves_drawn for _, ns in curve.points]
    if not values or max(values) <= 0:
        return []
    plotext.terminal.limit(False, False)
    figure = plotext.figure.clear().theme("colorless").plot_size(width, height)
    # no lines above and at the right: the axes keep their figures apart from lines that are drawn in digits
    figure.axes(False, axis="x", side="upper").axes(False, axis="y", side="right")
    x_ruler, y_ruler = figure.ruler("x"), figure.ruler("y")
    logarithmic = logarithmic and min(values) > 0
    height_of = log10 if logarithmic else float  # plotext 6.1 draws no ticks of ours on a scale of its own
    y_ticks = _log_steps(min(values), max(values)) if logarithmic else _round_steps(0.0, max(values))
    if not logarithmic:
        y_ruler.lim(0, y_ticks[-1])
    y_ruler.ticks([height_of(y) for y in y_ticks], [_label(y) for y in y_ticks])
    alone = _ALONE_ASCII if of_terminal() is ASCII else _ALONE
    marks = _MARKS[: len(curves_drawn)] if len(curves_drawn) > 1 else (alone,)
    for mark, curve in zip(marks, curves_drawn, strict=True):
        xs, ys = zip(*curve.points, strict=True)
        figure.draw(figure.signal(xs, [height_of(y) for y in ys], marker=mark).lines())
    all_xs = [x for curve in curves_drawn for x, _ in curve.points]
    x_ticks = (
        ticks
        if len(ticks) > 1
        else [(x, _label(x)) for x in _round_steps(min(all_xs), max(all_xs)) if x <= max(all_xs)]
    )
    if len(x_ticks) > 1:
        first, last = min(x_ticks[0][0], *all_xs), max(x_ticks[-1][0], *all_xs)
        x_ruler.lim(first, last)
        spaced = _spaced(x_ticks, first, last, width - _Y_LABELS)
        x_ruler.ticks([x for x, _ in spaced], [label for _, label in spaced])
    drawing = plotext.uncolorize(figure.build())
    if of_terminal() is ASCII:
        drawing = drawing.translate(_ASCII_AXES)
    drawn = [line.rstrip() for line in drawing.splitlines()]
    if len(curves_drawn) == 1:
        return [*(((line, ""),) for line in drawn), ((f"  {curves_drawn[0].name}", "dim"),)]
    looks = {mark: f"*{curve.look or look}" for mark, curve, look in zip(marks, curves_drawn, _LOOKS, strict=False)}
    legend: list[Line] = []
    room = 0
    for mark, curve in zip(marks, curves_drawn, strict=True):
        entry = ((f"  {mark} ", looks[mark]), (curve.name, ""))
        wide = len(curve.name) + 4
        legend[-1:] = [join([*legend[-1], *entry])] if wide <= room else [*legend[-1:], join(entry)]
        room = (room if wide <= room else width) - wide
    return [*(_coloured(line, looks) for line in drawn), *legend]


def legend_rows(all_curves: Sequence[Curve], width: int) -> int:
    """Lines that their legend takes, at most."""
    longest = max((len(curve.name) + 4 for curve in all_curves), default=1)
    return -(-min(len(all_curves), MOST_CURVES) // max(1, width // longest))


def _coloured(line: str, looks: dict[str, str]) -> Line:
    """The digits of lines in their colours; those of an axis are none."""
    axis = max(line.find(char) for char in "│┤┴└|+") + 1
    if axis <= 0:
        return ((line, "dim"),)
    return join([(line[:axis], "dim"), *((char, looks.get(char, "dim")) for char in line[axis:])])


def _label(value: float) -> str:
    return f"{value:,.4g}" if value < 1000 else f"{value:,.10g}"


def _round_steps(least: float, most: float) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 x 10^n, from the last at or below `least` to the first at or above `most`."""
    spread = (most - least) / _STEPS or 1.0
    tens = 10.0 ** floor(log10(spread))
    step = next(tens * factor for factor in (1, 2, 2.5, 5, 10) if tens * factor >= spread * (1 - _ROUNDING))
    first, last = floor(least / step + _ROUNDING), ceil(most / step - _ROUNDING)
    return [round(number * step, 12) for number in range(first, max(last, first + 1) + 1)]


def _log_steps(least: float, most: float) -> list[float]:
    """1, 2 and 5 x 10^n between the two; powers of ten alone where these would be many; the two where none is."""
    powers = range(floor(log10(least)), ceil(log10(most)) + 1)
    factors = (1, 2, 5) if len(powers) <= _STEPS - 1 else (1,)
    steps = [value for power in powers for factor in factors if least <= (value := factor * 10.0**power) <= most]
    return steps if len(steps) > 1 else [least, most]


def _spaced(ticks: Sequence[tuple[float, str]], first: float, last: float, width: int) -> list[tuple[float, str]]:
    """Those whose labels have a blank between them, from the right. Of those that touch plotext keeps any."""
    kept: list[tuple[float, str]] = []
    left = float("inf")
    for x, label in reversed(ticks):
        column = (x - first) / (last - first) * width if last > first else 0.0
        if column + len(label) / 2 + 2 < left:
            kept.append((x, label))
            left = column - len(label) / 2 - 2
    return kept[::-1]


_AXIS = 12  # cells at its left
_LEAST_PIECE, _MOST_PIECE = 5, 24
_FULL_TONE, _TONES_A_SHARE = 4.0, 12.0  # the median disk's tone, and how many more for twice that
_WHOLE = 100  # from which a mean has no decimals
_ALIKE = 0.005
_NAMED = 0.10  # off the median, from which a disk's share is bold


class Chart(msgspec.Struct, frozen=True):
    title: str
    beside: str
    lines: tuple[Line, ...]


class ChartPiece(msgspec.Struct, frozen=True):
    """A finished test, and the times between its columns."""

    trial: Trial
    ended: TrialState
    times_s: tuple[float, ...]

    @property
    def is_random(self) -> bool:
        return not fio_job.is_sequential(self.trial.rw)

    @property
    def on_array(self) -> bool:
        return self.trial.target not in ("member", "members")


def pieces(plan: Plan, state: RunState, stage: int, width: int) -> list[ChartPiece]:
    """Every finished test once, in order; where these are too many, those without an array and of `stage` alone."""
    trials = [(at, trial) for at, one in enumerate(plan.stages) for trial in one.trials]
    done = [(at, trial, ended) for at, trial in trials if (ended := when(state, trial))]
    room = width - _AXIS
    if len(done) * _LEAST_PIECE > room:
        done = [one for one in done if plan.stages[one[0]].setup is None or one[0] == stage]
    done = sorted(done, key=lambda one: one[2].started_at_s)[: room // _LEAST_PIECE]
    wide = min(_MOST_PIECE, room // max(1, len(done))) - 1
    return [ChartPiece(trial, ended, _times(ended, wide)) for _, trial, ended in done]


def _times(ended: TrialState, columns: int) -> tuple[float, ...]:
    took_s = (ended.ended_at_s or ended.started_at_s) - ended.started_at_s
    return tuple(ended.started_at_s + took_s * at / columns for at in range(columns + 1))


def throughput(
    plan: Plan,
    state: RunState,
    axis: Sequence[ChartPiece],
    slots: Sequence[str],
    seen: Mapping[float, Sample | None],
    units: Units,
    rows: int,
) -> Chart:
    """`seen`: the counters at each of the pieces' times. Sequential tests in bytes/s, random ones in IOPS."""
    rate_unit, size = shown_in("sequential", units)
    moved = [[_moved(piece, slots, seen, older, newer) for older, newer in pairwise(piece.times_s)] for piece in axis]
    kinds = [fio_job.kind(piece.trial.rw) for piece in axis]
    tops = {
        kind: round_top(
            max([1.0, *(sum(pair) for of, pairs in zip(kinds, moved, strict=True) if of == kind for pair in pairs)])
        )
        for kind in ("sequential", "random")
    }
    drawn: list[tuple[Piece, ...]] = []
    names: list[Piece] = []
    means: list[Piece] = []
    for piece, kind, pairs in zip(axis, kinds, moved, strict=True):
        wide = len(pairs) + 1
        drawn += [column(pair, tops[kind], rows) for pair in pairs]
        drawn.append(((" ", ""),) * rows)
        failed = piece.ended.measurement is None or piece.ended.measurement.status != "ok"
        names.append((fit(_short(piece.trial, wide - 1), wide), "dim"))
        means.append((fit("✗" if failed else _mean(piece, units), wide), "bad" if failed else f"*{_way(piece.trial)}"))
    labels = {0: f"{tops['sequential'] / size:.0f} {rate_unit}" if "sequential" in kinds else ""}
    labels[1 if labels[0] else 0] = f"{format_iops(tops['random'])} IOPS" if "random" in kinds else labels.get(1, "")
    labels[rows - 1] = "0"
    graph = columns_to_lines(drawn) if drawn else ()
    lines = [join([(fit_right(labels.get(at, ""), _AXIS - 1) + " ", "dim"), *line]) for at, line in enumerate(graph)]
    lines += [join([(" " * _AXIS, ""), *cells]) for cells in (names, means, _groups(plan, axis))]
    ended = sum(1 for stage in plan.stages for trial in stage.trials if when(state, trial))
    beside = f"{len(axis)} of {ended} tests, mean below" if drawn else "no test has ended"
    return Chart("Throughput over time", beside, tuple(lines if drawn else ()))


def _moved(
    piece: ChartPiece, slots: Sequence[str], seen: Mapping[float, Sample | None], older_s: float, newer_s: float
) -> Pair:
    older, newer = seen.get(older_s), seen.get(newer_s)
    if older is None or newer is None or newer.wall_ns <= older.wall_ns:
        return (0.0, 0.0)
    return whole(dict(zip(slots, samples.rates(older, newer), strict=True)), piece)


def _way(trial: Trial) -> str:
    return (fio_job.directions(trial.rw) or ("read",))[0]


def _short(trial: Trial, width: int) -> str:
    words = short(trial.title)
    if len(words) <= width:
        return words
    letters = words.replace("read", "R").replace("write", "W")
    return letters if len(letters) <= width else letters.replace("seq. ", "s").replace(" ", "")


def _mean(piece: ChartPiece, units: Units) -> str:
    kind = fio_job.kind(piece.trial.rw)
    values = [
        value
        for way in fio_job.directions(piece.trial.rw)
        if piece.ended.measurement and (value := value_of(piece.ended.measurement, way, kind))
    ]
    total = sum(values)
    size = shown_in(kind, units)[1]
    whole = kind == "random" or total >= _WHOLE * size
    return format_iops(total / size) if whole else format_number(total, size)


def _groups(plan: Plan, axis: Sequence[ChartPiece]) -> list[Piece]:
    """What was measured, below all tests of it."""
    named = {"member": "one disk", "members": f"all {len(plan.disks)} disks"}
    found: list[Piece] = []
    for target, group in groupby(axis, key=lambda piece: named.get(piece.trial.target, "array")):
        wide = sum(len(piece.times_s) for piece in group)
        found.append((fit(f"─ {target} ".ljust(wide - 1, "─")[: wide - 1], wide), "dim"))
    return found


def _by_chunk(page: Page, units: Units) -> tuple[list[Curve], list[tuple[float, str]]]:
    """A line for each choice of all else, in the order of the table; nothing for fewer than 2 chunks."""
    unit_size = shown_in(page.kind or "random", units)[1]
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


def by_chunk(page: Page, units: Units, width: int, height: int) -> Chart | None:
    """A line for each choice of all else; None for fewer than two chunks."""
    found, ticks = _by_chunk(page, units)
    lines = curves(found, ticks, width, max(5, height - legend_rows(found, width)))
    unit = shown_in(page.kind or "random", units)[0]
    return Chart(f"By chunk, {unit}", page.heading, tuple(lines)) if lines else None


def latency(rows: Sequence[ResultRow], width: int, height: int, *, logarithmic: bool) -> Chart:
    """All tests' percentiles, each recorded one at an even distance from the next: the far ones are what matters."""
    tables = [
        (title(row), row, {float(point): ns for point, ns in row.latency.percentiles_ns.items()})
        for row in rows
        if row.latency.percentiles_ns
    ][:MOST_CURVES]
    points = sorted({point for _, _, table in tables for point in table})
    places = {point: float(place) for place, point in enumerate(points)}
    found = [
        Curve(
            f"{name}  {_late(row)}",
            tuple((places[point], table[point] / 1e6) for point in points if point in table),
            row.direction,
        )
        for name, row, table in tables
    ]
    step = max(1, len(points) // 9)
    ticks = [(places[point], f"p{point:g}") for point in points[::step]]
    how = "logarithmic" if logarithmic else "linear"
    lines = curves(found, ticks, width, max(5, height - legend_rows(found, width)), logarithmic=logarithmic)
    nothing: tuple[Line, ...] = ((("No latencies were recorded.", "dim"),),)
    return Chart("Latency by percentile, ms", f"{how} (l)", tuple(lines) or nothing)


def _late(row: ResultRow) -> str:
    table = row.latency.percentiles_ns
    return ", ".join(f"p{point} {format_ms(table[point])}" for point in ("50", "99") if point in table)


def against_median(plan: Plan, state: RunState, stage: int, width: int, height: int) -> Chart:
    """Each disk in each test that all of them did, in % of the median disk: the darker the slower."""
    trials = [
        (trial, measured)
        for number, one in enumerate(plan.stages)
        if number == stage or one.setup is None
        for trial in one.trials
        if trial.target != "member" and (measured := state.measured(trial.id)) and measured.status == "ok"
    ]
    name = max((len(disk.name) for disk in plan.disks), default=3) + 1
    wide = max(5, min(7, (width - name) // max(1, len(trials))))
    trials = trials[: max(1, (width - name) // wide)]
    heads = [(fit("", name), "")]
    groups = [(fit("", name), "")]
    for trial, _ in trials:
        heads.append((fit_right(_short(trial, wide - 2), wide - 1) + " ", "dim"))
    for all_at_once, group in groupby(trials, key=lambda one: one[0].target == "members"):
        cells = wide * len(list(group))
        groups.append((fit(" array" if not all_at_once else " all at once" if cells > 12 else " all", cells), "dim"))
    lines = [join(groups), join(heads)]
    blank = len(plan.disks) * 2 + 2 <= height
    for disk in plan.disks:
        row = [(fit(disk.name, name), "")]
        for trial, measured in trials:
            moved = {key: rates.read_bytes_per_s + rates.write_bytes_per_s for key, rates in measured.disks.items()}
            middle = median([moved[one.id] for one in plan.disks if one.id in moved] or [0.0])
            row += _share_cell(moved.get(disk.id), middle, wide, _way(trial)[0])
        lines += [join(row), *([()] if blank else [])]
    nothing = ((("No test measured several disks.", "dim"),),)
    return Chart(
        "Each disk vs median, %", "darker: slower", tuple(lines) if trials and len(plan.disks) > 1 else nothing
    )


def _share_cell(moved: float | None, middle: float, wide: int, ramp: str) -> list[Piece]:
    if moved is None or not middle:
        return [(fit_right("–", wide - 1) + " ", "dim")]
    off = moved / middle - 1
    text = "=" if abs(off) < _ALIKE else change(off).removesuffix(" %")
    tone = max(0, min(6, round(_FULL_TONE + off * _TONES_A_SHARE)))
    loud = "*" if abs(off) >= _NAMED else ""
    look = f"{loud}on/{ramp}{tone}" if of_terminal().grounds else loud and f"{loud}strong"
    return [(fit_right(text, wide - 1), look), (" ", "")]


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
    if len(by_slot) > MOST_CURVES:
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
