"""How the run found the disks' settings: what it changed itself counts as it was before."""

import pytest
from msgspec.structs import replace

from raidtui.core.run import disk_changes, events
from raidtui.core.run.disk_changes import Count, changed, worsened
from raidtui.core.run.events import UNITS_WRITTEN, HealthRead
from raidtui.core.run.state import RunState, fold_all
from tests.builders import handmade

PLAN = handmade.plan(repeat=1)
DISK = PLAN.members[0].id


def told(**settings: str) -> events.QueuesRead:
    return events.QueuesRead(at_s=2.0, disks={DISK: dict(settings)})


def test_without_a_change_it_is_what_was_told_first() -> None:
    state = fold_all([told(scheduler="none"), told(scheduler="bfq")], RunState())
    assert disk_changes.before_run(PLAN, state) == {DISK: {"scheduler": "none"}}


def test_what_the_run_changed_is_as_it_was_before_and_the_kernels_own_view_of_it_too() -> None:
    path = f"/sys/block/{{member:0}}/{disk_changes.SETTINGS['write cache']}"
    changed = events.SettingChanged(at_s=1.0, path=path, old="write back", new="write through")
    later = replace(changed, at_s=3.0, old="write through", new="write back")
    during = told(**{"write cache": "write through", "caching": "write through"})
    state = fold_all([changed, during, later], RunState())
    assert disk_changes.before_run(PLAN, state) == {DISK: {"write cache": "write back", "caching": "write back"}}


def test_of_an_nvme_the_kernel_does_not_follow() -> None:
    changed = events.SettingChanged(
        at_s=1.0, path="nvme/{member:0}/volatile-write-cache", old="write back", new="write through"
    )
    during = told(**{"write cache": "write through", "caching": "write back"})
    state = fold_all([changed, during], RunState())
    assert disk_changes.before_run(PLAN, state) == {DISK: {"write cache": "write back", "caching": "write back"}}


def test_a_value_among_others_is_the_chosen_one() -> None:
    path = f"/sys/block/{{member:0}}/{disk_changes.SETTINGS['scheduler']}"
    changed = events.SettingChanged(at_s=1.0, path=path, old="none [mq-deadline]", new="none")
    assert disk_changes.before_run(PLAN, fold_all([changed], RunState())) == {DISK: {"scheduler": "mq-deadline"}}


def test_counts_that_changed_are_told_but_those_that_change_in_any_disk() -> None:
    before: dict[str, float | str] = {"reallocated": 0.0, "power-on hours": 10.0, UNITS_WRITTEN: 1.0, "pending": 2.0}
    after: dict[str, float | str] = {"reallocated": 48.0, "power-on hours": 11.0, UNITS_WRITTEN: 9.0, "offline": 1.0}
    first = HealthRead(at_s=1, stage=1, disks={"a": before, "b": before})
    last = HealthRead(at_s=2, stage=1, disks={"a": after})
    state = replace(RunState(), healths=(first, last))
    assert changed(state, "a") == {"reallocated": (0.0, 48.0)}
    assert changed(state, "b") == {} == changed(RunState(), "a")


@pytest.mark.parametrize(
    "name, before, after, is_worse",
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
    told = tuple(HealthRead(at_s=1, stage=1, disks={"a": {name: count}}) for count in (before, after))
    assert bool(worsened(replace(RunState(), healths=told), "a")) is is_worse
