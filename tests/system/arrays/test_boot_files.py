"""The files of boot of several distributions, below a folder of their own."""

import os
from pathlib import Path

import pytest

from raidtui.system.arrays import boot_files
from tests.builders.arrays import DIGITS, UUID

LINE = f"ARRAY /dev/md/{{}} UUID={UUID}\n"


def write(base: Path, path: str, text: str, changed_s: float = 1e9) -> None:
    file = base / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (changed_s, changed_s))


@pytest.mark.parametrize(
    "distribution, used, initramfs",
    [
        ("debian", "/etc/mdadm/mdadm.conf", "boot/initrd.img-{}"),
        ("fedora", "/etc/mdadm.conf", "boot/initramfs-{}.img"),
        ("arch", "/etc/mdadm.conf", "boot/initramfs-linux.img"),
    ],
)
def test_the_file_that_this_distributions_mdadm_reads(
    tmp_path: Path, distribution: str, used: str, initramfs: str
) -> None:
    write(tmp_path, "etc/os-release", f"ID={distribution}\n")
    write(tmp_path, "etc/mdadm.conf", LINE.format("upstream"))
    write(tmp_path, "etc/mdadm/mdadm.conf", LINE.format("debian"), 2e9)
    write(tmp_path, initramfs.format(os.uname().release), "", 1.5e9)
    found = boot_files.read(tmp_path)
    assert [(line.file, line.uuid) for line in found.mdadm.arrays] == [(used, DIGITS)]
    assert found.initramfs_s == 1.5e9 and found.changed_s == (2e9 if distribution == "debian" else 1e9)


def test_the_other_place_and_the_folder_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "etc/os-release", "ID=ubuntu\nID_LIKE=debian\n")
    write(tmp_path, "etc/mdadm.conf", LINE.format("a"))
    write(tmp_path, "etc/mdadm/mdadm.conf.d/b.conf", LINE.format("b"))
    write(tmp_path, "etc/mdadm/mdadm.conf.d/no.txt", LINE.format("c"))
    assert [line.node for line in boot_files.read(tmp_path).mdadm.arrays] == ["/dev/md/a", "/dev/md/b"]


def test_fstab_and_enabled_mount_units_are_read(tmp_path: Path) -> None:
    write(tmp_path, "etc/fstab", "/dev/md0 /a ext4\n")
    write(tmp_path, "etc/systemd/system/b.mount", "[Mount]\nWhat=/dev/md1\nWhere=/b\n")
    enabled = tmp_path / "etc/systemd/system/local-fs.target.wants/c.mount"
    write(tmp_path, str(enabled.relative_to(tmp_path)), "[Mount]\nWhat=/dev/md2\nWhere=/c\n")
    assert [line.mountpoint for line in boot_files.read(tmp_path).mounts] == ["/a", "/c"]


def test_nothing_there_is_nothing_and_no_complaint(tmp_path: Path) -> None:
    found = boot_files.read(tmp_path)
    assert found.mounts == () and found.changed_s is None and found.not_read == ()


def test_what_refuses_to_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "etc/fstab", "/dev/md0 /a ext4\n")
    real = Path.open

    def refuse(self: Path, mode: str = "r") -> object:
        if self.name == "fstab":
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, mode)

    monkeypatch.setattr(Path, "open", refuse)
    assert boot_files.read(tmp_path).not_read == (f"{tmp_path}/etc/fstab: Permission denied",)
