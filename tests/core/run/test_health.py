"""Which of SMART's counts tell of a disk's health by being another than before."""

import msgspec

from raidtui.core.run.events import UNITS_WRITTEN, HealthTold
from raidtui.core.run.health import changed
from raidtui.core.run.state import RunState


def test_counts_that_changed_are_told_but_those_that_change_in_any_disk() -> None:
    before: dict[str, float | str] = {
        "reallocated": 0.0,
        "power-on hours": 10.0,
        UNITS_WRITTEN: 1.0,
        "pending": 2.0,
    }
    after: dict[str, float | str] = {
        "reallocated": 48.0,
        "power-on hours": 11.0,
        UNITS_WRITTEN: 9.0,
        "offline": 1.0,
    }
    first = HealthTold(at_s=1, stage=1, disks={"a": before, "b": before})
    last = HealthTold(at_s=2, stage=1, disks={"a": after})
    state = msgspec.structs.replace(RunState(), healths=(first, last))
    assert changed(state, "a") == {"reallocated": (0.0, 48.0)}
    assert changed(state, "b") == {} == changed(RunState(), "a")
