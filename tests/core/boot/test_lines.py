"""The lines of boot files in their own forms: what would end a field is escaped, units are named as systemd asks."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.arrays.boot import fstab_of, mdadm_conf_of, mount_unit_of
from raidtui.core.boot import lines
from raidtui.core.boot.lines import errors_of

UUID = "00112233-4455-6677-8899-aabbccddeeff"
FOLDERS = st.lists(
    st.text(st.characters(exclude_characters="/\n\r\x00", codec="utf-8"), min_size=1).filter(
        lambda part: part.strip() and part not in (".", "..")
    ),
    min_size=1,
    max_size=3,
).map(lambda parts: "/srv/" + "/".join(parts))


@given(FOLDERS.filter(lambda folder: not lines.why_not_folder(folder)))
def test_what_is_written_is_read_again(folder: str) -> None:
    (read,) = fstab_of("/etc/fstab", lines.fstab(UUID, folder, "ext4", 2).encode())
    assert (read.source, read.mountpoint, read.nofail) == (f"UUID={UUID}", folder, True)


def test_findmnt_reads_a_folder_with_blanks_and_signs(tmp_path: Path) -> None:
    table, folder = tmp_path / "fstab", "/srv/a b\\c#d"
    table.write_text(lines.fstab(UUID, folder, "xfs", 0) + "\n")
    argv = ("findmnt", "--tab-file", str(table), "--noheadings", "--raw", "--output", "TARGET,FSTYPE")
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert shown == "/srv/a\\x20b\\x5cc#d xfs\n"


def test_an_array_line_is_what_mdadm_reads() -> None:
    (read,) = mdadm_conf_of([("mdadm.conf", lines.array("vms", "00112233:44556677:8899aabb:ccddeeff").encode())]).arrays
    assert (read.node, read.uuid) == ("/dev/md/vms", UUID.replace("-", ""))


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/srv/array", "srv-array.mount"),
        ("/srv/virtual machines", "srv-virtual\\x20machines.mount"),
        ("/srv/a-b.c", "srv-a\\x2db.c.mount"),
        ("/.hidden/é", "\\x2ehidden-\\xc3\\xa9.mount"),
    ],
)
def test_a_unit_is_named_as_systemd_asks(folder: str, name: str) -> None:
    assert lines.unit_name(folder) == name
    if shutil.which("systemd-escape"):
        asked = subprocess.run(
            ["systemd-escape", "--path", "--suffix=mount", folder], capture_output=True, text=True, check=True
        )
        assert asked.stdout.strip() == name


def test_a_unit_is_read_as_one_that_boot_goes_on_without() -> None:
    unit = "\n".join(lines.mount_unit(UUID, "/srv/50% full", "ext4")).encode()
    (read,) = mount_unit_of("/etc/systemd/system/multi-user.target.wants/srv-x.mount", unit)
    assert (read.source, read.mountpoint, read.nofail) == (f"/dev/disk/by-uuid/{UUID}", "/srv/50%% full", True)
    assert b"nofail" in unit


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        ("srv/array", "no whole path"),
        ("", "no whole path"),
        ("/srv/a\nb", "no whole path"),
        ("/srv/{uuid:0}", "no whole path"),
        ("/srv/../etc", "write /etc"),
        ("/srv/array/", "write /srv/array"),
        ("//srv/array", "write /srv/array"),
        (f"/srv/{'ä' * 128}", "a name of more than 255 bytes"),
        (f"/srv/{'a' * 255}", ""),
        ("/", "the system's own"),
        ("/etc", "the system's own"),
        ("/boot/efi", "the system's own"),
        ("/usr/lib/x", "the system's own"),
        ("/home", "the system's own"),
        ("/var/lib/raidtui/runs", "the system's own"),
        ("/home/vms", ""),
        ("/srv/array", ""),
        ("/data", ""),
        ("/var/lib/libvirt/images", ""),
    ],
)
def test_no_folder_of_the_systems_own_is_mounted_over(folder: str, says: str) -> None:
    reason = lines.why_not_folder(folder)
    assert says in reason and bool(reason) == bool(says)


@pytest.mark.parametrize("address", ["root", "storage@example.org", "a.b+c%d@sub.example-x.org"])
def test_mdadm_reads_the_address_that_is_written(address: str) -> None:
    assert lines.why_not_mailaddr(address) == ""
    files = [("mdadm.conf", f"{lines.mailaddr(address)}\nMAILADDR second\nMAILFROM x\n".encode())]
    assert mdadm_conf_of(files).mailaddr == address


@pytest.mark.parametrize(
    "address", ["", "a b", "-x", "a@", "@b", "a@b@c", "a\nPROGRAM /bin/sh", 'a"', "a#b", "a,b", "é"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    assert "is no address" in lines.why_not_mailaddr(address) and "\n" not in lines.why_not_mailaddr(address)


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


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("noatime", ""),
        ("noatime,commit=30,x-systemd.device-timeout=10s", ""),
        ("subvol=@data", ""),
        ("noatime, ro", "are no mount options"),
        ("noatime,,ro", "are no mount options"),
        ("noatime 0 0\n/dev/sda / ext4", "are no mount options"),
        ("x=%h", "are no mount options"),
        ("ro,noauto", "with noauto boot would not mount it as planned"),
        ("bind", "with bind boot"),
    ],
)
def test_mount_options_are_words_of_fstab_that_leave_the_mount_as_planned(options: str, why: str) -> None:
    reason = lines.why_not_options(options)
    assert why in reason if why else reason == ""


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("data", True),
        ("vm-store_2", True),
        ("md", False),
        ("md0", False),
        ("md_d1", False),
        ("2data", False),
        ("a/b", False),
        ("a b", False),
        ("a" * 33, False),
        ("", False),
    ],
)
def test_an_array_has_a_plain_name_that_is_none_of_the_kernels(name: str, valid: bool) -> None:
    assert (lines.why_not_array_name(name) == "") is valid


def test_a_label_has_no_character_of_a_shell_or_of_fstab() -> None:
    assert lines.why_not_label("data-1.old_+") == ""
    assert all("is no label" in lines.why_not_label(label) for label in ("a b", "a\n", "$x", "ä", ""))


def test_options_follow_those_that_every_boot_needs() -> None:
    assert lines.fstab("U", "/srv/a", "xfs", 0, "noatime") == "UUID=U /srv/a xfs defaults,nofail,noatime 0 0"
    assert "Options=defaults,nofail,noatime" in lines.mount_unit("U", "/srv/a", "xfs", "noatime")


# Filesystem Hierarchy Standard 3.0 (3.2, 4.2, 5), with Debian's lib32 and libx32, and what systemd mounts.
SYSTEMS = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/root", "/run", "/sbin"),
    *("/sys", "/tmp", "/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/sbin"),
    *("/var/lib/raidtui", "/var/log", "/var/run", "/var/tmp"),
)


@pytest.mark.parametrize("folder", SYSTEMS)
def test_each_folder_of_the_system_is_refused_with_all_below_it_and_none_of_a_longer_name(folder: str) -> None:
    assert all("is the system's own" in lines.why_not_folder(f"{folder}{below}") for below in ("", "/a", "/a/b"))
    assert lines.why_not_folder(f"{folder}-a") == ""


@pytest.mark.parametrize("folder", ["/home", "/media", "/mnt", "/opt", "/srv", "/usr", "/var"])
def test_what_has_folders_of_people_is_refused_alone(folder: str) -> None:
    assert "is the system's own" in lines.why_not_folder(folder) and lines.why_not_folder(f"{folder}/vms") == ""


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/root/luks-header.img", ""),
        ("/srv/a", ""),
        *((f"/{top}/a", "does not outlive a boot") for top in ("dev", "proc", "run", "sys", "tmp")),
        ("/temporary/a", ""),
        ("root/a", "is no whole path of a file"),
        ("/root/", "is no whole path of a file"),
        ("/root/a\nb", "is no whole path of a file"),
        ("/root/{uuid:0}", "is no whole path of a file"),
        ("", "is no whole path of a file"),
        ("/root/../a", "write /a"),
        ("//root/a", "write /root/a"),
        ("/root//a", "write /root/a"),
    ],
)
def test_a_file_to_be_kept_lies_where_it_outlives_a_boot(path: str, says: str) -> None:
    reason = lines.why_not_file(path)
    assert says in reason and bool(reason) == bool(says)


@pytest.mark.parametrize("option", ["noauto", "remount", "bind", "rbind", "move", "loop", "fail"])
def test_each_option_that_makes_another_mount_of_it_is_refused_wherever_it_stands(option: str) -> None:
    for options in (option, f"noatime,{option}", f"{option},noatime"):
        assert lines.why_not_options(options).startswith(f"with {option} boot would not mount it as planned")
    assert lines.why_not_options(f"x-{option}") == ""


@pytest.mark.parametrize(
    ("char", "escaped"), [(" ", "\\040"), ("\t", "\\011"), ("\n", "\\012"), ("\\", "\\134"), ("#", "\\043")]
)
def test_each_character_that_ends_a_field_is_escaped_as_getmntent_reads_it(char: str, escaped: str) -> None:
    assert lines.escaped(f"/srv/a{char}b") == f"/srv/a{escaped}b"


def test_each_line_is_whole() -> None:
    assert lines.array("vms", "a:b:c:d") == "ARRAY /dev/md/vms UUID=a:b:c:d"
    assert lines.array("vms", "a:b:c:d", spares=2) == "ARRAY /dev/md/vms UUID=a:b:c:d spares=2"
    assert lines.crypttab("vms-luks", "u") == "vms-luks UUID=u none luks,nofail"
    assert lines.fstab("u", "/srv/a", "ext4", 2) == "UUID=u /srv/a ext4 defaults,nofail 0 2"
    assert lines.mount_unit("u", "/srv/a", "ext4") == (
        "[Unit]", "Description=An array that raidtui built", "", "[Mount]", "What=/dev/disk/by-uuid/u",
        "Where=/srv/a", "Type=ext4", "Options=defaults,nofail", "", "[Install]", "WantedBy=multi-user.target",
    )  # fmt: skip


@pytest.mark.parametrize(("label", "valid"), [("a" * 255, True), ("a" * 256, False), ("a_b.c+d-e", True)])
def test_a_label_has_at_most_255_characters(label: str, valid: bool) -> None:
    assert (lines.why_not_label(label) == "") == valid
