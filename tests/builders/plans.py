"""The plan of answers on disks that a test has at hand."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.boot.distributions import BootPlace, place
from raidtui.core.disks.disk import Disk
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Command, Step

DEBIAN = place("ID=debian", lambda path: False, lambda program: True, systemd=True)


def planned(
    disks: tuple[Disk, ...],
    setup: Setup | None = None,
    where: BootPlace | None = None,
    programs: tuple[str, ...] = (),
    recipe: str = "quick",
    baseline: str = "",
    **given: Any,
) -> Plan:
    """On all of these disks. `baseline`: in place of the recipe's own; `given`: more of the answers."""
    chosen = recipes.load(recipe)
    if baseline:
        chosen = replace(chosen, baseline=baseline)
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=setup or Setup(), recipe=recipe, **given)
    return planner.make(answers, chosen, disks, "machine", place=where, programs=programs)


def of_role(steps: Iterable[Step], role: str) -> list[Command]:
    return [step for step in steps if isinstance(step, Command) and step.role == role]
