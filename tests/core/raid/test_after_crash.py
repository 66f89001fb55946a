"""What an array goes by after a crash: every answer has its row, and a parity log is RAID 5's alone."""

from typing import get_args

import pytest

from raidtui.core.plan.answers import Bitmap
from raidtui.core.raid.after_crash import AFTER_CRASH, of_level


def test_every_answer_has_a_row_and_no_two_the_same_policy() -> None:
    assert set(AFTER_CRASH) == set(get_args(Bitmap))
    assert len({row.policy for row in AFTER_CRASH.values()}) == len(AFTER_CRASH)


@pytest.mark.parametrize(("level", "has_log"), [("1", False), ("4", False), ("5", True), ("6", False), ("10", False)])
def test_a_parity_log_is_for_raid_5(level: str, has_log: bool) -> None:
    assert of_level(level) == ["internal", "none", *(["ppl"] if has_log else [])]
