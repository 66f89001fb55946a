"""A recorded run in the few values of a fleet: they are those of its own report."""

from msgspec.structs import replace

from raidtui.core.fleet.host_run import host_run
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from raidtui.demo.recording import load
from tests.builders import sweeps
from tests.replay import RUNS

RAID5 = load(RUNS / "raid5-of-3").view()


def test_a_runs_figures_disks_and_capacity() -> None:
    found = host_run(RAID5.plan, RAID5.state, "the-run", "rack/the-run", "rack")
    rows = compare(RAID5.plan, RAID5.state).rows
    assert [figure.value for figure in found.figures] == [row.array.value for row in rows]
    assert (found.host, found.outcome, found.missing, found.trials) == ("rack", "finished", 0, 12)
    assert found.raw_bytes == sum(member.size_bytes for member in RAID5.plan.members)
    assert found.usable_bytes and found.usable_bytes < found.raw_bytes
    assert [disk.serial for disk in found.disks] == [member.serial for member in RAID5.plan.members]
    assert not found.failed and {len(rates.rates) for rates in found.disk_rates} == {3}


def test_an_explanation_is_called_by_the_test_that_it_explains() -> None:
    plan = sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=("wbt",))
    found = host_run(plan, sweeps.state(plan), "r", "r", "x")
    assert found.recipe == "Bottleneck of Random 4K write"


def test_one_that_never_began_and_one_cut_off_have_failed() -> None:
    never = host_run(RAID5.plan, RunState(), "r", "r", "rack")
    assert (never.outcome, never.missing, never.failed) == ("not begun", 12, True)
    cut = replace(RAID5.state, outcome="", trials=RAID5.state.trials[:5])
    found = host_run(RAID5.plan, cut, "r", "r", "rack")
    assert (found.outcome, found.missing) == ("not ended", 7)


def test_the_same_answers_are_the_same_experiment_on_other_disks() -> None:
    others = tuple(replace(member, id=f"x{member.id}", serial="y") for member in RAID5.plan.members)
    elsewhere = replace(RAID5.plan, members=others, machine="another")
    runs = [host_run(plan, RAID5.state, "r", "r", "x") for plan in (RAID5.plan, elsewhere)]
    assert runs[0].experiment == runs[1].experiment
    longer = tuple(
        replace(stage, trials=tuple(replace(trial, runtime_s=99.0) for trial in stage.trials))
        for stage in RAID5.plan.stages
    )
    changed = replace(RAID5.plan, stages=longer)
    assert host_run(changed, RAID5.state, "r", "r", "x").experiment != runs[0].experiment
