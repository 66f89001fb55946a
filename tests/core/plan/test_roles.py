"""What a step is for is said by its role: no text of it is read again; plans of before it had one are read as ever."""

from collections.abc import Callable

import msgspec
import pytest

from raidtui.core.plan import estimate
from raidtui.core.plan.model import (
    Plan,
    Stage,
)
from raidtui.core.plan.script import script
from raidtui.core.plan.steps import Command, Step
from raidtui.core.report import markdown
from raidtui.core.results.comparison import of_run
from raidtui.core.run import progress
from raidtui.core.run.events import AnyEvent, StepEnded, StepStarted
from raidtui.core.run.state import RunState, fold_all
from tests import replay
from tests.builders import sweeps

RECORDED = ("raid5-of-3", "raid5-twice", "rack-of-24", "existing-folder")
Reword = Callable[[str], str]


def marked(length: int, number: int) -> str:
    """A text that nothing has in it, as long as the one that it stands for: tables keep their widths."""
    return f"Q{number:03}".ljust(length, "q")


class Marks:
    """Each text by a mark of its own; `back` puts the texts in their places again."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        return self._marks.setdefault(text, marked(len(text), len(self._marks)))

    def back(self, text: str) -> str:
        for said, mark in self._marks.items():
            text = text.replace(mark, said)
        return text


def reworded(made: Plan, reword: Reword) -> Plan:
    def step(one: Step) -> Step:
        undo = {"undo": tuple(map(step, one.undo))} if isinstance(one, Command) else {}
        return msgspec.structs.replace(one, what=reword(one.what), **undo)

    def stage(one: Stage) -> Stage:
        return msgspec.structs.replace(one, title=reword(one.title), steps=tuple(map(step, one.steps)))

    return msgspec.structs.replace(made, stages=tuple(map(stage, made.stages)))


def retold(told: tuple[AnyEvent, ...], reword: Reword) -> tuple[AnyEvent, ...]:
    texts = StepStarted | StepEnded
    return tuple(msgspec.structs.replace(one, what=reword(one.what)) if isinstance(one, texts) else one for one in told)


def lefts(made: Plan, told: tuple[AnyEvent, ...]) -> list[float]:
    """What was left at each event of a run."""
    stages, state, found = estimate.stages(made), RunState(), []
    for event in told:
        state = fold_all((event,), state)
        found.append(progress.left_s(made, stages, state, state.now_s))
    return found


@pytest.mark.parametrize("name", RECORDED)
def test_other_words_change_no_figure_no_estimate_and_no_verdict_of_a_recorded_run(name: str) -> None:
    run, marks = replay.load(replay.RUNS / name), Marks()
    made, told = reworded(run.plan, marks), retold(run.events, marks)
    assert made.title != run.plan.title or len(made.stages) > 2
    text = markdown.markdown(made, fold_all(told))
    assert "Q0" in text
    assert marks.back(text) == markdown.markdown(run.plan, fold_all(run.events))
    assert estimate.whole(made) == estimate.whole(run.plan)
    assert progress.taken(fold_all(told)) == progress.taken(fold_all(run.events))
    assert lefts(made, told) == lefts(run.plan, run.events)


@pytest.mark.parametrize("reword", [lambda text: "x", lambda text: "Fill it, and wait for the first sync"])
def test_a_sweep_whose_stages_and_steps_all_have_one_title_is_the_same_sweep(reword: Reword) -> None:
    made = sweeps.plan("levels-sequential", 3)
    same = reworded(made, reword)
    assert estimate.stages(same) == estimate.stages(made)
    commands = [[line for line in script(one).splitlines() if line[:1] not in "#:"] for one in (made, same)]
    assert commands[0] == commands[1]
    state = sweeps.state(made, lambda stage, trial: 100.0)
    assert [one.tests for one in of_run(same, state)] == [one.tests for one in of_run(made, state)]
