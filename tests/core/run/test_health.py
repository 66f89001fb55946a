"""Which of SMART's counts tell of a disk's health by being another than before."""

import msgspec
import pytest

from raidtui.core.run.events import UNITS_WRITTEN, HealthTold
from raidtui.core.run.health import Count, changed, worsened
from raidtui.core.run.state import RunState


def test_counts_that_changed_are_told_but_those_that_change_in_any_disk() -> None:
    before: dict[str, float | str] = {"reallocated": 0.0, "power-on hours": 10.0, UNITS_WRITTEN: 1.0, "pending": 2.0}
    after: dict[str, float | str] = {"reallocated": 48.0, "power-on hours": 11.0, UNITS_WRITTEN: 9.0, "offline": 1.0}
    first = HealthTold(at_s=1, stage=1, disks={"a": before, "b": before})
    last = HealthTold(at_s=2, stage=1, disks={"a": after})
    state = msgspec.structs.replace(RunState(), healths=(first, last))
    assert changed(state, "a") == {"reallocated": (0.0, 48.0)}
    assert changed(state, "b") == {} == changed(RunState(), "a")


@pytest.mark.parametrize(
    ("name", "before", "after", "is_worse"),
    [
        ("pending sectors", 0.0, 3.0, True),
        ("pending sectors", 3.0, 0.0, False),  # written anew
        ("used, %", 1.0, 2.0, False),
        ("spare, %", 100.0, 98.0, True),
        ("spare, %", 98.0, 100.0, False),
        ("health", "passed", "failing: FAILING_NOW", True),
        ("health", "failing", "passed", False),
    ],
)
def test_what_is_worse_than_before(name: str, before: Count, after: Count, is_worse: bool) -> None:
    told = tuple(HealthTold(at_s=1, stage=1, disks={"a": {name: count}}) for count in (before, after))
    assert bool(worsened(msgspec.structs.replace(RunState(), healths=told), "a")) is is_worse
