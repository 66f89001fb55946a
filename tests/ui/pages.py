"""Result pages of runs made by hand, and what a page shows as text."""

from collections.abc import Iterable
from typing import Any

from raidtui.core.plan.model import Plan
from raidtui.core.report.context import RunContext
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from raidtui.core.units import Units
from raidtui.runs.follow import View
from raidtui.ui.render import result_rows
from raidtui.ui.render.cells import Line, Sheet
from raidtui.ui.render.result_rows import Order, Page, sheet
from raidtui.ui.render.results_lines import report_lines, sentence_lines, why_lines
from tests.builders import handmade, sweeps


def sweep_view() -> View:
    """4 levels x 9 chunks, each cell with a figure of its own."""
    made = sweeps.plan("levels-random-4k", 6)
    rates = {trial.id: 100.0 + number for number, trial in enumerate(made.trials)}
    return View(made, sweeps.state(made, lambda stage, trial: rates[trial.id]), (), (), False)


def page_of(view: View, number: int = 0) -> Page:
    return result_rows.pages(compare(view.plan, view.state))[number]


def repeated(*rates: float) -> Page:
    """RAID 5, sequential reads repeated with these rates, beside writes of 168 MB/s each time."""
    plan = handmade.plan(repeat=len(rates))
    odd: dict[str, Any] = {}
    for number, rate in enumerate(rates, 1):
        trial = plan.trial("filesystem-seq_read" + (f"-{number}" if number > 1 else ""))
        assert trial
        odd[trial.id.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read}
    return page_of(View(plan, handmade.state(plan, **odd), (), (), False))


def text_of(page: Page, width: int, order: Order = Order(), base: int = 0) -> list[str]:  # noqa: B008
    laid = sheet(page, order, page.named[base][1], Units.DECIMAL, width, "v^")
    return texts((laid.heading, *(row.lines[0] for row in laid.rows)))


def texts(lines: Iterable[Line]) -> list[str]:
    """Lines without their looks."""
    return ["".join(text for text, _ in line) for line in lines]


def first_lines(sheet: Sheet) -> list[str]:
    """Its heading, and one line of each row."""
    return texts((sheet.heading, *(row.lines[0] for row in sheet.rows)))


def shown(plan: Plan, state: RunState, width: int = 200) -> list[str]:
    """Results of a run: the sentence, why, the report."""
    run = RunContext(plan, state)
    return texts([*sentence_lines(run, width), *why_lines(run, width), *report_lines(run, "r.md", width)])
