"""Broken input of `raidtui status`: recordings of arrays, files of boot, marks of checks. See `parsers`."""

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from raidtui.core.arrays import boot_files, monitor
from raidtui.core.arrays.array import Grade, worst
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.arrays.prometheus import text_of
from raidtui.core.arrays.status import Surroundings, lines_of, status_of
from raidtui.core.disks import dumps
from raidtui.core.disks.machine import Machine, encode
from tests.builders.arrays import NOW_S, UUID, in_sync, md, with_members
from tests.builders.machines import MACHINES

CONF = f"""\
HOMEHOST <system>
ARRAY /dev/md/data metadata=1.2 UUID={UUID}
   name='here:data' spares=1
AUTO +1.x homehost -all
ARRAY <ignore> UUID=11111111:22222222:33333333:44444444
""".encode()
FSTAB = b"""\
UUID=0a0b0c0d-0000-4000-8000-000000000001 /srv/my\\040data ext4 defaults,nofail 0 2
/dev/md/data /old xfs defaults 0 2
LABEL=backup none swap sw
"""
UNIT = b"[Unit]\nAfter=x\n[Mount]\nWhat=/dev/md/data\nWhere=/srv\nType=xfs\n"
LOG = b"6,100,1000000,-;md: data-check of RAID array md127\n6,101,5000000,-;md: md127: data-check done.\n"
MARK = b"1048576\n"
_UNCLEAN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def machines() -> tuple[bytes, ...]:
    slots = in_sync("sda", "sdb", "sdc") | {"sdb": ("none", "faulty"), "sdd": ("none", "spare")}
    busy = {"sync_action": "recover", "sync_completed": "400 / 1000", "sync_speed": "100", "mismatch_cnt": "8"}
    return (
        (MACHINES / "arrays.json").read_bytes(),
        encode(with_members(md("raid5", slots, raid_disks="3", layout="2", **busy))),
        encode(with_members(md("raid10", in_sync("sda", "sdb", "sdc", "sdd"), layout="258"))),
        encode(with_members(md("", {"sda": ("none", "spare")}, array_state="inactive", raid_disks=""))),
    )


@cache
def mirrors() -> Machine:
    """A whole RAID 10 that was checked."""
    return with_members(md("raid10", in_sync("sda", "sdb", "sdc", "sdd"), layout="258", last_sync_action="check"))


def read_status(data: bytes) -> ArraysStatus:
    """As `status --machine` reads it, with the files of boot as they should be."""
    files = boot_files.BootFiles(
        mdadm=boot_files.mdadm_conf_of([("/etc/mdadm.conf", CONF)]), mounts=boot_files.fstab_of("/etc/fstab", FSTAB)
    )
    return status_of(dumps.read(data), Surroundings(boot=files), NOW_S)


def check_status(status: ArraysStatus) -> None:
    lines = list(lines_of(status))
    assert lines and not any(_UNCLEAN.search(line) for line in lines)
    text = text_of(status)
    assert text.endswith("\n") and not any(_UNCLEAN.search(line) for line in text.splitlines())
    assert json.loads(msgspec.json.encode(status))["grade"] == status.grade
    assert status.grade is worst(tuple(array.grade for array in status.arrays))
    for array in status.arrays:
        assert array.health != "failed" or array.grade is Grade.FAILED
        assert array.health != "degraded" or array.grade in (Grade.DEGRADED, Grade.FAILED)
        assert array.sync_left_s is None or array.sync_left_s >= 0
        assert all("{" not in one.words.replace("{}", "") or "{" in repr(array) for one in array.conditions)


def read_boot(data: bytes) -> boot_files.BootFiles:
    """One text, taken for each of the files."""
    unit = boot_files.mount_unit_of("/etc/systemd/system/local-fs.target.wants/srv.mount", data)
    return boot_files.BootFiles(
        mdadm=boot_files.mdadm_conf_of([("/etc/mdadm.conf", data)]),
        mounts=(*boot_files.fstab_of("/etc/fstab", data), *unit),
    )


def check_boot(files: boot_files.BootFiles) -> None:
    assert not _UNCLEAN.search("".join(_texts(msgspec.to_builtins(files))))
    check_status(status_of(mirrors(), Surroundings(boot=files), NOW_S))


def read_marks(data: bytes) -> monitor.CheckMarks:
    """One text, taken for mdcheck's file and for the kernel's log."""
    log = monitor.of_kernel_log(data.decode(errors="replace").splitlines(), NOW_S)
    return monitor.latest_of((monitor.of_mdcheck(f"MD_UUID_{UUID}", data, NOW_S), monitor.CheckMarks(ended_s=log)))


def check_marks(marks: monitor.CheckMarks) -> None:
    check_status(status_of(mirrors(), Surroundings(checks=marks), NOW_S))


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in (*value, *value.values()):
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
