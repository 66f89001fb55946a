"""A run, or results of fio from anywhere, as markdown, CSV, and a list of measurements.

Knows the order of a report's parts. Every figure in it is held by a plan, a journal or fio, or follows from these.
"""

import csv as writer
import io
from collections.abc import Callable, Sequence

import msgspec

from raidtui.core.answer.answer import answer
from raidtui.core.answer.questions import QUESTIONS
from raidtui.core.answer.ranking import Ranking
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.cell import level_title
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.model import Plan
from raidtui.core.plan.summary import axes_words
from raidtui.core.report import (
    ablation,
    baseline,
    charts,
    cost,
    facts,
    health,
    in_flight,
    queue_depths,
    results,
    setups,
    svg,
)
from raidtui.core.report import answer as first
from raidtui.core.report import loads as report_loads
from raidtui.core.report import rebuilds as report_rebuilds
from raidtui.core.report import rounds as report_rounds
from raidtui.core.report import sweep as report_sweep
from raidtui.core.report import zones as report_zones
from raidtui.core.report.charts import Block
from raidtui.core.report.disk_settings import disk_settings
from raidtui.core.report.latencies import milliseconds
from raidtui.core.report.tables import bullets, escape, number, table
from raidtui.core.results.ablation import of_run
from raidtui.core.results.analysis import Comparison, compare
from raidtui.core.results.figure import percentiles
from raidtui.core.results.joined import built, joined
from raidtui.core.results.series.families import kind_of
from raidtui.core.results.series.loads import loads
from raidtui.core.results.series.rebuilds import rebuilds
from raidtui.core.results.series.rounds import rounds
from raidtui.core.results.series.zones import zones
from raidtui.core.run import care, damage, kept
from raidtui.core.run.state import RunState
from raidtui.core.text import spreadsheet_cell
from raidtui.core.units import MB

_CSV_DIRECTION = (
    *("iops", "bytes_per_s", "io_bytes", "lat_mean_ns", "lat_p50_ns", "lat_p99_ns", "fio_iops", "lat_p99.9_ns"),
    *("lat_max_ns",),
)
_CSV_PLAIN = ("name", "status", "error", "fio_version", "rw", "bs_bytes", "iodepth", "numjobs", "runtime_ms")


def markdown(plan: Plan, state: RunState, flash: bool | None = None) -> str:
    """The report of a run, finished or not, its charts as text. `flash` as in `analysis.compare`."""
    return _joined(_blocks(plan, state, flash), charts.text)


def with_pictures(plan: Plan, state: RunState, folder: str) -> tuple[str, dict[str, str]]:
    """The report with its charts as pictures that lie in `folder`, and these, SVG by the name of its file."""
    pictures: dict[str, str] = {}

    def drawn(chart: charts.Chart) -> str:
        name = svg.file_name(chart.title, list(pictures))
        pictures[name] = svg.svg(chart)
        return f"![{escape(chart.title)}]({folder}/{name})"

    return _joined(_blocks(plan, state, None), drawn), pictures


def _joined(blocks: Sequence[Block], drawn: Callable[[charts.Chart], str]) -> str:
    return "\n\n".join(block if isinstance(block, str) else drawn(block) for block in blocks) + "\n"


