"""Which array is meant, and whether it is cared for by a plan or by lines."""

import pytest

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.pools import NOT_IMPORTED, KeptPool
from raidtui.core.care.by_hand import ByHand
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.plan.answers import PlanNotSafe, PlanRefused
from raidtui.core.plan.model import Plan
from raidtui.runs import kept_arrays, locks
from raidtui.runs.care import planning
from raidtui.runs.care.planning import CareTarget, NoSuchArray
from raidtui.system.arrays import pool_units
from tests.builders.arrays import UUID
from tests.builders.care import RUN, cared_for, seen, serial
from tests.builders.machines import device

ONE = Array(name="md127", node="/dev/md127", uuid=UUID, title="here:data", run=RUN)
OTHER = Array(name="md1", node="/dev/md1", uuid=UUID[::-1], title="here:1")
LINKS = {"md127": ("/dev/md/data", "/dev/disk/by-id/md-name-here:data"), "md1": ("/dev/md/1",)}


@pytest.mark.parametrize(
    "name", ["md127", "/dev/md127", "/dev/md/data", "data", "here:data", UUID, RUN, "/dev/disk/by-id/md-name-here:data"]
)
def test_an_array_has_many_names(name: str) -> None:
    assert planning.chosen(name, (ONE, OTHER), LINKS) is ONE


@pytest.mark.parametrize("name", ["", "md2", "/dev/sda", "nobody"])
def test_what_is_none_is_named_with_those_that_are(name: str) -> None:
    with pytest.raises(NoSuchArray, match="available: md127, md1"):
        planning.chosen(name, (ONE, OTHER), LINKS)
    with pytest.raises(NoSuchArray, match=r"\(none on this host\)"):
        planning.chosen(name, (), LINKS)


def test_a_name_of_two_is_refused() -> None:
    with pytest.raises(NoSuchArray, match="more than one md array"):
        planning.chosen("data", (ONE, Array(name="md5", node="/dev/md5", uuid="u", title="there:data")), LINKS)


@pytest.mark.parametrize("kept", [True, False])
def test_only_what_a_run_keeps_has_a_plan(kept: bool) -> None:
    machine = seen()
    array, disks = cared_for(machine, kept=kept)
    found = CareTarget(array, disks, machine)
    made = (
        planning.check(found, Limits()),
        planning.replace(found, serial(disks, "sdb"), serial(disks, "sdd"), Limits()),
    )
    assert [isinstance(one, Plan) for one in made] == [kept, kept]
    assert [isinstance(one, ByHand) and one.why.startswith("no run of raidtui keeps md127") for one in made] == [
        not kept
    ] * 2


def test_an_array_of_others_is_grown_over_disks_that_are_named_as_for_a_replacement() -> None:
    machine = seen(new=device("sdd", signatures=(Signature(kind="ext4", label="old"),)))
    array, disks = cared_for(machine, kept=False)
    found = CareTarget(array, disks, machine)
    made = planning.grow(found, [serial(disks, "sdd")], Limits())
    assert isinstance(made, ByHand) and made.lines[6:] == (
        "wipefs --all /dev/sdd  # erases ext4 (old)",
        "wipefs --no-act /dev/sdd  # must print nothing, else stop",
        "mdadm --add /dev/md127 /dev/sdd",
        "mdadm --grow /dev/md127 --raid-devices=4",
        "mdadm --wait /dev/md127",
        "resize2fs /dev/md127",
    )
    room = planning.grow(found, [], Limits())
    assert isinstance(room, ByHand) and "mdadm --grow /dev/md127 --size=max" in room.lines


@pytest.mark.parametrize(
    "machine, new, reason",
    [
        (seen(), "nobody", "no disk nobody on this machine"),
        (seen(), "/dev/sdd", "is a name, and names change"),
        (seen(), "sdb", "is a disk of md127"),
        (seen(new=device("sdd", holders=("dm-0",))), "sdd", "cannot be used"),
        (seen(new=device("sdd", attributes={"size": "2048"})), "sdd", "too small"),
        (seen("raid0"), "sdd", "md127 has no redundancy"),
        (seen(slots={"sda": ("0", "in_sync"), "sdb": ("1", "in_sync")}, raid_disks="3"), "sdd", "md127 is degraded"),
    ],
)
def test_what_is_no_free_disk_for_an_array_of_others_is_refused(machine: Machine, new: str, reason: str) -> None:
    array, disks = cared_for(machine, kept=False)
    name = serial(disks, new) if new.startswith("sd") else new
    with pytest.raises((PlanNotSafe, PlanRefused), match=reason):
        planning.grow(CareTarget(array, disks, machine), [name], Limits())


@pytest.mark.parametrize("name", ["tank", "7", "the-run"])
def test_a_pool_that_a_run_keeps_is_found_where_none_is_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_units, "read", lambda: ((), ()))
    monkeypatch.setattr(kept_arrays, "kept_pools", lambda: {"7": KeptPool("the-run", "tank")})
    monkeypatch.setattr(locks, "machine_here", Machine)
    pool = planning.find_pool(name)
    assert pool and (pool.guid, pool.health) == ("7", NOT_IMPORTED) and planning.find_pool("md0") is None
    monkeypatch.setattr(pool_units, "read", lambda: (None, ("ZFS pools: no answer",)))
    assert planning.find_pool(name) is None  # whether it is imported nobody knows
