"""What a journal tells of permanence: due once the array is kept, done with its stage, undone with its lines."""

from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.run import events
from raidtui.core.run.kept import is_permanent, permanence_due
from raidtui.core.run.state import RunState, fold_all
from tests.runs.rig import plan_permanent

PLAN = plan_permanent(mount_point="/srv/vms")
KEPT, LAST = PLAN.kept_stage or 0, PLAN.permanence or 0
CONF = events.FileEdited(at_s=2, path="/etc/mdadm.conf", lines=("x",), mark="m", in_initramfs=True)
FSTAB = events.FileEdited(at_s=3, path="/etc/fstab", lines=("y",), mark="m")
MADE = (
    events.StepStarted(at_s=2, stage=LAST, what="Again", line="dracut", role="initramfs"),
    events.StepEnded(at_s=3, what="Again"),
)


def told(*more: events.AnyEvent) -> RunState:
    return fold_all([events.StageEnded(at_s=1, stage=KEPT, kept=True), *more])


def test_it_is_due_from_the_kept_array_on_until_it_is_done() -> None:
    done = told(CONF, FSTAB, events.StageEnded(at_s=4, stage=LAST, kept=True))
    assert not permanence_due(PLAN, RunState()) and permanence_due(PLAN, told()) and permanence_due(PLAN, told(CONF))
    assert not permanence_due(PLAN, done) and is_permanent(PLAN, done) and not is_permanent(PLAN, told(CONF))
    failed = told(CONF, events.RunEnded(at_s=4, outcome="failed", kept=True))
    assert permanence_due(PLAN, failed)
    assert not permanence_due(plan_permanent(filesystem="none"), RunState())


def test_what_was_undone_is_neither_permanent_nor_due() -> None:
    done = (CONF, FSTAB, events.StageEnded(at_s=4, stage=LAST, kept=True))
    out = [events.LinesTakenOut(at_s=5, path=edit.path) for edit in (FSTAB, CONF)]
    state = told(*done, *out)
    assert not state.edits and not is_permanent(PLAN, state) and not permanence_due(PLAN, state) and state.kept


def test_the_initramfs_is_older_until_it_was_made_after_the_last_change_of_what_it_holds() -> None:
    assert [told(*some).initramfs_older for some in ((), (FSTAB,), (CONF,), (CONF, *MADE), (CONF, *MADE, FSTAB))] == [
        False, False, True, False, False,
    ]  # fmt: skip
    failed = events.StepEnded(at_s=3, what="Again", error="no room")
    assert told(CONF, MADE[0], failed).initramfs_older
    assert told(CONF, *MADE, events.LinesTakenOut(at_s=5, path=CONF.path)).initramfs_older


def test_the_plan_tells_where_it_mounts() -> None:
    assert mount_point(PLAN) == "/srv/vms" and mount_point(plan_permanent(filesystem="none")) == ""
