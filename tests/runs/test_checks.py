"""Checks of a run whose answer is no: each ends it, with what is there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.plan.roles import Question
from raidtui.core.plan.steps import Check, undo_of
from raidtui.runs import checks
from raidtui.runs.waiting import StepFailed
from raidtui.system.process import Done
from tests.runs.rig import Rig, plan_of


def looked(rig: Rig, question: Question) -> None:
    """The first check of this question, in its stage."""
    for number, stage in enumerate(rig.plan.stages):
        for step in (inner for outer in stage.steps for inner in (outer, *undo_of(outer))):
            if isinstance(step, Check) and step.question == question:
                rig.executor.context.begin(number, stage)
                checks.look(rig.executor.context, step)
                return
    raise AssertionError(question)


@pytest.mark.parametrize(
    "question, words",
    [
        ("array-built", r"^no array with the UUID \S+ came up; see `cat /proc/mdstat`$"),
        ("geometry", "^the geometry of ext4 cannot be read back: "),
        ("mounted", r"^nothing is mounted at \S+/mnt$"),
    ],
)
def test_what_was_not_built_ends_the_run(tmp_path: Path, question: Question, words: str) -> None:
    rig = Rig(tmp_path, plan_of(filesystem="ext4"))
    rig.array = None if question == "array-built" else "md127"
    with pytest.raises(StepFailed, match=words):
        looked(rig, question)


def test_only_what_md_lays_out_otherwise_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Rig(tmp_path, plan_of(filesystem="ext4"))
    steps = (step for stage in rig.plan.stages for step in stage.steps)
    planned = next(step.expected for step in steps if isinstance(step, Check) and step.question == "array-built")
    rig.array = "md127"
    monkeypatch.setattr(rig, "size_bytes", lambda name: planned["array_bytes"])
    looked(rig, "array-built")
    (said,) = rig.journal.state.warnings
    assert said.startswith(f"/dev/md127: data_offset_bytes is 0, planned were {planned['data_offset_bytes']}:")


def asked(argv: tuple[str, ...], done: Done) -> Callable[[tuple[str, ...], float], Done]:
    def ask(given: tuple[str, ...], timeout_s: float) -> Done:
        return done if given == argv else Done(0, "", "")

    return ask


@pytest.mark.parametrize(
    "left, words",
    [
        ({"array": "md127"}, "the array md127"),
        ({"superblocks": {"/dev/sdb": "uuid"}}, "signatures on sdb (ST4000 Z6448243): md superblock"),
        ({"printed": Done(0, "sdb,ext4\nsdb,gpt\n", "")}, "signatures on sdb (ST4000 Z6448243): sdb,ext4, sdb,gpt"),
        ({"printed": Done(1, "", "no such device\n")}, "sdb (ST4000 Z6448243) cannot be read: no such device"),
        ({"partitions": {"sdb": ("sdb1",)}}, "the kernel still shows sdb1 of sdb (ST4000 Z6448243)"),
    ],
)
def test_what_is_left_on_a_member_is_named(tmp_path: Path, left: dict[str, object], words: str) -> None:
    rig = Rig(tmp_path, plan_of(after="keep", members="partitions"))
    looked(rig, "members-blank")
    assert rig.executor.context.members.blanked
    rig.executor.context.members.blanked = False
    for name, value in left.items():
        ask = asked(("wipefs", "--no-act", "--parsable", "/dev/sdb"), value) if isinstance(value, Done) else value
        setattr(rig, "ask" if name == "printed" else name, ask)
    with pytest.raises(StepFailed) as failed:
        looked(rig, "members-blank")
    assert str(failed.value) == words and not rig.executor.context.members.blanked
