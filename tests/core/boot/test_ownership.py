"""Owners and modes as a person writes them: what cannot be is half a sentence with what to write."""

import pytest

from raidtui.core.boot.ownership import Owned, split, why_not_mode, why_not_owner


@pytest.mark.parametrize("owner", ["alice", "alice:storage", "1000", "1000:1000", "www-data:www-data", "_x.y"])
def test_users_and_groups_by_name_or_number(owner: str) -> None:
    assert why_not_owner(owner) == "" and ":".join(filter(None, split(owner))) == owner


@pytest.mark.parametrize(
    "owner", ["", ":", ":storage", "alice:", "-R", "a b", "a:b:c", "alice;reboot", "a\nb", "x" * 40]
)
def test_what_is_no_owner_is_refused(owner: str) -> None:
    assert "is no owner; write USER" in why_not_owner(owner) and "\n" not in why_not_owner(owner)


@pytest.mark.parametrize(
    "mode, says",
    [
        ("755", ""),
        ("0755", ""),
        ("2775", ""),
        ("0100", ""),
        ("", "is no mode"),
        ("75", "is no mode"),
        ("0789", "is no mode"),
        ("u+x", "is no mode"),
        ("00755", "is no mode"),
        ("0644", "could not enter it"),
    ],
)
def test_a_mode_lets_its_owner_in(mode: str, says: str) -> None:
    assert says in why_not_mode(mode) and bool(why_not_mode(mode)) == bool(says)


def test_whose_it_is_stands_in_figures() -> None:
    assert Owned(uid=1000, gid=8, mode=0o755).description == "1000:8 0755"
