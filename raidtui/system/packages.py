"""Package of a program, for this machine's package manager."""

from pathlib import Path

from raidtui.core.boot import distributions
from raidtui.core.raid import filesystems

_INSTALL = {"apt": "apt install", "dnf": "dnf install", "zypper": "zypper install", "pacman": "pacman -S"}
# Program -> package, where a manager is not named the package is called like the program's project everywhere.
_PACKAGES: dict[str, dict[str, str]] = {
    "mdadm": {"": "mdadm"},
    "fio": {"": "fio"},
    "lsblk": {"": "util-linux"},
    "wipefs": {"": "util-linux"},
    "sfdisk": {"": "util-linux", "apt": "fdisk"},
    "udevadm": {"": "systemd-udev", "apt": "udev", "zypper": "udev", "pacman": "systemd"},
    "smartctl": {"": "smartmontools"},
    "nvme": {"": "nvme-cli"},
    "hdparm": {"": "hdparm"},
    "pvcreate": {"": "lvm2"},
    "cryptsetup": {"": "cryptsetup", "apt": "cryptsetup-bin"},
    "modprobe": {"": "kmod"},
    "systemd-run": {"": "systemd"},
}


def manager(os_release: str) -> str:
    """apt, dnf, zypper or pacman by /etc/os-release; default apt."""
    return (distributions.of(os_release) or distributions.DISTRIBUTIONS[0]).manager


def how_to_install(program: str, os_release: str | None = None) -> str:
    """`apt install fio (elsewhere: dnf install fio, …)`, this machine's first."""
    if os_release is None:
        try:
            os_release = Path("/etc/os-release").read_text(errors="replace")
        except OSError:
            os_release = ""
    makers = {row.program: row.packages for row in filesystems.FILE_SYSTEMS}
    names = _PACKAGES.get(program) or makers.get(program) or {"": program}
    commands = {key: f"{verb} {names.get(key, names[''])}" for key, verb in _INSTALL.items()}
    first = commands.pop(manager(os_release))
    return f"{first} (elsewhere: {', '.join(commands.values())})"
