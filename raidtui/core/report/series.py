"""The parts of a report on tests that belong together: queue depths, places on the disks, loads, rounds, rebuilds."""

from collections.abc import Iterator, Mapping, Sequence

from raidtui.core.answer import numbers
from raidtui.core.page.blocks import Bar, Bars, Block, Bullets, Heading, PageTable, Text
from raidtui.core.plan.model import Plan
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import POINTS, TOO_FEW, depth_table, figure_cell
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.expectation import LITTLE_OFF
from raidtui.core.results.series.families import kind_of
from raidtui.core.results.series.loads import MEDIAN_TIMES, TAIL_TIMES, Loads, OfferedRate, loads
from raidtui.core.results.series.rebuilds import RebuildRate, Zones, place_words, rebuilds, zones
from raidtui.core.results.series.rounds import Rounds, rounds
from raidtui.core.units import MB, both, format_duration, format_ms, format_number, format_percent, shown_in


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
