"""Whether answers stand: by the run that built the array, whatever else is free; and what stops a second one."""

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.boot_files import BootFiles, MdadmConf, MountLine
from raidtui.core.boot.ownership import Owned
from raidtui.core.care import ensured, plans
from raidtui.core.disks.selection import DiskRule
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, Axes, PlanNotSafe, PlanRefused, Setup
from raidtui.core.run import events, journal_lines
from raidtui.core.units import MIB
from raidtui.runs import directory, ensuring
from raidtui.runs.status import RunStatus
from raidtui.system.arrays import boot_files, mount_root
from tests.builders.arrays import UUID, in_sync
from tests.builders.care import cared_for
from tests.builders.ensuring import (
    BLANK,
    BY_NAME,
    BY_RULE,
    FILESYSTEM,
    FREE,
    KEPT,
    RUN,
    WORKER,
    kept_run,
    plan,
    standing,
    the_array,
)
from tests.builders.machines import machine
from tests.runs.rig import run_in

pytestmark = pytest.mark.usefixtures("root")
BEGUN = (WORKER, events.StageStarted(at_s=2.0, stage=0))
ENDED_EARLY = events.RunEnded(at_s=9.0, outcome="failed", left=("md127",))


@pytest.mark.parametrize("given", [BY_RULE, BY_NAME])
def test_the_array_that_the_run_built_is_found_also_where_more_disks_would_fit(root: Path, given: Answers) -> None:
    kept_run(root)
    for seen in (standing(), standing(*FREE)):
        outcome = ensuring.existing_for(given, seen)
        assert outcome and (outcome.run, outcome.uuid, outcome.refused) == (RUN, UUID, "")


def ruled(**kind: Any) -> Answers:
    assert isinstance(BY_RULE.disks, DiskRule)
    return replace(BY_RULE, disks=replace(BY_RULE.disks, **kind))


@pytest.mark.parametrize(
    "given", [BY_RULE, ruled(standing="warn"), ruled(like="largest group"), ruled(model=disks_of(BLANK)[0].model)]
)
@pytest.mark.parametrize("built", ["by nobody known", "by name", "by a rule that reads otherwise", "journal lost"])
def test_other_disks_are_not_taken_where_as_many_such_hold_an_array(root: Path, given: Answers, built: str) -> None:
    if built == "by name":
        kept_run(root, plan(BY_NAME))
    elif built == "by a rule that reads otherwise":
        kept_run(root, plan(ruled(standing="warn", like="largest group")))
    elif built == "journal lost":
        path = kept_run(root)
        (path / directory.JOURNAL).write_text("")
        os.utime(path / directory.PLAN, (1, 1))
    with pytest.raises(PlanNotSafe, match="is on 3 such disks, and is not known to be built by these answers"):
        ensuring.existing_for(given, standing(*FREE))


@pytest.mark.parametrize("given", [BY_RULE, BY_NAME])
def test_nothing_is_built_while_a_run_of_these_disks_cannot_be_read(root: Path, given: Answers) -> None:
    path = kept_run(root)
    (path / directory.JOURNAL).write_bytes(b"\xff\n")
    os.utime(path / directory.PLAN, (1, 1))
    with pytest.raises(PlanNotSafe, match=r"none can be read; its array may still exist.: `raidtui clean"):
        ensuring.existing_for(given, machine(*FREE))


def test_an_array_of_other_or_of_more_disks_is_no_matter_of_the_rule(root: Path) -> None:
    assert ensuring.existing_for(ruled(model="another"), standing(*FREE)) is None
    assert ensuring.existing_for(ruled(size="9TB"), standing(*FREE)) is None
    assert ensuring.existing_for(ruled(count=2), standing(*FREE)) is None
    kept_run(root, plan(BY_NAME))
    assert ensuring.existing_for(replace(BY_NAME, disks=BY_NAME.disks[:2]), standing()) is None  # type: ignore[index]


def test_a_run_that_was_cleared_away_or_never_began_is_none(root: Path) -> None:
    path = kept_run(root, None, WORKER, events.RunEnded(at_s=9.0, outcome="failed"))
    assert ensuring.existing_for(BY_RULE, BLANK) is None
    (path / directory.JOURNAL).write_text("")
    os.utime(path / directory.PLAN, (1, 1))  # a worker comes within half a minute, or never
    assert ensuring.existing_for(BY_RULE, BLANK) is None


