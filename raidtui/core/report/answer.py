"""How a report begins: the answer, one table, and what the setups' layouts are; further findings; setups ranked."""

from collections.abc import Iterator

from raidtui.core.answer import numbers, values
from raidtui.core.answer.answer import FURTHER
from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.ranking import Ranked, Ranking, left_open
from raidtui.core.page.blocks import Block, Bullets, Code, Heading, PageTable, Text
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.raid.levels import layout_summary
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import MARK, figure_cell, mark
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.units import format_percent, shown_in

_MOST_FIGURES = 50  # of setups on the page itself


def answer(run: RunContext) -> Iterator[Block]:
    """The lines and the table, the command of the next step in a form to be copied; what layouts of RAID 10 are."""
    answered = run.answer
    yield Heading(" · ".join(filter(None, ("Answer", answered.badge))))
    command = (Code(answered.next.command), " to ") if answered.next.command else ()
    yield Bullets([*_best(run), *answered.lines[:-1], ("Next: ", *command, answered.next.why)])
    if answered.table:
        yield from table(answered.table)
    layouts = sorted({layout for _, stage in run.built if stage.setup and (layout := _layout_of(stage.setup))})
    if meanings := [f"{layout}: {layout_summary(layout).partition(':')[0]}" for layout in layouts]:
        yield Text(f"{'; '.join(meanings)}.")


def _best(run: RunContext) -> Iterator[str]:
    """Of a sweep that ranks: the first setup with its figures, and how many are not told from it."""
    ranking = run.ranking
    if not run.ranks or not ranking.common:
        return
    best, *others = [setup for setup in ranking.ranked if setup.place]
    ranks = {(row.job, row.direction) for grid in ranking.common for row in grid.rows}
    figures = [
        f"{numbers.lower(test_title(row))} {numbers.figure(row.array.value, unit_of(row))}"
        for row in best.rows
        if (row.job, row.direction) in ranks
    ]
    tied = [setup for setup in others if setup.of_best.conclusion != "different"]
    undecided = left_open(tied)
    also = f"; {len(tied)} other{'' if len(tied) == 1 else 's'} n.s." if tied else ""
    by = "" if len(ranking.common) == 1 else f" by the mean of {len(ranking.common)} tests"
    title = f"{'No best' if undecided else 'Best'} of {len(others) + 1} setups{by}"
    if undecided:
        widest = max(undecided, key=lambda setup: setup.of_best.high or 0.0)
        also = f"; {len(tied)} other{'' if len(tied) == 1 else 's'} {numbers.in_words(widest.of_best)}"
    yield f"{title}: {best.name} ({', '.join(figures)}){also}"


def every_setup(run: RunContext) -> Iterator[Block]:
    """The setups ranked, where the answer's table does not have them and a page does."""
    shown = {row.name for row in run.answer.table.rows} if run.answer.table else set()
    count = len(run.ranking.ranked) * len(run.ranking.tests)
    if not {setup.name for setup in run.ranking.ranked} <= shown and count <= _MOST_FIGURES:
        yield from ranked(run)


def further(run: RunContext) -> Iterator[Block]:
    """The lines of the answer that have no room in it, and their tables; of a sweep these are attached."""
    answered = run.answer
    if answered.more or (answered.details and not run.is_sweep):
        yield Heading(FURTHER)
        yield Bullets(answered.more)
    if not run.is_sweep:
        yield from details(run)


def details(run: RunContext) -> Iterator[Block]:
    """The tables of further findings."""
    for of_values in run.answer.details:
        yield from table(of_values)


def table(of_values: values.AnswerTable) -> Iterator[Block]:
    yield PageTable(*numbers.cells(of_values))
    if note := numbers.note(of_values):
        yield Text(note)


def _layout_of(setup: Setup) -> str:
    row = level_of(setup)
    return (setup.layout or row.default_layout or "") if row.key == "10" else ""


def ranked(run: RunContext) -> Iterator[Block]:
    """The setups, best first, with the verdict of each against the best; nothing of fewer than two."""
    ranking, tests = run.ranking, run.ranking.tests
    if not run.ranks:
        return
    heads = ["Rank", "Setup", "Mean against the best" if len(tests) > 1 else "Against the best"]
    heads += [f"{test.title}, {shown_in(test.kind)[0]}" for test in tests]
    heads += ["May fail, disks", "Usable, %"]
    rows = [
        [
            str(setup.place or ""),
            setup.name,
            _verdict(setup, ranking),
            *(_figure(setup, test.rows[0], ranking) for test in tests),
            "" if setup.survives is None else str(setup.survives),
            format_percent(setup.usable),
        ]
        for setup in ranking.ranked
    ]
    many = len(ranking.common)
    left_out = [test.title for test in tests if test not in ranking.common]
    which = f"{many} tests" if not left_out else f"{many} of {len(tests)} tests that every ranked setup has"
    mean = f", by the geometric mean of the {which}" if many > 1 else f", by {ranking.common[0].title}" if many else ""
    order = f"Best first{mean}; all tests count the same. Differences are corrected for all pairs of setups."
    order = order if many else f"{ranking.why_none}."
    marked = f" {MARK} marks excluded figures." if ranking.doubted else ""
    if any(row.array.runs > 1 for setup in ranking.ranked for row in setup.rows):
        order += " Figures are medians of the repetitions; of means by pass the median."
    yield Heading("Setups ranked")
    yield Text(order + marked)
    yield PageTable(heads, rows, 2)


def _figure(setup: Ranked, test: ResultRow, ranking: Ranking) -> str:
    row = next((row for row in setup.rows if (row.job, row.direction) == (test.job, test.direction)), None)
    if row is None:
        return ""
    return figure_cell(row.array, shown_in(row.kind)[1]) + mark(row, ranking)


def _verdict(setup: Ranked, ranking: Ranking) -> str:
    if setup.place is None:
        if any(stage == setup.stage for stage, _ in ranking.beyond_disks):
            return "no rank: above its disks"
        doubted = any(stage == setup.stage for stage, _ in ranking.doubted)
        return "no rank: rate and latency contradict" if doubted else "no rank: a test has no result"
    if setup.place == 1 and left_open(ranking.ranked):
        return "first, no best"
    if setup.place == 1:
        return "best of the ranked" if any(other.place is None for other in ranking.ranked) else "best"
    return numbers.in_words(setup.of_best)
