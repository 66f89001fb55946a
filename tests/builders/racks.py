"""Six equal disks that may be used, answers about the first of them, and the plan that is made of these."""

from raidtui import recipes
from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan, shown_steps
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Command
from raidtui.core.units import GIB

QUICK = recipes.load("quick")


def disk(number: int, **changes: object) -> Disk:
    name = f"sd{chr(ord('a') + number)}"
    fields: dict[str, object] = {
        "name": name, "path": f"/dev/{name}", "id": f"wwn-0x5000c500a1b2c3d{number}", "size_bytes": 4 * GIB,
        "verdict": Verdict(Usability.OK), "model": "IRONDISK", "serial": f"SER{number:04}",
        "links": (f"/dev/disk/by-id/wwn-0x5000c500a1b2c3d{number}",), "rotational": True,
    }  # fmt: skip
    return Disk(**(fields | changes))  # type: ignore[arg-type]


RACK = tuple(disk(number) for number in range(6))


def answers(members: int = 3, level: str = "5", **more: object) -> Answers:
    """`more`: of the answers, or of their setup."""
    setup = {name: more.pop(name) for name in Setup.__struct_fields__ if name in more}
    disks = tuple(d.id for d in RACK[:members])
    return Answers(disks=disks, setup=Setup(level=level, **setup), **more)  # type: ignore[arg-type]


def plan(given: Answers | None = None, disks: tuple[Disk, ...] = RACK, machine: str = "here") -> Plan:
    return make(given or answers(), QUICK, disks, machine)


def commands(made: Plan, program: str) -> list[tuple[str, ...]]:
    return [s.argv for s in shown_steps(made) if isinstance(s, Command) and s.argv[0] == program]
