"""Checks of a run whose answer is no: each ends it, with what is there."""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import carried_out
from raidtui.core.plan.roles import Question
from raidtui.core.plan.steps import Check, undo_of
from raidtui.runs import checks
from raidtui.runs.waiting import Refused, StepFailed
from raidtui.system.process import Done
from tests.builders.machines import device, machine
from tests.builders.plans import DEBIAN, planned
from tests.runs.permanent_rig import Permanent
from tests.runs.rig import Rig, plan_of


def looked(rig: Rig, question: Question) -> None:
    """The first check of this question, in its stage."""
    for number, stage in enumerate(rig.plan.stages):
        for step in (inner for outer in stage.steps for inner in (outer, *undo_of(outer))):
            if isinstance(step, Check) and step.question == question:
                rig.executor.context.begin(number, carried_out(rig.plan, number))
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


@pytest.mark.parametrize(
    "question, there, words",
    [
        ("place-free", {"not_mountable": "/srv/array is a link"}, "^/srv/array is a link$"),
        ("came-back", {"array": None}, "^mdadm did not put the array together by what was written"),
        ("came-back", {"stands_on": ("sda", "sdb")}, "^/dev/md127 came back without 1 of its members$"),
        ("came-back", {"named": lambda name: None}, r"came back as /dev/md127, and /dev/md/\S+ is not there$"),
        (
            "boot-mounts",
            {"ask": lambda argv, timeout_s: Done(1, "/srv/array\n   [E] unreachable source: UUID=1\n", "")},
            "^findmnt --verify: /srv/array: unreachable source: UUID=1$",
        ),
        ("own-mounted", {"mounted": True, "geometry": "0815 /dev/md127\n"}, r"^the run's file system \(\S+\) is not"),
    ],
)
def test_what_does_not_come_back_as_it_was_written_ends_it(
    tmp_path: Path, question: Question, there: dict[str, object], words: str
) -> None:
    rig = Permanent(tmp_path)
    rig.to_be_made()
    for name, value in there.items():
        setattr(rig, name, value)
    with pytest.raises((Refused, StepFailed), match=words):
        looked(rig, question)


def test_an_array_without_one_of_its_groups_has_not_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = machine(*(device(f"sd{letter}") for letter in "abcdef"))
    setup = Setup(level="5", filesystem="ext4", groups=2)
    rig = Rig(tmp_path, planned(disks_of(seen), setup, DEBIAN, after="keep", repeat=1, permanent=True), seen)
    array = carried_out(rig.plan, len(rig.plan.stages) - 1).array
    assert array
    missing = {array.groups[1].uuid}
    monkeypatch.setattr(rig, "find_array", lambda uuid: None if uuid in missing else f"md{uuid[:8]}")
    monkeypatch.setattr(rig, "slaves", lambda name: ())
    with pytest.raises(StepFailed, match=r"^mdadm did not put all groups together by what was written"):
        looked(rig, "came-back")
