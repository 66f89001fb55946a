"""Rounds until steady: planned as many as there may be, ended by the worker, reported as a plot with its judgement."""

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.plan import recipe
from raidtui.core.plan.answers import PlanRefused
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.steps import Check, Command
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from raidtui.core.results.rounds import rounds, until_steady
from raidtui.core.run.events import TrialsPassedOver
from raidtui.core.run.state import RunState, fold
from tests.builders import sweeps
from tests.builders.plans import of_role


def plan() -> Plan:
    return sweeps.plan("flash-steady-state", 4, flash=True, level="0")


def falls(_: Stage, trial: Trial) -> float:
    """As flash does: fast at first, steady from the sixth round on."""
    return 1000.0 + 5000.0 * max(0, 6 - trial.repetition)


def cut(made: Plan, after: int) -> RunState:
    """So many rounds, then those that are left passed over."""
    state = sweeps.state(made, falls)
    left = tuple(one.id for one in made.stages[-1].trials if one.repetition > after)
    state = msgspec.structs.replace(state, trials=tuple(one for one in state.trials if one.trial not in left))
    return fold(state, TrialsPassedOver(at_s=state.now_s, trials=left, reason="steady"))


def test_there_are_twenty_five_rounds_at_most_and_a_look_after_each_from_the_fifth_on() -> None:
    steps = plan().stages[-1].steps
    tests = [step.trial for step in steps if isinstance(step, Command) and step.trial]
    assert len(tests) == 75 and tests[:4] == ["s1-rand_write", "s1-rand_mixed", "s1-rand_read", "s1-rand_write.2"]
    looks = [step for step in steps if isinstance(step, Check) and step.question == "steady"]
    assert len(looks) == 20 and {step.where for step in looks} == {"rand_write"}
    fills = of_role(steps, "fill")
    assert fills and all("--loops=2" in step.argv for step in fills)


def test_steady_is_what_snia_says_of_the_last_five() -> None:
    made = plan()
    stage = made.stages[-1]
    for after, holds in ((5, False), (9, False), (10, True)):
        found = until_steady(stage, cut(made, after), "rand_write")
        assert found and found.holds is holds, after
    assert until_steady(stage, cut(made, 4), "rand_write") is None


def test_what_was_passed_over_is_final_and_no_lost_figure() -> None:
    made = plan()
    state = cut(made, 10)
    assert all(state.is_final(trial.id) for trial in made.trials)
    write, mixed, read = rounds(made, state)
    assert (len(write.figures), write.most_rounds, write.ended) == (10, 25, True)
    assert mixed.steady and read.steady and read.kind == "random"
    (row,) = [one for one in compare(made, state).rows if one.job == "rand_write"]
    assert (row.array.value, row.array.runs, row.array.lost) == (1000.0, 5, 0)
    text = markdown(made, state)
    assert "10 of at most 25 rounds: in steady state: the last 5 rounds range over 0 % and drift by +0 %" in text
    assert "round 10" in text and "round 11" not in text and "Trials without a result" not in text


def test_one_that_never_gets_steady_is_said_so() -> None:
    made = plan()
    state = sweeps.state(made, lambda _, trial: 1000.0 * trial.repetition)
    assert "25 of at most 25 rounds: NOT in steady state" in markdown(made, state)


def test_rounds_are_not_repeated_and_end_by_a_job_that_there_is() -> None:
    with pytest.raises(PlanRefused, match="repeats its jobs in rounds until they are steady"):
        sweeps.plan("flash-steady-state", 4, flash=True, level="0", repeat=2)
    with pytest.raises(PlanRefused, match="end by rand_write: name that one, too"):
        sweeps.plan("flash-steady-state", 4, flash=True, level="0", jobs=("rand_read",))
    said = msgspec.to_builtins(recipes.load("flash-steady-state"))
    for wrong in ({"rounds": 4}, {"steady": "nothing"}, {"rounds": 0}):
        with pytest.raises(recipe.RecipeError, match="`rounds` are 5 to 100"):
            recipe.parse(said | wrong, "x.toml")
