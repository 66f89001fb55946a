"""The part of a report that tells results: tables of figures, charts, latencies, the disks during each trial.

Knows how figures are shown, each header with its unit; what they mean is `analysis`.
"""

from collections.abc import Iterable, Sequence

from raidtui.core.answer import cause_words
from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import Direction, DiskRates, Measurement, Temperature
from raidtui.core.plan import sweep
from raidtui.core.plan.model import Member, Plan, Stage, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.report.charts import Bar, Bars, Block, Role
from raidtui.core.report.latencies import TOO_FEW, lacks_points, latency_cells, latency_headers, milliseconds
from raidtui.core.report.scales import SCALES
from raidtui.core.report.tables import _percent, bullets, cell, escape, number, table
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.disk_operations import simultaneous
from raidtui.core.results.figure import LEFT_OUT, Figure
from raidtui.core.results.published import Source, published
from raidtui.core.run.samples import ARRAY
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, signed_percent

_MOST_DISK_TABLES = 80
_MOST_UNEVEN = 1000  # times as much as another disk: what that one did was not the test's
TIMES = "\N{MULTIPLICATION SIGN}"
_BY_LITTLE = "By Little's law the mean is queue / IOPS while the queue is full"
_NOT_OFF, _OFF = ", as here within 10 %", "; (off): by over 10 %"
_OF_DISKS = (
    "Spread is the standard deviation of the test's intervals over their mean; busy, how much of the time a request was"
    " under way. The user's rate is fio's, the disks' are the kernel's, of whole seconds: they differ by a few percent."
)
_HELD = (
    " Emulated disks that are held to a speed from outside may be at their limit and little busy. Their reads and"
    " writes may each have a limit: then both together are more than one disk does alone."
)
_HEADINGS: dict[Kind, str] = {
    "sequential": "Sequential throughput (MB/s = 10^6 bytes a second)",
    "random": "Random operations (IOPS = operations a second)",
}
_TARGETS = {
    "members": "all disks at once",
    "array": "the array",
    "filesystem": "the file system",
    "existing": "as it stands",
}


def results(comparison: Comparison, heading: str) -> list[Block]:
    """The figures of each setup as tables and charts, then what is to be known about them."""
    blocks: list[Block] = []
    for stage in dict.fromkeys(row.stage for row in comparison.rows):
        rows = [row for row in comparison.rows if row.stage == stage]
        blocks.append(f"## {heading}: {escape(rows[0].setup)}")
        for of_what in SCALES:
            of_kind = [row for row in rows if row.kind == of_what]
            if of_kind:
                blocks += [f"### {_HEADINGS[of_what]}", _result_table(of_kind, comparison.members), _chart(of_kind)]
        blocks += [f"{sentences} A gain with ~ is rounded." for sentences in about_theory(rows, comparison.flash)]
        blocks += _notes(rows)
        latencies = [row for row in rows if row.kind == "random" and row.latency.mean_ns is not None]
        if latencies:
            blocks += ["### Latency of the random tests (milliseconds)", _latency_table(latencies)]
            blocks.append(_about_latencies(latencies))
    return blocks


def _about_latencies(rows: Sequence[ResultRow]) -> str:
    all_known = all(row.by_latency is not None for row in rows)
    off = _OFF if any(row.little_off for row in rows) else _NOT_OFF if all_known else ""
    little = f"{_BY_LITTLE}{off}."
    stragglers = [f"{escape(test_title(row))}: {text}." for row in rows if (text := row.latency.straggler_words)]
    too_few = [TOO_FEW] if lacks_points([row.latency for row in rows]) else []
    return " ".join((little, *too_few, *stragglers))


def about_theory(rows: Sequence[ResultRow], flash: bool) -> list[str]:
    """What theory's figures are made of, and how exact the simulated ones are; nothing where there are none."""
    if not any(row.predicted for row in rows):
        return []
    media, others = ("flash, which has no seeks", "hard disks") if flash else ("hard disks", "flash")
    sentences = [
        f"Theory is that of {media}, for which these disks are taken; {others} have another. It goes by what one disk"
        " does alone."
    ]
    if errors := [row.expected.error_share for row in rows if row.expected.error_share]:
        sentences.append(
            "Its random figures are simulated with the test's own queue, with a standard error of"
            f" {100 * max(errors):.1f} % at most; ~ before theory says that no disk was measured with so few in"
            " flight."
        )
    return [" ".join(sentences)]


