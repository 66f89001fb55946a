"""What another process may remove of what a run built: what is on the disks decides, whatever the journal tells."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.superblock import Superblock
from raidtui.core.boot import entries
from raidtui.core.disks.machine import Signature
from raidtui.core.plan.answers import Between, Setup
from raidtui.core.plan.model import KEPT_FILE
from raidtui.core.run import events
from raidtui.core.run.state import RunState
from raidtui.runs.context import StageContext
from raidtui.runs.removal import decision
from raidtui.runs.removal.decision import NameNeeded
from raidtui.runs.waiting import Refused
from raidtui.system.arrays.contents import Contents
from raidtui.system.process import Done
from tests.builders.every_plan import of
from tests.builders.plans import of_role
from tests.runs.disks.pool_rig import OnDisks
from tests.runs.permanent_rig import Permanent
from tests.runs.rig import Rig, plan_of

OWN = Contents(names=("lost+found", "raidtui.fio"), mounts=1)
KEEP, DROP = "keep", "teardown"


def cut_off(tmp_path: Path, after: str = KEEP, filesystem: str = "ext4", level: str = "1") -> Rig:
    """A run that was interrupted on its array, as another worker finds it; nobody has typed a name."""
    rig = Rig(tmp_path, plan_of(level, after=after, filesystem=filesystem))  # type: ignore[arg-type]
    rig.build()
    number = len(rig.plan.stages) - 1
    stage = rig.plan.stages[number]
    assert stage.array
    rig.journal.add(events.StageStarted(at_s=1, stage=number))
    for role in ("create", "mkfs", "mount"):
        array = stage.array.uuid if role == "create" else ""
        rig.journal.add(events.StepStarted(at_s=2, stage=number, what=role, line=role, role=role, array=array))
        rig.journal.add(events.StepEnded(at_s=3, what=role))
    rig.array, rig.superblocks = "md127", {one.path: stage.array.uuid for one in rig.seen.devices}
    if stage.filesystem:
        rig.signatures = (Signature(kind=filesystem, uuid=stage.filesystem.uuid),)
    rig.holds = OWN
    rig.executor.context.enter(number, stage)
    return rig


def name_of(rig: Rig) -> str:
    array = rig.plan.stages[-1].array
    assert array
    return array.name


def check(rig: Rig, *typed: str, past: RunState | None = None) -> None:
    decision.check(rig.executor.context, past or rig.journal.state, typed)


@pytest.mark.parametrize(
    "holds, why",
    [
        (Contents(names=("vm", "lost+found"), mounts=1), "holds 'vm', which this run did not write"),
        (
            Contents(names=("lost+found", "lost+found/*"), mounts=1),
            "holds 'lost+found/*', which this run did not write",
        ),
        (Contents(names=(KEPT_FILE,), mounts=1), f"holds '{KEPT_FILE}'"),
        (Contents(names=("a", "b", "c", "d")), "holds 'a', 'b', 'c' and 1 more"),
        (Contents(mounts=3), "was mounted 3 times, by this run 1"),
        (Contents(mounts=1, last_mounted="/srv/vm"), "was last mounted at /srv/vm"),
        (Contents(why_not="xfs cannot be mounted read-only: Read-only file system"), "was not checked: xfs cannot"),
    ],
)
def test_one_that_was_to_stay_is_refused_and_any_other_asked_for_by_name(
    tmp_path: Path, holds: Contents, why: str
) -> None:
    rig = cut_off(tmp_path)
    rig.holds = holds
    with pytest.raises(Refused, match=r"nothing was changed; to remove it: `wipefs --all /dev/md127`") as refused:
        check(rig, name_of(rig))
    assert why in str(refused.value) and not isinstance(refused.value, NameNeeded)
    (tmp_path / "other").mkdir()
    other = cut_off(tmp_path / "other", DROP)
    other.holds = holds
    with pytest.raises(NameNeeded) as needed:
        check(other, "raidtui-00000000", name_of(rig))
    assert why in str(needed.value) and needed.value.name == name_of(other)
    check(other, name_of(other))


def test_with_nothing_but_its_own_the_code_is_enough_where_nothing_was_to_stay(tmp_path: Path) -> None:
    check(cut_off(tmp_path, DROP))


@pytest.mark.parametrize("filesystem", ["ext4", "none"])
def test_one_that_was_to_stay_is_asked_for_in_any_case(tmp_path: Path, filesystem: str) -> None:
    rig = cut_off(tmp_path, KEEP, filesystem)
    with pytest.raises(NameNeeded, match="is planned to be kept"):
        check(rig)
    check(rig, name_of(rig))


def test_what_the_run_records_on_a_kept_one_is_its_own_once_the_journal_tells_that_it_is_kept(tmp_path: Path) -> None:
    rig = cut_off(tmp_path)
    rig.holds = Contents(names=(KEPT_FILE, "lost+found"), mounts=1, last_mounted=f"{tmp_path}/mnt")
    rig.journal.add(events.ArrayKept(at_s=4, stage=len(rig.plan.stages) - 1))
    check(rig, name_of(rig))


def test_a_stopped_one_is_assembled_for_the_look_and_stopped_again(tmp_path: Path) -> None:
    rig = cut_off(tmp_path)
    rig.array, rig.holds = None, Contents(names=("vm",))
    with pytest.raises(Refused, match=r"`mdadm --assemble --run /dev/md/raidtui-\S+ /dev/sda .* && wipefs"):
        check(rig, name_of(rig))
    assert rig.array is None and len(rig.superblocks) == 3


def test_an_array_of_a_later_stage_than_the_journal_records_stays(tmp_path: Path) -> None:
    rig = cut_off(tmp_path)
    rig.executor.context.enter(0, rig.plan.stages[0])
    assert rig.plan.stages[0].array is None
    by_hand = r"`mdadm --stop /dev/md/\S+ && mdadm --zero-superblock /dev/sda /dev/sdb /dev/sdc`"
    with pytest.raises(Refused, match=rf"journal ends before it was built; to remove it: {by_hand}$"):
        check(rig, name_of(rig))
    rig.superblocks = {}
    check(rig)


@pytest.mark.parametrize("after", [KEEP, DROP])
def test_one_that_does_not_assemble_is_not_checked(tmp_path: Path, after: str) -> None:
    rig = cut_off(tmp_path, after)
    rig.array, rig.assembles = None, False
    with pytest.raises(Refused, match="does not assemble") as refused:
        check(rig)
    assert isinstance(refused.value, NameNeeded) == (after == DROP)
    assert after == DROP or "`mdadm --zero-superblock /dev/sda /dev/sdb /dev/sdc`" in str(refused.value)
    rig.superblocks = {}
    check(rig)  # nothing of it is here


@pytest.mark.parametrize("after", [KEEP, DROP])
def test_once_its_removal_has_begun_what_is_left_of_it_may_go_but_a_file_system_is_looked_at(
    tmp_path: Path, after: str
) -> None:
    rig = cut_off(tmp_path, after)
    rig.journal.add(events.StepStarted(at_s=5, stage=1, what="x", line="x", role="wipe", undoing=True))
    rig.array, rig.assembles = None, False
    if after == KEEP:  # the journal may be older than an array that was built and kept since
        with pytest.raises(NameNeeded, match="does not assemble"):
            check(rig)
    check(rig, name_of(rig))
    rig.array, rig.holds = "md127", Contents(names=("vm",))
    with pytest.raises(Refused, match="holds 'vm'"):
        check(rig, *((name_of(rig),) if after == KEEP else ()))


def test_a_file_system_on_a_partition_of_the_array_is_looked_at(tmp_path: Path) -> None:
    rig = cut_off(tmp_path, DROP)
    stage = rig.plan.stages[-1]
    assert stage.setup
    aligned = replace(stage, setup=replace(stage.setup, partition_start_sectors=63))
    rig.enter_last(aligned)
    rig.partitions = {"md127": ("md127p1",)}
    check(rig)
    rig.holds = Contents(names=("vm",))
    with pytest.raises(NameNeeded, match="holds 'vm'"):
        check(rig)


def test_one_whose_file_system_is_gone_is_asked_for(tmp_path: Path) -> None:
    """Somebody may have put data there that nothing recognises."""
    rig = cut_off(tmp_path, DROP)
    rig.signatures = ()
    with pytest.raises(NameNeeded, match="has lost the file system that this run made"):
        check(rig)
    check(rig, name_of(rig))


UNIT = "/etc/systemd/system/srv-array.mount"


@pytest.mark.parametrize("path", [entries.FSTAB, "/etc/mdadm/mdadm.conf", "/etc/mdadm.conf", entries.CRYPTTAB, UNIT])
@pytest.mark.parametrize("how", ["uuid", "name"])
def test_a_line_in_what_boot_reads_refuses_whoever_wrote_it(tmp_path: Path, path: str, how: str) -> None:
    rig = cut_off(tmp_path, DROP)
    array = rig.plan.stages[-1].array
    assert array
    named = f"UUID={array.uuid.upper()}" if how == "uuid" else f"/dev/md/{array.name}"
    rig.boot_files[path] = f"# UUID={array.uuid}\n".encode()
    check(rig)  # a comment is none
    rig.boot_files[path] += f"x {named}\n".encode()
    with pytest.raises(Refused, match=f"{path} has a line for what"):
        check(rig, name_of(rig))


def test_a_file_system_of_separate_disks_is_looked_at_too(tmp_path: Path) -> None:
    rig = Rig(tmp_path, plan_of("jbod", filesystem="xfs"))
    stage = rig.plan.stages[-1]
    assert stage.filesystem
    rig.signatures = (Signature(kind="xfs", uuid=stage.filesystem.uuids[0]),)
    rig.enter_last(stage)
    rig.holds = Contents(names=("raidtui.fio",))
    check(rig)
    for theirs in ("theirs", "0-raidtui.fio"):  # numbers are of files on one array
        rig.holds = Contents(names=(theirs,))
        with pytest.raises(NameNeeded) as needed:
            check(rig)
        assert needed.value.name == tmp_path.name
    check(rig, tmp_path.name)


def test_what_is_refused_is_not_touched_by_who_takes_it_back(tmp_path: Path) -> None:
    rig = cut_off(tmp_path)
    rig.executor.to_remove, rig.holds = (), Contents(names=("vm",))
    outcome, reason, left = rig.taken_back()
    assert outcome == "failed" and "holds 'vm'" in reason and left and rig.executor.refused
    assert rig.given == [] and rig.array == "md127"


def undoing(rig: Rig, error: str | None = None) -> None:
    """The journal tells that a worker wiped, stopped and zeroed it, each ended like this."""
    for role in ("wipe", "stop", "zero"):
        rig.journal.add(events.StepStarted(at_s=5, stage=1, what=role, line=role, role=role, undoing=True))
        rig.journal.add(events.StepEnded(at_s=6, what=role, error=error))
    rig.array, rig.assembles = None, False


@pytest.mark.parametrize("error", [None, "wipefs failed (1): Device or resource busy"])
def test_a_journal_of_after_a_teardown_is_older_than_what_was_built_since(tmp_path: Path, error: str | None) -> None:
    """Removed, or not, and built again, kept and filled since; now more disks are missing than it survives."""
    rig = cut_off(tmp_path)
    undoing(rig, error)
    rig.executor.to_remove = ()
    assert rig.taken_back()[0] == "failed" and rig.programs() == []
    with pytest.raises(Refused) as refused:
        check(rig)
    assert isinstance(refused.value, NameNeeded) == (error is None)


def test_each_of_separate_disks_was_mounted_once_by_the_run(tmp_path: Path) -> None:
    rig = Rig(tmp_path, plan_of("jbod", filesystem="ext4"))
    number, stage = len(rig.plan.stages) - 1, rig.plan.stages[-1]
    assert stage.filesystem
    for role in ("mkfs", "mkfs", "mkfs", "mount", "mount", "mount"):
        rig.journal.add(events.StepStarted(at_s=2, stage=number, what=role, line=role, role=role))
        rig.journal.add(events.StepEnded(at_s=3, what=role))
    rig.signatures = (Signature(kind="ext4", uuid=stage.filesystem.uuids[0]),)
    rig.executor.context.enter(number, stage)
    rig.holds = OWN
    check(rig)
    rig.holds = replace(OWN, mounts=2)
    with pytest.raises(NameNeeded, match="was mounted 2 times, by this run 1"):
        check(rig)


def test_what_the_journal_tells_was_wiped_may_have_lost_its_file_system(tmp_path: Path) -> None:
    rig = cut_off(tmp_path, DROP)
    rig.journal.add(events.StepStarted(at_s=5, stage=1, what="x", line="x", role="wipe", undoing=True))
    rig.signatures = ()
    check(rig)
    (tmp_path / "kept").mkdir()
    kept = cut_off(tmp_path / "kept")
    kept.signatures = ()
    with pytest.raises(NameNeeded, match="is planned to be kept"):
        check(kept)


@pytest.mark.parametrize(
    "place, is_own", [("{run}/mnt", True), ("/srv/array", True), ("/srv/array2", False), ("/run/mnt", False)]
)
def test_where_it_was_mounted_last_may_be_the_runs_own_folder_or_the_planned_one(
    tmp_path: Path, place: str, is_own: bool
) -> None:
    """ext4 keeps 63 characters of it."""
    rig = cut_off(tmp_path, DROP)
    last = place.format(run=tmp_path)[:63]
    rig.holds = replace(OWN, last_mounted=last)
    if is_own:
        check(rig)
        return
    with pytest.raises(NameNeeded, match=f"was last mounted at {last} "):
        check(rig)


def test_boot_mounts_what_is_permanent_as_often_as_it_likes(tmp_path: Path) -> None:
    rig = Permanent(tmp_path)
    past = rig.to_be_made()
    assert rig.plan.permanence is not None and rig.plan.kept_stage is not None
    stage = rig.plan.stages[rig.plan.kept_stage]
    assert stage.filesystem
    rig.signatures = (Signature(kind=stage.filesystem.kind, uuid=stage.filesystem.uuid),)
    rig.executor.context.enter(rig.plan.kept_stage, stage)
    rig.holds = Contents(mounts=9)
    array = stage.array.name if stage.array else ""
    with pytest.raises(Refused, match="was mounted 9 times, by this run 0"):
        check(rig, array, past=past)
    check(rig, array, past=replace(past, stages_done=(*past.stages_done, rig.plan.permanence)))


@pytest.mark.parametrize(
    "record, told",
    [
        (Superblock(updated_s=1_800_000_000, events=37), "md: last update 2027-01-15 08:00 UTC, 37 events"),
        (None, "md: no record"),
    ],
)
def test_what_md_recorded_is_told_to_who_decides(
    tmp_path: Path, record: Superblock | None, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = cut_off(tmp_path)
    monkeypatch.setattr(rig, "superblock_record", lambda node: record if node == "/dev/sdb" else None)
    with pytest.raises(NameNeeded) as needed:
        check(rig)
    name = name_of(rig)
    assert str(needed.value) == f"{name} is planned to be kept ({told}); to remove it: `--erase {name}`"


class Asked(Rig):
    """`asked`: what a look starts; mdadm stops an array after `busy` times."""

    busy, asked = 0, list[tuple[str, ...]]()

    def ask(self, argv: Sequence[str], timeout_s: float) -> Done:
        self.asked.append(tuple(argv))
        if argv[:2] == ("mdadm", "--stop") and self.busy:
            self.busy -= 1
            return Done(1, "", "busy")
        return super().ask(argv, timeout_s)


@pytest.mark.parametrize("busy, stops", [(0, 1), (3, 4), (99, 10)])
@pytest.mark.parametrize("between", ["", "lvm"])
def test_a_look_assembles_read_only_and_stops_what_it_assembled_alone(
    tmp_path: Path, busy: int, stops: int, between: Between
) -> None:
    rig = Asked(tmp_path, plan_of("1", "keep", "ext4", between=between))
    rig.asked = []
    stage = rig.plan.stages[-1]
    assert stage.array
    rig.enter_last(stage)
    with decision.running(rig.executor.context) as name:
        assert name is None and rig.asked == []  # nothing of it is here
    rig.superblocks, rig.busy = {f"/dev/{name}": stage.array.uuid for name in ("sda", "sdc")}, busy
    node = f"/dev/md/{stage.array.name}"
    with decision.running(rig.executor.context) as name:
        assert name == "md127"
        uuid = f"--uuid={stage.array.uuid}"
        assert rig.asked == [("mdadm", "--assemble", "--readonly", "--run", uuid, node, "/dev/sda", "/dev/sdc")]
    layer = [("vgchange", "--activate", "n", stage.layer.group)] if stage.layer else []
    assert rig.asked[1:] == [*layer, *[("mdadm", "--stop", "/dev/md127")] * stops]
    assert len([argv for argv in rig.given if argv[:2] == ("udevadm", "settle")]) == 1 + stops
    rig.array, rig.asked = "md127", []
    with decision.running(rig.executor.context) as name:
        assert name == "md127"
    assert rig.asked == [] and rig.array == "md127"  # it ran before


def test_what_is_assembled_and_not_active_is_stopped_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = cut_off(tmp_path)
    rig.array = None
    monkeypatch.setattr(rig, "is_dead", lambda name: True)
    with decision.running(rig.executor.context) as name:
        assert name is None and rig.array == "md127"
    assert rig.array is None
    rig.array = "md127"
    with pytest.raises(Refused, match="is not active"):
        check(rig, name_of(rig))


def test_what_separate_disks_have_mounted_is_unmounted_for_the_look_and_who_has_one_open_is_named(
    tmp_path: Path,
) -> None:
    rig = Rig(tmp_path, plan_of("jbod", filesystem="xfs"))
    stage = rig.plan.stages[-1]
    assert stage.filesystem
    folders = [step.folder for step in of_role(stage.steps, "mount")]
    rig.signatures = (Signature(kind="xfs", uuid=stage.filesystem.uuids[0]),)
    rig.enter_last(stage)
    check(rig)
    assert rig.given == []
    rig.mounted = True
    check(rig)
    assert rig.given == [("umount", folder) for folder in folders] and len(folders) == 3
    rig.in_use = lambda: {"/dev/sdb": "/dev/sdb is open in qemu (pid 7)"}
    with pytest.raises(Refused, match=r"^/dev/sdb is open in qemu \(pid 7\)$"):
        check(rig)
    rig.superblocks, rig.in_use, rig.signatures = {}, dict, (Signature(kind="xfs", uuid="another"),)
    rig.holds = Contents(names=("theirs",))
    check(rig)  # nothing of it is here


def on_partitions(folder: Path) -> OnDisks:
    """Its array is not on the disks, whose partitions the kernel does not show."""
    rig = OnDisks(folder, plan_of("5", "keep", members="partitions"))
    rig.on, number = {}, len(rig.plan.stages) - 1
    rig.executor.begin(number, rig.plan.stages[number])
    return rig


def test_a_partition_that_the_kernel_does_not_show_may_have_the_array(tmp_path: Path) -> None:
    rig = on_partitions(tmp_path)
    check(rig)
    second = rig.plan.members[1]
    rig.on = {second.name: (Signature(kind="gpt", uuid="00000000-0000-0000-0000-000000000001"),)}
    check(rig)  # somebody else's table
    rig.on = {second.name: (Signature(kind="gpt", uuid=rig.plan.tables[second.id].upper()),)}
    with pytest.raises(Refused) as refused:
        check(rig)
    name = second.name
    assert str(refused.value) == (
        f"the kernel does not show the partition of {name}: `blockdev --rereadpt /dev/{name}`"
    )
    rig.partitions = {name: (f"{name}1",)}
    check(rig)
    rig.without(1)  # nobody can ask a disk that is away
    check(rig)


@pytest.mark.parametrize("between, wiped", [("", "/dev/md/store"), ("lvm", "/dev/store/data")])
def test_groups_are_put_together_by_hand_before_what_is_on_them_is_wiped(between: Between, wiped: str) -> None:
    setup = Setup(level="5", groups=2, filesystem="ext4", between=between)
    plan = of(setup, after="keep", permanent=True, array_name="store")
    stage = plan.stages[plan.kept_stage or 0]
    assert stage.array
    here = SimpleNamespace(here=dict)
    context = SimpleNamespace(stage=stage, groups=stage.array.groups, members=here, plan=SimpleNamespace(members=()))
    first, second, outer, last = decision._by_hand(cast(StageContext, context), "md3", was_running=False).split(" && ")
    assert first.endswith("/dev/md/store-g1") and second.endswith("/dev/md/store-g2")
    assert (outer, last) == ("mdadm --assemble /dev/md/store", f"wipefs --all {wiped}")


def test_only_groups_that_do_not_run_are_put_together_for_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = of(Setup(level="5", groups=2, filesystem="ext4"), after="keep", permanent=True, array_name="store")
    array = plan.stages[plan.kept_stage or 0].array
    assert array
    running, assembled = ["md1"], list[str]()
    uuids = {f"/dev/sd{at}": group.uuid for at, group in enumerate(array.groups)}
    context = SimpleNamespace(
        groups=array.groups,
        host=SimpleNamespace(superblock=uuids.get),
        own_group=lambda number: "md1" if number == 0 else None,
        own_groups=lambda: running,
    )

    def assemble(context: object, name: str, uuid: str, nodes: list[str]) -> None:
        assembled.append(name)
        running.append("md2")

    monkeypatch.setattr(decision, "carriers", lambda context: [*uuids])
    monkeypatch.setattr(decision, "_assemble", assemble)
    assert decision._running_groups(cast(StageContext, context)) == ["md2"] and assembled == [array.groups[1].name]
