"""The lines of boot files in their own forms: what would end a field is escaped, units are named as systemd asks."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.arrays.boot_files import fstab_of, mdadm_conf_of, mount_unit_of
from raidtui.core.boot import entries
from raidtui.core.boot.entries import errors_of

UUID = "00112233-4455-6677-8899-aabbccddeeff"
FOLDERS = st.lists(
    st.text(st.characters(exclude_characters="/\n\r\x00", codec="utf-8"), min_size=1).filter(
        lambda part: part.strip() and part not in (".", "..")
    ),
    min_size=1,
    max_size=3,
).map(lambda parts: "/srv/" + "/".join(parts))


@given(FOLDERS.filter(lambda folder: not entries.why_not_folder(folder)))
def test_what_is_written_is_read_again(folder: str) -> None:
    (read,) = fstab_of("/etc/fstab", entries.fstab(UUID, folder, "ext4", 2).encode())
    assert (read.source, read.mountpoint, read.nofail) == (f"UUID={UUID}", folder, True)


def test_findmnt_reads_a_folder_with_blanks_and_signs(tmp_path: Path) -> None:
    table, folder = tmp_path / "fstab", "/srv/a b\\c#d"
    table.write_text(entries.fstab(UUID, folder, "xfs", 0) + "\n")
    argv = ("findmnt", "--tab-file", str(table), "--noheadings", "--raw", "--output", "TARGET,FSTYPE")
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert shown == "/srv/a\\x20b\\x5cc#d xfs\n"


def test_an_array_line_is_what_mdadm_reads() -> None:
    (read,) = mdadm_conf_of(
        [("mdadm.conf", entries.array("vms", "00112233:44556677:8899aabb:ccddeeff").encode())]
    ).arrays
    assert (read.node, read.uuid) == ("/dev/md/vms", UUID.replace("-", ""))


@pytest.mark.parametrize(
    "folder, name",
    [
        ("/srv/array", "srv-array.mount"),
        ("/srv/virtual machines", "srv-virtual\\x20machines.mount"),
        ("/srv/a-b.c", "srv-a\\x2db.c.mount"),
        ("/.hidden/é", "\\x2ehidden-\\xc3\\xa9.mount"),
    ],
)
def test_a_unit_is_named_as_systemd_asks(folder: str, name: str) -> None:
    assert entries.unit_name(folder) == name
    if shutil.which("systemd-escape"):
        asked = subprocess.run(
            ["systemd-escape", "--path", "--suffix=mount", folder], capture_output=True, text=True, check=True
        )
        assert asked.stdout.strip() == name


def test_a_unit_is_read_as_one_that_boot_goes_on_without() -> None:
    unit = "\n".join(entries.mount_unit(UUID, "/srv/50% full", "ext4")).encode()
    (read,) = mount_unit_of("/etc/systemd/system/multi-user.target.wants/srv-x.mount", unit)
    assert (read.source, read.mountpoint, read.nofail) == (f"/dev/disk/by-uuid/{UUID}", "/srv/50%% full", True)
    assert b"nofail" in unit


@pytest.mark.parametrize("address", ["root", "storage@example.org", "a.b+c%d@sub.example-x.org"])
def test_mdadm_reads_the_address_that_is_written(address: str) -> None:
    assert entries.why_not_mailaddr(address) == ""
    files = [("mdadm.conf", f"{entries.mailaddr(address)}\nMAILADDR second\nMAILFROM x\n".encode())]
    assert mdadm_conf_of(files).mailaddr == address


PRINTED = """\
/srv/array
   [E] unreachable on boot required source: UUID=aaaa-bbbb
   [W] cannot detect on-disk filesystem type
/mnt/x
   [E] unreachable on boot required target: No such file or directory
   [W] unreachable source: /dev/nope: No such file or directory

1 parse error, 2 errors, 2 warnings
"""


def test_only_errors_and_only_of_this_folder() -> None:
    assert errors_of(PRINTED, "/srv/array") == ("unreachable on boot required source: UUID=aaaa-bbbb",)
    assert errors_of(PRINTED, "/srv") == () and errors_of("", "/srv/array") == ()
    assert errors_of("Success, no errors or warnings detected\n", "/srv/array") == ()


def test_the_program_itself_prints_so(tmp_path: Path) -> None:
    table = tmp_path / "fstab"
    table.write_text("UUID=aaaa-bbbb /srv/my\\040array ext4 defaults,nofail 0 2\n")
    argv = ("findmnt", "--verify", "--tab-file", str(table))
    printed = subprocess.run(argv, capture_output=True, text=True, check=False).stdout
    assert any("UUID=aaaa-bbbb" in error for error in errors_of(printed, "/srv/my array"))


def test_options_follow_those_that_every_boot_needs() -> None:
    assert entries.fstab("U", "/srv/a", "xfs", 0, "noatime") == "UUID=U /srv/a xfs defaults,nofail,noatime 0 0"
    assert "Options=defaults,nofail,noatime" in entries.mount_unit("U", "/srv/a", "xfs", "noatime")


@pytest.mark.parametrize(
    "char, escaped", [(" ", "\\040"), ("\t", "\\011"), ("\n", "\\012"), ("\\", "\\134"), ("#", "\\043")]
)
def test_each_character_that_ends_a_field_is_escaped_as_getmntent_reads_it(char: str, escaped: str) -> None:
    assert entries.escaped(f"/srv/a{char}b") == f"/srv/a{escaped}b"


def test_each_line_is_whole() -> None:
    assert entries.array("vms", "a:b:c:d") == "ARRAY /dev/md/vms UUID=a:b:c:d"
    assert entries.array("vms", "a:b:c:d", spares=2) == "ARRAY /dev/md/vms UUID=a:b:c:d spares=2"
    assert entries.array("vms-g1", "a:b:c:d", 0, "vms") == "ARRAY /dev/md/vms-g1 UUID=a:b:c:d spare-group=vms"
    assert entries.crypttab("vms-luks", "u") == "vms-luks UUID=u none luks,nofail"
    assert entries.fstab("u", "/srv/a", "ext4", 2) == "UUID=u /srv/a ext4 defaults,nofail 0 2"
    assert entries.mount_unit("u", "/srv/a", "ext4") == (
        "[Unit]", "Description=An array that raidtui built", "", "[Mount]", "What=/dev/disk/by-uuid/u",
        "Where=/srv/a", "Type=ext4", "Options=defaults,nofail", "", "[Install]", "WantedBy=multi-user.target",
    )  # fmt: skip
