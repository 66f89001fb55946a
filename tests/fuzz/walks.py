"""Everything that the program makes of what it has read: each walk yields the texts that a person would be shown.

A walk may raise nothing: what it walks over was decoded, and found to be in order. Texts are yielded with what they
are, so that a failure can name it.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout, suppress
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import tomli_w
from rich.style import Style

from raidtui import recipes
from raidtui.cli import plan as plan_commands
from raidtui.cli import report as report_commands
from raidtui.cli import runs as run_commands
from raidtui.cli.output import print_json
from raidtui.core.disks import dumps
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.machine import Machine, decode, encode
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.measurement import Measurement
from raidtui.core.page.markdown import markdown as rendered
from raidtui.core.plan import answers, confirmation, estimate, planner, retry, summary, validate
from raidtui.core.plan import model as plans
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.kept import permanence
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Recipe, RecipeError
from raidtui.core.plan.steps import shell
from raidtui.core.report import markdown, provenance, sweep
from raidtui.core.report.context import RunContext
from raidtui.core.results import comparison
from raidtui.core.results.analysis import compare
from raidtui.core.run import progress
from raidtui.core.run.samples import spreads
from raidtui.core.run.state import RunState
from raidtui.core.script.render import script
from raidtui.core.units import Units, both
from raidtui.runs import directory, follow
from raidtui.runs.planning import read_answers
from raidtui.runs.progress import Narrator
from raidtui.ui import confirmation as questions
from raidtui.ui import draft as drafts
from raidtui.ui import preview
from raidtui.ui.render import axis, result_rows
from raidtui.ui.render.card_lines import card
from raidtui.ui.render.cells import Line, to_strip
from raidtui.ui.render.chart_lines import (
    against_median,
    by_chunk,
    disks_over_time,
    latency,
    pieces,
    throughput,
    trial_of,
    when,
)
from raidtui.ui.render.disk_rows import disk_detail, disk_sheet, entries
from raidtui.ui.render.live_disks import DiskTitle, form_of, graph_lines, label_lines, titles_of, verdict_pieces
from raidtui.ui.render.live_lines import done_line, left_words, status_pieces, title_pieces, trial_lines
from raidtui.ui.render.rates import Columns, Track, unlike
from raidtui.ui.render.result_rows import Order, ranked_sheet
from raidtui.ui.render.results_lines import capacity_lines, report_lines, sentence_lines, why_lines
from raidtui.ui.render.review_lines import review_of

Said = Iterator[tuple[str, str]]
_MOST_SHOWN = 40  # of many rows, trials or members alike
_PLAIN = Style()
_MOST_OF_SENTENCE = 600


def on_screen(name: str, lines: Iterable[Line], width: int = 100) -> Said:
    """The lines as a terminal would get them."""
    for line in islice(lines, 4 * _MOST_SHOWN):
        yield name, to_strip(line, width, lambda look: _PLAIN).text


def printed(name: str, command: Any, *given: Any, **options: Any) -> Said:
    """What a command of the program writes, encoded as a terminal's text is."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with redirect_stdout(out):
        command(*given, **options)
    out.flush()
    yield name, out.buffer.getvalue().decode()


def of_plan(plan: Plan) -> Said:
    """All that is made of a plan before it is carried out."""
    assert validate.decode(plans.encode(plan)) == plan, "a plan is not the same when it is read again"
    yield "its code", plans.confirmation_code(plan)
    assert all(0 <= seconds < float("inf") for seconds in estimate.whole(plan).values()), "time runs backwards"
    yield from printed("the plan as JSON", print_json, "plan", plan)
    with suppress(answers.PlanNotSafe):  # a disk without a link
        yield "the script", script(plan)
    yield "the cost", "\n".join(summary.cost(plan))
    yield "To mount it at boot", "\n".join(permanence.shell_lines(plan))
    review = review_of(plan, Units.DECIMAL, (80, False), steps=True, capacity=True)
    yield from on_screen("Review", review.lines, 80)
    question = questions.prompt(plan, "host")
    yield "a question", f"{question.question}\n{question.expected}"
    for step in islice(plans.shown_steps(plan), _MOST_SHOWN):
        yield "a step", shell(step)
    for member in plan.members[:_MOST_SHOWN]:
        yield "a name to type", confirmation.name(member, plan.members) + confirmation.word(member, plan.members)
    assert set(confirmation.unnamed(plan.members, ())) == set(confirmation.doubtful(plan.members))
    for trial in plan.trials[:_MOST_SHOWN:7]:
        again = retry.answers_of(plan, trial.id)
        yield "one trial again", tomli_w.dumps(answers.to_document(again))


def of_run(plan: Plan, state: RunState, number: int) -> Said:
    """Report and comparison of a run that was read, and its screens but the samples; the slow ones of some alone.

    `number` says which: that of the case.
    """
    yield "the report", markdown.markdown(plan, state)
    yield from of_live(plan, state)
    yield from _on_results(plan, state, number)
    if number % 3 == 0:
        yield from _compared(plan, state)
    if number % 4 == 0:
        yield from _figures(plan, state)


