"""What is more than the disks can: said first, in no rank, and never where chance or a failed disk explains it."""

import msgspec
import pytest

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import TrialState
from tests.builders import sweeps
from tests.builders.answers import alone, answered, repeated


def mirrored(share: float) -> Answer:
    """btrfs RAID 10 gives so much of what the four disks do all at once, everything else half of that."""

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return alone(trial, 1000.0)
        return 4000.0 * (share if stage.setup.level == "btrfs-raid10" else 0.5)

    return answered("jbod-vs-raid0", 4, rate)


def test_a_mix_beyond_the_disks_comes_first_and_is_no_winner() -> None:
    found = mirrored(1.4)
    assert found.sentences[0] == (
        "Btrfs RAID 10 gave 5600 IOPS (3920 reads + 1680 writes) in random 4K, half reads, but its disks all at once do"
        " 4000 IOPS: do not trust it."
    )
    assert "btrfs RAID 10" not in " ".join(found.sentences[1:])
    (beyond,) = [one for one in found.conclusions if one.kind == "beyond"]
    assert beyond.low and beyond.low > 1.1 and beyond.runs == 3


@pytest.mark.parametrize("share", [0.9, 1.0, 1.08])
def test_what_the_disks_give_within_a_tenth_is_theirs(share: float) -> None:
    assert not [one for one in mirrored(share).conclusions if one.kind == "beyond"]


def test_disks_that_have_failed_do_nothing() -> None:
    """Two of four are left, and would have read more than two do."""

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return alone(trial)
        return 240.0 if stage.setup.failed == 2 and trial.rw == "read" else 150.0

    axes = Axes(level=("6",), first_sync=("skip",), failed=(0, 1, 2))
    found = answered("degraded", 4, rate, axes=(axes,))
    assert found.sentences[0] == (
        "Without 2 disks gave 240 MB/s in sequential read, but 2 of 4 disks all at once do 200 MB/s: do not trust it."
    )
    reads = [one for one in found.conclusions if one.kind == "effect" and one.test == "Sequential read"]
    assert {one.subject for one in reads} == {"without a disk"}


def test_disks_that_lie_idle_give_nothing() -> None:
    """btrfs single on two of four: as much as all four do is twice what two can, and the kernel's counts say why."""
    made = sweeps.plan("jbod-vs-raid0", 4, repeat=3)
    state = sweeps.state(made, repeated(lambda s, t: alone(t, 1000.0) if s.setup is None else 3800.0))
    stage_of = {trial.id: stage for stage in made.stages for trial in stage.trials}

    def counted(one: TrialState) -> TrialState:
        setup = stage_of[one.trial].setup
        if one.measurement is None or setup is None:
            return one
        busy = made.disks[:2] if setup.level == "btrfs-single" else made.disks
        rates = DiskRates(8e6, 8e6, 0.9, reads_per_s=950.0 / len(busy), writes_per_s=950.0 / len(busy))
        disks = {disk.id: rates if disk in busy else DiskRates(0.0, 0.0, 0.0, reads_per_s=0.0, writes_per_s=0.0)
                 for disk in made.disks}  # fmt: skip
        return msgspec.structs.replace(one, measurement=msgspec.structs.replace(one.measurement, disks=disks))

    state = msgspec.structs.replace(state, trials=tuple(map(counted, state.trials)))
    found = answer(made, state, compare(made, state))
    (first, *_) = found.sentences
    assert (
        "Btrfs single gave 3800 IOPS (" in first and " in random 4K, half reads, but only 2 of its 4 disks did" in first
    )
    assert " anything, and 2 times one disk is " in first
    assert ": the disks did 0.5 operations for each of the user's, so not all of it is theirs" in found.sentences[0]
    assert {one.subject for one in found.conclusions if one.kind == "beyond"} == {"btrfs single"}


def test_without_all_at_once_so_many_times_one_disk_is_the_measure() -> None:
    """In no test of this recipe are all measured at once, so that one disk stands for them."""

    def rate(stage: Stage, trial: Trial) -> float:
        return 100.0 if trial.target != "array" else 900.0

    found = answered("raid0-gain", 4, rate)
    first = found.sentences[0]
    assert first.startswith("The baseline was disturbed") or "do not trust it" in first


def test_a_run_of_one_setup_does_not_name_it() -> None:
    def rate(stage: Stage, trial: Trial) -> float:
        return 100.0 if trial.target == "member" else 400.0 if trial.target == "members" else 900.0

    (said,) = [text for text in answered("quick", 4, rate, setup=Setup(level="0")).sentences if "do not trust" in text]
    assert said.startswith("The array gave 900 ") and "RAID 0" not in said
    assert ": do not trust it; so it is with " in said


def test_disks_that_were_not_measured_in_the_same_seconds_are_no_bound() -> None:
    """Their sum is half of what each does alone: of what the kernel counted it was less than fio had of them."""
    made = sweeps.plan("jbod-vs-raid0", 4, repeat=3)
    targets = {trial.id: trial.target for trial in made.trials}
    slow = sweeps.state(made, repeated(lambda s, t: alone(t, 1000.0) * (0.5 if t.target == "members" else 1.0)
                                       if s.setup is None else 3500.0))  # fmt: skip

    def apart(one: TrialState) -> TrialState:
        if one.measurement is None or targets[one.trial] != "members":
            return one
        return msgspec.structs.replace(
            one,
            measurement=msgspec.structs.replace(
                one.measurement, disks={"a": DiskRates(read_bytes_per_s=1.0, write_bytes_per_s=1.0, util=1.0)}
            ),
        )

    def beyond(trials: tuple[TrialState, ...]) -> list[str]:
        state = msgspec.structs.replace(slow, trials=trials)
        return [one.base for one in answer(made, state, compare(made, state)).conclusions if one.kind == "beyond"]

    assert set(beyond(slow.trials)) == {"its disks all at once do"}
    assert not beyond(tuple(map(apart, slow.trials)))
