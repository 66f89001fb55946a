"""Arrays without a disk: what is left by their own whole figures, and the time of a rebuild by what was seen of it."""

import msgspec

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.run.events import RebuildTold
from raidtui.core.units import GB, MB
from tests.builders import rebuilding, sweeps
from tests.builders.answers import answered, repeated

REBUILDS = Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000, 1_000_000))


def left(stage: Stage, trial: Trial) -> float:
    """Of RAID 5 without a disk two thirds, of the others all but their first level's half."""
    if stage.setup is None:
        return 100.0
    return 300.0 * {("5", 1): 0.66, ("6", 2): 0.25}.get((stage.setup.level, stage.setup.failed), 1.0)


def test_what_is_left_without_a_disk_is_told_test_by_test() -> None:
    found = answered("degraded", 4, left)
    assert found.question == "What is left of an array's speed without a disk, or two?"
    assert found.sentences[0].startswith("Of sequential read is left: RAID 1 without a disk 100 % (equal within 3 %), ")
    assert "RAID 5 without a disk 66 %" in found.sentences[0] and "RAID 6 without 2 disks 25 %" in found.sentences[0]
    raid5 = [one for one in found.conclusions if one.kind == "effect" and one.where == "RAID 5"]
    assert {(one.subject, one.base, one.verdict) for one in raid5} == {("a disk", "whole", "different")}


def test_where_nothing_fails_the_question_is_which_level() -> None:
    assert answered("degraded", 4, left, axes=(Axes(level=("5", "6"), first_sync=("skip",)),)).kind == "levels"


def rebuilt(alone_s: float, beside_s: float) -> Answer:
    """A gigabyte of a terabyte by itself and beside each test, users left with a half where md does not give way."""
    made = sweeps.plan("rebuild", 4, axes=(REBUILDS,))

    def rate(stage: Stage, trial: Trial) -> float:
        return 50.0 if stage.setup and stage.setup.rebuild_min_kib_s == 1_000_000 else 100.0

    told = []
    for number, stage in enumerate(made.stages):
        if stage.setup and stage.setup.rebuild_min_kib_s:
            told.append(RebuildTold(at_s=0, stage=number, done_bytes=0, total_bytes=1000 * GB))
            told.append(RebuildTold(at_s=alone_s, stage=number, done_bytes=GB, total_bytes=1000 * GB))
    state = rebuilding.beside(made, sweeps.state(made, repeated(rate)), GB / beside_s)
    state = msgspec.structs.replace(state, rebuilds=tuple(told))
    return answer(made, state, compare(made, state))


def test_a_rebuild_has_its_time_by_itself_and_beside_users_and_what_these_get() -> None:
    first, *_ = rebuilt(10, 40).sentences
    assert first.startswith("A rebuild of a whole disk (1.00 TB), scaled from what was seen of it, takes by itself 2")
    found = rebuilt(10, 40)
    paces = [(round(one.figure or 0), bool(one.test)) for one in found.conclusions if one.where == "a rebuild"]
    assert paces == [(100 * MB, False)] * 2 + [(25 * MB, True)] * 2
    assert "RAID 5 50 % at 1000000 KiB/s" in found.sentences[1]


def test_without_a_look_at_the_rebuild_no_time_is_told() -> None:
    made = sweeps.plan("rebuild", 4, axes=(REBUILDS,))
    state = rebuilding.beside(made, sweeps.state(made, lambda stage, trial: 100.0), None)
    found = answer(made, state, compare(made, state))
    assert not [one for one in found.sentences if "scaled" in one]
    assert found.sentences[0].startswith("Beside a rebuild is left of random 4K read, by sync_speed_min: RAID 5 ")
