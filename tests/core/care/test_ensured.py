"""The outcome as programs read it: what it says changed, the diff, and what has to be named."""

import pytest
from msgspec.structs import replace

from raidtui.core.care import ensured
from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, PlanRefused, Setup
from tests.builders.arrays import UUID
from tests.builders.ensuring import BY_NAME, BY_RULE, RUN, plan
from tests.builders.racks import RACK, disk
from tests.builders.racks import plan as plan_of_rack


def test_what_stands_as_asked_for_is_no_change_and_no_difference() -> None:
    kept = plan().stages[-1].setup
    assert kept
    outcome = ensured.existing(RUN, slots.filled(plan()), kept, BY_RULE, ())
    assert (outcome.changed, outcome.refused, outcome.run, outcome.uuid) == (False, "", RUN, UUID)
    assert outcome.diff.before == outcome.diff.after != "" and outcome.plan is None


def test_what_stands_otherwise_is_refused_with_each_reason() -> None:
    outcome = ensured.existing(
        RUN, slots.filled(plan()), Setup(level="5", chunk="64K", filesystem="ext4"), BY_RULE, ("slot 1 is empty",)
    )
    assert not outcome.changed and outcome.uuid == UUID
    assert outcome.refused.endswith("slot 1 is empty; chunk: 512 KiB, asked for is 64.0 KiB")
    assert "not as built: slot 1 is empty\n" in outcome.diff.before and "chunk: 64.0 KiB\n" in outcome.diff.after


def test_a_plan_tells_what_is_there_and_what_will_be_with_no_uuid_that_is_not_drawn() -> None:
    made = plan(replace(BY_NAME, permanent=True, mount_point="/srv/vms"))
    outcome = ensured.planned(replace(made, uuids=()))
    before, after = outcome.diff.before.splitlines(), outcome.diff.after.splitlines()
    assert before[0] == "array: none" and before[1].endswith(": blank") and len(before) == 4
    assert {"array: RAID 5 of 3 disks", "chunk: 512 KiB", "file system: ext4", "mounted at: /srv/vms"} <= set(after)
    assert [line for line in after if line.startswith("/etc/fstab: UUID=(new) /srv/vms ext4 ")]
    assert [line for line in after if line.startswith("/etc/mdadm/mdadm.conf: ARRAY /dev/md/raidtui-(new) ")]
    assert not outcome.changed and outcome.plan and "{uuid" not in outcome.diff.after


def test_what_is_not_made_permanent_here_is_neither_said_nor_missed() -> None:
    given = replace(BY_RULE, permanent=True)
    made = plan(given)
    elsewhere = replace(made, stages=made.stages[:-1])  # of a distribution that is not known
    kept = elsewhere.stages[-1].setup
    assert kept and "at boot" not in ensured.planned(elsewhere).diff.after
    assert ensured.existing(RUN, slots.filled(elsewhere), kept, given, ()).refused == ""
    assert "at boot: none, asked for is" in ensured.existing(RUN, slots.filled(plan()), kept, given, ()).refused


def test_a_disk_with_a_warning_is_listed_to_be_named() -> None:
    holds = Verdict(Usability.WARN, "holds ext4; it will be erased")
    given = Answers(disks=tuple(one.id for one in RACK[:3]), setup=Setup(level="5"), after="keep")
    outcome = ensured.planned(plan_of_rack(given, disks=(disk(0, verdict=holds), *RACK[1:])))
    assert [(row.name, row.warning) for row in outcome.erase] == [("SER0000", holds.reason)]


def test_a_run_that_did_not_end_well_says_so_and_shows_no_array() -> None:
    well = ensured.carried_out(plan(), RUN, stands=True, wrote=True, refused="", failed="")
    assert (well.changed, well.uuid, well.diff) == (True, UUID, ensured.planned(plan()).diff)
    taken_back = ensured.carried_out(plan(), RUN, stands=True, wrote=True, refused="", failed="mount failed")
    assert (taken_back.uuid, taken_back.diff) == (UUID, ensured.Diff())
    ill = ensured.carried_out(plan(), RUN, stands=False, wrote=True, refused="", failed="fio ended with 1")
    assert (ill.changed, ill.uuid, ill.failed, ill.diff) == (True, "", "fio ended with 1", ensured.Diff())


@pytest.mark.parametrize(
    "given, stays",
    [
        (BY_RULE, True),
        (replace(BY_RULE, after="teardown"), False),
        (Answers(target="/srv/data", recipe="existing"), False),
    ],
)
def test_only_what_stays_can_be_ensured(given: Answers, stays: bool) -> None:
    assert (ensured.why_not(given) == "") is stays


def test_a_pool_by_the_axes_is_refused_as_one_by_its_level_is() -> None:
    made = plan()
    assert made.kept_stage is not None
    of_pool = replace(made.stages[made.kept_stage], setup=None)
    with pytest.raises(PlanRefused, match="ensure knows arrays of md, and no pools"):
        ensured.planned(replace(made, stages=(*made.stages[:-1], of_pool)))