def _blocks(plan: Plan, state: RunState, flash: bool | None) -> list[Block]:
    """All parts of the report in their order, charts undrawn."""
    if plan.care:
        sentences = (escape(sentence) for sentence in care.sentences(plan, state))
        return [f"# {escape(plan.title)}", *sentences, *_standing(plan, state), *facts.provenance(plan, state)]
    comparison, joined_plan = compare(plan, state, flash), joined(plan)
    stages = built(joined_plan)
    sweep = len(stages) > 1
    run_answer = answer(plan, state, comparison)
    blocks: list[Block] = [f"# {escape(plan.title)}", *first.answer(run_answer)]
    blocks += first.words(run_answer, [stage.setup for _, stage in stages if stage.setup])
    blocks += ablation.pages(of_run(plan, state, comparison))
    ranking = Ranking(plan, comparison)
    if sweep and QUESTIONS[run_answer.kind].ranks:
        blocks += first.ranked(ranking)
    blocks += ["## What was asked", f"Recipe: {escape(plan.recipe_title)}."]
    levels = {level_title(stage.setup) for _, stage in stages if stage.setup}
    if sweep and len(levels) == 1:
        blocks.append(f"Level: {escape(levels.pop())}.")
    if len(stages) == 1:
        blocks += [f"Setup: {facts.setup_words(stage.array)}." for _, stage in stages if stage.array]
    if plan.source:
        article_note = " Its figures stand under “Article”." if any(row.published for row in comparison.rows) else ""
        link = f" ({escape(plan.link)})" if plan.link else ""
        blocks.append(f"After: {escape(plan.source)}{link}.{article_note}")
    blocks += [*_asked_for(plan), *in_flight.in_flight(plan), *disk_settings(plan, state), *_standing(plan, state)]
    if damaged := damage.sentence(plan, state):
        blocks.append(f"**{escape(damaged)}.**")
    single = _without_families(comparison)
    if single.rows:
        blocks += report_sweep.pages(single, ranking) if sweep else results.results(single, "Results")
    blocks += queue_depths.pages(comparison)
    blocks += report_zones.pages(plan, zones(joined_plan, state))
    blocks += report_loads.pages(loads(joined_plan, state, comparison))
    blocks += report_rounds.pages(rounds(joined_plan, state))
    blocks += report_rebuilds.pages(rebuilds(plan, state), ranking.names)
    blocks += baseline.baseline(joined_plan, state)
    blocks += results.slow_members(comparison)
    warnings = [*plan.notes, *comparison.warnings]
    if warnings:
        blocks += ["## Warnings", bullets(escape(text) for text in dict.fromkeys(warnings))]
    if plan.pruned:
        blocks += ["## Left out", bullets(escape(text) for text in plan.pruned)]
    if sweep:
        blocks += setups.setups(joined_plan, state)
    else:
        for index, stage in stages:
            blocks += facts.capacity(joined_plan, stage, state)
            blocks += facts.filesystem(joined_plan, stage, state)
            blocks += facts.first_sync(stage, state, index)
    blocks += results.disks(joined_plan, state)
    blocks += health.self_tests(plan, state)
    blocks += health.health(plan, state)
    blocks += cost.cost(plan, state)
    return [*blocks, *facts.provenance(plan, state)]


def _without_families(comparison: Comparison) -> Comparison:
    """The comparison without the rows that stand in tables of their own."""
    rows = tuple(row for row in comparison.rows if not kind_of(row.family, row.varied))
    return msgspec.structs.replace(comparison, rows=rows)


def _asked_for(plan: Plan) -> list[str]:
    """In what this run is not the recipe as it stands: its variant, its repetitions, what the answers lay over it."""
    answers = plan.answers
    requests = [f"variant {answers.variant}"] if answers.variant else []
    requests += _repeated(plan)
    requests += [f"of its jobs {', '.join(answers.jobs)}"] if answers.jobs else []
    requests += [f"{key} = {value} in every job" for key, value in answers.fio.items()]
    requests += [f"{key} = {value} in {job}" for job, options in answers.job.items() for key, value in options.items()]
    requests += [f"explain {', '.join(answers.explain)}"] if answers.explain else []
    own_axes = (answers.axes,) if isinstance(answers.axes, Axes) else answers.axes
    requests += [f"instead of the recipe's: {axes_words(axes)}" for axes in own_axes]
    return [f"Asked for: {escape('; '.join(requests))}."] if requests else []


def _repeated(plan: Plan) -> list[str]:
    if plan.blocks:
        return [f"{plan.blocks} blocks, each with every setup, built anew and in an order of its own"]
    times = max(trial.repetition for trial in plan.trials)
    if plan.answers.explain and times > 1:
        return [
            f"{times} blocks on one array, each with the test unchanged and with every change, in an order of its own"
        ]
    return [f"every measurement {times} times, one after the other"] if times > 1 else []


