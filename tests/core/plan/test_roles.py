"""What a step is for is said by its role, what a trial is by its id: no text of a plan or a journal is read again."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.plan import estimate
from raidtui.core.plan.model import Plan, Stage, Trial, encode
from raidtui.core.plan.steps import Command, Step
from raidtui.core.report import markdown, provenance
from raidtui.core.results.analysis import compare
from raidtui.core.results.comparison import of_run
from raidtui.core.results.grid import grids
from raidtui.core.run import journal_lines, progress
from raidtui.core.run.events import AnyEvent, StepEnded, StepStarted
from raidtui.core.run.state import RunState, fold_all
from raidtui.core.script.render import script
from raidtui.demo import recording
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
        return replace(one, what=reword(one.what), **undo)

    def stage(one: Stage) -> Stage:
        return replace(one, title=reword(one.title), steps=tuple(map(step, one.steps)))

    return replace(made, stages=tuple(map(stage, made.stages)), recipe_title=reword(made.recipe_title))


def retitled(made: Plan, reword: Reword) -> Plan:
    """With other words for what is measured, too. A title that does not tell read or write is shown with that word."""

    def trial(one: Trial) -> Trial:
        return replace(one, title=reword(one.title))

    stages = (replace(one, trials=tuple(map(trial, one.trials))) for one in made.stages)
    return replace(made, stages=tuple(stages))


def texts_of(value: Any) -> Iterator[str]:
    """Every `what` and every title in a plan's or a journal's file, undo and all."""
    if isinstance(value, dict):
        yield from (value[key] for key in ("what", "title", "recipe_title") if key in value and "rw" not in value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(inner)


def retold(told: tuple[AnyEvent, ...], reword: Reword) -> tuple[AnyEvent, ...]:
    texts = StepStarted | StepEnded
    return tuple(replace(one, what=reword(one.what)) if isinstance(one, texts) else one for one in told)


def commands(made: Plan) -> list[str]:
    """The lines of a plan's script but for its words."""
    return [line for line in script(sweeps.linked(made)).splitlines() if line[:1] not in "#:"]


def lefts(made: Plan, told: tuple[AnyEvent, ...]) -> list[float]:
    """What was left at each event of a run."""
    stages, state, found = estimate.stages(made), RunState(), []
    for event in told:
        state = fold_all((event,), state)
        found.append(progress.left_s(made, stages, state, state.now_s))
    return found


@pytest.mark.parametrize("name", RECORDED)
def test_other_words_change_no_figure_no_estimate_and_no_verdict_of_a_recorded_run(name: str) -> None:
    run, marks = recording.load(replay.RUNS / name), Marks()
    made, told = reworded(run.plan, marks), retold(run.events, marks)
    written = [json.loads(encode(made)), *(json.loads(journal_lines.encode(event)) for event in told)]
    assert {text[:1] for text in texts_of(written)} == {"Q"}
    assert list(map(marks.back, commands(made))) == commands(run.plan)
    before, after = fold_all(run.events), fold_all(told)
    text = markdown.markdown(made, after)
    assert "Q0" in text
    assert marks.back(text) == markdown.markdown(run.plan, before)
    measured = (provenance.measurements(run.plan, before), provenance.measurements(made, after))
    assert marks.back(provenance.measurements_csv(measured[1])) == provenance.measurements_csv(measured[0])
    for one in (made, retitled(made, marks)):
        assert marks.back(str(compare(one, after))) == str(compare(run.plan, before))
    assert marks.back(str(grids(compare(made, after)))) == str(grids(compare(run.plan, before)))
    assert estimate.whole(made) == estimate.whole(run.plan)
    assert estimate.stages(made) == estimate.stages(run.plan)
    assert progress.seconds_taken(after) == progress.seconds_taken(before)
    assert lefts(made, told) == lefts(run.plan, run.events)


@pytest.mark.parametrize("reword", [lambda text: "x", lambda text: "Fill it, and wait for the first sync"])
def test_a_sweep_whose_stages_and_steps_all_have_one_title_is_the_same_sweep(reword: Reword) -> None:
    made = sweeps.plan("levels-sequential", 3)
    same = reworded(made, reword)
    assert estimate.stages(same) == estimate.stages(made)
    assert commands(same) == commands(made)
    state = sweeps.state(made)
    assert [one.tests for one in of_run(same, state)] == [one.tests for one in of_run(made, state)]
