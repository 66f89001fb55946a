"""Which array is meant, and whether it is cared for by a plan or by lines."""

import pytest

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.pools import NOT_IMPORTED, KeptPool
from raidtui.core.care.by_hand import ByHand
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import Machine
from raidtui.core.plan.model import Plan
from raidtui.runs import kept_arrays, locks
from raidtui.runs.care import planning
from raidtui.runs.care.planning import CareTarget, NoSuchArray
from raidtui.system.arrays import pools
from tests.builders.arrays import UUID
from tests.builders.care import RUN, cared_for, seen, serial

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


@pytest.mark.parametrize("name", ["tank", "7", "the-run"])
def test_a_pool_that_a_run_keeps_is_found_where_none_is_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "read", lambda: ((), ()))
    monkeypatch.setattr(kept_arrays, "kept_pools", lambda: {"7": KeptPool("the-run", "tank")})
    monkeypatch.setattr(locks, "machine_here", Machine)
    pool = planning.find_pool(name)
    assert pool and (pool.guid, pool.health) == ("7", NOT_IMPORTED) and planning.find_pool("md0") is None
    monkeypatch.setattr(pools, "read", lambda: (None, ("ZFS pools: no answer",)))
    assert planning.find_pool(name) is None  # whether it is imported nobody knows
