"""What a later worker may believe of an earlier one: what is left, what is final, what comes back in which order."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.machine import Signature
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import MOUNTPOINT, goes_on
from raidtui.core.plan.steps import Command
from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import fold_all
from raidtui.runs import stages as runs_stages
from raidtui.runs.sampler import Sampler
from raidtui.runs.waiting import Ended
from tests.builders.journals import started
from tests.builders.machines import device, machine
from tests.builders.plans import planned
from tests.runs.rig import FINISHED, SEEN, Argv, Rig, WrittenHost, plan_of

WORKER = started()


def ended(**more: object) -> events.RunEnded:
    return events.RunEnded(at_s=9.0, outcome="failed", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "told, left",
    [
        ((), []),  # it never began
        ((WORKER,), ["its array was not removed"]),  # cut off
        ((WORKER, ended()), []),
        ((WORKER, ended(left=("md127 is busy",))), ["md127 is busy"]),
        ((WORKER, ended(kept=True)), ["its array was not removed"]),
    ],
)
def test_what_was_left_is_not_forgotten(told: tuple[events.AnyEvent, ...], left: list[str]) -> None:
    assert runs_stages.left_behind(fold_all(told)) == left


def test_an_interrupted_trial_is_not_final_and_a_failed_one_is() -> None:
    state = fold_all(
        events.TrialEnded(at_s=2.0, trial=status, measurement=Measurement(name=status, status=status))
        for status in ("ok", "failed", "interrupted")
    )
    assert [state.is_final(trial) for trial in ("ok", "failed", "interrupted", "never")] == [True, True, False, False]


def test_a_trial_whose_array_died_is_measured_again_also_of_a_run_that_finished() -> None:
    failed = Measurement(name="t", status="failed", error="the array is gone")
    told: list[events.AnyEvent] = [WORKER, events.TrialEnded(at_s=2.0, trial="t", measurement=failed, lost=True)]
    finished = events.RunEnded(at_s=9.0, outcome="finished")
    assert not fold_all(told).is_final("t")
    assert not fold_all([*told, finished]).is_complete(["t"])
    again = events.TrialEnded(at_s=3.0, trial="t", measurement=Measurement(name="t", status="ok"))
    assert fold_all([*told, again]).is_final("t")
    assert fold_all([*told, again, finished]).is_complete(["t"])


def test_a_journal_that_does_not_tell_why_a_trial_failed_is_read_as_before() -> None:
    line = b'{"event":"trial-ended","at_s":2.0,"trial":"t","measurement":{"name":"t","status":"failed"}}\n'
    assert fold_all(journal_lines.read(line)[0]).is_final("t")


def test_a_setting_keeps_its_first_value_and_its_place() -> None:
    def changed(path: str, old: str) -> events.SettingChanged:
        return events.SettingChanged(at_s=1.0, path=path, old=old, new="x")

    state = fold_all([changed("a", "1"), changed("b", "2"), changed("a", "3")])
    assert list(state.settings.items()) == [("a", "1"), ("b", "2")]


def test_another_worker_begins_where_the_dead_one_stopped() -> None:
    step = events.StepStarted(at_s=2.0, stage=1, what="Create", line="mdadm", members=("wwn-1",))
    trial = events.TrialStarted(at_s=3.0, trial="t", expected_s=1.0)
    state = fold_all([WORKER, events.StageEnded(at_s=2.0, stage=0), step, trial, events.StopAsked(at_s=4.0), WORKER])
    assert (state.step, state.trial, state.stopping, state.outcome) == (None, None, False, "")
    assert state.steps[-1].error == "its worker died"
    assert (state.written, state.stages_done) == (("wwn-1",), (0,))


def test_a_record_that_finds_no_room_leaves_no_torn_one(tmp_path: Path) -> None:
    """And the next try is a tick away, not at once."""
    path = tmp_path / "samples.bin"
    sampler = Sampler(path, ("wwn-1",), WrittenHost())
    sampler.take()
    whole = path.stat().st_size
    with no_file_over(whole + 10), pytest.raises(OSError, match="No space left"):
        sampler.take()
    assert path.stat().st_size == whole
    assert sampler.due_s() > 0
    sampler.close()


@contextmanager
def no_file_over(size_bytes: int) -> Iterator[None]:
    """The kernel cuts writes short there, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def ok(trial: str) -> events.TrialEnded:
    return events.TrialEnded(at_s=3.0, trial=trial, measurement=Measurement(name=trial, status="ok"))


