"""Disks of a kept array say which run keeps it: by the array's own UUID."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.pools import KeptPool
from raidtui.core.care import plans
from raidtui.core.disks import identity as uuids
from raidtui.core.disks.disk import Content, Disk, Usability, Verdict
from raidtui.core.disks.machine import Held
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.run import events
from raidtui.runs import directory, forget, locks
from raidtui.runs.journal import Journal
from raidtui.runs.kept_arrays import (
    keeping_runs,
    kept_arrays,
    kept_pools,
    kept_with,
    members_of,
    unwell,
    with_keeping_runs,
)
from raidtui.runs.local import LocalHost
from raidtui.system import discovery
from tests.builders import sweeps
from tests.builders.arrays import DIGITS
from tests.builders.care import THREE, cared_for, seen
from tests.builders.journals import started
from tests.builders.machines import device
from tests.runs.disks.pool_rig import kept_pool_plan
from tests.runs.rig import plan_of
from tests.runs.rig import run_in as run_in_folder
from tests.ui.machines import disk

WORKER = started()


def run_in(root: Path, *, kept: bool) -> tuple[Path, str]:
    """A run that keeps its array, or not, and the UUID of that array as udev writes it."""
    path = directory.create(plan_of("5"), root)
    journal = Journal(path / directory.JOURNAL)
    journal.add(WORKER)
    journal.add(events.RunEnded(at_s=9.0, outcome="finished", kept=kept))
    journal.close()
    array = next(stage.array for stage in slots.filled(directory.read_plan(path)).stages if stage.array)
    digits = array.uuid.replace(":", "")
    return path, "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def member(name: str, uuid: str, standing: Usability = Usability.REFUSE) -> Disk:
    verdict = Verdict(standing, "it is part of md127", "mdadm --stop /dev/md127")
    return disk(name, verdict=verdict, contents=(Content(name, "linux_raid_member", "host:a", uuid),))


@pytest.mark.parametrize("kept, same", [(True, True), (False, True), (True, False)])
def test_a_member_is_kept_by_the_run_whose_array_it_is_of(tmp_path: Path, kept: bool, same: bool) -> None:
    path, uuid = run_in(tmp_path, kept=kept)
    mine, other = member("sdb", uuid if same else uuid[::-1]), disk("sdc")
    assert keeping_runs((mine, other), tmp_path) == ({mine.id: path} if kept and same else {})


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "state, health", [(("1", "in_sync"), ()), (("1", "faulty"), ("degraded",))], ids=["whole", "lost"]
)
def test_a_kept_array_that_lost_a_member_is_not_well(
    monkeypatch: pytest.MonkeyPatch, kept: bool, state: tuple[str, str], health: tuple[str, ...]
) -> None:
    keeping = {DIGITS: (Path("/runs/one"), plan_of("5"))} if kept else {}
    monkeypatch.setattr(
        "raidtui.runs.kept_arrays.kept_by", lambda arrays, _: {k: keeping[k] for k in arrays & {*keeping}}
    )
    found = unwell(seen(slots=THREE | {"sdb": state}), Path("/runs"))
    assert tuple(array.health for array in found) == (health if kept else ())


def test_a_disk_of_a_kept_array_is_known_by_its_serial_number_without_being_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, uuid = run_in(tmp_path, kept=True)
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    (array,) = kept_arrays({uuid.replace("-", "")}).values()
    members = directory.read_plan(path).members
    assert array.run == path.name and all(member.serial for member in members)
    assert [(disk.id, disk.serial) for disk in array.disks if disk] == [(one.id, one.serial) for one in members]


def test_a_journal_is_in_no_slot_of_its_array() -> None:
    setup = Setup(level="5", bitmap="journal", spares=1)
    plan = slots.filled(directory.drawn(sweeps.plan("quick", 5, setup=setup, after="keep")))
    array = plan.stages[-1].array
    assert array and [one.id for one in members_of(plan, uuids.digits(array.uuid))] == [m.id for m in plan.members[:3]]


def grown_in(root: Path, uuid: str, slots_told: dict[str, int] | None) -> str:
    """A run that was to have the array take sdd and sde, and what md told of it; its id."""
    machine = seen()
    array, disks = cared_for(replace(machine, devices=(*machine.devices, device("sde"))))
    new = [disk.id for disk in disks if disk.name in ("sdd", "sde")]
    plan = plans.grow(replace(array, uuid=uuid), new, disks, "machine", plans.Limits())
    told = (
        {}
        if slots_told is None
        else {identity: slots_told[name] for identity, name in zip(new, ("sdd", "sde"), strict=True)}
    )
    grown = [events.ArrayGrown(at_s=5.0, size_bytes=1, slots=told)] if told else []
    return run_in_folder(root, plan, "20990102T030405Z-ab12", WORKER, *grown).name


@pytest.mark.parametrize("told", [{"sdd": 4, "sde": 3}, None])
def test_an_array_that_a_run_has_grown_has_its_disks_where_md_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: dict[str, int] | None
) -> None:
    path, uuid = run_in(tmp_path, kept=True)
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    growth = grown_in(tmp_path, uuid, told)
    (array,) = kept_arrays({uuid.replace("-", "")}).values()
    built = [member.id for member in directory.read_plan(path).members]
    new = [member.id for member in directory.read_plan(tmp_path / growth).members]
    assert [disk and disk.id for disk in array.disks] == [*built, *(reversed(new) if told else ())]
    assert (array.run, array.grown_by) == (path.name, growth if told else "")


@pytest.mark.parametrize("told, kept", [({"sdd": 3, "sde": 4}, True), ({"sdd": 3, "sde": 4}, False), (None, True)])
def test_a_run_that_alone_knows_who_is_in_which_slot_of_a_kept_array_is_not_forgotten(
    tmp_path: Path, told: dict[str, int] | None, kept: bool
) -> None:
    path, uuid = run_in(tmp_path, kept=kept)
    growth = tmp_path / grown_in(tmp_path, uuid, told)
    journal = Journal(growth / directory.JOURNAL)
    journal.add(events.RunEnded(at_s=9.0, outcome="finished"))
    journal.close()
    needed = bool(told) and kept
    assert kept_with(growth) == (path.name if needed else "") and kept_with(path) == ""
    assert (f"to the array that run {path.name} keeps" in forget.why_not(growth)) is needed


@pytest.mark.parametrize("final, own, known_s", [(True, True, 9.0), (False, True, None), (True, False, None)])
def test_a_check_of_a_kept_array_is_known_once_its_end_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, final: bool, own: bool, known_s: float | None
) -> None:
    _, uuid = run_in(tmp_path, kept=True)
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    array, disks = cared_for(seen())
    array = replace(array, uuid=uuid) if own else array
    plan = plans.check(array, disks, "machine", plans.Limits())
    counted = events.MismatchesCounted(at_s=5.0, sectors=0, final=final)
    ended = events.RunEnded(at_s=9.0, outcome="finished")
    run_in_folder(tmp_path, plan, "20990102T030405Z-ab12", WORKER, counted, ended)
    assert [one.checked_s for one in kept_arrays({uuid.replace("-", "")}).values()] == [known_s]


def test_the_verdict_names_the_run_and_its_commands(tmp_path: Path) -> None:
    path, uuid = run_in(tmp_path, kept=True)
    mine, other = member("sdb", uuid), disk("sdc")
    first, second = with_keeping_runs((mine, other), keeping_runs((mine, other), tmp_path))
    assert second == other and f"kept by raidtui run {path.name}" in first.verdict.reason
    assert f"`raidtui clean {path.name}`" in first.verdict.remedy and "mdadm --stop" not in first.verdict.remedy
    assert first.verdict.standing is Usability.REFUSE


def test_a_disk_that_a_run_has_now_stays_refused_for_that(tmp_path: Path) -> None:
    """As by a check of the kept array: to take that down is not the way on meanwhile."""
    path, uuid = run_in(tmp_path, kept=True)
    mine = replace(member("sdb", uuid), run="20260101T000000Z-abcd")
    assert with_keeping_runs((mine,), {mine.id: path}) == (mine,)


def test_a_look_for_a_person_says_what_runs_have_and_a_workers_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = seen()
    one, other = (found.id for found in disks_of(machine)[:2])
    monkeypatch.setattr(discovery, "read_machine", lambda: machine)
    monkeypatch.setattr(discovery, "with_volumes", lambda looked: looked)
    monkeypatch.setattr(locks, "held_now", lambda: (Held(disk=one, run="r"),))
    runs = {found.id: found.run for found in disks_of(locks.machine_here())}
    assert (runs[one], runs[other]) == ("r", "")
    assert not any(found.run for found in disks_of(LocalHost().read_machine()))


def test_what_may_be_chosen_stays_so(tmp_path: Path) -> None:
    path, uuid = run_in(tmp_path, kept=True)
    mine = member("sdb", uuid, Usability.WARN)
    assert with_keeping_runs((mine,), {mine.id: path}) == (mine,)


def test_a_run_that_cannot_be_read_keeps_nobody_from_looking(tmp_path: Path) -> None:
    path, uuid = run_in(tmp_path, kept=True)
    (path / directory.PLAN).write_bytes(b"{")
    assert keeping_runs((member("sdb", uuid),), tmp_path) == {}


@pytest.mark.parametrize("kept, guid", [(True, "7"), (False, "7"), (True, "8")])
def test_the_disks_of_a_kept_pool_say_which_run_keeps_it(tmp_path: Path, kept: bool, guid: str) -> None:
    """By the GUID that the run journalled; blkid gives it as the signature's UUID."""
    path = directory.create(kept_pool_plan(), tmp_path)
    plan = directory.read_plan(path)
    journal = Journal(path / directory.JOURNAL)
    journal.add(WORKER)
    journal.add(events.StageStarted(at_s=2.0, stage=plan.kept_stage or 0))
    journal.add(events.PoolMade(at_s=3.0, pool="tank", guid="7"))
    journal.add(events.RunEnded(at_s=9.0, outcome="finished", kept=kept))
    journal.close()
    verdict = Verdict(Usability.REFUSE, "it is part of a ZFS pool", "zpool export")
    mine = disk("sdb", verdict=verdict, contents=(Content("sdb1", "zfs_member", "tank", guid),))
    known = kept and guid == "7"
    assert keeping_runs((mine,), tmp_path) == ({mine.id: path} if known else {})
    assert kept_pools(tmp_path) == ({"7": KeptPool(path.name, "tank")} if kept else {})
