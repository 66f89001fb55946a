"""What boot names, read from the files of a machine."""

from pathlib import Path

from raidtui.core.disks.machine import BootLine
from raidtui.system.files import boot_lines

FSTAB = rb"""# a comment
UUID=aa / ext4 defaults 0 1
LABEL=old\040one   /mnt/old   xfs noauto 0 0
/dev/sdc2 none swap sw 0 0
"""
EFI = "LoaderDevicePartUUID-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"


def write(base: Path, name: str, content: bytes) -> None:
    (base / name).parent.mkdir(parents=True, exist_ok=True)
    (base / name).write_bytes(content)


def test_every_place_that_names_a_device(tmp_path: Path) -> None:
    write(tmp_path, "etc/fstab", FSTAB)
    write(tmp_path, "etc/crypttab", b"# no\nsecret UUID=bb none luks\nswapped PARTUUID=cc /dev/urandom discard,swap\n")
    write(tmp_path, "etc/systemd/system/srv.mount", b"[Mount]\nWhat=/dev/disk/by-uuid/dd\nWhere=/srv\n")
    write(tmp_path, "etc/systemd/system/x.swap", b"[Swap]\nWhat=LABEL=ee\n")
    write(tmp_path, "proc/cmdline", b"quiet root=PARTUUID=ff resume=/dev/sdd2 rootflags=x mount.usr=LABEL=usr root=\n")
    write(tmp_path, f"sys/firmware/efi/efivars/{EFI}", b"\x07\0\0\0" + "C0FFEE-1\0".encode("utf-16-le"))
    missing: list[str] = []
    found = boot_lines.read(missing, tmp_path)
    assert missing == []
    assert [(line.file, line.source, line.place) for line in found] == [
        ("/etc/fstab", "UUID=aa", "/"),
        ("/etc/fstab", "LABEL=old one", "/mnt/old"),
        ("/etc/fstab", "/dev/sdc2", "swap"),
        ("/etc/crypttab", "UUID=bb", "secret"),
        ("/etc/crypttab", "PARTUUID=cc", "swap"),
        ("/etc/systemd/system/srv.mount", "/dev/disk/by-uuid/dd", "/srv"),
        ("/etc/systemd/system/x.swap", "LABEL=ee", "swap"),
        ("the kernel's command line", "PARTUUID=ff", "/"),
        ("the kernel's command line", "/dev/sdd2", "resume"),
        ("the kernel's command line", "LABEL=usr", "/usr"),
        ("EFI", "PARTUUID=C0FFEE-1", "EFI system partition"),
    ]
    assert found[1].text == "LABEL=old\\040one /mnt/old xfs noauto 0 0"
    assert found[-1] == BootLine(
        file="EFI", text="LoaderDevicePartUUID=C0FFEE-1", source="PARTUUID=C0FFEE-1", place="EFI system partition"
    )


def test_what_is_not_there_names_nothing_and_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    missing: list[str] = []
    assert boot_lines.read(missing, tmp_path) == () and missing == []
    (tmp_path / "etc/fstab").mkdir(parents=True)
    assert boot_lines.read(missing, tmp_path) == ()
    assert missing == [f"what {tmp_path}/etc/fstab names (Is a directory)"]


def test_a_file_in_the_place_of_a_folder_names_nothing(tmp_path: Path) -> None:
    missing: list[str] = []
    for name in ("etc", "proc", "sys"):
        (tmp_path / name).write_bytes(b"")
    assert boot_lines.read(missing, tmp_path) == () and missing == []


def test_what_is_too_short_names_nothing_and_a_comment_neither(tmp_path: Path) -> None:
    write(tmp_path, "etc/crypttab", b"alone\n# secret UUID=bb none luks\n\n one UUID=cc\nx y z swapfile\n")
    write(tmp_path, "proc/cmdline", b"root resume= =x rooty=/dev/sda")
    write(tmp_path, f"sys/firmware/efi/efivars/{EFI}", b"\x07\0\0\0")
    assert [(line.source, line.place) for line in boot_lines.read([], tmp_path)] == [("UUID=cc", "one"), ("y", "x")]


def test_no_more_of_a_file_is_read_than_a_mebibyte(tmp_path: Path) -> None:
    write(tmp_path, "etc/fstab", b"#" * (1 << 20) + b"\nUUID=aa / ext4 defaults 0 1\n")
    assert boot_lines.read([], tmp_path) == ()
