"""The parts of a report on tests that belong together: queue depths, places on the disks, loads, rounds, rebuilds.

What explains a figure: effects with intervals, advice with its price; also as sentences for a screen.

States in which a proof read the array back: what was out, what was read, how it ended.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from raidtui.core.answer import numbers
from raidtui.core.page.blocks import Bar, Bars, Block, Bullets, Heading, PageTable, Text
from raidtui.core.plan.model import Plan
from raidtui.core.proof.pattern import REQUEST_BYTES, ProofState
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import POINTS, TOO_FEW, depth_table, figure_cell
from raidtui.core.results.ablation import Ablation, ArmEffect
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.differences import Difference
from raidtui.core.results.expectation import LITTLE_OFF
from raidtui.core.results.rounds import Rounds, rounds
from raidtui.core.results.series import (
    MEDIAN_TIMES,
    TAIL_TIMES,
    Loads,
    OfferedRate,
    RebuildRate,
    Zones,
    kind_of,
    loads,
    place_words,
    rebuilds,
    zones,
)
from raidtui.core.run.proof import ProofResult, cut_words, differing, result
from raidtui.core.run.state import RunState
from raidtui.core.units import (
    MB,
    both,
    format_bytes,
    format_duration,
    format_ms,
    format_number,
    format_percent,
    format_rate,
    shown_in,
    signed_percent,
)


def series(run: RunContext) -> Iterator[Block]:
    """All of these parts; none in most runs."""
    yield from depth_blocks(run.comparison)
    yield from zone_blocks(run.plan, zones(run.joined_plan, run.state))
    yield from load_blocks(loads(run.joined_plan, run.state, run.comparison))
    yield from round_blocks(rounds(run.joined_plan, run.state))
    yield from rebuild_blocks(rebuilds(run.plan, run.state), run.ranking.names)


def depth_blocks(comparison: Comparison) -> Iterator[Block]:
    """Each family of jobs on each setup: IOPS, mean latency, and Little's check of them."""
    depths = [row for row in comparison.rows if kind_of(row.family, row.varied) == "depths"]
    for stage, family, direction_name in dict.fromkeys((row.stage, row.family, row.direction) for row in depths):
        rows = [row for row in depths if (row.stage, row.family, row.direction) == (stage, family, direction_name)]
        title = rows[0].title.partition(",")[0]
        yield Heading(f"{title} ({direction_name}s) by queue depth and jobs: {rows[0].setup}")
        yield Heading("IOPS", 3)
        yield depth_table({_depth(row): figure_cell(row.array, 1.0) for row in rows})
        yield Heading("Mean latency, ms", 3)
        yield depth_table({_depth(row): format_ms(row.latency.mean_ns) for row in rows})
        yield from _little(rows)


def _depth(row: ResultRow) -> tuple[int, int]:
    return row.iodepth or 1, row.numjobs or 1


def _little(rows: Sequence[ResultRow]) -> Iterator[Block]:
    """How many cells keep Little's law; those that do not, and those without a figure, by name."""
    judged = [row for row in rows if row.little_ns and row.latency.mean_ns]
    off = [row for row in judged if row.little_off]
    if judged:
        yield Text(
            f"Little's law: in {len(judged) - len(off)} of {len(judged)} cells the mean latency is iodepth x numjobs /"
            f" IOPS within {100 * LITTLE_OFF:.0f} %."
        )
    measured = [
        f"measured {format_ms(row.latency.mean_ns)} ms, iodepth x numjobs / IOPS is {format_ms(row.little_ns)} ms"
        for row in off
    ]
    failed = [row for row in rows if row.array.error]
    errors = [f"{row.array.standing.upper()}: {row.array.error}" for row in failed]
    named = zip((*off, *failed), (*measured, *errors), strict=True)
    yield Bullets([f"iodepth {row.iodepth or 1}, {row.numjobs or 1} jobs: {words}" for row, words in named])


