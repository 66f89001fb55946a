"""The lines of Review: first what will stand, and whether it stays."""

from raidtui.core.units import Units
from raidtui.ui.render.review_lines import review_lines
from tests.builders import sweeps


def test_review_says_first_what_will_be_built_and_whether_it_stays() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    first = "".join(words for words, _ in review_lines(plan, Units.DECIMAL, 200)[0])
    assert plan.title in first and first.endswith("Afterwards taken apart, the disks blank.")
