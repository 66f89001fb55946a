"""What the files of boot say of an array and its file system."""

from typing import Any

import pytest

from raidtui.core.arrays.array import Assembly, AtBoot, BootMount, Upon
from raidtui.core.arrays.boot_files import (
    AtHand,
    BootFiles,
    MdadmConf,
    at_boot,
    fstab_of,
    mdadm_conf_of,
    mount_unit_of,
    mounted_at_boot,
)
from raidtui.core.arrays.status import Surroundings
from raidtui.core.disks.identity import digits
from tests.builders.arrays import DIGITS, UUID, in_sync, judged, md
from tests.builders.boot_rules import RULES, Rule, text_of
from tests.builders.boot_rules import UUID as UUID_OF_RULES
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


MEMBERS = (("/dev/sda", "/dev/disk/by-id/a"), ("/dev/sdb", "/dev/disk/by-id/b"))


def found_at_boot(conf: str, title: str, host: str, metadata: str = "1.2", members: Any = MEMBERS) -> AtBoot:
    files = BootFiles(mdadm=mdadm_conf_of([("/etc/mdadm.conf", conf.encode())]))
    array = AtHand(uuid=digits(UUID_OF_RULES), title=title, metadata=metadata, host=host, members=members)
    return at_boot(files, array)


@pytest.mark.parametrize("rule", RULES, ids=[f"{rule.conf} {rule.title}" for rule in RULES])
def test_how_it_comes_back(rule: Rule) -> None:
    """The table is mdadm's own work: tests/lab/guest/test_boot_rules.py."""
    found = found_at_boot(text_of(rule.conf), rule.title, rule.host)
    assert f"{found.assembly} {found.node}".strip() == rule.assembly


def test_the_table_agrees_with_mdadm() -> None:
    """A promised node is mdadm's, and what is ignored is not assembled. DEVICE may leave members out."""

    def name(node: str) -> str:
        return node.removeprefix("/dev/").removeprefix("md/").removeprefix("md")

    told = [(rule, *rule.assembly.rpartition(" ")[::2]) for rule in RULES]
    promised = [one for one in told if one[2].startswith("/dev/") and not one[0].conf.startswith("DEVICE /dev/sd[a]")]
    assert promised and {assembly for _, assembly, _ in promised} == {"ARRAY line", "by itself"}
    assert [name(node) for _, _, node in promised] == [name(rule.incremental) for rule, _, _ in promised]
    assert {
        (rule.assembly, rule.incremental == "-") for rule in RULES if rule.assembly in ("ignored", "another name")
    } == {
        ("ignored", True),
        ("another name", False),
    }


@pytest.mark.parametrize(
    "conf, title, metadata, members, assembly",
    [
        ("", "", "1.2", MEMBERS, "not known"),
        ("DEVICE /dev/disk/by-id/*", "h:data", "1.2", MEMBERS, "by itself"),  # udev's rule gives the links too
        ("DEVICE /dev/nosuch", "h:data", "1.2", (), "by itself"),
        (f"ARRAY /dev/md0 super-minor=0 UUID={UUID_OF_RULES}", "", "0.90", MEMBERS, "ARRAY line"),
        ("AUTO +imsm -all", "x", "external:imsm", MEMBERS, "another name"),
        ("AUTO -imsm", "x", "external:imsm", MEMBERS, "ignored"),
    ],
)
def test_what_mdadm_was_not_asked(conf: str, title: str, metadata: str, members: Any, assembly: Assembly) -> None:
    assert found_at_boot(conf, title, "h", metadata, members).assembly == assembly


@pytest.mark.parametrize(
    "changed_s, initramfs_s, older", [(2.0, 1.0, True), (1.0, 2.0, False), (None, 1.0, None), (1.0, None, None)]
)
def test_an_initramfs_older_than_the_file_is_told(changed_s: float, initramfs_s: float, older: bool | None) -> None:
    files = BootFiles(mdadm=MdadmConf(), changed_s=changed_s, initramfs_s=initramfs_s)
    array = AtHand(uuid=DIGITS, title="here:data", metadata="1.2", host="here")
    assert at_boot(files, array).initramfs_older is older


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
        found = at_boot(BootFiles(mdadm=mdadm), AtHand(uuid=DIGITS, title=title, metadata="1.2", host=host))
        assert (found.assembly, found.node) == ANSWERS[answer], conf


@pytest.mark.parametrize(
    "conf, assembly",
    [
        ("ARRAY /dev/md/x devices=/dev/sd[ab]", "ARRAY line"),
        ("ARRAY /dev/md/x devices=/dev/sd[cd]", "by itself"),
        ("DEVICE /dev/sd[cd]", "ignored"),
    ],
)
def test_status_knows_the_members_by_name(conf: str, assembly: Assembly) -> None:
    boot = BootFiles(mdadm=mdadm_conf_of([("/etc/mdadm.conf", conf.encode())]))
    array = judged(md("raid1", in_sync("sda", "sdb")), around=Surroundings(boot=boot))
    assert array.at_boot.assembly == assembly
