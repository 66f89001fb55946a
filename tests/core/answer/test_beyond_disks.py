"""What is more than the disks can: excluded, in no rank, and never where chance or a failed disk explains it."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer.answer import Answer
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.faults import faults
from raidtui.core.answer.values import AxisChoice, Best, Fault
from raidtui.core.fio.measurement import DiskRates, Measurement
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from tests.builders import sweeps
from tests.builders.answers import alone, answered, repeated
from tests.core.answer.golden import answer_of, measured, of_kind, setups, without


def beyond(found: Answer) -> list[Fault]:
    return [fault for fault in found.faults if fault.name == "beyond"]


@pytest.mark.parametrize("share, count", [(1.4, 1), (1.08, 0), (1.0, 0), (0.9, 0)])
def test_a_mix_beyond_the_disks_is_excluded_and_within_a_tenth_it_is_theirs(share: float, count: int) -> None:
    """btrfs RAID 10 gives so much of what the four disks do all at once, everything else half of that."""
    rate = setups(lambda setup, _: 4000.0 * (share if setup.level == "btrfs-raid10" else 0.5), 1000.0)
    found = answered("jbod-vs-raid0", 4, rate)
    assert len(beyond(found)) == count
    names = {rank.subject for best in of_kind(found, Best) for order in best.orders for rank in order}
    assert ("btrfs RAID 10" in names) is (count == 0)
    for fault in beyond(found):
        assert (fault.subject, fault.test, fault.unit) == ("btrfs RAID 10", "Random 4K, half reads", "IOPS")
        assert (round(fault.figure or 0), round(fault.of or 0), fault.runs) == (5600, 4000, 3)
        assert fault.base == "its disks at once" and fault.where == "3920 reads + 1680 writes"


def test_disks_that_have_failed_do_nothing() -> None:
    """Two of four are left, and would have read more than two do."""
    rate = setups(lambda setup, trial: 240.0 if setup.failed == 2 and trial.rw == "read" else 150.0)
    axes = Axes(level=("6",), first_sync=("skip",), failed=(0, 1, 2))
    found = answered("degraded", 4, rate, axes=(axes,))
    (fault,) = beyond(found)
    assert (fault.subject, fault.test, round(fault.figure or 0)) == ("(2 failed)", "Sequential read", 240e6)
    assert (fault.base, round(fault.of or 0)) == ("2 of 4 disks at once", 200e6)
    reads = [one for choice in of_kind(found, AxisChoice) for one in choice.effects if one.test == "Sequential read"]
    assert {one.subject for one in reads} == {"degraded"}


def test_disks_that_lie_idle_give_nothing() -> None:
    """btrfs single on two of four: as much as all four do is twice what two can, and the kernel's counts say why."""
    made = sweeps.plan("jbod-vs-raid0", 4, repeat=3)
    state = sweeps.state(made, repeated(setups(lambda *_: 3800.0, 1000.0)))
    stage_of = {trial.id: stage for stage in made.stages for trial in stage.trials}

    def counts(trial: str, _: Measurement) -> dict[str, object]:
        setup = stage_of[trial].setup
        if setup is None:
            return {}
        busy = made.disks[:2] if setup.level == "btrfs-single" else made.disks
        rates = DiskRates(8e6, 8e6, 0.9, reads_per_s=950.0 / len(busy), writes_per_s=950.0 / len(busy))
        idle = DiskRates(0.0, 0.0, 0.0, reads_per_s=0.0, writes_per_s=0.0)
        return {"disks": {disk.id: rates if disk in busy else idle for disk in made.disks}}

    state = measured(state, counts)
    (fault,) = beyond(answer_of((made, state)))
    assert (fault.subject, round(fault.figure or 0), round(fault.of or 0)) == ("btrfs single", 3800, 2000)
    active, work = fault.evidence
    assert "2 of 4 disks" in active and "0.5 disk I/Os" in work


