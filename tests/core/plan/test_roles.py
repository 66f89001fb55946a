"""What a step is for is said by its role: no text of it is read again; plans of before it had one are read as ever."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from raidtui import recipes
from raidtui.core.plan import estimate, target_plan
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import (
    Plan,
    Stage,
    confirmation_code,
    encode,
)
from raidtui.core.plan.script import script
from raidtui.core.plan.steps import Command, Step
from raidtui.core.plan.target import Existing, Seen
from raidtui.core.plan.validate import (
    decode,
)
from raidtui.core.report import markdown
from raidtui.core.results.comparison import of_run
from raidtui.core.run import progress
from raidtui.core.run.events import AnyEvent, StepEnded, StepStarted
from raidtui.core.run.state import RunState, fold_all
from raidtui.core.units import GB
from tests import replay
from tests.builders import sweeps

RECORDED = ("raid5-of-3", "raid5-twice", "rack-of-24", "existing-folder")
SAID = ("role", "members", "partition", "folder")
Reword = Callable[[str], str]


def existing() -> Plan:
    target = Existing(path="/srv/data", kind="folder", identity="f", filesystem="ext4")
    answers = Answers(target=target.path, recipe="existing")
    return target_plan.make(answers, recipes.load("existing"), Seen(target, free_bytes=100 * GB), "here")


def plans() -> list[Plan]:
    """Of every kind of step there is."""
    setups = (
        Setup(level="5", filesystem="xfs", stripe_cache_size=4096),
        Setup(level="10", filesystem="ext4", partition_start_sectors=63),
        Setup(level="jbod", filesystem="ext2"),
        Setup(level="jbod", filesystem="none"),
        Setup(level="btrfs-raid10", filesystem="none"),
    )
    made = [sweeps.plan("quick", 4, setup=setup) for setup in setups]
    kept = sweeps.plan("quick", 4, setup=Setup(level="1", filesystem="btrfs"), after="keep")
    return [*made, kept, sweeps.plan("burn-in", 4, setup=Setup(level="6")), existing()]


def document(made: Plan, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The plan as its file has it, with a change to each command."""

    def walk(value: Any) -> None:
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(inner)
        if isinstance(value, dict) and value.get("type") == "command":
            change(value)

    raw = json.loads(encode(made))
    walk(raw)
    return json.dumps(raw).encode()


def before_roles(command: dict[str, Any]) -> None:
    for field in SAID:
        del command[field]


@pytest.mark.parametrize("made", plans(), ids=lambda made: made.title)
def test_a_plan_of_before_steps_had_roles_is_the_same_plan_with_the_same_code(made: Plan) -> None:
    assert decode(document(made, before_roles)) == made
    assert confirmation_code(decode(document(made, before_roles))) == confirmation_code(made)


def test_a_code_given_before_steps_had_roles_still_fits() -> None:
    assert sweeps.plan("quick", 3, setup=Setup(level="5", filesystem="ext4")).code == "6080399c"


def test_a_command_that_no_version_gave_is_refused_in_a_sentence() -> None:
    def another(command: dict[str, Any]) -> None:
        before_roles(command)
        command["argv"] = ["mkfs.fat", "/dev/sda"]

    with pytest.raises(ValueError, match=r"not a plan: another version made it: what '.*' is for is not known"):
        decode(document(plans()[0], another))


def test_a_role_that_is_not_what_its_command_does_is_not_what_was_confirmed() -> None:
    made = plans()[2]

    def mounts(command: dict[str, Any]) -> None:
        command["role"] = "mount" if command["role"] == "wipe" else command["role"]

    assert confirmation_code(decode(document(made, mounts))) != confirmation_code(made)


def test_a_command_names_the_members_that_it_says() -> None:
    def none(command: dict[str, Any]) -> None:
        command["members"] = []

    with pytest.raises(ValueError, match="names other members than it says"):
        decode(document(plans()[0], none))


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
