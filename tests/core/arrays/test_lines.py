"""The status in lines: what a person reads of each array."""

from raidtui.core.arrays.boot_files import BootFiles, fstab_of, mdadm_conf_of
from raidtui.core.arrays.monitor import CheckMarks, Monitor
from raidtui.core.arrays.status import KeptArray, Surroundings, lines_of, status_of
from raidtui.core.disks import dumps
from raidtui.core.disks.machine import Machine, Mount
from tests.builders.arrays import DIGITS, NOW_S, UUID, in_sync, md, with_members
from tests.builders.machines import RECORDINGS


def test_without_arrays_it_is_one_line() -> None:
    assert list(lines_of(status_of(Machine(), Surroundings(), NOW_S))) == ["no md arrays"]


def test_an_array_with_all_that_can_be_known() -> None:
    array = md("raid5", in_sync("sda", "sdb") | {"sdc": ("2", "spare")}, sync_action="recover",
               sync_completed="250 / 1000", sync_speed="1", layout="2")  # fmt: skip
    mounts = (Mount(devnum="9:127", source="/dev/md127", mountpoint="/srv", fstype="ext4"),)
    boot = BootFiles(
        mdadm=mdadm_conf_of([("/etc/mdadm.conf", f"ARRAY /dev/md/data UUID={UUID}".encode())]),
        mounts=fstab_of("/etc/fstab", b"UUID=0a0b0c0d-0000-4000-8000-000000000001 /srv ext4 nofail"),
    )
    around = Surroundings(
        boot=boot,
        checks=CheckMarks(done_s={DIGITS: NOW_S - 86400}, scheduled_by=("/etc/cron.d/mdadm",)),
        smart={"sdb": {"health": "passed", "temperature, °C": 31, "power-on hours": 12345}},
        kept={DIGITS: KeptArray("the-run")},
        monitor=Monitor(running=False, mailaddr="root"),
        not_read=("the log",),
    )
    text = "\n".join(lines_of(status_of(with_members(array, mounts=mounts), around, NOW_S)))
    for words in (
        "md127  RAID 5 of 3 disks, 1.07 GB = 1020 MiB  degraded\n",
        f"  name      here:data UUID {UUID}\n",
        "left-symmetric, chunk 524 kB = 512 KiB",
        "  members    0 sda      in sync     ST4000 Z",
        ", SMART passed, 31 °C, 12345 h\n",
        " 2 sdc      rebuilding  ",
        "  rebuild   25.0 % done, about 6 min 15 s left, 1.02 kB/s a member\n",
        "1 d 00 h ago (mdcheck); complete: not known; scheduled by /etc/cron.d/mdadm\n",
        "  holds     ext4 on md127 UUID 0a0b0c0d-0000-4000-8000-000000000001, at /srv; at boot: /srv by UUID in /etc/",
        "  boot      as /dev/md/data, by an ARRAY line of /etc/mdadm.conf\n",
        "  run       the-run of raidtui keeps it\n",
        "  degraded  2 of 3 members of a RAID 5 work\n",
        "(a new RAID 4 or 5 begins in the same way)\n",
        "1 array: 1 degraded\nmonitor: `mdadm --monitor` does not run: nobody is told when a disk fails -> start it: `",
        "\nnot read: the log",
    ):
        assert words in text, words


def test_what_is_on_lvm_is_named_by_its_group_and_volume() -> None:
    recorded = dumps.read((RECORDINGS / "machines" / "stacked.json").read_bytes())
    text = "\n".join(lines_of(status_of(recorded, Surroundings(), NOW_S)))
    assert "  holds     ext4 on deep/home UUID f035cceb" in text


def test_mismatches_stand_beside_the_check() -> None:
    array = md("raid1", in_sync("sda", "sdb"), last_sync_action="check", mismatch_cnt="0")
    assert "not known when; 0 sectors differed" in "\n".join(
        lines_of(status_of(with_members(array), Surroundings(), NOW_S))
    )


def test_a_write_mostly_disk_is_named_as_one() -> None:
    array = md("raid1", {"sda": ("0", "in_sync"), "sdb": ("1", "in_sync,write_mostly")})
    (first, last) = (line for line in lines_of(status_of(with_members(array), Surroundings(), NOW_S)) if " sd" in line)
    assert "write-mostly" not in first and "1 sdb      in sync     write-mostly, ST4000 Z" in last


def test_empty_slots_of_unknown_disks_are_one_line() -> None:
    slots = in_sync("sda", "sdb") | {"sdd": ("3", "in_sync")}
    machine_seen = with_members(md("raid1", slots, raid_disks="32"))
    lines = list(lines_of(status_of(machine_seen, Surroundings(), NOW_S)))
    assert [line for line in lines if "missing" in line] == ["            2, 4 to 31: 29 missing"]