def zone_blocks(plan: Plan, tests: Sequence[Zones]) -> Iterator[Block]:
    """A sentence for each place, then a line a disk and a column a place; nothing where no test has places."""
    if not tests:
        return
    yield Heading("Places on the disks")
    yield Bullets([_place(test, number) for test in tests for number in range(1, len(test.places))])
    heads = [f"{test.title}, {place_words(place)}, {shown_in(test.kind)[0]}" for test in tests for place in test.places]
    rows = []
    for member in sorted({member for test in tests for member in test.alone}):
        cells = [figure_cell(figure, shown_in(test.kind)[1]) for test in tests for figure in test.alone[member]]
        rows.append([str(member + 1), plan.members[member].serial or "unknown", *cells])
    if any(figure.standing != "not run" for test in tests for figure in test.all_at_once):
        together = [figure_cell(figure, shown_in(test.kind)[1]) for test in tests for figure in test.all_at_once]
        rows.append(["All at once", "", *together])
    yield PageTable(["Disk", "Serial", *heads], rows, 2)


def _place(test: Zones, number: int) -> str:
    name, first = place_words(test.places[number]), place_words(test.places[0])
    over = test.over[number - 1]
    title = f"{test.title}, {name} over {first}, on {len(test.alone)} disks"
    interval = f" ({numbers.interval(over)})" if over.conclusion == "different" else ""
    return f"{title}: {numbers.in_words(over) or 'not measured'}{interval}"


def load_blocks(tests: Sequence[Loads]) -> Iterator[Block]:
    """Each test with its table, the rate up to which requests hardly wait, and median and p99 as bars."""
    for test in tests:
        rows = [[f"{load.percent}", format_number(load.offered_iops), *_load_cells(load)] for load in test.loads]
        flat_out = OfferedRate(0, None, test.flat_out, test.flat_out_latency)
        yield Heading(f"Latency by load: {test.title}, {test.setup}")
        yield from _knee(test)
        heads = ["Offered, %", "Offered, IOPS", "Measured, IOPS", *(f"p{point}, ms" for point in POINTS)]
        yield PageTable(heads, [*rows, ["peak", "", *_load_cells(flat_out)]])
        if any(point not in load.latency.percentiles_ns for load in (*test.loads, flat_out) for point in POINTS):
            yield Text(TOO_FEW)
        for point, name in (("50", "median"), ("99", "p99")):
            latencies = [(f"{name} at {load.percent} %", load.latency.percentiles_ns.get(point)) for load in test.loads]
            bars = [Bar(title, ns, f"{format_ms(ns)} ms" if ns else "not known") for title, ns in latencies]
            if any(ns for _, ns in latencies):
                yield Bars(f"{test.title}, {test.setup}: {name} by offered rate", bars)


def _load_cells(load: OfferedRate) -> list[str]:
    return [figure_cell(load.measured, 1.0), *(format_ms(load.latency.percentiles_ns.get(point)) for point in POINTS)]


def _knee(test: Loads) -> Iterator[Text]:
    """The highest rate at which latency is flat, and by which rule."""
    knee = test.knee
    if knee is None:
        return
    yield Text(
        f"Up to {knee.held.percent} % of the peak latency is flat: p50 is below {MEDIAN_TIMES:g} times p50 at"
        f" {knee.rest.percent} %, p99 not significantly above {TAIL_TIMES:.0f} times. Both are smoothed: latency cannot"
        " fall at a higher load."
    )


def round_blocks(all_rounds: Sequence[Rounds]) -> Iterator[Block]:
    """Each job with how it ended, and a bar a round; figures elsewhere are of its last five rounds."""
    for job in all_rounds:
        unit, scale = shown_in(job.kind)
        yield Heading(f"Round by round: {job.title}, {job.setup}")
        ended = "too few rounds for a steady state."
        if job.steady is not None:
            ended = f"{job.steady.words.replace('repetitions', 'rounds')}. Tables show the median of the last five."
        yield Text(f"{len(job.figures)} of at most {job.most_rounds} rounds: {ended}")
        bars = [
            Bar(f"round {index}", value, f"{format_number(value, scale)} {unit}" if value is not None else "no figure")
            for index, value in enumerate(job.figures, 1)
        ]
        yield Bars(f"{job.title}, {job.setup}: round by round, {unit}", bars)


