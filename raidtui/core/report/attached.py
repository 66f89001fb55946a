"""Attachments of a report: what is long, and read by few."""

from collections.abc import Callable, Iterable

import msgspec

from raidtui.core.page.blocks import Block
from raidtui.core.report import answer, asked, baseline, cost, disks, percentiles, provenance, setups, sweep
from raidtui.core.report.context import RunContext


class Attachment(msgspec.Struct, frozen=True):
    """`name`: of its file; `title`: of its page."""

    name: str
    title: str
    parts: tuple[Callable[[RunContext], Iterable[Block]], ...]


def _of_sweep(part: Callable[[RunContext], Iterable[Block]]) -> Callable[[RunContext], Iterable[Block]]:
    return lambda run: part(run) if run.is_sweep else ()


ATTACHMENTS = (
    Attachment(
        "setups.md",
        "Every setup",
        tuple(map(_of_sweep, (answer.ranked, sweep.sweep, answer.details, setups.setups))),
    ),
    Attachment("how.md", "How it was measured", tuple(map(_of_sweep, (asked.asked, cost.cost, provenance.provenance)))),
    Attachment(
        "disks.md",
        "Each disk",
        (
            provenance.disk_details,
            baseline.baseline,
            percentiles.of_disks,
            disks.disks,
            disks.health,
        ),
    ),
    Attachment("pairs.md", "Setup over setup", (_of_sweep(sweep.pairs),)),
    Attachment("percentiles.md", "Latency percentiles", (percentiles.percentiles,)),
    Attachment("commands.md", "Commands", (provenance.commands,)),
)
