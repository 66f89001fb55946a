"""The parts of a report in their order, each a function from a run to its blocks; one that says nothing has none.
What is long and read by few is in `attached`.
"""

from collections.abc import Callable, Iterable, Iterator

from raidtui.core.page.blocks import Block, Text
from raidtui.core.report import ablation, answer, asked, cost, first_page, provenance, results, series, setups
from raidtui.core.report.context import RunContext
from raidtui.core.run import care


def _of_care(run: RunContext) -> Iterator[Block]:
    yield from map(Text, care.sentences(run.plan, run.state))
    yield from asked.standing(run.plan, run.state)


Part = Callable[[RunContext], Iterable[Block]]


PARTS: tuple[Part, ...] = (
    first_page.first_page,
    answer.further,
    ablation.explained,
    asked.asked,
    results.results,
    series.series,
    results.slow_members,
    results.warnings,
    setups.setups,
    cost.cost,
    provenance.provenance,
)
# Of a sweep: the answer, and what stands against it; each figure once. The rest is attached.
SWEEP_PARTS: tuple[Part, ...] = (
    first_page.first_page,
    answer.further,
    answer.every_setup,
    ablation.explained,
    series.series,
    results.slow_members,
    results.warnings,
)
CARE_PARTS: tuple[Part, ...] = (_of_care, provenance.provenance, provenance.disk_details, provenance.commands)
