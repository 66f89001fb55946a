"""The ZFS pool of a run: destroyed and cleared by its GUID and on its own members alone, by its name where a run was
cut off before the GUID was read; whatever else is there stays, and is said.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.core.run import events
from raidtui.runs.waiting import Ended
from tests.builders.journals import started
from tests.runs.disks.pool_rig import GUID, NAMES, OTHER_GUID, Pool, cleared, destroyed, held_by_zfs
from tests.runs.rig import BOOT, Argv


@pytest.fixture
def pool(tmp_path: Path) -> Pool:
    return Pool(tmp_path)


def cut_off(pool: Pool, *, told: bool) -> None:
    """As another worker finds it: the pool was made, and its GUID journalled where it was `told`."""
    pool.journal.add(started(boot_id=BOOT))
    pool.journal.add(events.StageStarted(at_s=1.0, stage=0))
    ids = tuple(member.id for member in pool.plan.members)
    pool.journal.add(
        events.StepStarted(at_s=1.0, stage=0, what="pool", line="zpool create", role="create-pool", members=ids)
    )
    for name in NAMES:
        pool.table(name)
        pool.label(f"{name}1", pool.own, GUID)
    pool.pools = {pool.own: GUID}
    if told:
        pool.journal.add(events.PoolMade(at_s=1.0, pool=pool.own, guid=GUID))
    pool.open()


def taken_back(pool: Pool) -> tuple[str, list[str]]:
    outcome, _, left = pool.taken_back()
    return outcome, left


def test_tables_pool_guid_and_all_of_it_taken_back_after_a_test_that_fails(pool: Pool) -> None:
    outcome, _, left = pool.go()
    assert (outcome, left) == ("failed", [])
    words = [" ".join(argv) for argv in pool.given if argv[0] not in ("udevadm", "fio")]
    assert [line.split()[0] for line in words[:3]] == ["sfdisk"] * 3
    assert words[3].startswith("zpool create -o ashift=12 -o cachefile=none") and " -f" not in words[3]
    assert words[3].endswith(f"-m legacy {pool.own} raidz1 /dev/sda1 /dev/sdb1 /dev/sdc1")
    assert words[4:7] == [f"mount -t zfs {pool.own} mnt", "umount mnt", f"zpool destroy {pool.own}"]
    assert words[7:10] == [f"zpool labelclear -f /dev/{name}1" for name in NAMES]
    told = [line for line in (pool.folder / "journal.jsonl").read_text().splitlines() if '"event":"pool-made"' in line]
    assert len(told) == 2 and all(GUID in line for line in told)  # the GUID first of all
    assert pool.journal.state.pools[0].guid == GUID and pool.journal.state.pools[0].available_bytes == 1620580672
    assert pool.on == {} and pool.partitions == {} and pool.pools == {}


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("imported", [True, False])
def test_what_a_killed_worker_left_is_known_by_its_guid_or_by_its_name(pool: Pool, told: bool, imported: bool) -> None:
    """After a reboot it is imported by nobody, and its labels are cleared all the same."""
    cut_off(pool, told=told)
    pool.pools = pool.pools if imported else {}
    assert taken_back(pool) == ("finished", [])
    assert destroyed(pool) == imported and cleared(pool) == [f"/dev/{name}1" for name in NAMES]
    assert pool.on == {} and pool.partitions == {}


def another_of_the_name(pool: Pool) -> None:
    pool.pools = {pool.own: OTHER_GUID}


def elsewhere(pool: Pool) -> None:
    pool.stands = ("sda1", "sdb1", "sdx1")


def renamed(pool: Pool) -> None:
    pool.pools = {"mine": GUID}


def with_a_dataset(pool: Pool) -> None:
    pool.datasets = (f"{pool.own}/home",)


def on_a_foreign_table(pool: Pool) -> None:
    pool.on["sdb"] = (Signature(kind="gpt", uuid="00000000-0000-0000-0000-000000000001"),)


@pytest.mark.parametrize(
    "somebody, says",
    [
        (another_of_the_name, f"is another (GUID {OTHER_GUID}, this run's is {GUID})"),
        (elsewhere, "is on sdx1, which this run has not made"),
        (renamed, "is imported as mine"),
        (with_a_dataset, "/home, which this run did not make"),
        (on_a_foreign_table, "is on sdb, which this run has not made"),
    ],
)
def test_a_pool_that_is_not_the_runs_alone_is_left_alone_and_said(
    pool: Pool, somebody: Callable[[Pool], None], says: str
) -> None:
    cut_off(pool, told=True)
    somebody(pool)
    pool.in_use = held_by_zfs
    outcome, left = taken_back(pool)
    assert outcome == "failed" and any(says in reason for reason in left) and pool.executor.refused
    assert not destroyed(pool) and not cleared(pool) and not [argv for argv in pool.given if argv[0] == "wipefs"]


@pytest.mark.parametrize(
    "told, label", [(True, ("raidtui-0", OTHER_GUID)), (False, ("tank", GUID)), (True, ("tank", OTHER_GUID))]
)
def test_the_label_of_another_pool_is_never_cleared(pool: Pool, told: bool, label: tuple[str, str]) -> None:
    cut_off(pool, told=told)
    pool.pools = {}
    pool.label("sdb1", *label)
    outcome, left = taken_back(pool)
    assert outcome == "failed" and f"a label of the pool {label[0]} ({label[1]})" in left[0]
    assert cleared(pool) == ["/dev/sda1", "/dev/sdc1"] and ("wipefs", "--all", "/dev/sdb") not in pool.given
    assert pool.labels == {"sdb1": label} and set(pool.on) == {"sdb", "sdb1"}


def test_a_label_of_the_runs_name_with_another_guid_is_another_pools(pool: Pool) -> None:
    cut_off(pool, told=True)
    pool.pools = {}
    pool.label("sdb1", pool.own, OTHER_GUID)
    outcome, left = taken_back(pool)
    assert outcome == "failed" and OTHER_GUID in left[0] and cleared(pool) == ["/dev/sda1", "/dev/sdc1"]


def test_what_a_signature_calls_another_pools_is_not_cleared_where_zdb_tells_no_label(pool: Pool) -> None:
    cut_off(pool, told=True)
    pool.pools = {}
    pool.label("sdb1", "tank", OTHER_GUID)
    del pool.labels["sdb1"]
    outcome, left = taken_back(pool)
    assert outcome == "failed" and f"holds zfs_member {OTHER_GUID}" in left[0]
    assert cleared(pool) == ["/dev/sda1", "/dev/sdc1"] and {"sdb", "sdb1"} <= set(pool.on)


def test_another_pool_is_not_mounted_in_the_place_of_the_runs_own(pool: Pool) -> None:
    """Between the look at its GUID and the mount somebody has put another in its place."""

    def settled(argv: Argv) -> Ended:
        if argv[0] == "udevadm" and pool.journal.state.pools:
            pool.pools = {pool.own: OTHER_GUID}
        return pool._told(argv)

    pool.answer = settled
    pool.in_use = lambda: dict.fromkeys((f"/dev/{name}" for name in NAMES), "ZFS") if pool.journal.state.pools else {}
    outcome, reason, _ = pool.go()
    assert outcome == "failed" and "is another" in reason and pool.executor.refused
    assert not [argv for argv in pool.given if argv[0] == "mount"] and not destroyed(pool) and not cleared(pool)


def test_where_a_pool_has_the_name_already_none_is_made_and_that_one_stays(pool: Pool) -> None:
    pool.pools = {pool.own: OTHER_GUID}
    pool.stands = ("sdx1",)
    outcome, reason, _ = pool.go()
    assert outcome == "failed" and f"there is a pool {pool.own} already" in reason and pool.executor.refused
    assert not [argv for argv in pool.given if argv[0] == "zpool"] and pool.pools == {pool.own: OTHER_GUID}


def test_a_pool_that_zpool_does_not_make_leaves_nothing(pool: Pool) -> None:
    pool.fails = "create"
    outcome, reason, left = pool.go()
    assert (outcome, left) == ("failed", []) and "cannot create" in reason
    assert not destroyed(pool) and pool.on == {} and pool.partitions == {}


def test_where_it_cannot_be_destroyed_its_members_are_not_touched(pool: Pool) -> None:
    cut_off(pool, told=True)
    pool.fails = "destroy"
    pool.in_use = held_by_zfs
    outcome, left = taken_back(pool)
    assert outcome == "failed" and "cannot destroy" in left[0] and not cleared(pool)
    assert set(pool.on) == {*NAMES, *(f"{name}1" for name in NAMES)}


def only_tables(pool: Pool) -> None:
    """As another worker finds it: cut off after the tables were made, before the pool was begun."""
    pool.journal.add(started(boot_id=BOOT))
    pool.journal.add(events.StageStarted(at_s=1.0, stage=0))
    for name, member in zip(NAMES, pool.plan.members, strict=True):
        pool.journal.add(
            events.StepStarted(at_s=1.0, stage=0, what="table", line="sfdisk", role="partition", members=(member.id,))
        )
        pool.table(name)
    pool.open()


@pytest.mark.parametrize("imported", [True, False])
def test_a_pool_of_its_name_on_its_tables_is_somebodys_where_the_run_has_begun_none(pool: Pool, imported: bool) -> None:
    only_tables(pool)
    for name in NAMES:
        pool.label(f"{name}1", pool.own, OTHER_GUID)
    pool.pools = {pool.own: OTHER_GUID} if imported else {}
    outcome, left = taken_back(pool)
    assert outcome == "failed" and f"a label of the pool {pool.own} ({OTHER_GUID})" in left[0]
    assert not destroyed(pool) and not cleared(pool) and set(pool.on) == {*NAMES, *(f"{name}1" for name in NAMES)}


def test_where_none_was_begun_another_of_the_name_keeps_no_table_from_going(pool: Pool) -> None:
    only_tables(pool)
    pool.pools, pool.stands = {pool.own: OTHER_GUID}, ("sdx1",)
    assert taken_back(pool) == ("finished", [])
    assert not destroyed(pool) and pool.on == {} and pool.pools == {pool.own: OTHER_GUID}


def test_where_the_journal_has_lost_that_it_was_begun_its_guid_suffices(pool: Pool) -> None:
    only_tables(pool)
    pool.journal.add(events.PoolMade(at_s=1.0, pool=pool.own, guid=GUID))
    for name in NAMES:
        pool.label(f"{name}1", pool.own, GUID)
    pool.pools = {pool.own: GUID}
    assert taken_back(pool) == ("finished", []) and destroyed(pool) and pool.on == {}
