"""What was asked: requests in flight of each test, and settings of the disks that are not those before the run."""

from msgspec.structs import replace

from raidtui.core.page.blocks import Text
from raidtui.core.page.markdown import markdown
from raidtui.core.report.first_page import disk_settings, in_flight
from raidtui.core.run import disk_changes, events
from raidtui.core.run.state import RunState
from tests.builders import handmade, sweeps


def test_each_test_has_its_queue_with_how_it_is_made_up() -> None:
    (line,) = in_flight(sweeps.plan("levels-random-4k", 6))
    assert line == Text("Queue depth: Random 4K write 4 (one job, QD4); Random 4K read 4 (one job, QD4).")


def test_tests_of_one_family_are_named_once_with_the_least_and_the_most() -> None:
    (line,) = in_flight(sweeps.plan("qd-x-jobs", 4, level="5"))
    text = str(line.words)
    assert text.count("Random") == 1 and " 1 to " in text


PLAN = handmade.plan(repeat=2)
DISKS = [member.id for member in PLAN.members]


def lines(others: dict[str, list[str]]) -> str:
    """Of a run whose tests had the scheduler none, but for these: test -> disks that had bfq."""
    state = handmade.state(PLAN)
    trials = tuple(
        replace(
            one, queues={disk: {"scheduler": "bfq" if disk in others.get(one.trial, []) else "none"} for disk in DISKS}
        )
        for one in state.trials
    )
    first = events.QueuesRead(at_s=1.0, disks={disk: {"scheduler": "none"} for disk in DISKS})
    state = replace(state, trials=trials, queues=(first,))
    return markdown(disk_settings(PLAN, state)).replace("\\", "").strip()


def test_nothing_is_told_where_all_was_as_before() -> None:
    assert lines({}) == ""


def test_all_disks_in_all_tests_of_a_kind_are_one_line() -> None:
    trials = [trial for trial in PLAN.trials if trial.target == "filesystem" and trial.job == "rand_write"]
    told = lines({trial.id: DISKS for trial in trials})
    assert f"- all {len(DISKS)} disks: scheduler bfq, none before the run: {trials[0].title} on arrays" in told
    assert told.count("\n- ") + told.startswith("- ") == 1


def test_some_tests_of_a_kind_are_named() -> None:
    trials = [trial for trial in PLAN.trials if trial.target == "filesystem" and trial.job == "rand_write"]
    assert len(trials) == 2
    assert f"(1 of 2 tests: {trials[1].id})" in lines({trials[1].id: DISKS[:1]})


def test_a_write_cache_is_not_told_twice() -> None:
    state = handmade.state(PLAN)
    now = {"write cache": "write through", "caching": "write through"}
    trials = tuple(replace(one, queues={DISKS[0]: now}) for one in state.trials)
    path = f"/sys/block/{{member:0}}/{disk_changes.SETTINGS['write cache']}"
    changed = events.SettingChanged(at_s=1.0, path=path, old="write back", new="write through")
    told = markdown(disk_settings(PLAN, replace(state, trials=trials, changes=(changed,))))
    assert "write cache write through, write back before" in told and "caching" not in told
    assert list(disk_settings(PLAN, RunState())) == []
