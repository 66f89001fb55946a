"""The one next step: what is broken before what holds back, and nothing where nothing is needed."""

import uuid
from typing import Any

import msgspec
import pytest

from raidtui.core.answer.answer import answer
from raidtui.core.answer.conclusions import Conclusion
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.next_step import next_step
from raidtui.core.fio.measurement import BUSIEST
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Axes, FirstSync, Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.steps import Command
from raidtui.core.raid.purposes import Workload
from raidtui.core.results.analysis import compare
from raidtui.core.run.boot_events import FileEdited
from raidtui.core.run.kernel import Message
from tests.builders import sweeps
from tests.builders.answers import answered
from tests.recordings.reports import kept

BARE = "make a file system on it, or give it whole to what is to use it: the report ends with how"
IN_MEMORY = "practise on it, or clear it away: its disks are in this machine's memory, and end with it"
AXES = (Axes(level=("0", "5"), chunk=("64KiB",)),)


def as_theory(stage: Stage, trial: Trial) -> float:
    """What four disks give as RAID 10, where one does 100."""
    if trial.target == "member":
        return 100.0
    return 200.0 if stage.setup and trial.rw != "randread" else 400.0


def known(latency: float = 1.0, recipe: str = "nvme-array") -> AnswerFacts:
    """A run whose figures fit their latencies, but for this factor."""
    made = sweeps.plan(recipe, 6, repeat=3, axes=AXES)
    state = sweeps.state(made, lambda stage, trial: 10_000.0)  # waits are short beside a test
    trials = tuple(
        msgspec.structs.replace(
            one,
            measurement=one.measurement
            and msgspec.structs.replace(
                one.measurement,
                read=one.measurement.read
                and msgspec.structs.replace(
                    one.measurement.read, lat_mean_ns=(one.measurement.read.lat_mean_ns or 0.0) * latency
                ),
            ),
        )
        for one in state.trials
    )
    state = msgspec.structs.replace(state, trials=trials)
    return AnswerFacts(made, state, compare(made, state))


def told(**more: object) -> Conclusion:
    return Conclusion(**{"kind": "effect", "certainty": "interval"} | more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ([], "nothing is needed"),
        ([told(verdict="cannot tell", ratio=1.02, low=0.97, high=1.08)], "nothing is needed"),
        ([told(verdict="cannot tell", ratio=1.1, low=0.9, high=1.3, repetitions=7)], "7 runs of each test tell what"),
        (
            [told(verdict="cannot tell", ratio=1.002, low=0.87, high=1.15, repetitions=62, certainty="single run")],
            "nothing is needed",
        ),
        ([told(verdict="different", subject="wbt off", figure=286.0, base_figure=211.0)], "switch wbt off (wbt_lat_"),
        ([told(verdict="different", subject="wbt off", figure=200.0, base_figure=211.0)], "nothing is needed"),
        ([told(kind="gain", certainty="single run")], "5 runs of each test tell what is chance"),
    ],
)
def test_it_is_the_one_that_matters(found: list[Conclusion], why: str) -> None:
    assert next_step(known(), [], found).why.startswith(why)


def test_a_figure_that_its_own_latency_contradicts_is_measured_again_before_all_else() -> None:
    brake = told(verdict="different", subject="wbt off", figure=286.0, base_figure=211.0)
    step = next_step(known(latency=2.0), [], [brake])
    assert step.command.startswith("raidtui again r ") and step.command.endswith("-rand_read")
    assert step.why.startswith("measures again random 4K read on RAID ") and "contradict each other" in step.why


def test_a_test_of_a_few_waits_is_measured_for_longer_and_not_the_same_again() -> None:
    plan, state = kept.load("degraded")
    assert answer(plan, state, compare(plan, state)).next.why == (
        "measure it for longer (runtime, in its fio options; 40 s): in random 4K write on RAID 6 without 2 disks a"
        " request takes 1.78 s, and the test was 4.1 of these long"
    )


def test_a_round_that_stood_still_is_measured_again_until_it_was() -> None:
    plan, state = kept.load("flash-steady-state")
    step = answer(plan, state, compare(plan, state)).next
    assert step.command == f"raidtui again {state.run} s1-rand_read.5"
    assert step.why.startswith("measures again random 4K read, a second of which")
    (stalled,) = [ended for ended in state.trials if ended.trial == "s1-rand_read.5"]
    twice = msgspec.structs.replace(state, trials=(*state.trials, stalled))
    assert answer(plan, twice, compare(plan, twice)).next.does == "explain"


def test_too_few_in_flight_and_emulated_disks_are_no_reason_to_do_nothing() -> None:
    short = next_step(known(recipe="levels-random-4k"), [], [])
    assert short.why == (
        "measure it with more in flight (iodepth, in its fio options): 4 in flight are too few for 6 disks in random"
        " 4K write"
    )
    emulated = Conclusion(kind="emulated", subject="scsi_debug", figure=6, base_figure=6)
    assert next_step(known(), [emulated], []).why == "measure the same on real disks"


