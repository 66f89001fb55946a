"""How the run found the disks' settings: what it changed itself counts as it was before."""

import msgspec

from raidtui.core.run import events, queues
from raidtui.core.run.state import RunState, fold_all
from tests.builders import handmade

PLAN = handmade.plan(repeat=1)
DISK = PLAN.members[0].id


def told(**settings: str) -> events.QueuesTold:
    return events.QueuesTold(at_s=2.0, disks={DISK: dict(settings)})


def test_without_a_change_it_is_what_was_told_first() -> None:
    state = fold_all([told(scheduler="none"), told(scheduler="bfq")], RunState())
    assert queues.before_run(PLAN, state) == {DISK: {"scheduler": "none"}}


def test_what_the_run_changed_is_as_it_was_before_and_the_kernels_own_view_of_it_too() -> None:
    path = f"/sys/block/{{member:0}}/{queues.SETTINGS['write cache']}"
    changed = events.SettingChanged(at_s=1.0, path=path, old="write back", new="write through")
    later = msgspec.structs.replace(changed, at_s=3.0, old="write through", new="write back")
    during = told(**{"write cache": "write through", "caching": "write through"})
    state = fold_all([changed, during, later], RunState())
    assert queues.before_run(PLAN, state) == {DISK: {"write cache": "write back", "caching": "write back"}}


def test_of_an_nvme_the_kernel_does_not_follow() -> None:
    changed = events.SettingChanged(
        at_s=1.0, path="nvme/{member:0}/volatile-write-cache", old="write back", new="write through"
    )
    during = told(**{"write cache": "write through", "caching": "write back"})
    state = fold_all([changed, during], RunState())
    assert queues.before_run(PLAN, state) == {DISK: {"write cache": "write back", "caching": "write back"}}


def test_a_value_among_others_is_the_chosen_one() -> None:
    path = f"/sys/block/{{member:0}}/{queues.SETTINGS['scheduler']}"
    changed = events.SettingChanged(at_s=1.0, path=path, old="none [mq-deadline]", new="none")
    assert queues.before_run(PLAN, fold_all([changed], RunState())) == {DISK: {"scheduler": "mq-deadline"}}
