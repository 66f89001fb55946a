"""What the files of boot say of an array and its file system."""

import pytest

from raidtui.core.arrays.array import Assembly, BootMount, Upon
from raidtui.core.arrays.boot import (
    BootFiles,
    MdadmConf,
    at_boot,
    fstab_of,
    mdadm_conf_of,
    mount_unit_of,
    mounted_at_boot,
)
from tests.builders.arrays import DIGITS, UUID
from tests.builders.machines import CASES

CONF = f"""\
# comment
HOMEHOST <system>
array /dev/md/data level=raid5 # the old one
   UUID={UUID} name='here:data'
DEVICE partitions
ARR <ignore> uuid=11111111:22222222:33333333:44444444
AUTO +1.x -all
MAILADDR root
""".encode()


def test_lines_of_mdadm_conf_go_on_and_are_abbreviated() -> None:
    conf = mdadm_conf_of([("/etc/mdadm.conf", CONF), ("/etc/mdadm.conf.d/a.conf", b"ARRAY 7 UUID=" + b"a" * 32)])
    assert [(line.node, line.uuid, line.file) for line in conf.arrays] == [
        ("/dev/md/data", DIGITS, "/etc/mdadm.conf"),
        ("<ignore>", "11111111222222223333333344444444", "/etc/mdadm.conf"),
        ("7", "a" * 32, "/etc/mdadm.conf.d/a.conf"),
    ]
    assert conf.auto == ("+1.x", "-all") and conf.homehost == "<system>"


@pytest.mark.parametrize(
    ("conf", "title", "assembly", "node"),
    [
        (f"ARRAY /dev/md/data UUID={UUID}", "x:y", "ARRAY line", "/dev/md/data"),
        (f"ARRAY data UUID={UUID.upper()}", "x:y", "ARRAY line", "/dev/md/data"),
        (f"ARRAY 7 UUID={UUID}", "x:y", "ARRAY line", "/dev/md7"),
        (f"ARRAY <ignore> UUID={UUID}", "here:y", "ignored", ""),
        ("ARRAY /dev/md/data name=here:data", "here:data", "ARRAY line", "/dev/md/data"),
        ("ARRAY 5 name=data", "HERE:DATA", "ARRAY line", "/dev/md5"),
        ("ARRAY 5 name=data", "elsewhere:data", "another name", ""),
        (f"ARRAY 5 UUID={UUID} name=old:data", "here:data", "by itself", "/dev/md/data"),
        (f"ARRAY 5 UUID={'0' * 32} name=here:data", "here:data", "by itself", "/dev/md/data"),
        ("ARRAY <ignore> name=here:data", "here:data", "ignored", ""),
        ("", "any:7", "by itself", "/dev/md7"),  # --create --homehost=any
        ("AUTO homehost -all", "any:7", "ignored", ""),
        ("HOMEHOST any", "elsewhere:7", "by itself", "/dev/md7"),
        ("", "here:7", "by itself", "/dev/md7"),
        ("", "HERE:data", "by itself", "/dev/md/data"),
        ("", "elsewhere:data", "another name", ""),
        ("HOMEHOST elsewhere", "elsewhere:data", "by itself", "/dev/md/data"),
        ("HOMEHOST <ignore>", "elsewhere:data", "by itself", "/dev/md/data"),
        ("", "data", "not known", ""),
        ("AUTO -all", "here:data", "ignored", ""),
        ("AUTO homehost -all", "here:data", "by itself", "/dev/md/data"),
        ("AUTO homehost -all", "elsewhere:data", "ignored", ""),
        ("AUTO +1.x -all", "here:data", "by itself", "/dev/md/data"),
        ("AUTO -0.90", "here:data", "by itself", "/dev/md/data"),
    ],
)
def test_how_it_comes_back(conf: str, title: str, assembly: Assembly, node: str) -> None:
    files = BootFiles(mdadm=mdadm_conf_of([("/etc/mdadm.conf", conf.encode())]))
    told = at_boot(files, DIGITS, title, "1.2", "here")
    assert (told.assembly, told.node) == (assembly, node)


