"""A recipe in plain words, and what a plan costs."""

import re

import pytest

from raidtui.core.plan import summary
from tests.builders.targets import RECIPE, device, folder, plan


def test_the_cost_and_the_explanation_say_that_nothing_is_built() -> None:
    assert "nothing is written" in summary.cost(plan(device()))
    assert any("nothing is built" in line for line in summary.cost(plan(folder("/srv"))))
    told = "\n".join(summary.explain("existing", RECIPE))
    assert "target =" in told and not re.search("Then the array.", told)


@pytest.mark.parametrize(
    "written, share, times",
    [
        (2, "0.002 % of raw", "0.00 times"),
        (28_400, "28 % of raw", "0.28 times"),
        (999_900, "10.00 times raw", "10.00 times"),
        (484_153_000, "4842 times raw", "4842 times"),
    ],
)
def test_what_is_written_is_told_in_the_number_that_is_easier_to_read(written: int, share: str, times: str) -> None:
    assert (summary.share_words(written, 100_000), summary.times_words(written, 100_000)) == (share, times)
