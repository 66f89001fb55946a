"""`capacity` and `predict`: what is typed reaches the model, and its figures come back in words and as JSON."""

import json

import pytest

from raidtui.cli import output
from raidtui.core.raid.capacity import capacity
from tests.cli.conftest import Command


@pytest.mark.parametrize("level", ["5", "RAID 5", "raid5", "RAID-5"])
def test_a_level_may_be_written_as_people_do(command: Command, level: str) -> None:
    status, printed, _ = command("capacity", level, "--disk", "1TBx3", "--disk", "2TB", "--chunk", "64K", "--json")
    expected = capacity("5", [10**12] * 3 + [2 * 10**12], 64 * 1024)
    assert status == 0 and json.loads(printed)["array_bytes"] == expected.array_bytes
    _, words, _ = command("capacity", level, "--disk", "1TBx3", "--disk", "2TB", "--chunk", "64K")
    assert words.startswith("usable    3.00 TB") and words.endswith("survives  1 failed disk\n")


def test_what_is_no_level_is_bad_input_that_names_the_levels(command: Command) -> None:
    status, out, err = command("capacity", "7", "--disk", "1TBx4")
    assert (status, out) == (output.BAD_INPUT, "") and "choose one of 0, 1, 4, 5, 6, 10, linear, jbod" in err


def test_a_prediction_has_units_in_words_and_in_its_names(command: Command) -> None:
    asked = ("predict", "5", "--disks", "6", "--mbps", "200", "--iops", "150")
    status, words, _ = command(*asked)
    assert status == 0 and "seq write      1000 MB/s\n" in words
    assert json.loads(command(*asked, "--json")[1])["seq_write_mbps"] == 1000