def test_a_rule_goes_by_no_other_disks_where_a_run_cannot_be_read(root: Path) -> None:
    (kept_run(root) / directory.PLAN).write_text("{}")
    with pytest.raises(PlanNotSafe, match=f"whether run {RUN} built these is not known"):
        ensuring.existing_for(BY_RULE, BLANK)
    assert ensuring.existing_for(BY_NAME, BLANK) is None


@pytest.mark.parametrize(
    "told, says",
    [
        (BEGUN, f"`raidtui resume {RUN}` continues it, `raidtui clean {RUN}` reverts it"),
        ((*BEGUN, ENDED_EARLY), "ended early (0 of 14 measured; not removed: md127)"),
    ],
)
def test_a_run_that_left_something_is_seen_to_first(root: Path, told: tuple[events.AnyEvent, ...], says: str) -> None:
    kept_run(root, None, *told)
    for seen in (BLANK, standing()):
        with pytest.raises(PlanNotSafe) as refused:
            ensuring.existing_for(BY_RULE, seen)
        assert says in str(refused.value) and RUN in str(refused.value)


def test_a_run_that_goes_on_is_waited_for(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_run(root, None, *BEGUN)
    monkeypatch.setattr("raidtui.runs.journal.alive", lambda state: True)
    with pytest.raises(PlanNotSafe, match=f"run {RUN} of these answers is running"):
        ensuring.existing_for(BY_RULE, BLANK)


def test_others_are_not_taken_in_the_place_of_disks_that_are_gone(root: Path) -> None:
    kept_run(root)
    with pytest.raises(PlanNotSafe, match=f"run {RUN} keeps an array of these answers, and Z\\d+ are not here"):
        ensuring.existing_for(BY_RULE, machine(*BLANK.devices[1:], *FREE))
    assert ensuring.existing_for(BY_RULE, BLANK) is None  # somebody wiped them: there is no array any more
    path = root / RUN / directory.JOURNAL
    path.unlink()
    told = (WORKER, events.RunEnded(at_s=9.0, outcome="failed"))
    path.write_bytes(b"".join(journal_lines.encode(event) for event in told))
    assert ensuring.existing_for(BY_RULE, machine(*BLANK.devices[1:], *FREE)) is None  # nothing is kept on them


def test_one_that_lacks_a_disk_or_is_asked_for_otherwise_is_refused(root: Path) -> None:
    kept_run(root)
    lame = standing(slots=in_sync("sda", "sdb") | {"sdc": ("none", "faulty")}, raid_disks="3", degraded="1")
    outcome = ensuring.existing_for(BY_RULE, lame)
    assert outcome and "is not in sync in it" in outcome.refused
    other = replace(BY_RULE, setup=Setup(level="5", filesystem="xfs", chunk="64KiB"))
    outcome = ensuring.existing_for(other, standing())
    assert outcome and "chunk: 512 KiB, asked for is 64.0 KiB; file system: ext4, asked for is xfs" in outcome.refused
    said_otherwise = replace(BY_RULE, setup=Setup(), axes=Axes(level=("5",), filesystem=("ext4",)))
    outcome = ensuring.existing_for(said_otherwise, standing())
    assert outcome and outcome.refused == ""
    with pytest.raises(PlanRefused, match="level"):
        ensuring.existing_for(replace(BY_RULE, setup=Setup(level="99")), standing())


def test_one_that_a_run_has_grown_is_said_to_be(root: Path) -> None:
    kept_run(root)
    machine = standing(*FREE)
    array, disks = cared_for(machine)
    (new,) = (disk.id for disk in disks if disk.name == "sdd")
    array = replace(array, member_bytes=MIB, members=tuple(
        replace(member, data_offset_bytes=MIB) for member in array.members))  # fmt: skip
    growth = run_in(
        root,
        plans.grow(array, [new], disks, "machine", plans.Limits()),
        "20990102T030405Z-ab12",
        WORKER,
        events.ArrayGrown(at_s=5.0, size_bytes=1, slots={new: 3}),
    )
    outcome = ensuring.existing_for(BY_RULE, standing(*FREE[1:], slots=in_sync("sda", "sdb", "sdc", "sdd")))
    assert outcome and outcome.refused == (
        f"the array of run {RUN} is on these disks, and not as asked for: run {growth.name} has grown it to 4 disks"
    )


PERMANENT = replace(BY_RULE, permanent=True, mount_point="/srv/vms")
FSTAB = MountLine(file="/etc/fstab", source=f"UUID={FILESYSTEM}", mountpoint="/srv/vms")


def test_owner_mode_and_mail_of_a_permanent_one_are_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = replace(PERMANENT, mount_owner="0:0", mount_mode="2775", mailaddr="root")
    kept_run(root, plan(given), *KEPT[:1], events.StageEnded(at_s=3.0, stage=0), KEPT[1])
    monkeypatch.setattr(ensured, "lacking", lambda *given: ())
    monkeypatch.setattr(mount_root, "owned", lambda folder: Owned(uid=0, gid=0, mode=0o755))
    monkeypatch.setattr("raidtui.runs.status.permanence_due", lambda plan, state: False)
    outcome = ensuring.existing_for(given, standing())
    assert outcome and outcome.refused.endswith(
        "mdadm writes to nobody, set was root; /srv/vms is 0:0 0755, set was 0:0 2775"
    )
    conf = MdadmConf(mailaddr="root")
    monkeypatch.setattr(boot_files, "read", lambda: BootFiles(mdadm=conf, mounts=(FSTAB,)))
    monkeypatch.setattr(mount_root, "owned", lambda folder: Owned(uid=0, gid=0, mode=0o2775))
    outcome = ensuring.existing_for(given, standing())
    assert outcome and outcome.refused == ""


@pytest.mark.parametrize("name, refuses", [("20260102T030405Z-ab00", False), ("20990102T030405Z-ab12", True)])
def test_a_run_that_ended_early_is_in_the_way_unless_the_arrays_run_came_after_it(
    root: Path, name: str, refuses: bool
) -> None:
    """Of an older one the disks were taken by the one that built."""
    kept_run(root)
    run_in(root, plan(), name, *BEGUN, ENDED_EARLY)
    if refuses:
        with pytest.raises(PlanNotSafe, match=f"run {name} of these answers ended early"):
            ensuring.existing_for(BY_RULE, standing())
        return
    outcome = ensuring.existing_for(BY_RULE, standing())
    assert outcome and (outcome.run, outcome.refused) == (RUN, "")


def status(**of_run: Any) -> ensuring.RunOfAnswers:
    told: dict[str, Any] = {"word": "failed", "sentence": "0 of 14 measured", "setup": "", "measured": 0, "trials": 14}
    return ensuring.RunOfAnswers(plan(), RunStatus(path=Path("run"), **(told | of_run)))


RESUME, CLEAN, UNDO = "`raidtui resume run` continues it, ", "`raidtui clean run`", "`raidtui undo run`"
EARLY = "run run of these answers ended early (0 of 14 measured): {}{} reverts it"
IS_RUNNING = "run run of these answers is running; wait for its end (`raidtui attach run`)"


@pytest.mark.parametrize(
    "of_run, says",
    [
        ({}, ""),
        ({"kept": True}, ""),
        ({"resumable": True}, ""),
        ({"alive": True}, IS_RUNNING),
        ({"word": "starting"}, IS_RUNNING),
        ({"unsettled": True}, EARLY.format("", CLEAN)),
        ({"unsettled": True, "resumable": True}, EARLY.format(RESUME, CLEAN)),
        ({"kept": True, "resumable": True}, EARLY.format(RESUME, CLEAN)),
        ({"unsettled": True, "permanent": True}, EARLY.format("", UNDO)),
    ],
)
def test_a_run_is_in_the_way_while_it_may_write_or_has_something_left_to_do(of_run: dict[str, Any], says: str) -> None:
    if not says:
        ensuring.refuse_unfinished(status(**of_run))
        return
    with pytest.raises(PlanNotSafe) as refused:
        ensuring.refuse_unfinished(status(**of_run))
    assert str(refused.value) == says


def test_an_array_on_the_disks_of_answers_that_no_run_built_is_told(root: Path) -> None:
    """By identity or by mark; an array on others is no matter of theirs."""
    seen = standing(*FREE)
    array, disks = the_array(seen), disks_of(seen)
    serials = {disk.name: disk.serial for disk in disks}
    others = tuple(disk.id for disk in disks if disk.name in ("sdd", "sde", "sdf"))
    ensuring.refuse_other(replace(BY_NAME, disks=others), array, seen)
    for named in (BY_NAME.disks, (*others, serials["sdb"]), (serials["sda"],)):
        with pytest.raises(PlanNotSafe, match=r"is on these disks, and no run of these answers built it$"):
            ensuring.refuse_other(replace(BY_NAME, disks=named), array, seen)
    ensuring.refuse_other(ruled(model="another"), array, seen)
    with pytest.raises(PlanNotSafe, match="is on 3 such disks"):
        ensuring.refuse_other(BY_RULE, array, seen)


def test_a_rule_means_an_array_only_if_each_of_its_disks_fits(root: Path) -> None:
    """One of three is of another model, or absent: the rule cannot have built it."""
    seen = standing()
    disks = {disk.id: disk for disk in disks_of(seen)}
    array, rule = the_array(seen), ruled(model=disks_of(BLANK)[0].model).disks
    assert isinstance(rule, DiskRule) and len(array.members) == len(disks) == 3
    with pytest.raises(PlanNotSafe, match="is on 3 such disks"):
        ensuring.refuse_such(rule, array, disks)
    first, *_ = disks
    ensuring.refuse_such(rule, array, {**disks, first: replace(disks[first], model="another")})
    ensuring.refuse_such(rule, array, {name: disk for name, disk in disks.items() if name != first})
    absent = replace(array, members=(replace(array.members[0], disk=None), *array.members[1:]))
    ensuring.refuse_such(rule, absent, disks)


def test_of_runs_those_count_that_keep_an_array_on_these_disks(root: Path) -> None:
    names = ("20260101T000000Z-aaaa", "20260102T000000Z-bbbb")
    for name in names:
        run_in(root, plan(), name, *KEPT)
    run_in(root, plan(replace(BY_RULE, after="teardown")), "20260103T000000Z-cccc", *KEPT)
    run_in(root, plan(BY_NAME), "20260104T000000Z-dddd", *KEPT)
    runs, unread = ensuring.runs_of(BY_RULE)
    assert ([*runs], unread) == ([*reversed(names)], "")
    assert {name: run.status.name for name, run in runs.items()} == {name: name for name in names}
    runs, _ = ensuring.runs_of(BY_NAME)
    assert [*runs] == ["20260104T000000Z-dddd", *reversed(names)]


def test_a_sweep_has_no_array_that_could_be_there_already(root: Path) -> None:
    kept_run(root)
    swept = replace(BY_RULE, setup=Setup(), axes=Axes(level=("0", "5"), filesystem=("ext4",)))
    with pytest.raises(PlanRefused, match="a sweep keeps no array; name one setup"):
        ensuring.existing_for(swept, standing())


@pytest.mark.parametrize(
    "asked, told",
    [
        ({}, []),
        ({"mailaddr": "root"}, ["mdadm writes to nobody, set was root"]),
        ({"mount_owner": "0:0"}, ["/srv/vms is 0:0 0755, set was 7:7 2775"]),
        ({"mount_mode": "2775"}, ["/srv/vms is 0:0 0755, set was 7:7 2775"]),
    ],
)
def test_only_what_was_asked_for_can_be_set_otherwise(
    root: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, str], told: list[str]
) -> None:
    made = plan(replace(PERMANENT, **asked))
    monkeypatch.setattr(mount_root, "owned", lambda folder: Owned(uid=0, gid=0, mode=0o755))
    monkeypatch.setattr(mount_root, "owned_as", lambda folder, owner, mode: Owned(uid=7, gid=7, mode=0o2775))
    assert [*ensuring._set_otherwise(made, BootFiles())] == told
    assert [*ensuring._set_otherwise(plan(), BootFiles())] == []  # boot does not know it
    told_others = BootFiles(mdadm=MdadmConf(mailaddr="ops"))
    assert [*ensuring._set_otherwise(plan(PERMANENT), told_others)] == []  # nobody asked for mail
    bare = plan(replace(PERMANENT, setup=Setup(level="5", filesystem="none"), mount_point=""))
    bare = replace(bare, answers=replace(bare.answers, mount_owner="0:0"))
    assert [*ensuring._set_otherwise(bare, BootFiles())] == []  # nothing is mounted


@pytest.mark.parametrize("error", [FileNotFoundError(2, "No such file"), mount_root.NoSuchOwner("no user 'vms'")])
def test_an_owner_that_is_not_known_is_told_as_such(
    root: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def owned(folder: str) -> Owned:
        raise error

    monkeypatch.setattr(mount_root, "owned", owned)
    made = plan(replace(PERMANENT, mount_owner="0:0"))
    assert [*ensuring._set_otherwise(made, BootFiles())] == [f"owner of /srv/vms unknown: {error}"]
