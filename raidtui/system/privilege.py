"""Root is needed to read disks and to build; how to start this program as root (sudo has its own PATH)."""

import os
import shlex
import sys
from pathlib import Path

# What sudo has for PATH where sudoers says nothing else (`secure_path`, Debian's).
_SUDO_LOOKS_IN = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PROGRAM = "raidtui"


def is_root() -> bool:
    """Effective."""
    return os.geteuid() == 0


def why_not_root() -> str | None:
    """One sentence with the command; None if root."""
    if is_root():
        return None
    return f"Building and measuring arrays needs root: start it with `{as_root()}`."


def as_root() -> str:
    started, sudo = Path(sys.argv[0]), () if is_root() else ("sudo",)
    if started.name == "__main__.py" or not started.is_file():  # `python -m raidtui`
        return shlex.join((*sudo, sys.executable, "-P", "-m", _PROGRAM))
    interpreter = () if os.access(started, os.X_OK) else (sys.executable,)
    return shlex.join((*sudo, *interpreter, str(started.absolute())))


def why_sudo_alone_fails() -> str:
    started = Path(sys.argv[0])
    import shutil

    program = shutil.which(_PROGRAM, path=_SUDO_LOOKS_IN)
    if program is None:
        return f"`sudo {_PROGRAM}` finds no program: sudo does not look in {started.absolute().parent}"
    if started.is_file() and not started.samefile(program):
        return f"`sudo {_PROGRAM}` starts another one, {program}"
    return ""
