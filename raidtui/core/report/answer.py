"""How a report begins: the answer, one table, and what the setups' layouts are; further findings; setups ranked."""

from collections.abc import Iterable

from raidtui.core.answer import numbers
from raidtui.core.answer.answer import FURTHER, Answer
from raidtui.core.answer.ranking import Ranked, Ranking
from raidtui.core.answer.values import Table
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.cell import level_of
from raidtui.core.raid.levels import layout_summary
from raidtui.core.report import doubt
from raidtui.core.report.scales import SCALES
from raidtui.core.report.tables import bullets, cell, escape, table
from raidtui.core.results.analysis import ResultRow
from raidtui.core.units import signed_percent


def answer(run_answer: Answer) -> list[str]:
    """The lines and the table; the command of the next step in a form to be copied."""
    command = f"`{run_answer.next.command}` to " if run_answer.next.command else ""
    step = f"Next: {command}{escape(run_answer.next.why)}"
    return [
        f"## Answer{f' · EMULATED ({escape(run_answer.emulated)})' if run_answer.emulated else ''}",
        bullets([*map(escape, run_answer.lines[:-1]), step]),
        *(_table(run_answer.table) if run_answer.table else ()),
    ]


def further(run_answer: Answer) -> list[str]:
    """The lines of the answer that have no room in it, and their tables."""
    if not run_answer.more and not run_answer.details:
        return []
    more = [bullets(map(escape, run_answer.more))] if run_answer.more else []
    return [f"## {FURTHER}", *more, *(block for one in run_answer.details for block in _table(one))]


def layouts(setups: Iterable[Setup]) -> list[str]:
    """What the layouts of RAID 10 are that these setups have."""
    used = sorted({layout for setup in setups if (layout := _layout_of(setup))})
    meanings = [f"{layout}: {layout_summary(layout).partition(':')[0]}" for layout in used]
    return [escape(f"{'; '.join(meanings)}.")] if meanings else []


def _layout_of(setup: Setup) -> str:
    row = level_of(setup)
    return (setup.layout or row.default_layout or "") if row.key == "10" else ""


def _table(values: Table) -> list[str]:
    heads, rows = numbers.cells(values)
    note = numbers.note(values)
    text = table([escape(head) for head in heads], [[escape(cell_text) for cell_text in row] for row in rows])
    return [text, *([escape(note)] if note else [])]


def ranked(ranking: Ranking) -> list[str]:
    """The setups, best first, with the verdict of each against the best; nothing of fewer than two."""
    if len(ranking.ranked) < 2:
        return []
    tests = ranking.tests
    headers = ["Rank", "Setup", "Mean against the best" if len(tests) > 1 else "Against the best"]
    headers += [f"{escape(grid.title)}, {'MB/s' if grid.kind == 'sequential' else 'IOPS'}" for grid in tests]
    headers += ["May fail, disks", "Usable, %"]
    lines = [
        [
            str(setup.place or ""),
            escape(setup.name),
            _verdict(setup, ranking),
            *(_figure(setup, grid.rows[0], ranking) for grid in tests),
            "" if setup.survives is None else str(setup.survives),
            "" if setup.usable is None else f"{100 * setup.usable:.0f}",
        ]
        for setup in ranking.ranked
    ]
    mean = f", by the geometric mean of the {len(tests)} tests" if len(tests) > 1 else ""
    order = f"Best first{mean}; every test counts the same. Differences are corrected for all pairs of setups."
    marked = f"{doubt.MARK} marks figures that are not to be relied on." if ranking.doubted else ""
    if any(row.array.runs > 1 for setup in ranking.ranked for row in setup.rows):
        order += " Figures are medians of the repetitions; the mean is made block by block, and its median stands here."
    return ["## Setups ranked", order + marked, table(headers, lines, word_columns=2)]


def _figure(setup: Ranked, test: ResultRow, ranking: Ranking) -> str:
    row = next((row for row in setup.rows if (row.job, row.direction) == (test.job, test.direction)), None)
    if row is None:
        return ""
    return cell(row.array, SCALES[row.kind][1]) + doubt.mark(row, ranking)


def _verdict(setup: Ranked, ranking: Ranking) -> str:
    if setup.place is None:
        if any(stage == setup.stage for stage, _ in ranking.beyond_disks):
            return "no rank: more than its disks do"
        doubted = any(stage == setup.stage for stage, _ in ranking.doubted)
        return "no rank: rate and latency contradict" if doubted else "no rank: a test has no figure"
    if setup.place == 1:
        return "the best of those with a rank" if any(other.place is None for other in ranking.ranked) else "the best"
    share = setup.of_best.share
    share_words = f"{signed_percent(share or 0.0)} %"
    return {"different": share_words, "equal": f"equal within 3 % ({share_words})"}.get(
        setup.of_best.conclusion or "", f"cannot tell ({share_words})"
    )