def test_a_brake_found_on_emulated_disks_is_tried_on_real_ones() -> None:
    brake = told(verdict="different", subject="wbt off", figure=286.0, base_figure=211.0)
    emulated = Conclusion(kind="emulated", subject="scsi_debug", figure=6, base_figure=6)
    assert next_step(known(), [emulated], [brake]).why.endswith("and measure it on the real disks")


def test_figures_that_their_latencies_contradict_are_said_at_the_top() -> None:
    facts = known(latency=2.0)
    sentences = answer(facts.plan, facts.state, facts.comparison).sentences
    (said,) = [sentence for sentence in sentences if "in doubt" in sentence]
    assert said.startswith(
        "2 of 6 figures are in doubt, for rate and latency contradict each other by over 10 %: most random 4K"
    )
    assert "in flight at 10.0k IOPS take " in said and " were measured); they have no rank, " in said
    calm = known()
    assert "contradict" not in " ".join(answer(calm.plan, calm.state, calm.comparison).sentences)


def test_a_drift_over_the_blocks_is_said_at_the_top() -> None:
    made = sweeps.plan("levels-random-4k", 6, repeat=5, axes=AXES)
    state = sweeps.state(made, lambda stage, trial: 100.0 - 4.0 * trial.block)
    (said,) = [one for one in answer(made, state, compare(made, state)).sentences if "drifts by" in one]
    assert "over 5 blocks: verdicts compare within a block, medians do not." in said


def test_what_stands_against_the_run_comes_first() -> None:
    failed = Conclusion(kind="failed", subject="s2-rand_read", figure=1)
    assert next_step(known(latency=2.0), [failed], []).command == "raidtui again r s2-rand_read"


def test_where_no_theory_is_the_throttling_that_was_on_is_named() -> None:
    found = answered("latency-at-load", 4, lambda stage, trial: 100.0, 1, setup=Setup(level="10", first_sync="skip"))
    assert found.next.why == "tells what the kernel's write throttling costs, which was on in random 4K write, flat out"
    assert found.next.command.startswith("raidtui explain r ")


@pytest.mark.parametrize(("kept_array", "explain"), [(True, ()), (False, ("wbt",))])
def test_no_command_is_printed_that_would_be_refused_or_say_the_same_again(
    kept_array: bool, explain: tuple[str, ...]
) -> None:
    found = answered("latency-at-load", 4, lambda stage, trial: 100.0, 1, setup=Setup(level="10", first_sync="skip"))
    assert found.next.command
    made = sweeps.plan("latency-at-load", 4, setup=Setup(level="10", first_sync="skip"))
    state = msgspec.structs.replace(sweeps.state(made, lambda stage, trial: 100.0), kept=kept_array)
    made = msgspec.structs.replace(made, answers=msgspec.structs.replace(made.answers, explain=explain))
    step = answer(made, state, compare(made, state)).next
    assert not step.command and (step.does == "explain") is kept_array


def test_far_below_theory_asks_for_no_repetitions_of_a_kept_array_on_emulated_disks() -> None:
    """What is 93 % below theory is no matter of chance: its explanation is the step, once it can be had."""
    made = sweeps.plan("quick", 4, setup=Setup(level="5", first_sync="wait"))

    def slow_writes(stage: Stage, trial: Trial) -> float:
        return 1.0 if stage.setup and trial.job == "rand_write" else 100.0

    state = msgspec.structs.replace(sweeps.state(made, slow_writes), kept=True)
    members = tuple(msgspec.structs.replace(member, model="scsi_debug") for member in made.members)
    made = msgspec.structs.replace(made, members=members)
    step = answer(made, state, compare(made, state)).next
    begins = f"{IN_MEMORY}. Or, once it is cleared away, an explanation builds it anew and"
    assert step.why.startswith(begins) and step.does == "explain"
    assert "suspected, not shown yet: " in step.why
    told = msgspec.structs.replace(made, answers=msgspec.structs.replace(made.answers, use=Workload.VMS))
    others = "Whether another level does better on these disks, the question Compare levels (Levels, in short) measures"
    assert others in " ".join(answer(told, state, compare(told, state)).sentences)
    assert others not in " ".join(answer(made, state, compare(made, state)).sentences)