def _compared(plan: Plan, state: RunState) -> Said:
    measured = provenance.measurements(plan, state)
    yield "the report as CSV", provenance.measurements_csv(measured)
    yield from printed("the report as JSON", print_json, "answer", measured)
    series = comparison.of_run(plan, state, "a run")
    matched = comparison.match([*series, *series[::-1]])
    yield from printed("the comparison as JSON", print_json, "compare", {"compared": matched})
    yield "the comparison", sweep.markdown(series, matched)


def _on_results(plan: Plan, state: RunState, number: int) -> Said:
    units, width = ((Units.DECIMAL, 80), (Units.BINARY, 140))[number % 2]
    run = RunContext(plan, state)
    yield from on_screen("Results", sentence_lines(run, width, {"explain": "x", "resume": "r"}), width)
    yield from on_screen("Why", why_lines(run, width), width)
    yield from on_screen("Capacity", capacity_lines(run, width), width)
    for row in run.comparison.rows[:8]:
        for shown in (card(row, units, 26, high, run.ranking.doubted) for high in (True, False)):
            yield from on_screen("a card", shown.lines, width)
    if number % 5 == 0:
        yield from on_screen("Report", report_lines(run, "/x/report.md", width), width)
    if run.ranks:
        yield from on_screen("Ranked", [row.lines[0] for row in ranked_sheet(run.ranking, units, width).rows])


def _figures(plan: Plan, state: RunState) -> Said:
    pages = result_rows.pages(compare(plan, state))
    for page in pages[:2]:
        base, order = page.named[0], Order()
        for _ in range(3):
            order = order.next_column().turned()
            shown = result_rows.sheet(page, order, base[1], Units.DECIMAL, 100, "v^")
            yield from on_screen("Figures", (shown.heading, *(line for row in shown.rows for line in row.lines)))
        chosen = page.named[-1]
        yield "a figure in words", result_rows.describe(chosen, base, alone=False).replace("\n", " ")
        trial = trial_of(plan, chosen[1])
        if trial is not None:
            when(state, trial)
        charts = [
            latency([row for _, row in page.named], 100, 20, logarithmic=True),
            against_median(plan, state, chosen[1].stage, 60, 20),
            throughput(plan, state, pieces(plan, state, chosen[1].stage, 100), (), {}, Units.BINARY, 6),
            by_chunk(page, Units.BINARY, 100, 12),
        ]
        yield from on_screen("Charts", (line for chart in charts if chart for line in chart.lines))


def of_live(plan: Plan, state: RunState) -> Said:
    """Live, of a run that stands like this, now and long after."""
    expected = estimate.stages(plan)
    for now_s in (state.now_s, state.now_s + 1e6, 0.0):
        left_s = progress.left_s(plan, expected, state, now_s)
        assert 0 <= left_s < float("inf"), f"{left_s} s are left"
        left_words(plan, expected, state, now_s)
        said = (title_pieces(plan, state), status_pieces(plan, expected, state, now_s, Units.BINARY))
        yield from on_screen("Live", [tuple(pieces) for pieces in said])
        pieces = axis.pieces_of(plan, state, 80)
        places = axis.laid_out(pieces, 80, 120)
        if pieces:
            yield from on_screen(
                "Live's axis", [axis.names_line(pieces, places, now_s), axis.groups_line(pieces, places)]
            )
    yield from on_screen("what was measured in a line", [done_line(plan, state, 80, Units.DECIMAL)])
    yield from on_screen("what was measured", trial_lines(plan, state, (80, 20), Units.DECIMAL))
    progress.seconds_taken(state)
    lines: list[str] = []
    Narrator(lines.append).show_new(plan, state)
    yield "what a run without a screen says", "\n".join(lines[:_MOST_SHOWN])


def of_samples(path: Path, plan: Plan) -> Said:
    """A run directory as the screens follow it, its samples among it."""
    view = follow.Viewer(path).poll()
    if view is None:
        return
    track = Track(view.slots)
    track.take(view.history)
    whole, _ = follow.window(path, 0.0, 2.0**40), follow.window(path, view.state.started_at_s, view.state.now_s)
    titles = titles_of(view.plan, view.state)
    named = [titles.get(slot, DiskTitle(slot, "", "")) for slot in track.members][:_MOST_SHOWN]
    seen = unlike(track, None, 0)
    yield from on_screen(
        "Live's heading", [tuple(verdict_pieces(named, "", seen, None, Units.DECIMAL, track.has_rates))]
    )
    for room in (3, 10, 40):
        form = form_of([title.name for title in named], 100, room)
        if form.kind != "tiles":
            labels = label_lines(form, named, 0, seen, None, track, Units.DECIMAL, 0, True)
            yield from on_screen("a disk", labels, form.label)
    columns = Columns(view.slots, follow.Viewer(path).at, True)
    for piece in axis.pieces_of(plan, view.state, 80):
        drawn = columns.of(piece, 8, view.state.now_s, track.newest)
        yield from on_screen("Live's graph", graph_lines(drawn, (0, 8), 0, 1e9, 7))
    disks_over_time(plan, *whole, {}, Units.DECIMAL)
    if view.history:
        spreads(view.history[-20:])
    for older, newer in pairwise(view.history):
        assert len(older.counters) == len(newer.counters)