def _standing(plan: Plan, state: RunState) -> list[str]:
    """What a reader must know before the first figure: that the run is not whole, or what it leaves standing."""
    if not state.ended:
        doing = f" Its last step: {escape(state.step.what)}." if state.step else ""
        return [f"**This run has no end yet: it is still going on, or was cut off.**{doing}"]
    if state.outcome == "finished":
        return [escape(stands)] if (stands := kept.sentence(plan, state)) else []
    return [f"**This run {escape(state.outcome)} before its end.** {escape(state.reason)}".rstrip()]


def measurements(plan: Plan, state: RunState) -> list[Measurement]:
    """The newest measurement of each trial in the plan's order, with the setup that it was made on."""
    measured = []
    for stage in plan.stages:
        setup = msgspec.to_builtins(stage.setup) if stage.setup is not None else None
        for trial in stage.trials:
            measurement = state.measured(trial.id)
            if measurement is not None:
                measured.append(msgspec.structs.replace(measurement, setup=measurement.setup or setup))
    return measured


def csv(measured: Sequence[Measurement]) -> str:
    """One line a measurement; bytes, bytes/s and ns as in the JSON, empty where there is nothing."""
    out = io.StringIO()
    lines = writer.writer(out, lineterminator="\n")
    directions = [f"{name}_{field}" for name in ("read", "write") for field in _CSV_DIRECTION]
    lines.writerow([*_CSV_PLAIN, *FIELDS, "targets", *directions, "warnings"])
    for measurement in measured:
        row = [spreadsheet_cell(getattr(measurement, field)) for field in _CSV_PLAIN]
        row += [spreadsheet_cell((measurement.setup or {}).get(field)) for field in FIELDS]
        row.append(spreadsheet_cell(" ".join(measurement.targets)))
        row += [
            *_direction_fields(measurement.read),
            *_direction_fields(measurement.write),
            spreadsheet_cell("; ".join(measurement.warnings)),
        ]
        lines.writerow(["" if value is None else value for value in row])
    return out.getvalue()


def _direction_fields(rates: Direction | None) -> list[object]:
    if rates is None:
        return [None] * len(_CSV_DIRECTION)
    percentiles_ns = rates.lat_percentiles_ns or {}
    fields = [
        rates.iops,
        rates.bytes_per_s,
        rates.io_bytes,
        rates.lat_mean_ns,
        percentiles_ns.get("50"),
        percentiles_ns.get("99"),
    ]
    return [*fields, rates.fio_iops, percentiles_ns.get("99.9"), rates.lat_max_ns]


def of_measurements(measured: Sequence[Measurement]) -> str:
    """A markdown table of results that come from no run of ours: fio's files from anywhere."""
    headers = ["Result", "Status", "Pattern", "Block, bytes", "Queue", "Direction", "MB/s", "IOPS"]
    headers += ["Mean, ms", "p50, ms", "p99, ms", "p99.9, ms", "Max, ms"]
    lines = [line for measurement in measured for line in _lines(measurement)]
    notes = [
        f"{escape(measurement.name)}: {escape(text)}"
        for measurement in measured
        for text in (measurement.error, *measurement.warnings)
        if text
    ]
    blocks = ["# Results of fio", "MB/s = 10^6 bytes a second.", table(headers, lines, word_columns=3)]
    return "\n\n".join([*blocks, *([bullets(dict.fromkeys(notes))] if notes else [])]) + "\n"


def _lines(result: Measurement) -> list[list[str]]:
    queue = str(result.iodepth * result.numjobs) if result.iodepth and result.numjobs else ""
    status = result.status if result.status == "ok" else result.status.upper()
    about = [escape(result.name), status, escape(result.rw), str(result.bs_bytes or ""), queue]
    directions = [(name, rates) for name, rates in (("read", result.read), ("write", result.write)) if rates]
    if result.status != "ok" or not directions:  # never a number that a reader could take for a result
        return [[*about, *[""] * 8]]
    return [[*about, name, *_figures(rates)] for name, rates in directions]


def _figures(rates: Direction) -> list[str]:
    percentiles_ns = percentiles(rates)
    latencies = (rates.lat_mean_ns, *(percentiles_ns.get(point) for point in ("50", "99", "99.9")), rates.lat_max_ns)
    return [number(rates.bytes_per_s, MB), number(rates.iops), *(milliseconds(latency) for latency in latencies)]
