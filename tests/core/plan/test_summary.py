"""A recipe in plain words, and what a plan costs."""

import re

from raidtui.core.plan import summary
from tests.builders.targets import RECIPE, device, folder, plan


def test_the_cost_and_the_explanation_say_that_nothing_is_built() -> None:
    assert "nothing is written" in summary.cost(plan(device()))
    assert any("nothing is built" in line for line in summary.cost(plan(folder("/srv"))))
    told = "\n".join(summary.explain("existing", RECIPE))
    assert "target =" in told and not re.search("array that you choose", told)
