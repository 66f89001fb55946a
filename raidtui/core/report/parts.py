"""The parts of a report in their order, each a function from a run to its blocks; one that says nothing has none."""

from collections.abc import Callable, Iterable, Iterator

from raidtui.core.page.blocks import Block, Text
from raidtui.core.report import (
    ablation,
    answer,
    asked,
    baseline,
    cost,
    disks,
    health,
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
    answer.answer,
    answer.further,
    ablation.explained,
    answer.ranked,
    asked.asked,
    _figures,
    series.series,
    baseline.baseline,
    results.slow_members,
    results.warnings,
    setups.setups,
    disks.disks,
    health.health,
    cost.cost,
    provenance.provenance,
)
CARE_PARTS: tuple[Part, ...] = (_of_care, provenance.provenance)
