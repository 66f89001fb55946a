"""What the screen asks to be typed: for each doubtful disk a word that can be typed, is on its label, and its own."""

import msgspec

from raidtui.core.plan.model import Plan
from raidtui.ui.confirmation import prompts
from tests.runs.rig import plan_of

WARNING = "holds gpt; it will be erased"


def doubtful(*serials: str) -> Plan:
    """A plan whose members have these serials, and something on each of them."""
    made = plan_of()
    members = tuple(
        msgspec.structs.replace(member, serial=serial, warning=WARNING)
        for member, serial in zip(made.members, serials, strict=False)
    )
    return msgspec.structs.replace(made, members=members)


def test_the_phrase_comes_first_and_plain_disks_are_not_asked_for() -> None:
    (only,) = prompts(plan_of())
    assert only.expected == "erase 3 disks"


def test_the_last_four_of_a_serial() -> None:
    _, *asked = prompts(doubtful("WD-AAAA1111", "WD-AAAA2222"))
    assert [one.expected for one in asked] == ["1111", "2222"]
    assert all(one.question.endswith("Its serial's last 4:") and WARNING in one.question for one in asked)


def test_doubled_serials_are_told_apart_by_their_identities() -> None:
    made = doubtful("0123456789", "0123456789")
    _, *asked = prompts(made)
    assert len({one.expected for one in asked}) == 2
    for one, member in zip(asked, made.members, strict=True):
        assert member.id.endswith(one.expected) and f"The end of its identity {member.id}:" in one.question


def test_what_cannot_be_typed_is_not_asked_for() -> None:
    _, spaced, absent = prompts(doubtful("AB 12\u00e9 34", ""))
    assert spaced.expected == "1234" and "letters and digits of its serial" in spaced.question
    assert "The end of its identity" in absent.question and absent.expected.isascii()