def _result_table(rows: Sequence[ResultRow], members: int) -> str:
    unit, scale = SCALES[rows[0].kind]
    if not _compared(rows):
        return _plain_table(rows)
    headers = ["Test", f"One disk, {unit}", f"All {members} at once, {unit}", f"Array, {unit}", f"Gain, {TIMES}"]
    headers += ["Per disk, %", f"Theory, {unit}", "Off theory, %"]
    against_slowest = any(row.efficiency_slowest is not None for row in rows)
    if against_slowest:
        headers.insert(6, f"Of slowest disk {TIMES} n, %")
    articles = any(row.published or row.published_single for row in rows)
    if articles:
        headers += [f"Article: one disk, {unit}", f"Article: array, {unit}", f"Article: gain, {TIMES}"]
    lines = []
    for row in rows:
        line = [escape(test_title(row)), *(cell(figure, scale) for figure in (row.single, row.all_at_once, row.array))]
        line += [f"~{row.gain:.1f}{TIMES}" if row.gain is not None else "", _percent(row.efficiency)]
        line += [_percent(row.efficiency_slowest)] if against_slowest else []
        line += [theory(row, scale)]
        line.append(signed_percent(row.deviation) if row.deviation is not None else "")
        lines.append(line + (_article(row, scale) if articles else []))
    return table(headers, lines)


def _compared(rows: Sequence[ResultRow]) -> bool:
    """Is there anything beside the figures of the setup itself?"""
    return any(figure.standing != "not run" for row in rows for figure in (row.single, row.all_at_once))


def _plain_table(rows: Sequence[ResultRow]) -> str:
    """The figures alone, where no disk was measured by itself; with the source's, where it has some."""
    unit, scale = SCALES[rows[0].kind]
    latencies = [row.latency for row in rows]
    headers = ["Test", f"{_measured(rows[0])}, {unit}", *latency_headers(latencies)]
    articles = any(row.published for row in rows)
    lines = []
    for row in rows:
        lines.append([escape(test_title(row)), cell(row.array, scale), *latency_cells(row.latency, latencies)])
        if articles:
            lines[-1].append(number(row.published, scale))
    return table([*headers, *([f"Article, {unit}"] if articles else [])], lines)


def _measured(row: ResultRow) -> str:
    return "As it stands" if row.stood else "Array"


def _article(row: ResultRow, scale: float) -> list[str]:
    """What the source published of one disk and of the array, and what the array gained there."""
    has_both = row.published and row.published_single
    gain = f"~{row.published / row.published_single:.1f}{TIMES}" if has_both else ""  # type: ignore[operator]
    return [number(row.published_single, scale), number(row.published, scale), gain]


def _chart(rows: Sequence[ResultRow]) -> Bars:
    unit, scale = SCALES[rows[0].kind]
    named: list[Bar] = []
    for row in rows:
        test = test_title(row)
        figures: list[tuple[Role, str, Figure]] = [("array", _measured(row).lower(), row.array)]
        if _compared(rows):
            figures = [("one", "one disk", row.single), ("all", "all at once", row.all_at_once), *figures]
        named += [
            Bar(f"{test}, {name}", figure.value, _with_unit(figure, scale, unit), role)
            for role, name, figure in figures
        ]
        if row.predicted:
            words = f"{number(row.predicted, scale)} {unit}"
            named.append(Bar(f"{test}, theory", row.predicted, words, "theory"))
    return Bars(_HEADINGS[rows[0].kind].partition(" (")[0] + f", {unit}", tuple(named))


def _with_unit(figure: Figure, scale: float, unit: str) -> str:
    return cell(figure, scale) if figure.value is None else f"{number(figure.value, scale)} {unit}"


def _latency_table(rows: Sequence[ResultRow]) -> str:
    latencies = [row.latency for row in rows]
    headers = ["Test", "Queue", *latency_headers(latencies), "Queue / IOPS, ms"]
    lines = [
        [
            escape(test_title(row)),
            str(row.queue or ""),
            *latency_cells(row.latency, latencies),
            milliseconds(row.little_ns) + (" (off)" if row.little_off else ""),
        ]
        for row in rows
    ]
    return table(headers, lines)


def _notes(rows: Iterable[ResultRow]) -> list[str]:
    """What stands against a row's figures: failures with the tool's own words, lost repetitions, flags, reasons."""
    lines = []
    for row in rows:
        test = escape(test_title(row))
        for where, figure in (("one disk", row.single), ("all at once", row.all_at_once), ("array", row.array)):
            if figure.error and figure.standing != "ok":
                lines.append(f"{test}, {where}: {figure.standing.upper()}: {escape(figure.error)}")
            elif figure.lost:
                lost = f"{figure.lost} of {figure.lost + figure.runs} repetitions gave no figure"
                lines.append(f"{test}, {where}: {lost}: {escape(figure.error)}")
        if off_model := cause_words.lines(row.causes):
            off = f"{signed_percent(row.deviation or 0)} % off theory"
            lines.append(f"{test}: {off}: {escape('; '.join(off_model))}")
        if (disk_operations := operations(row)) and row.expected.operations:
            model = row.expected.operations
            lines.append(
                f"{test}: each write made the disks do {disk_operations}, reads + writes;"
                f" the model has {model.reads:.2f} + {model.writes:.2f}"
            )
        lines += [f"{test}: {escape(flag)}" for flag in row.flags]
        if row.latency.leaves_out:
            lines.append(f"{test}: p99 {LEFT_OUT}: the mean is above it")
        if row.little_off:
            lines.append(f"{test}: the latency is not queue / IOPS, as it must be by Little's law")
    return [bullets(dict.fromkeys(lines))] if lines else []


