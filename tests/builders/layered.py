"""An array that stays, with LVM or LUKS between itself and its file system: its plan, and the steps of it."""

from typing import Any

from msgspec.structs import replace

from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Step, role_of
from raidtui.core.plan.summary import imagined
from raidtui.core.units import GB
from tests.builders.plans import DEBIAN, planned

LVM = Setup(level="5", chunk="64KiB", filesystem="ext4", between="lvm")
LUKS = replace(LVM, between="luks")
NOTHING = replace(LVM, between="")
DRAWN = (
    "00112233-4455-6677-8899-aabbccddeeff",
    "ffeeddcc-bbaa-9988-7766-554433221100",
    "0f0e0d0c-0b0a-0908-0706-050403020100",
)


def made(setup: Setup = LVM, disks: int = 4, **given: Any) -> Plan:
    """Its plan on Debian, on so many disks; it stays."""
    found = imagined([100 * GB] * disks, flash=False)
    return planned(found, setup, DEBIAN, repeat=1, **{"after": "keep", **given})


def filled(plan: Plan) -> Plan:
    """As a run carries it out."""
    return slots.filled(replace(plan, uuids=DRAWN))


def roles(steps: tuple[Step, ...], *left_out: str) -> list[str]:
    """What the steps are for, without udev's settling and what is put back."""
    return [role for step in steps if (role := role_of(step)) not in ("settled", "put-back", *left_out)]
