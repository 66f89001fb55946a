"""What the screen asks to be typed: one phrase, with the number of disks and the machine's name."""

from msgspec.structs import replace

from raidtui.core.plan.model import Plan
from raidtui.ui.confirmation import again, prompt
from tests.runs.rig import plan_of

WARNING = "holds gpt; it will be erased"


def doubtful(*serials: str) -> Plan:
    """A plan whose members have these serials, and something on each of them."""
    made = plan_of()
    members = tuple(
        replace(member, serial=serial, warning=WARNING) for member, serial in zip(made.members, serials, strict=False)
    )
    return replace(made, members=members)


def test_the_phrase_is_the_same_whatever_the_disks_hold() -> None:
    assert prompt(plan_of(), "rack7").expected == "erase 3 disks of rack7"
    two = prompt(doubtful("WD-AAAA1111", "WD-AAAA2222"), "rack7")
    assert two.expected == "erase 2 disks of rack7" and "2 of them are not blank" in two.question
    assert prompt(doubtful("WD-AAAA1111"), "rack7").expected == "erase 1 disk of rack7"


def test_before_a_run_goes_on_each_doubtful_disk_is_named_by_its_serial() -> None:
    asked = again("x-1", doubtful("WD-AAAA1111", "WD-AAAA2222").members, "rack7")
    assert asked.expected == "erase 2 disks of rack7"
    assert all(f"{serial}: {WARNING}" in asked.question for serial in ("WD-AAAA1111", "WD-AAAA2222"))
    assert again("x-1", (), "rack7").expected == "continue"  # it measures what stands
