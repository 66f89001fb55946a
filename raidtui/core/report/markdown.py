"""The report of a run, finished or not, as markdown; every figure comes from plan, journal or fio."""

from collections.abc import Iterator

from raidtui.core.page import svg
from raidtui.core.page.blocks import Bars, Block, Heading
from raidtui.core.page.markdown import escape
from raidtui.core.page.markdown import markdown as page
from raidtui.core.plan.model import Plan
from raidtui.core.report.context import RunContext
from raidtui.core.report.parts import CARE_PARTS, PARTS
from raidtui.core.run.state import RunState


def report(run: RunContext) -> Iterator[Block]:
    """All parts of the report in their order; of the care of an array what came of it."""
    yield Heading(run.plan.title, 1)
    for part in CARE_PARTS if run.plan.care else PARTS:
        yield from part(run)


def markdown(plan: Plan, state: RunState, flash: bool | None = None) -> str:
    """The report, its charts in characters. `flash` as in `analysis.compare`."""
    return page(report(RunContext(plan, state, flash)))


def with_pictures(plan: Plan, state: RunState, folder: str) -> tuple[str, dict[str, str]]:
    """The report with its charts as pictures that lie in `folder`, and these, SVG by the name of its file."""
    pictures: dict[str, str] = {}

    def drawn(chart: Bars) -> str:
        name = svg.file_name(chart.title, list(pictures))
        pictures[name] = svg.svg(chart)
        return f"![{escape(chart.title)}]({folder}/{name})"

    return page(report(RunContext(plan, state)), drawn), pictures