@pytest.mark.parametrize(
    ("model", "busy", "kept_array", "begins"),
    [
        ("scsi_debug", 0.95, False, "measure the same on real disks: a CPU may have held back random 4K read"),
        ("scsi_debug", 0.95, True, f"{IN_MEMORY}. Or measure the same on real disks: a CPU"),
        ("scsi_debug", 0.5, False, "finds what holds back random 4K read"),
        ("WD", 0.95, False, "finds what holds back random 4K read"),
        ("QEMU HARDDISK", 0.95, False, "finds what holds back random 4K read"),  # by another machine's CPU
    ],
)
def test_what_a_cpu_holds_back_that_emulates_the_disks_is_measured_on_real_ones(
    model: str, busy: float, kept_array: bool, begins: str
) -> None:
    made = sweeps.plan("quick", 4, setup=Setup(level="10", first_sync="wait"))
    made = msgspec.structs.replace(
        made, members=tuple(msgspec.structs.replace(member, model=model) for member in made.members)
    )

    def slow_reads(stage: Stage, trial: Trial) -> float:
        return as_theory(stage, trial) * (0.5 if stage.setup and trial.rw == "randread" else 1.0)

    state = sweeps.state(made, slow_reads)
    trials = tuple(
        msgspec.structs.replace(ended, measurement=msgspec.structs.replace(ended.measurement, cpu={BUSIEST: busy}))
        for ended in state.trials
        if ended.measurement
    )
    state = msgspec.structs.replace(state, trials=trials, kept=kept_array)
    assert answer(made, state, compare(made, state)).next.why.startswith(begins)


def test_a_kept_array_that_does_what_theory_says_is_to_be_used() -> None:
    made = sweeps.plan("quick", 4, setup=Setup(level="10", first_sync="wait"))

    state = sweeps.state(made, as_theory)
    assert answer(made, state, compare(made, state)).next.why == "nothing is needed"  # once was enough
    kept = msgspec.structs.replace(state, kept=True)
    assert answer(made, kept, compare(made, kept)).next.why == BARE

    def nearly(stage: Stage, trial: Trial) -> float:
        return as_theory(stage, trial) * (0.92 if stage.setup else 1.0)

    state = sweeps.state(made, nearly)
    chance = "5 runs of each test tell what is chance: "
    assert answer(made, state, compare(made, state)).next.why.startswith(chance)
    kept = msgspec.structs.replace(state, kept=True)
    used = f"{BARE}. Or, once it is cleared away, {chance}"
    assert answer(made, kept, compare(made, kept)).next.why.startswith(used)


@pytest.mark.parametrize(
    ("first_sync", "change", "begins"),
    [
        ("skip", {}, "have its disks made to agree before it is used (`mdadm --action=repair` and its node), for its"),
        (
            "wait",
            {"kernel": {"t": (Message("I/O error", "sdc", "critical medium error, dev sdc"),)}},
            "see to the disks",
        ),
        ("wait", {"damaged": 3}, "measure again what counts: a part of what its journal told is lost"),
        ("wait", {}, BARE),
    ],
)
def test_what_stands_against_a_kept_array_comes_before_its_use(
    first_sync: FirstSync, change: dict[str, Any], begins: str
) -> None:
    made = sweeps.plan("quick", 4, setup=Setup(level="10", first_sync=first_sync))

    state = msgspec.structs.replace(sweeps.state(made, as_theory), kept=True, **change)
    assert answer(made, state, compare(made, state)).next.why.startswith(begins)


@pytest.mark.parametrize(("permanent", "folder"), [(False, "/mnt"), (True, "/srv/data")])
def test_a_kept_array_is_explained_in_a_file_where_it_is_mounted(permanent: bool, folder: str) -> None:
    setup = Setup(level="10", first_sync="wait", filesystem="ext4")
    made = sweeps.plan("latency-at-load", 4, setup=setup)
    built = next(number for number, stage in enumerate(made.stages) if stage.filesystem)
    state = msgspec.structs.replace(sweeps.state(made, lambda stage, trial: 100.0), kept=True, stage=built)
    if permanent:
        mount = Command(what="Mount", role="mount", argv=("mount", folder), folder=folder)
        made = msgspec.structs.replace(
            made, stages=(*made.stages, Stage(title="Permanent", steps=(mount,), trials=(), permanent=True))
        )
        edited = FileEdited(at_s=0.0, path="/etc/fstab", lines=("x",), mark="r")
        state = msgspec.structs.replace(state, stages_done=(len(made.stages) - 1,), edits={"/etc/fstab": edited})
    made = msgspec.structs.replace(made, uuids=tuple(str(uuid.UUID(int=number)) for number in range(slots.count(made))))
    of_run = slots.filled(made).stages[built].filesystem
    assert of_run
    mounted = f", once `mount UUID={of_run.uuid} /mnt` has mounted it"
    emulated = msgspec.structs.replace(
        made, members=tuple(msgspec.structs.replace(member, model="scsi_debug") for member in made.members)
    )
    practised = answer(emulated, state, compare(emulated, state)).next
    assert not practised.command and practised.does == "explain"
    assert practised.why.startswith(f"use it as it is, at {folder}. Or" if permanent else IN_MEMORY)
    step = answer(made, state, compare(made, state)).next
    assert step.command == f"raidtui explain r --target {folder}"
    assert step.why.endswith(f", in a file of the kept array at {folder}{'' if permanent else mounted}")
    assert not step.does, "the key of the screen Results refuses while the array is kept"
