"""Attachments of a report: what is long, and read by few."""

from collections.abc import Callable, Iterable

import msgspec

from raidtui.core.page.blocks import Block
from raidtui.core.report import baseline, disks, health, percentiles, provenance, sweep
from raidtui.core.report.context import RunContext


class Attachment(msgspec.Struct, frozen=True):
    """`name`: of its file; `title`: of its page."""

    name: str
    title: str
    parts: tuple[Callable[[RunContext], Iterable[Block]], ...]


def _pairs(run: RunContext) -> Iterable[Block]:
    return sweep.pairs(run) if run.is_sweep else ()


ATTACHMENTS = (
    Attachment(
        "disks.md",
        "Each disk",
        (
            provenance.disk_details,
            baseline.baseline,
            percentiles.of_disks,
            disks.disks,
            health.health,
        ),
    ),
    Attachment("pairs.md", "Setup over setup", (_pairs,)),
    Attachment("percentiles.md", "Latency percentiles", (percentiles.percentiles,)),
    Attachment("commands.md", "Commands", (provenance.commands,)),
)
