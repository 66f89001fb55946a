"""Disks by what a person calls them; what is no disk, or several, is one sentence."""

import pytest

from raidtui.cli.machine import free_or_named
from tests.cli.conftest import RECORDED

SERVER = RECORDED / "machines" / "server.json"


def test_without_names_all_free_disks_are_meant() -> None:
    assert [disk.name for disk in free_or_named([], SERVER)] == [f"sd{letter}" for letter in "efghijkl"]


def test_a_disk_by_each_of_its_names() -> None:
    (disk,) = free_or_named(["sde"], SERVER)
    for name in (disk.path, disk.id, disk.serial):
        assert free_or_named([name], SERVER) == (disk,)


@pytest.mark.parametrize(
    "names, sentence",
    [
        (["sdzz"], "no disk named 'sdzz'; available: sda"),
        (["sde", "sde"], "more than once"),
        (["sda"], "sda cannot be a member: sda1 is mounted"),
    ],
)
def test_what_is_no_member_is_one_sentence(names: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        free_or_named(names, SERVER)
