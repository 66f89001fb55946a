"""The parts of a report in their order, each a function from a run to its blocks; one that says nothing has none.
What is long and read by few is in `attached`.
"""

from collections.abc import Callable, Iterable, Iterator

from raidtui.core.page.blocks import Block, Text
from raidtui.core.report import (
    ablation,
    answer,
    asked,
    cost,
    first_page,
    provenance,
    results,
    series,
    setups,
    sweep,
)
from raidtui.core.report.context import RunContext
from raidtui.core.run import care


def _figures(run: RunContext) -> Iterable[Block]:
    return sweep.sweep(run) if run.is_sweep else results.results(run)


def _of_care(run: RunContext) -> Iterator[Block]:
    yield from map(Text, care.sentences(run.plan, run.state))
    yield from asked.standing(run.plan, run.state)


Part = Callable[[RunContext], Iterable[Block]]


PARTS: tuple[Part, ...] = (
    first_page.first_page,
    answer.further,
    ablation.explained,
    answer.ranked,
    asked.asked,
    _figures,
    series.series,
    results.slow_members,
    results.warnings,
    setups.setups,
    cost.cost,
    provenance.provenance,
)
CARE_PARTS: tuple[Part, ...] = (_of_care, provenance.provenance, provenance.disk_details, provenance.commands)
