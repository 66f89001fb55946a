"""An array that dies while it is measured: its trial is measured again by the next worker, a job that fails is not."""

from pathlib import Path

import pytest

from raidtui.runs.journal import read_state
from raidtui.runs.waiting import Ended
from tests.runs.rig import Argv, Rig, plan_of


def fio_calls(rig: Rig) -> list[str]:
    """The trials that fio was started for, by the names of its results."""
    return [Path(word).stem for argv in rig.given if argv[0] == "fio" for word in argv if word.startswith("--output=")]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path, plan_of("0"))


def test_only_the_trial_whose_array_died_is_measured_again(rig: Rig) -> None:
    """Every job here fails by itself, as fio writes no result; the second one on the array because that dies."""
    on_array = [trial.id for trial in rig.plan.stages[-1].trials]
    rig.build()
    answer = rig.answer

    def dies(argv: Argv) -> Ended:
        if fio_calls(rig)[-1:] == [on_array[1]]:
            rig.array = None
        return answer(argv)

    rig.answer = dies
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "is gone" in reason
    assert [rig.journal.state.is_final(trial) for trial in on_array[:3]] == [True, False, False]
    before = fio_calls(rig)

    rig.open()
    rig.answer = answer
    assert rig.go()[0] == "finished"
    assert fio_calls(rig)[len(before) :] == on_array[1:]
    state = read_state(rig.folder / "journal.jsonl")
    assert all(state.is_final(trial.id) for trial in rig.plan.trials)


def test_a_stage_that_went_on_without_a_member_measures_those_trials_again(rig: Rig) -> None:
    on_array = [trial.id for trial in rig.plan.stages[-1].trials]
    rig.build()
    rig.faulty = lambda: {"sda"} if fio_calls(rig)[-1:] == [on_array[-1]] else set()
    assert rig.go()[0] == "finished"
    rig.open()
    rig.given.clear()
    rig.faulty = set
    assert rig.go()[0] == "finished"
    assert fio_calls(rig) == on_array[-1:]


def test_a_disk_that_went_away_is_a_loss_too(rig: Rig) -> None:
    """Of the trials on bare disks."""
    rig.build()
    whole, answer = rig.seen, rig.answer

    def pulled(argv: Argv) -> Ended:
        if fio_calls(rig):
            rig.without(0)
        return answer(argv)

    rig.answer = pulled
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and rig.plan.members[0].serial in reason
    first = rig.plan.trials[0].id
    assert not rig.journal.state.is_final(first)
    rig.seen = whole


def test_a_member_that_is_pulled_out_while_its_array_is_looked_at_is_no_stranger(rig: Rig) -> None:
    """The kernel names it beneath the array until it has let it go; nobody else's disk is to be feared."""
    rig.build()
    rig.go()
    context = rig.executor.context
    rig.array, rig.stands_on = "md127", ("sda", "sdb", "sdc")
    names = rig.slaves("md127")

    def pulled(array: str) -> tuple[str, ...]:
        rig.without(0)
        rig.slaves = lambda array: names[1:]  # type: ignore[method-assign]
        return names

    rig.slaves = pulled  # type: ignore[method-assign]
    assert context.own_array() == "md127"
    assert names[0] not in context.members.here()