def operations(row: ResultRow) -> str:
    """The disks' reads and writes for one small write of the user's: the write penalty as it was measured."""
    measured = row.operations
    if measured is None or row.direction != "write" or row.mixed:
        return ""
    return f"{measured.reads:.2f} + {measured.writes:.2f}"


def slow_members(comparison: Comparison) -> list[str]:
    """The members that hold the others back, by model and serial."""
    lines = []
    for member in dict.fromkeys(slow.member for slow in comparison.slow_members):
        mine = [slow for slow in comparison.slow_members if slow.member == member]
        tests = [
            f"{escape(slow.job)} {number(slow.bytes_per_s, MB)} MB/s (median {number(slow.median_bytes_per_s, MB)})"
            for slow in mine
        ]
        serial = escape(mine[0].serial) or "unknown"
        lines.append(f"Disk {member + 1} ({escape(mine[0].model)}, serial {serial}): {'; '.join(tests)}")
    unsure = [f"{member + 1} ({escape(name)})" for member, name in comparison.unsure]
    if unsure:
        lines.append(f"Below 90 % of the median in two tests, and nobody can tell: {', '.join(unsure)}")
    limits = comparison.screen.words
    heading = "## Slow disks (slow in two tests or more, by 10 % and more than chance)"
    if not lines and not limits:
        return []
    return [heading, bullets(lines) if lines else "No disk stands out.", *([limits] if limits else [])]


def disks(plan: Plan, state: RunState) -> list[str]:
    """What each disk did in each trial on all members or the array, from the kernel's counters; of many trials sums."""
    several = sum(stage.setup is not None for stage in plan.stages) > 1
    measured = [
        (stage, trial, measurement)
        for stage in plan.stages
        for trial in stage.trials
        if trial.target != "member"
        and (measurement := state.measured(trial.id))
        and measurement.status == "ok"
        and measurement.disks
    ]
    if not measured:
        return []
    too_many = len(measured) > _MOST_DISK_TABLES
    summed = [
        measured_trial
        for measured_trial in measured
        if measured_trial[1].family or (several and (too_many or kind(measured_trial[1].rw) == "random"))
    ]
    held = _HELD if any(disk.emulator for disk in plan.disks) else ""
    blocks = ["## What each disk did (MB/s = 10^6 bytes a second)", f"{_OF_DISKS}{held}"]
    for stage, trial, measurement in (measured_trial for measured_trial in measured if measured_trial not in summed):
        source = published(plan.published, stage.setup, trial.job) if stage.setup else Source({})
        blocks += [
            f"### {_trial(trial, _where(stage, trial, several))}",
            _disk_table(_members(plan, stage), state, measurement, source.disks_bytes_per_s),
            *_moved_by_all(_members(plan, stage), measurement, options_of(stage, trial.id).get("direct", "1") == "0"),
        ]
    return [*blocks, *([_sums(plan, summed)] if summed else [])]


def _where(stage: Stage, trial: Trial, several: bool) -> str:
    """On what a trial was measured; where there are several setups, on which."""
    return escape(stage.title) if several and stage.setup else _TARGETS.get(trial.target, trial.target)


def _sums(plan: Plan, measured: Sequence[tuple[Stage, Trial, Measurement]]) -> str:
    """A line for each trial: all disks together, the busiest and the idlest of them."""
    lines = []
    for stage, trial, measurement in measured:
        members = {member.id for member in _members(plan, stage)}
        rates = [disk_rates for key, disk_rates in measurement.disks.items() if key in members]
        moved = [disk_rates.read_bytes_per_s + disk_rates.write_bytes_per_s for disk_rates in rates] or [0.0]
        sums = _sum(rates)[3:5]
        lines.append([_trial(trial, _where(stage, trial, True)), *sums, number(max(moved), MB), number(min(moved), MB)])
    return table(["Test", "Read, MB/s", "Write, MB/s", "Busiest, MB/s", "Idlest, MB/s"], lines)