def of_directory(path: Path) -> Said:
    """A run directory by the commands that look at it."""
    root = path.parent
    with (
        mock.patch.object(directory, "roots", lambda: (root,)),
        mock.patch.object(directory, "runs_root", lambda: root),
    ):
        for json in (False, True):
            yield from printed("runs", run_commands.runs, json=json)
            yield from printed("report", report_commands.report, [str(path)], json=json, csv=False)
            yield from printed("compare", report_commands.compare, [str(path), str(path)], base="", json=json)
        yield from printed("again", _again, path)
        yield from printed("compare with itself", report_commands.compare, [str(path)], base="")


def _again(path: Path) -> None:
    """`again`; that nothing is to be measured again is an answer."""
    try:
        plan_commands.again(str(path))
    except ValueError as nothing:
        assert str(nothing).endswith("has a result; name the TRIAL to repeat"), nothing
        print(nothing)


def of_machine(machine: Machine, number: int) -> Said:
    """The disks of a machine: listed, and planned over."""
    disks = disks_of(machine)
    assert disks_of(decode(encode(machine))) == disks, "a recording tells other disks than it was made of"
    disks_of(dumps.masked(machine))
    yield from printed("the disks as JSON", print_json, "disks", {"disks": disks})
    sheet = disk_sheet(entries(disks, ()), (), 100, Units.DECIMAL)
    yield from on_screen("Disks", (sheet.heading, *(line for row in sheet.rows for line in row.lines)))
    for disk in disks[:_MOST_SHOWN]:
        yield "a verdict", f"{disk_detail(disk)[0]}\n{disk.title}\n{both(disk.size_bytes)}"
        if disk.verdict.standing is Usability.OK:
            assert disk.checked and disk.size_bytes and not disk.verdict.reason, "a disk may be used and was not seen"
    usable = tuple(disk for disk in disks if disk.verdict.standing is not Usability.REFUSE)
    chosen = drafts.with_disks(drafts.Draft(), tuple(disk.id for disk in usable))
    if usable:
        preview.preview(chosen, usable, preview.speed_of(usable, {}))
        yield from of_answers(drafts.answers(chosen), _quick(), disks, number)


@cache
def _quick() -> Recipe:
    return recipes.load("quick")


def of_answers(given: Answers, chosen: Recipe, disks: Sequence[Disk], number: int) -> Said:
    """A plan of these answers, or the sentence why there is none."""
    try:
        plan = planner.make(given, chosen, disks, "a machine")
    except (answers.PlanRefused, RecipeError) as error:
        yield "why there is no plan", sentence(error)
        return
    yield "the plan's code", plan.code
    yield from of_plan(plan)
    if number % 4 == 0:
        yield from of_run(plan, RunState(), number)


def of_answers_file(path: Path, given: Answers, disks: Sequence[Disk], number: int) -> Said:
    """Answers that were read: written again they are the same; planned for these disks."""
    if given.axes != Answers().axes or isinstance(given.axes, tuple):
        path.write_text(tomli_w.dumps(answers.to_document(given)))
        same = read_answers(path)
        same = msgspec.structs.replace(same, axes=given.axes, recipe=given.recipe)
        alike = same == given or repr(same) == repr(given)  # NaN is not itself
        assert alike, "other answers when they are written"
    try:
        chosen = recipes.load(given.recipe)
    except RecipeError as error:
        yield "why there is no recipe", sentence(error)
        return
    yield from of_answers(given, chosen, disks, number)


def of_recipe(chosen: Recipe, disks: Sequence[Disk], number: int) -> Said:
    """A recipe as it is explained, and its plan over these disks."""
    yield "the recipe explained", "\n".join(summary.explain("mine", chosen))
    yield from printed("the recipe as JSON", print_json, "recipe", chosen)
    setup = Setup() if chosen.sweeps else Setup(level="5")
    ids = tuple(disk.id for disk in disks)
    variants = ("", *chosen.variant)
    given = Answers(disks=ids, setup=setup, variant=variants[number % len(variants)])
    yield from of_answers(given, chosen, disks, number)


def of_fio(measured: Sequence[Measurement]) -> Said:
    """Results of fio as report and comparison show them."""
    yield "fio's results", rendered(provenance.of_measurements(measured))
    yield "fio's results as CSV", provenance.measurements_csv(measured)
    yield from printed("fio's results as JSON", print_json, "answer", measured)
    series = [comparison.of_measurements(name, [("", one) for one in measured]) for name in ("a", "b")]
    matched = comparison.match(series)
    yield "the comparison", sweep.markdown(series, matched)
    yield from printed("the comparison as JSON", print_json, "compare", {"compared": matched})


def sentence(error: Exception) -> str:
    """What an error of bad input says: one line, short, nothing that a terminal obeys."""
    said = str(error)
    assert said and "\n" not in said and len(said) <= _MOST_OF_SENTENCE, f"no sentence: {said[:200]!r} ({len(said)})"
    return said
