"""Conditions for practice disks, with sentences. Changes nothing."""

import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from raidtui.practice import shim, warden

_REMAINS = "`raidtui demo` replays a recorded run here."
_PROGRAMS = {  # in the guest, which sees this machine's own
    "modprobe": "kmod",
    "udevadm": "udev",
    "systemctl": "systemd",
    "setsid": "util-linux",
    "mount": "mount",
}
_SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Kernel:
    """User-Mode Linux: program, parent of its modules folder, command line words."""

    program: Path
    modules: Path
    words: tuple[str, ...] = ()


def installed_kernel() -> Kernel | None:
    program, modules = shutil.which("linux.uml", path=_SYSTEM_PATH), Path("/usr/lib/uml/modules")
    return Kernel(Path(program), modules) if program and modules.is_dir() else None


def refusal() -> str | None:
    """Why practice disks are impossible, and what works instead; None if possible."""
    why = reason()
    return f"{why} {_REMAINS}" if why else None


def reason() -> str | None:
    """Why practice disks are impossible; None if possible."""
    return _machine() or _packages() or _namespaces()


def _machine() -> str | None:
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return (
            f"Practice disks need Linux on x86-64, for User-Mode Linux; this is {platform.system()} on "
            f"{platform.machine()}."
        )
    return None


def _packages() -> str | None:
    missing = [package for name, package in _PROGRAMS.items() if not shutil.which(name, path=_SYSTEM_PATH)]
    if installed_kernel() is None:
        missing.insert(0, "user-mode-linux")
    if shim.compiler() is None:
        missing += ["gcc", "libc6-dev"]
    if missing:
        names = " ".join(dict.fromkeys(missing))
        return f"Practice disks need programs that are not here: install the Debian packages {names}."
    return None


def _namespaces() -> str | None:
    """Tries a jail: obstacles (sysctl, AppArmor, seccomp, containers) are too varied to query."""
    attempt = warden.start(warden.Sentence(), subprocess.PIPE)
    stderr = attempt.communicate(timeout=30)[1].decode(errors="replace").strip()
    if attempt.returncode == 0:
        return None
    detail = stderr.splitlines()[-1].removeprefix("jail: ") if stderr else f"exit status {attempt.returncode}"
    return (
        f"Practice disks need user namespaces, which this machine or container forbids ({detail}); look at "
        "sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone and "
        "kernel.apparmor_restrict_unprivileged_userns."
    )