@pytest.mark.parametrize("at_once, base", [(True, "its disks at once"), (False, "one disk")])
def test_without_all_at_once_so_many_times_one_disk_is_the_measure(at_once: bool, base: str) -> None:
    """A run of one setup does not name it."""
    made = sweeps.plan("quick", 4, level="0")
    rates = {"member": 100.0, "members": 400.0}
    state = sweeps.state(made, lambda stage, trial: rates.get(trial.target, 900.0))
    found = answer_of((made, without(made, state, lambda trial: trial.target == "members" and not at_once)))
    assert len(beyond(found)) == 4 and {fault.subject for fault in beyond(found)} == {""}
    for fault in beyond(found):
        assert base in fault.base and fault.of == pytest.approx(400 * (1e6 if fault.unit == "bytes/s" else 1))


def test_disks_that_were_not_measured_in_the_same_seconds_are_no_bound() -> None:
    """Their sum is half of what each does alone: of what the kernel counted it was less than fio had of them."""
    made = sweeps.plan("quick", 4, level="0")
    targets = {trial.id: trial.target for trial in made.trials}
    slow = sweeps.state(
        made, repeated(lambda s, t: 3500.0 if s.setup else alone(t, 1000.0) * (0.5 if t.target == "members" else 1.0))
    )
    counted = {"a": DiskRates(read_bytes_per_s=1.0, write_bytes_per_s=1.0, util=1.0)}
    apart = measured(slow, lambda trial, _: {"disks": counted} if targets[trial] == "members" else {})
    assert {fault.base for fault in beyond(answer_of((made, slow)))} == {"its disks at once"}
    assert not beyond(answer_of((made, apart)))


@pytest.mark.parametrize(
    "above, work, results, refuted",
    [(("0", "10", "5"), 1.0, 0, 1), (("0", "10"), 1.0, 2, 0), (("0", "10", "5"), 0.85, 3, 0)],
)
def test_all_disks_at_once_are_excluded_where_most_setups_exceed_them(
    above: tuple[str, ...], work: float, results: int, refuted: int
) -> None:
    """Six disks gave half of their sum all at once, four levels read more: the disks did it, unless they did not."""
    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=Axes(chunk=("64KiB",)))

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup:
            return 500.0 if stage.setup.level in above and trial.rw == "randread" else 250.0
        return alone(trial, disks=6) * (0.5 if trial.target == "members" else 1.0)

    stage_of = {trial.id: stage for stage in made.stages for trial in stage.trials}

    def counts(trial: str, taken: Measurement) -> dict[str, object]:
        if stage_of[trial].setup is None or taken.read is None:
            return {}
        each = work * taken.read.iops / 6
        own = DiskRates(4096 * each, 0.0, 0.9, reads_per_s=each, writes_per_s=0.0)
        return {"disks": {disk.id: own for disk in made.disks}}

    found = answer_of((made, measured(sweeps.state(made, repeated(rate)), counts)))
    yardsticks = [fault for fault in found.faults if fault.name == "yardstick"]
    assert (len(beyond(found)), len(yardsticks)) == (results, refuted)
    for fault in yardsticks:
        assert (fault.test, round(fault.figure or 0)) == ("Random 4K read", 300)
        assert fault.evidence == ("exceeded by 3 of 4 setups",)


def test_a_result_is_excluded_once() -> None:
    """Above the disks, and contradicted by its latency: one fault."""
    made = sweeps.plan("quick", 4, level="0")
    rates = {"member": 100.0, "members": 400.0}
    state = sweeps.state(made, lambda stage, trial: rates.get(trial.target, 900.0))
    compared = compare(made, state)
    rows = tuple(replace(row, little_off=True, by_latency=0.5) for row in compared.rows)
    told = faults(AnswerFacts(made, state, replace(compared, rows=rows)))
    assert [fault.name for fault in told] == ["beyond"] * len(rows)
