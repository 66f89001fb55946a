"""What is typed, or named, to erase a doubtful disk: it can be typed, and it means this disk and no other."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.plan.confirmation import NotNamed, doubtful, name, to_erase, unnamed, word
from raidtui.core.plan.model import Member


def member(serial: str, identity: str = "", name: str = "sda", warning: str = "holds gpt; it will be erased") -> Member:
    return Member(id=identity or f"wwn-{name}", size_bytes=1, name=name, serial=serial, warning=warning)


def words(*members: Member) -> list[str]:
    return [word(one, members) for one in members]


@pytest.mark.parametrize(
    "members, expected",
    [
        ([member("Z1D2ABCD")], ["ABCD"]),
        ([member("Z1D2 AB CD ")], ["ABCD"]),  # padded, and with spaces in it
        ([member("Z1D2\u00dfAB\u202eCD")], ["ABCD"]),  # what no keyboard has
        ([member("", "wwn-0x5000c500a1b2c3d4")], ["c3d4"]),
        ([member("A1", "wwn-0x5000c500a1b2c3d4")], ["c3d4"]),
        ([member("S1", "wwn-0x11", "sda"), member("S1", "wwn-0x22", "sdb")], ["0x11", "0x22"]),
        (  # doubled serials: a USB bridge's
            [member("0123456789", "path-usb-1", "sda"), member("0123456789", "path-usb-2", "sdb")],
            ["sb-1", "sb-2"],
        ),
        (  # the same last four, and identities that differ at their beginning alone
            [member("XX1234", "wwn-1a5000", "sda"), member("YY1234", "wwn-2a5000", "sdb")],
            ["1a5000", "2a5000"],
        ),
        ([member("", "name-\u4e00", "sda"), member("", "name-\u4e8c", "sdb")], ["sda", "sdb"]),
        ([member("abcd1234", "wwn-1"), member("", "wwn-0x5000ABCD1234", "sdb")], ["wn-1", "0ABCD1234"]),
    ],
)
def test_each_disk_has_a_word_of_its_own(members: list[Member], expected: list[str]) -> None:
    assert words(*members) == expected


def test_what_has_to_be_named_is_told_with_the_name_that_is_taken() -> None:
    held, plain = member("S1", "wwn-1"), member("S2", "wwn-2", "sdb", warning="")
    (listed,) = to_erase([held, plain])
    assert (listed.name, listed.id, listed.device, listed.found, listed.warning) == (
        "S1", "wwn-1", "sda", "blank", held.warning
    )  # fmt: skip
    assert unnamed([held, plain], [listed.name]) == () and to_erase([plain]) == ()


SERIALS = st.text(alphabet=string.ascii_uppercase[:2] + " \u00e9", max_size=6)


@given(st.lists(SERIALS, min_size=1, max_size=6))
def test_no_two_disks_are_confirmed_by_the_same_word(serials: list[str]) -> None:
    members = [member(serial, f"wwn-{index}", f"sd{index}") for index, serial in enumerate(serials)]
    said = [text.casefold() for text in words(*members)]
    assert len(set(said)) == len(said)
    assert all(text and text.isascii() and " " not in text for text in said)


def test_a_word_is_not_the_end_of_a_disk_that_nobody_doubts_either() -> None:
    plain = member("QQABCD", "wwn-1", "sdb", warning="")
    assert word(member("ZZABCD", "wwn-0x5000f00d"), [member("ZZABCD", "wwn-0x5000f00d"), plain]) != "ABCD"


def test_only_doubtful_disks_have_to_be_named() -> None:
    old, new = member("S1", "wwn-1", "sda"), member("S2", "wwn-2", "sdb", warning="")
    assert doubtful([old, new]) == (old,)
    assert unnamed([old, new], []) == (old,)
    assert unnamed([old, new], ["S2"]) == (old,)
    assert unnamed([old, new], ["wwn-1"]) == unnamed([old, new], ["S1", "S2"]) == ()


def test_who_is_no_member_or_two_of_them_is_not_named() -> None:
    first, second = member("S1", "wwn-1", "sda"), member("S1", "wwn-2", "sdb")
    with pytest.raises(NotNamed, match="is no disk of this plan"):
        unnamed([first, second], ["sda"])
    with pytest.raises(NotNamed, match="is no disk of this plan"):
        unnamed([member("", "wwn-1")], [""])
    with pytest.raises(NotNamed, match="name wwn-1 and wwn-2 by identity"):
        unnamed([first, second], ["S1"])
    assert [name(one, [first, second]) for one in (first, second)] == ["wwn-1", "wwn-2"]
    assert name(member("S 1", "wwn-1"), [member("S 1", "wwn-1")]) == "wwn-1"
    assert name(first, [first]) == "S1"