def _members(plan: Plan, stage: Stage) -> Sequence[Member]:
    """The members that the stage's setup takes; all of them in a baseline."""
    return sweep.taken(stage.setup, plan.disks) if stage.setup else plan.disks


def names(member: Member, state: RunState) -> str:
    """What the kernel called this one disk: sdb, or after it came back under another name "sdb, later sde"."""
    nodes = [node.removeprefix("/dev/") for node in state.nodes.get(member.id, ())]
    return ", later ".join(map(escape, dict.fromkeys((member.name, *nodes))))


def _disk_table(
    members_taken: Sequence[Member], state: RunState, measurement: Measurement, article: Sequence[float]
) -> str:
    members = {
        member.id: (str(i), escape(member.serial or member.id), names(member, state))
        for i, member in enumerate(members_taken, 1)
    }
    named = members | ({ARRAY: ("", ARRAY, "")} if ARRAY in measurement.disks else {})
    lines = [[*name, *_disk_cells(measurement.disks.get(key))] for key, name in named.items()]
    lines.append(_sum([disk_rates for key, disk_rates in measurement.disks.items() if key in members]))
    headers = ["Disk", "Serial", "Name", "Read, MB/s", "Write, MB/s", "Spread, %", "Busy, %"]
    if measurement.temperatures:
        headers += ["Before, °C", "After, °C"]
        warm = [measurement.temperatures.get(key) for key in named]
        lines = [[*line, *_degrees(temperature)] for line, temperature in zip(lines, (*warm, None), strict=True)]
    if article:
        headers.append("Article, MB/s")
        article_cells = [number(rate, MB) for rate in article] + [""] * len(lines)
        lines = [[*line, *article_cells[i : i + 1]] for i, line in enumerate(lines)]
    return table(headers, lines, word_columns=3)


def _ways(measurement: Measurement) -> list[tuple[str, Direction]]:
    return [(name, rates) for name, rates in (("read", measurement.read), ("write", measurement.write)) if rates]


def _moved_by_all(members_taken: Sequence[Member], measurement: Measurement, buffered: bool) -> list[str]:
    """What the members moved together beside what the user got, and how evenly: the busiest over the idlest."""
    members = {member.id for member in members_taken}
    moved = [
        disk_rates.read_bytes_per_s + disk_rates.write_bytes_per_s
        for key, disk_rates in measurement.disks.items()
        if key in members
    ]
    if not moved or not max(moved):
        return []
    words = []
    asked = [rates for name, rates in _ways(measurement) if name in directions(measurement.rw)]
    if users := sum(rates.steady_bytes_per_s for rates in asked):
        times = f"{sum(moved) / users:.2f} times that"
        if not buffered and not simultaneous(measurement):
            rate = f"the user's rate was {number(users, MB)} MB/s, and the disks moved {times}"
            return [f"Not simultaneous: {rate} in the seconds of this table."]
        words.append(f"The user's rate was {number(users, MB)} MB/s; the disks together moved {times}.")
    if len(moved) > 1:
        idle = min(moved) < max(moved) / _MOST_UNEVEN
        words.append("A disk did nothing." if idle else f"Busiest over idlest disk: {max(moved) / min(moved):.2f}.")
    return [" ".join(words)]


def _disk_cells(rates: DiskRates | None) -> list[str]:
    if rates is None:
        return ["", "", "", ""]
    spread = f"{100 * rates.spread:.1f}" if rates.spread is not None else ""
    moved = [number(rates.read_bytes_per_s, MB), number(rates.write_bytes_per_s, MB)]
    return [*moved, spread, f"{100 * rates.util:.0f}"]


def _degrees(temperature: Temperature | None) -> list[str]:
    degrees_c = (temperature.before_c, temperature.after_c) if temperature else (None, None)
    return ["" if degrees is None else f"{degrees:.0f}" for degrees in degrees_c]


def _sum(rates: Sequence[DiskRates]) -> list[str]:
    read_bytes_per_s = sum(disk_rates.read_bytes_per_s for disk_rates in rates)
    write_bytes_per_s = sum(disk_rates.write_bytes_per_s for disk_rates in rates)
    return ["Sum", "", "", number(read_bytes_per_s, MB), number(write_bytes_per_s, MB), "", ""]


def _trial(trial: Trial, where: str) -> str:
    repetition = f", repetition {trial.repetition}" if trial.repetition > 1 else ""
    return f"{escape(trial.title)}, {where}{repetition}"


def theory(row: ResultRow, scale: float) -> str:
    """Theory's figure, with what it is where the queue is short."""
    return f"{row.expected.mark} {number(row.predicted, scale)}".strip() if row.predicted else ""
