"""The answer as it is read: 2 to 5 sentences of the run's own figures, what is wrong first, one next step last."""

import re

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.answer.answer import MOST_SENTENCES, answer
from raidtui.core.answer.conclusions import limits
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.results.deviation import BusyDisk, Shared
from raidtui.core.run.state import RunState, TrialState
from tests.builders import handmade, sweeps
from tests.builders.answers import answered, of
from tests.replay import RUNS, load
from tests.seeds import cases

BUILDING = [name for name in recipes.names() if name != "existing"]


@pytest.mark.parametrize("repeat", [1, 3])
@pytest.mark.parametrize("name", BUILDING[:: cases(1, few=3)])
def test_every_recipe_is_answered_in_two_to_five_sentences(name: str, repeat: int) -> None:
    setup = Setup() if recipes.load(name).axes else Setup(level="5")
    repeat = 1 if recipes.load(name).rounds else repeat
    found = answered(name, 6, lambda stage, trial: 100.0 * (1 if trial.target == "member" else 3), repeat, setup=setup)
    assert 2 <= len(found.sentences) <= MOST_SENTENCES
    assert found.kind == recipes.load(name).question
    assert found.sentences[-1] == found.next.words and found.next.words.startswith("Next: ")
    for one in found.sentences:
        assert one[0].isupper() or one[0].isdigit()
        assert one.endswith(".") and not re.search(r"None|nan|inf|\.\.|  ", one)
    assert all("nobody" not in one and "ran once" not in one for one in found.sentences) or repeat == 1
    assert msgspec.json.decode(msgspec.json.encode(found))["conclusions"]


def test_the_recorded_raid_5_is_answered_with_its_figures_and_what_a_counter_shows() -> None:
    recording = load(RUNS / "raid5-of-3")
    state = recording.view().state
    found = answer(recording.plan, state, compare(recording.plan, state))
    emulated, figures, small, space, sure, _ = found.sentences
    assert emulated.startswith("The disks are emulated (scsi_debug)")
    assert "sequential read 282 MB/s, 3.0 times one disk, near theory" in figures
    assert "Random 4K write 269 IOPS, 12 times less than one disk, where theory says 1.0 times one disk" in small
    assert "the disks are not the limit, for none did more than 10 % of what it does while all work without" in small
    assert small.endswith("md and its settings, the CPU). Random 4K read: no counter shows why.")
    assert "1.07 GB of 1.61 GB are usable (66 %); the rest is parity" in space
    assert sure.startswith("Each test ran once, for 5 s (short) with 32 to 128 in flight: up to 12.9 % less or 14.9 %")
    assert found.next.command == f"raidtui explain {state.run} filesystem-rand_write"


def test_disks_that_idle_beside_a_cause_are_no_riddle() -> None:
    """Behind "the array waits for that disk" it is not said that it is not the disks."""
    recording = load(RUNS / "raid5-of-3")
    plan, state = recording.plan, recording.view().state
    row = next(row for row in compare(plan, state).rows if row.job == "rand_write")
    waiting, shared = (
        msgspec.structs.replace(row, causes=msgspec.structs.replace(row.causes, evident=(cause,)))
        for cause in (BusyDisk("WD-0", 0.98, 0.4, 0.5), Shared(0.87))
    )
    assert (
        limits(plan, state, waiting)[-1].evidence[0].startswith("yet no disk did more than 10 % of what it does while")
    )
    for concluded in (row, shared):
        assert limits(plan, state, concluded)[-1].evidence[0].startswith("the disks are not the limit, for none did")


def test_one_slow_disk_may_hold_all_of_them_back() -> None:
    """It does what it can, and the others wait for it: not that it is not the disks."""
    recording = load(RUNS / "raid5-of-3")
    plan, state = recording.plan, recording.view().state
    slow = plan.disks[1].id

    def slowed(one: TrialState) -> TrialState:
        if one.measurement is None or slow not in one.measurement.disks:
            return one
        disks = {**one.measurement.disks, slow: DiskRates(4096.0, 4096.0, util=1.0)}
        return msgspec.structs.replace(one, measurement=msgspec.structs.replace(one.measurement, disks=disks))

    held = msgspec.structs.replace(state, trials=tuple(map(slowed, state.trials)))
    told = answer(plan, held, compare(plan, held)).sentences
    assert not any("not the limit" in sentence for sentence in told)