def test_an_array_is_not_left_standing_for_a_stage_that_is_passed_over(tmp_path: Path) -> None:
    """The first of two stages on one array has lost a trial, the second is whole."""
    plan = plan_of("5")
    baseline, first = plan.stages
    later = {trial.id: f"later-{trial.id}" for trial in first.trials}
    steps = tuple(
        replace(step, trial=later[step.trial]) if isinstance(step, Command) and step.trial else step
        for step in first.steps
    )
    trials = tuple(replace(trial, id=later[trial.id]) for trial in first.trials)
    second = replace(first, steps=steps, trials=trials)
    plan = replace(plan, stages=(baseline, first, second))
    assert goes_on(plan, 2)
    rig = Rig(tmp_path, plan)
    rig.build()
    lost = first.trials[0].id
    done = [ok(trial.id) for trial in plan.trials if trial.id != lost]
    stages = [events.StageEnded(at_s=4.0, stage=number) for number in range(3)]
    past = fold_all([WORKER, *done, *stages, events.StageStarted(at_s=5.0, stage=2)])
    assert runs_stages.go(rig.plan, rig.executor, past) == FINISHED
    assert [trial.trial for trial in rig.journal.state.trials] == [lost]
    assert rig.array is None and rig.superblocks == {}


def test_only_disks_that_were_blank_hold_nothing_but_the_tests_own(tmp_path: Path) -> None:
    """What had a signature erased may hold all that was there before: the next plan has to ask for it again."""
    old = (Signature(kind="ext4", uuid="1234"),)
    before = machine(device("sda", signatures=old), device("sdb"), device("sdc"))
    rig = Rig(tmp_path, plan_of("5", seen=before), before)
    rig.build()
    building = rig.answer

    def answer(argv: Argv) -> Ended:
        if argv == ("wipefs", "--all", "--backup", "/dev/sda"):
            rig.seen = SEEN
        return building(argv)

    rig.answer = answer
    assert rig.go() == FINISHED
    assert set(rig.remembered) == {"sdb", "sdc"}


def test_where_every_trial_is_measured_only_what_stands_is_cleared_away(tmp_path: Path) -> None:
    """The worker died while it cleared away after the last trial."""
    plan = plan_of("5")
    rig = Rig(tmp_path, plan)
    rig.build()
    begun = [events.StageStarted(at_s=4.0, stage=number) for number in range(len(plan.stages))]
    past = fold_all([WORKER, *begun, *(ok(trial.id) for trial in plan.trials)])
    assert runs_stages.go(rig.plan, rig.executor, past) == FINISHED
    assert rig.journal.state.trials == ()
    assert rig.array is None and rig.superblocks == {}


def test_an_array_is_kept_without_its_test_file_also_where_it_has_a_file_system(tmp_path: Path) -> None:
    rig = Rig(tmp_path, plan_of(after="keep", level="10", filesystem="ext4"))
    rig.build()
    rig.measure()
    built = rig.answer

    def answer(argv: Argv) -> Ended:
        rig.mounted = argv[0] == "mount" or (rig.mounted and argv[0] != "umount")
        return built(argv)

    rig.answer = answer
    rig.geometry = "Block size:               4096\n"
    assert rig.go() == FINISHED
    assert rig.programs()[-2:] == [f"dd of={MOUNTPOINT}/.raidtui-kept", f"umount {MOUNTPOINT}"]
    assert rig.array == "md127"


@pytest.mark.parametrize("late", [False, True])
def test_a_spare_is_added_once_where_the_worker_dies_as_it_is(tmp_path: Path, late: bool) -> None:
    rig = Rig(tmp_path, planned(disks_of(SEEN), Setup(level="1", spares=1), after="keep"))
    rig.build()
    rig.measure()
    answer = rig.answer

    def dies(argv: Argv) -> Ended:
        ended = answer(argv)
        if argv[:2] == ("mdadm", "--create"):
            rig.stands_on = ("sda", "sdb")
        if argv[:2] == ("mdadm", "--add"):
            rig.stands_on = ("sda", "sdb", *(["sdc"] if late else []))
            raise KeyboardInterrupt
        return ended

    rig.answer = dies
    with pytest.raises(KeyboardInterrupt):
        rig.go()
    rig.journal.add(WORKER)
    rig.open()
    rig.answer, rig.given = answer, []
    assert runs_stages.settle(rig.plan, rig.executor, rig.journal.state) == FINISHED
    assert rig.programs().count("mdadm --add") == (not late)
