"""A share of what another test gave, as fio is told it; of one without a figure there is none."""

import pytest

from raidtui.core.run.offered import offered
from raidtui.core.run.state import RunState


def test_of_a_test_that_gave_nothing_there_is_no_share() -> None:
    with pytest.raises(ValueError, match="a share of what s1-read gives is asked for, and that has no figure"):
        offered(RunState(), "s1-read", 50, 1)