@pytest.mark.parametrize(
    ("changed_s", "initramfs_s", "older"), [(2.0, 1.0, True), (1.0, 2.0, False), (None, 1.0, None), (1.0, None, None)]
)
def test_an_initramfs_older_than_the_file_is_told(changed_s: float, initramfs_s: float, older: bool | None) -> None:
    files = BootFiles(mdadm=MdadmConf(), changed_s=changed_s, initramfs_s=initramfs_s)
    assert at_boot(files, DIGITS, "here:data", "1.2", "here").initramfs_older is older


FSTAB = b"""\
# <file system> <mount point> <type> <options>
UUID=0A0B0C0D-0000-4000-8000-000000000001 /srv/my\\040data ext4 defaults,nofail 0 2
/dev/md/data /old ext4 defaults 0 2
LABEL=backup /backup xfs nofail
UUID=0a0b0c0d-0000-4000-8000-000000000001 /later ext4 noauto
/dev/disk/by-uuid/0a0b0c0d-0000-4000-8000-000000000001 none swap sw
/dev/sdz1 /z ext4
short line
"""
NAMES = (
    "/dev/md127", "/dev/md/data", "/dev/disk/by-label/backup",
    "/dev/disk/by-uuid/0a0b0c0d-0000-4000-8000-000000000001",
)  # fmt: skip


def test_what_mounts_it_at_boot_and_by_what() -> None:
    upon = Upon(device="md127", kind="ext4", uuid="0a0b0c0d-0000-4000-8000-000000000001")
    found = mounted_at_boot(upon, BootFiles(mounts=fstab_of("/etc/fstab", FSTAB)), NAMES)
    assert [(one.mountpoint, one.by, one.nofail) for one in found] == [
        ("/srv/my data", "UUID", True), ("/old", "node", False), ("/backup", "label", True), ("swap", "UUID", False),
    ]  # fmt: skip
    assert mounted_at_boot(Upon(device="md127", kind="ext4"), BootFiles(mounts=fstab_of("f", FSTAB[:150])), ()) == ()


def test_a_mount_unit_mounts_what_its_section_says() -> None:
    unit = b"[Unit]\nWhere=/no\n[Mount]\nWhat = /dev/md/data\nWhere=/srv\nType=xfs\n[Install]\nWhat=x\n"
    path = "/etc/systemd/system/local-fs.target.{}/srv.mount"
    for folder, nofail in (("wants", True), ("requires", False)):
        (line,) = mount_unit_of(path.format(folder), unit)
        assert (line.source, line.mountpoint, line.nofail) == ("/dev/md/data", "/srv", nofail)
    found = mounted_at_boot(Upon(device="md127", kind="xfs"), BootFiles(mounts=(line,)), NAMES)
    assert found == (BootMount(mountpoint="/srv", file=line.file, by="node", source="/dev/md/data", nofail=False),)
    assert mount_unit_of("x", b"[Mount]\nWhat=/dev/md0\n") == ()


ANSWERS = {
    "an ARRAY line names it (by name), node /dev/md5": ("ARRAY line", "/dev/md5"),
    "another name (md127)": ("another name", ""),
    "/dev/md0": ("by itself", "/dev/md0"),
    "not assembled": ("ignored", ""),
}


def test_boot_cases_of_bug_reports() -> None:
    rows = [
        [field.strip() for field in line.split(";")]
        for line in (CASES / "b01_boot_cases.txt").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert len(rows) == len(ANSWERS)
    for conf, title, host, answer in rows:
        mdadm = mdadm_conf_of([("/etc/mdadm.conf", conf.replace("(none)", "").encode())])
        found = at_boot(BootFiles(mdadm=mdadm), DIGITS, title, "1.2", host)
        assert (found.assembly, found.node) == ANSWERS[answer], conf
