"""A plan of several blocks, read as one of its setups: each once, in the recipe's order, with figures of all blocks."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.report.markdown import markdown, with_attachments
from raidtui.core.results.analysis import compare
from raidtui.core.results.comparison import of_run
from raidtui.core.results.numerics import built, joined
from tests.builders import sweeps

AXES = Axes(level=("0", "10"), chunk=("64KiB", "512KiB"))


def plan(repeat: int = 3) -> Plan:
    return sweeps.plan("quick", 4, repeat=repeat, axes=AXES)


def rate(stage: Stage, trial: Trial) -> float:
    """A block is 10 % faster than the one before; RAID 0 twice as fast as RAID 10, in every block."""
    of_setup = {"0": 200.0, "10": 100.0}[stage.setup.level] if stage.setup else 50.0
    return of_setup * 1.1 ** max(1, trial.block)


def test_each_setup_stands_once_with_the_trials_of_all_blocks() -> None:
    made = plan()
    once = joined(made)
    assert len(once.stages) == len(made.stages) and joined(once) == once and len(built(once)) == 4
    whole = [stage for stage in once.stages if stage.trials]
    assert len(whole) == 5 and all({trial.block for trial in stage.trials} == {1, 2, 3} for stage in whole)
    assert sorted(trial.id for trial in once.trials) == sorted(trial.id for trial in made.trials)
    assert sum(stage.written_bytes for stage in once.stages) == sum(stage.written_bytes for stage in made.stages)
    assert joined(single := plan(1)) is single


def test_results_have_a_row_of_each_setup_in_the_recipes_order() -> None:
    made = plan()
    state = sweeps.state(made, rate)
    rows = [row for row in compare(made, state).rows if row.job == "seq_read"]
    assert [(row.cell.level, row.cell.chunk) for row in rows if row.cell] == [
        ("0", "64KiB"), ("0", "512KiB"), ("10", "64KiB"), ("10", "512KiB")
    ]  # fmt: skip
    assert all(row.array.runs == 3 and row.array.blocks == (1, 2, 3) and row.single.runs == 3 for row in rows)
    assert [one.name for one in of_run(made, state)][2:] == [row.setup for row in rows]


def test_what_blocks_differ_by_is_no_difference_of_setups() -> None:
    made = plan()
    state = sweeps.state(made, rate)
    text = "\n".join((markdown(made, state), *with_attachments(made, state)[1].values()))
    assert "3 passes, each with every setup" in text
    (line, *_) = [one for one in text.splitlines() if one.startswith("| RAID 10 n2 vs") and "Sequential read" in one]
    assert "\N{MINUS SIGN}50 %" in line and "n.s." not in line
