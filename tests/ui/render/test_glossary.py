"""Words that are explained with figures: these are those that the program judges by."""

from raidtui.core.results.differences import OF_ONE_RUN
from raidtui.ui.render.words import WORDS


def test_as_expected_is_as_far_as_single_runs_are_judged_to() -> None:
    less, more = f"{100 * (1 / (1 + OF_ONE_RUN) - 1):.1f}", f"+{100 * OF_ONE_RUN:.1f} %"
    assert f"{less} to {more}" in WORDS["as expected"]
