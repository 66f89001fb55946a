"""What an array goes by after a crash: every answer has its row, and a log or a journal its levels."""

from typing import get_args

import pytest

from raidtui.core.plan.answers import Bitmap
from raidtui.core.raid.after_crash import AFTER_CRASH, of_level


def test_every_answer_has_a_row_and_no_two_the_same_policy() -> None:
    assert set(AFTER_CRASH) == set(get_args(Bitmap))
    assert len({row.policy for row in AFTER_CRASH.values()}) == len(AFTER_CRASH)


@pytest.mark.parametrize(
    "level, more", [("1", []), ("4", ["journal"]), ("5", ["ppl", "journal"]), ("6", ["journal"]), ("10", [])]
)
def test_a_parity_log_is_for_raid_5_and_a_journal_for_levels_with_parity(level: str, more: list[str]) -> None:
    assert of_level(level) == ["internal", "none", *more]


def test_a_journal_alone_takes_a_disk_and_is_named_by_an_option_of_its_own() -> None:
    assert {name: row.disks for name, row in AFTER_CRASH.items() if row.disks} == {"journal": 1}
    assert all(bool(row.option) != bool(row.disk_option) for row in AFTER_CRASH.values())
    assert AFTER_CRASH["journal"].only_of == "RAID 4, 5 and 6" and AFTER_CRASH["ppl"].only_of == "RAID 5"