def rebuild_blocks(rates: Sequence[RebuildRate], names: Mapping[int, str]) -> Iterator[Block]:
    """A line a setup and test; nothing where not rebuilt on purpose. `names` are the setups', by stage."""
    if not rates:
        return
    rows = [
        [
            names.get(rate.stage) or rate.setup,
            rate.beside or "nothing",
            format_number(rate.bytes_per_s, MB),
            format_percent(rate.share, 1),
            _scaled(rate),
        ]
        for rate in rates
    ]
    yield Heading("Rebuilds")
    yield PageTable(
        ["Setup", "Beside it", "Rebuilt, MB/s of the disk", "Seen over, % of the disk", "Whole disk, extrapolated"],
        rows,
        2,
    )
    yield Text(
        f"Times for the whole disk ({both(rates[0].whole_bytes)} to rebuild) are extrapolated from the pace at its"
        " start; an HDD is slower towards its end. †: none from under 5 % of the disk and under 1 GB."
    )


def _scaled(rate: RebuildRate) -> str:
    if not rate.rebuilt_bytes:
        return "not rebuilt"
    return "†" if rate.whole_s is None else format_duration(rate.whole_s)


_FULL_EFFECT = 0.10  # off theory, at which nothing is left to explain


def explained(run: RunContext) -> Iterator[Block]:
    for ablation in run.ablations:
        unit, scale = shown_in(ablation.kind)
        rows = [
            ["Unchanged", format_number(ablation.unchanged.value, scale), "", "", format_ms(ablation.p99_ns), "", ""]
        ]
        rows += [
            [
                numbers.upper(effect.suspect.changed),
                format_number(effect.figure.value, scale),
                numbers.in_cell(effect.throughput),
                numbers.interval(effect.throughput),
                format_ms(effect.p99_ns),
                numbers.in_cell(effect.p99),
                numbers.interval(effect.p99),
            ]
            for effect in ablation.effects
        ]
        yield Heading(f"Explained: {test_title(ablation.row)}")
        yield Bullets(sentences(ablation))
        heads = ["Test", unit, "Effect", "95 % interval", "p99, ms", "Effect", "95 % interval"]
        yield PageTable(heads, rows if ablation.effects else ())


def sentences(ablation: Ablation) -> tuple[str, ...]:
    """What is found, how sure, what it costs to change it; or that it is not explained, and what to try."""
    unit, scale = shown_in(ablation.kind)
    if ablation.unchanged.value is None:
        return (f"The unchanged test has no result: {ablation.unchanged.error or ablation.unchanged.standing}.",)
    off = "" if ablation.deviation is None else f", {signed_percent(ablation.deviation)} % vs expected"
    sentences_told = [f"Unchanged: {format_number(ablation.unchanged.value, scale)} {unit}{off}."]
    sentences_told += [f"Cause: {text}." for text in ablation.slow]
    sentences_told += [_cause(effect, main=not index) for index, effect in enumerate(ablation.causes)]
    sentences_told += [f"By the kernel's counters: {numbers.words(cause)}." for cause in ablation.evident]
    same_side = (ablation.left or 0.0) * (ablation.deviation or 0.0) > 0  # else there is nothing left to explain
    if ablation.causes and ablation.left is not None and abs(ablation.left) > _FULL_EFFECT and same_side:
        sentences_told.append(
            f"Without it {signed_percent(ablation.left)} % vs expected remain, explained by no single change."
        )
    elif not (ablation.causes or ablation.slow or ablation.evident):
        sentences_told += _unexplained(ablation)
    return tuple(sentences_told)


def _cause(effect: ArmEffect, *, main: bool) -> str:
    suspect = effect.suspect
    cause = f"Cause: {suspect.cause}" if main else f"Also {suspect.cause}"
    return (
        f"{cause}. {suspect.changed[:1].upper()}{suspect.changed[1:]}: throughput {_with_interval(effect.throughput)};"
        f" p99 {_with_interval(effect.p99)}. Change: {suspect.advice}; price: {suspect.price}."
    )


def _with_interval(difference: Difference) -> str:
    interval = numbers.interval(difference)
    return f"{numbers.in_cell(difference)} ({interval})" if interval else "not known (too few operations)"


