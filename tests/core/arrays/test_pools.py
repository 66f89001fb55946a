"""What zpool prints, read; as it was printed by OpenZFS 2.1.11 in a lab server, but for what is damaged in it."""

import pytest

from raidtui.core.arrays.array import Grade, KnownDisk
from raidtui.core.arrays.pools import Pool, PoolDevice, PoolScan, judged, listed, with_disks, with_status
from tests.builders.machines import CASES

LISTED = "tank\t7532500202865373171\tONLINE\t2415919104\t974848\t-\n"
LINK = "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_x-NVME-{}-part1"
WORKS = LINK.format(2) + "  ONLINE 0 0 0"
CONFIG = """config:

\tNAME                                                    STATE     READ WRITE CKSUM
\ttank                                                    {state}     0     0     0
\t  raidz1-0                                              {state}     0     0     0
\t    {first}  ONLINE       0     0     0
\t    {second}

errors: {errors}
"""
SCRUBBED = "scrub repaired 0B in 00:00:01 with 0 errors on Tue Nov 24 19:02:56 2026"
GOES_ON = """scrub in progress since Tue Nov 24 19:02:56 2026
\t1.20G scanned at 600M/s, 1.00G issued at 500M/s, 4.00G total
\t0B repaired, 25.00% done, 00:00:06 to go"""
DRAID = """resilver (draid1:2d:4c:1s-0) in progress since Tue Nov 24 19:02:56 2026
\t334T scanned at 2.13G/s, 306T issued 1.95G/s, 359T total
\t13.9T resilvered, 92.97% done, 03:22:35 to go"""
PAUSED = """scrub paused since Tue Nov 24 19:12:56 2026
\tscrub started on Tue Nov 24 19:02:56 2026
\t1.20G scanned, 1.00G issued, 4.00G total
\t0B repaired, 25.00% done"""  # zpool_main.c: print_scan_scrub_resilver_status
RESILVER = """resilver in progress since Tue Nov 24 19:02:56 2026
\t1.20G scanned at 600M/s, 1.00G issued at 500M/s, 4.00G total
\t250M resilvered, 50.25% done, 00:00:04 to go"""


def printed(scan: str = "", second: str = WORKS, errors: str = "No known data errors", state: str = "ONLINE") -> str:
    head = f"  pool: tank\n state: {state}\n" + (f"  scan: {scan}\n" if scan else "")
    return head + CONFIG.format(state=state, first=LINK.format(1), second=second, errors=errors)


def pool(text: str, line: str = LISTED) -> Pool:
    (listed_one,) = listed(line)
    return with_status(listed_one, text)


def test_a_pool_is_read_with_its_devices_and_not_with_their_groups() -> None:
    seen = pool(printed())
    assert (seen.name, seen.guid, seen.health, seen.at_boot) == ("tank", "7532500202865373171", "ONLINE", True)
    assert (seen.size_bytes, seen.allocated_bytes, seen.data_errors, seen.scan) == (2415919104, 974848, 0, PoolScan())
    assert [(one.device, one.state) for one in seen.devices] == [(LINK.format(n), "ONLINE") for n in (1, 2)]


@pytest.mark.parametrize(
    "scan, going_on, done, scrubbed",
    [
        ("", "", None, None),
        (SCRUBBED, "", None, 1795546976.0),
        ("scrub canceled on Tue Nov 24 19:02:56 2026", "", None, None),
        ("resilvered 250M in 00:00:04 with 0 errors on Tue Nov 24 19:02:56 2026", "", None, None),
        (GOES_ON, "scrub", 25.0, None),
        (RESILVER, "resilver", 50.25, None),
        (f"{SCRUBBED}\n  scan: {DRAID}", "resilver", 92.97, 1795546976.0),
        (f"{DRAID}\n  scan: {DRAID.replace('92.97', '3.5')}", "resilver", 3.5, None),
        ("resilvered (mirror-0) 1G in 00:00:04 with 0 errors on Tue Nov 24 19:02:56 2026", "", None, None),
        ("scrub repaired 0B in 00:00:01 with 0 errors on Tue Nov 99 19:02:56 2026", "", None, None),
    ],
)
def test_what_is_scanned_or_was(scan: str, going_on: str, done: float | None, scrubbed: float | None) -> None:
    seen = pool(printed(scan)).scan
    assert (seen.going_on, seen.done_percent, seen.scrubbed_s) == (going_on, done, scrubbed)


