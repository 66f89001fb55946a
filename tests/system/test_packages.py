"""Which package has a program, by distribution."""

import pytest

from raidtui.core.raid import filesystems
from raidtui.system import doctor, packages


@pytest.mark.parametrize(
    "os_release, program, first",
    [
        ("ID=debian\n", "sfdisk", "apt install fdisk ("),
        ("ID=linuxmint\nID_LIKE=ubuntu\n", "fio", "apt install fio ("),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "mkfs.xfs", "dnf install xfsprogs ("),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', "mkfs.btrfs", "zypper install btrfsprogs ("),
        ("ID=arch\n", "udevadm", "pacman -S systemd ("),
        ("", "fio", "apt install fio ("),
        ("", "mkfs.ext2", "apt install e2fsprogs ("),
        ("ID=opensuse\n", "mkfs.btrfs", "zypper install btrfsprogs ("),
    ],
)
def test_packages(os_release: str, program: str, first: str) -> None:
    words = packages.how_to_install(program, os_release)
    assert words.startswith(first)
    assert words.count("install") + words.count("pacman") == 4


def test_every_program_that_is_looked_for_has_a_package() -> None:
    made = {row.program for row in filesystems.FILE_SYSTEMS}
    assert all(one.name in packages._PACKAGES or one.name in made for one in doctor.programs())