def _unexplained(ablation: Ablation) -> list[str]:
    tried = [effect.suspect.cause for effect in ablation.effects]
    no_effect = f"none of these changes is significantly faster: {', '.join(tried)}" if tried else ""
    if ablation.above_expected:
        return ["Above expected, cause unknown. Next: measure the disks alone again."]
    if ablation.as_expected:
        return [f"Nothing to explain: as expected or above{f', and {no_effect}' if no_effect else ''}."]
    blocks_needed = max((effect.throughput.repetitions or 0 for effect in ablation.effects), default=0)
    more_blocks = f"; repeat = {blocks_needed} in the answer file may find more" if blocks_needed else ""
    tried_words = no_effect or "no setting could be changed, no disk is slow"
    return [
        f"Cause unknown: {tried_words}.",
        "Next: the recipe disk-baseline (each disk alone at several queue depths), other disks,"
        f" another slot{more_blocks}.",
    ]


NOT_PROVED = "none: data not read back (recipe proof)"


def proof(run: RunContext) -> Iterator[Block]:
    proved = result(run.plan, run.state)
    if proved is None:
        return
    yield Heading("Proof")
    yield Text(f"{format_bytes(proved.plan.written_bytes)} of the array, written by this run, read back in each state:")
    yield PageTable(("State", "Disks out", "Read", "Rate", "Result"), proof_rows(run), 5)
    yield Bullets([differing(event, run.plan) for event in proved.differed])


def proof_rows(run: RunContext) -> list[Sequence[str]]:
    """By state: words, serials of the disks that are out, bytes read, rate, result; none of a plan without proof."""
    proved = result(run.plan, run.state)
    states = enumerate(proved.plan.states, 1) if proved else ()
    return [_row(run, number, state, proved) for number, state in states if proved]


def _row(run: RunContext, number: int, state: ProofState, proved: ProofResult) -> Sequence[str]:
    trials = [trial for trial in run.plan.trials if trial.state == number]
    reads = [measured.read for trial in trials if (measured := run.state.measured(trial.id)) and measured.read]
    read_bytes, took_s = sum(read.io_bytes for read in reads), sum(read.io_bytes / read.bytes_per_s for read in reads)
    out = ", ".join(run.plan.members[index].serial or run.plan.members[index].id for index in state.out)
    ended = "0 blocks differ" if state in proved.verified else "not verified"
    if any(event.state == state.words for event in proved.differed):
        ended = "DIFFERS"
    if proved.plan.witness and number == len(proved.plan.states):
        found = proved.cut.found if proved.cut else 0
        if not (found and state in proved.verified) and ended != "DIFFERS":
            ended = "copies not asked" if found else cut_words(proved)
        return state.words, "none", format_bytes(found * REQUEST_BYTES) if found else "", "", ended
    rate = format_rate(read_bytes / took_s) if took_s else ""
    return state.words, out or "none", format_bytes(read_bytes) if reads else "", rate, ended


def proof_line(plan: Plan, state: RunState) -> str:
    """For the commissioning page: states and date, or that the array is not proved."""
    proved = result(plan, state)
    if proved is None or not proved.verified:
        return NOT_PROVED
    day = f"{datetime.fromtimestamp(proved.ended_at_s, UTC):%Y-%m-%d}"
    share = "" if proved.plan.share >= 1 else f" ({100 * proved.plan.share:g} % of the array)"
    words = f"{format_bytes(proved.plan.written_bytes)} written{share}, verified in {len(proved.verified)}"
    differs = "DIFFERS" if proved.differed else "0 blocks differ"
    return f"{words} of {len(proved.plan.states)} states, {differs}, {day}"


def proof_covered(plan: Plan, state: RunState) -> str:
    """States in which all copies and parity were compared, and the power cut; "" if there were none."""
    proved = result(plan, state)
    if proved is None or not proved.verified:
        return ""
    checked = sum(one.checked for one in proved.verified)
    compared = [f"all copies and parity in {checked} states"] if checked else []
    cut = [f"power cut: {cut_words(proved)}"] if proved.plan.witness and proved.cut else []
    return "; ".join((*compared, *cut))
