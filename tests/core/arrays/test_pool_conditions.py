"""What is told of a pool, how urgent it is, and what to do: each row of the table fires for its case alone."""

from typing import Any

import pytest

from raidtui.core.arrays.array import Grade, KnownDisk
from raidtui.core.arrays.pools import ROWS, KeptPool, Pool, PoolDevice, PoolScan, judged, not_imported
from raidtui.core.arrays.prometheus import text_of
from raidtui.core.arrays.status import Surroundings, lines_of, status_of
from raidtui.core.disks.machine import Machine

NOW_S = 1_800_000_000.0
FIRST = PoolDevice(device="/dev/sda1", state="ONLINE")
SECOND = PoolDevice(device="/dev/sdb1", state="ONLINE", disk=KnownDisk(id="b", model="Disk", serial="S2"))
GOOD: dict[str, Any] = {
    "name": "tank", "guid": "7", "health": "ONLINE", "size_bytes": 100, "allocated_bytes": 10, "at_boot": True,
    "devices": (FIRST, SECOND), "scan": PoolScan(scrubbed_s=NOW_S - 86400),
}  # fmt: skip


def second(**fields: Any) -> tuple[PoolDevice, ...]:
    return FIRST, PoolDevice(device="/dev/sdb1", disk=SECOND.disk, **{"state": "ONLINE", **fields})


CASES = [
    ("pool-lost", Grade.FAILED, {"health": "SUSPENDED"}, "SUSPENDED: too few"),
    ("pool-data-lost", Grade.DEGRADED, {"data_errors": 3}, "3 of its files"),
    ("pool-device-lost", Grade.DEGRADED, {"devices": second(state="REMOVED")}, "/dev/sdb1 (Disk S2) is REMOVED"),
    ("pool-device-errors", Grade.ATTENTION, {"devices": second(checksum_errors=4)}, "0 read, 0 write and 4 checksum"),
    ("pool-resilver", Grade.GOOD, {"scan": PoolScan(going_on="resilver", done_percent=50.0)}, "50.0 % done"),
    ("pool-scrub", Grade.GOOD, {"scan": PoolScan(going_on="scrub")}, "just begun"),
    ("pool-scrub-paused", Grade.ATTENTION, {"scan": PoolScan(going_on="scrub", paused=True)}, "its scrub is paused"),
    ("pool-full", Grade.ATTENTION, {"allocated_bytes": 81}, "81 % of it is full"),
    ("pool-scrub-long-ago", Grade.ATTENTION, {"scan": PoolScan(scrubbed_s=NOW_S - 60 * 86400)}, "last scrubbed"),
    ("pool-never-scrubbed", Grade.GOOD, {"scan": PoolScan()}, "not known"),
    ("pool-not-at-boot", Grade.GOOD, {"at_boot": False}, "in no cache file"),
]


def test_of_a_good_pool_nothing_is_said() -> None:
    seen = judged(Pool(**GOOD), NOW_S)
    assert (seen.grade, seen.conditions) == (Grade.GOOD, ())


@pytest.mark.parametrize("kind, grade, fields, says", CASES)
def test_each_condition_is_told_alone_with_its_grade_and_what_to_do(
    kind: str, grade: Grade, fields: dict[str, Any], says: str
) -> None:
    (condition,) = judged(Pool(**GOOD | fields), NOW_S).conditions
    assert (condition.kind, condition.grade) == (kind, grade) and says in condition.words
    assert "{" not in condition.words + condition.remedy


def test_every_row_has_a_case() -> None:
    assert {row.kind for row in ROWS} == {kind for kind, *_ in CASES} | {"pool-not-imported"}


def test_a_lost_disk_is_to_be_replaced_by_its_name_in_the_pool() -> None:
    (condition,) = judged(Pool(**GOOD | {"devices": second(state="FAULTED")}), NOW_S).conditions
    assert "`zpool replace tank /dev/sdb1 NEW`" in condition.remedy


def test_a_name_with_a_blank_is_one_word_of_what_to_do() -> None:
    (condition,) = judged(Pool(**GOOD | {"name": "my tank", "devices": second(state="FAULTED")}), NOW_S).conditions
    assert "`zpool replace 'my tank' /dev/sdb1 NEW`" in condition.remedy


def test_one_that_a_run_keeps_and_that_is_not_here_is_lost_until_it_is_imported() -> None:
    around = Surroundings(kept_pools={"7": KeptPool("the-run", "tank")})
    status = status_of(Machine(host="here"), around, NOW_S)
    (pool,) = status.pools
    assert (status.grade, pool.name, pool.run) == (Grade.FAILED, "tank", "the-run")
    assert "zpool import -N 7" in pool.conditions[0].remedy
    assert judged(not_imported("7", KeptPool("the-run", "tank")), NOW_S) == pool


def test_it_is_told_to_people_and_to_monitoring() -> None:
    around = Surroundings(pools=(Pool(**GOOD | {"data_errors": 1}),), kept_pools={"7": KeptPool("the-run", "tank")})
    status = status_of(Machine(host="here"), around, NOW_S)
    lines = list(lines_of(status))
    assert lines[0].startswith("tank  ZFS pool of 2 disks, ") and lines[0].endswith(", 10 % used  ONLINE, degraded")
    assert "  run       the-run of raidtui keeps it" in lines
    assert lines[-2:] == ["no md arrays", "1 ZFS pool: 1 degraded"]
    text = text_of(status)
    assert 'raidtui_pool_grade{pool="tank",guid="7",grade="degraded"} 1\n' in text
    assert 'raidtui_pool_condition{pool="tank",guid="7",kind="pool-data-lost",grade="degraded"} 1\n' in text