def test_a_single_run_is_near_theory_up_to_15_percent_and_below_it_beyond() -> None:
    for share, verdict in ((0.87, "near theory"), (0.80, "20 % below theory")):
        rate = {"member": 100.0, "members": 300.0, "array": 300 * share}

        def rated(stage: Stage, trial: Trial, rate: dict[str, float] = rate) -> float:
            return rate[trial.target]

        assert verdict in answered("raid0-gain", 3, rated, 1).sentences[0], share


def test_repetitions_that_agree_are_as_theory_says() -> None:
    rate = {"member": 100.0, "members": 300.0, "array": 300.0}
    found = answered("raid0-gain", 3, lambda stage, trial: rate[trial.target], 5)
    assert found.sentences[0].count("as theory") == 2
    assert found.next.words == "Next: nothing is needed."


def state_of(outcome: str, **more: object) -> RunState:
    return msgspec.structs.replace(handmade.state(handmade.plan()), outcome=outcome, **more)


@pytest.mark.parametrize(
    ("state", "first", "command"),
    [
        (state_of("stopped"), "This run stopped before its end: 15 of 15 tests have a figure", "raidtui resume"),
        (state_of("failed", reason="md: boom"), "This run failed before its end", "raidtui resume"),
        (state_of(""), "This run is going on or cut off", "raidtui resume"),
        (state_of("finished", damaged=2), "2 lines of its journal cannot be read", ""),
    ],
)
def test_what_is_wrong_with_the_run_comes_first(state: RunState, first: str, command: str) -> None:
    plan = handmade.plan()
    found = answer(plan, state, compare(plan, state))
    assert found.sentences[0].startswith(first)
    assert found.next.command.startswith(command)
    assert len(found.sentences) <= MOST_SENTENCES


def test_a_run_over_two_boots_says_so() -> None:
    plan = msgspec.structs.replace(handmade.plan(), boot_id="another")
    state = handmade.state(plan)
    assert "resumed after a reboot" in answer(plan, state, compare(plan, state)).sentences[0]


def test_a_failed_test_is_measured_again_by_its_name() -> None:
    plan = handmade.plan()
    state = handmade.state(plan, filesystem_seq_read={"status": "failed", "error": "boom", "read": None})
    found = answer(plan, state, compare(plan, state))
    assert found.sentences[0] == "1 of 15 tests failed and has no figure (filesystem-seq_read)."
    assert found.next.command == f"raidtui again {state.run} filesystem-seq_read"


def test_a_run_without_a_figure_says_that() -> None:
    plan = handmade.plan()
    assert "No test has a figure." in answer(plan, RunState(), compare(plan, RunState())).sentences


def test_a_run_that_was_stopped_after_the_disks_does_not_deny_what_it_measured() -> None:
    plan, whole = handmade.plan(), state_of("stopped")
    of_disks = {trial.id for trial in plan.trials if trial.target in ("member", "members")}
    state = msgspec.structs.replace(whole, trials=tuple(trial for trial in whole.trials if trial.trial in of_disks))
    sentences = answer(plan, state, compare(plan, state)).sentences
    assert f"{len(of_disks)} of 15 tests have a figure" in sentences[0]
    assert "Only the disks by themselves were measured: no test of an array has a figure." in sentences
    assert "No test has a figure." not in sentences


def test_a_sweep_that_cannot_tell_asks_for_repetitions() -> None:
    made = sweeps.plan("levels-random-4k", 6)
    found = of(made, lambda stage, trial: 100.0 + len(stage.title) % 7)
    assert found.next.words.startswith("Next: ") and ("repeat = " in found.next.why or found.next.command)


def test_of_emulated_disks_it_says_first_that_no_speed_is_told() -> None:
    made = sweeps.plan("quick", 4, setup=Setup(level="0"))
    for many, words in ((4, "The disks are emulated (QEMU)"), (2, "2 of 4 disks are emulated (QEMU)")):
        members = tuple(
            msgspec.structs.replace(one, model="QEMU NVMe Ctrl" if at < many else "DISK")
            for at, one in enumerate(made.members)
        )
        found = of(msgspec.structs.replace(made, members=members), lambda stage, trial: 100.0)
        assert (
            found.sentences[0]
            == f"{words}, which takes processor time: this run says nothing about the speed of real ones."
        )
        assert len(found.sentences) <= MOST_SENTENCES + 1 and found.conclusions[0].kind == "emulated"
    assert "emulated" not in "".join(of(made, lambda stage, trial: 100.0).sentences)