@pytest.mark.parametrize(
    "line, device",
    [
        (LINK.format(2) + "  OFFLINE 0 0 0", PoolDevice(device=LINK.format(2), state="OFFLINE")),
        (
            "15197053548977707782  UNAVAIL  1 2 3  was /dev/sdb1",
            PoolDevice(
                device="15197053548977707782",
                state="UNAVAIL",
                read_errors=1,
                write_errors=2,
                checksum_errors=3,
                was="/dev/sdb1",
            ),
        ),
        ("/dev/sdb1  AVAIL", PoolDevice(device="/dev/sdb1", state="AVAIL")),
        ("/dev/sdb1  FAULTED  0 0 0  too many errors", PoolDevice(device="/dev/sdb1", state="FAULTED")),
        ("/dev/sdb1  UNAVAIL  0 0 0  was", PoolDevice(device="/dev/sdb1", state="UNAVAIL")),
    ],
)
def test_a_device_that_is_lost_is_told_by_what_zfs_knows_of_it(line: str, device: PoolDevice) -> None:
    assert pool(printed(second=line)).devices[1] == device


def test_lost_data_are_counted() -> None:
    assert pool(printed(errors="3 data errors, use '-v' for a list")).data_errors == 3


@pytest.mark.parametrize("text", ["", "tank", "tank\t7\tONLINE", "tank\tseven\tONLINE\t1\t1\t-"])
def test_another_form_is_no_pool(text: str) -> None:
    assert list(listed(text)) == []


def test_one_without_a_cache_file_does_not_come_back_at_boot() -> None:
    assert not pool(printed(), LISTED.replace("-\n", "none\n")).at_boot


@pytest.mark.parametrize(
    "line, serial",
    [
        ("15197053548977707782  UNAVAIL 0 0 0  was " + LINK.format(2), "two"),
        ("/dev/sdb1  FAULTED 0 0 0", "other"),
        ("15197053548977707782  UNAVAIL 0 0 0  was /dev/sdb1", ""),
        ("/dev/sdb1  REMOVED 0 0 0", ""),
    ],
)
def test_a_device_has_its_disk_by_its_link_and_one_that_is_away_by_nothing_else(line: str, serial: str) -> None:
    """What the kernel calls sdb since the boot may be a disk that works."""
    serials = {LINK.format(1): "one", LINK.format(2): "two", "/dev/sdb1": "other"}
    disks = {name: KnownDisk(id=name, serial=told) for name, told in serials.items()}
    first, second = with_disks(pool(printed(second=line)), disks).devices
    assert first.disk and first.disk.serial == "one" and (second.disk.serial if second.disk else "") == serial


def test_a_draid_tells_its_last_scrub_and_its_resilver() -> None:
    line, text = (CASES / "p01_draid_resilver.txt").read_text().split("=====\n")
    seen = pool(text, line)
    assert (seen.scan.going_on, seen.scan.done_percent, seen.scan.paused) == ("resilver", 92.97, False)
    assert seen.scan.scrubbed_s == 1689071362.0
    assert [(one.device, one.state) for one in seen.devices] == [
        ("/dev/disk/by-id/a-part1", "ONLINE"),
        ("/dev/disk/by-id/b-part1", "FAULTED"),
        ("12345678901234567", "UNAVAIL"),
    ]


def test_a_paused_scrub_does_not_go_on_by_itself() -> None:
    seen = judged(pool(printed(PAUSED)), 1.8e9)
    assert (seen.scan.going_on, seen.scan.done_percent, seen.scan.paused) == ("scrub", 25.0, True)
    (condition,) = (one for one in seen.conditions if "scrub" in one.kind)
    assert (condition.kind, condition.grade) == ("pool-scrub-paused", Grade.ATTENTION)
    assert (condition.words, condition.remedy) == (
        "its scrub is paused: 25.0 % done",
        "`zpool scrub tank` continues it",
    )
