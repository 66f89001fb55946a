"""Whether answers stand: by the run that built the array, whatever else is free; and what stops a second one."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays.boot import BootFiles, MdadmConf, MountLine
from raidtui.core.boot.ownership import Owned
from raidtui.core.care import as_built, plans
from raidtui.core.disks.selection import DiskRule
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, Axes, PlanNotSafe, PlanRefused, Setup
from raidtui.core.run import events
from raidtui.core.units import MIB
from raidtui.runs import directory
from raidtui.runs.care import ensuring
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
    return msgspec.structs.replace(BY_RULE, disks=msgspec.structs.replace(BY_RULE.disks, **kind))


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
    assert ensuring.existing_for(msgspec.structs.replace(BY_NAME, disks=BY_NAME.disks[:2]), standing()) is None  # type: ignore[index]


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
    ("told", "says"),
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


def test_one_that_lacks_a_disk_or_is_asked_for_otherwise_is_refused(root: Path) -> None:
    kept_run(root)
    lame = standing(slots=in_sync("sda", "sdb") | {"sdc": ("none", "faulty")}, raid_disks="3", degraded="1")
    outcome = ensuring.existing_for(BY_RULE, lame)
    assert outcome and "is not in sync in it" in outcome.refused
    other = msgspec.structs.replace(BY_RULE, setup=Setup(level="5", filesystem="xfs", chunk="64KiB"))
    outcome = ensuring.existing_for(other, standing())
    assert outcome and "chunk: 512 KiB, asked for is 64.0 KiB; file system: ext4, asked for is xfs" in outcome.refused
    said_otherwise = msgspec.structs.replace(BY_RULE, setup=Setup(), axes=Axes(level=("5",), filesystem=("ext4",)))
    outcome = ensuring.existing_for(said_otherwise, standing())
    assert outcome and outcome.refused == ""
    with pytest.raises(PlanRefused, match="level"):
        ensuring.existing_for(msgspec.structs.replace(BY_RULE, setup=Setup(level="99")), standing())


def test_one_that_a_run_has_grown_is_said_to_be(root: Path) -> None:
    kept_run(root)
    machine = standing(*FREE)
    array, disks = cared_for(machine)
    (new,) = (disk.id for disk in disks if disk.name == "sdd")
    array = msgspec.structs.replace(array, member_bytes=MIB, members=tuple(
        msgspec.structs.replace(member, data_offset_bytes=MIB) for member in array.members))  # fmt: skip
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


PERMANENT = msgspec.structs.replace(BY_RULE, permanent=True, mount_point="/srv/vms")
FSTAB = MountLine(file="/etc/fstab", source=f"UUID={FILESYSTEM}", mountpoint="/srv/vms")


def test_owner_mode_and_mail_of_a_permanent_one_are_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = msgspec.structs.replace(PERMANENT, mount_owner="0:0", mount_mode="2775", mailaddr="root")
    kept_run(root, plan(given), *KEPT[:1], events.StageEnded(at_s=3.0, stage=0), KEPT[1])
    monkeypatch.setattr(as_built, "lacking", lambda *given: ())
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
