"""Where a person's own configuration lies: themes, recipes. Reads nothing of it."""

import os
import pwd
from pathlib import Path


def folder() -> Path:
    """`~/.config/raidtui` of the person, also behind sudo, which would make it root's."""
    person = os.environ.get("SUDO_USER", "")
    if person and os.geteuid() == 0:
        try:
            return Path(pwd.getpwnam(person).pw_dir) / ".config" / "raidtui"
        except KeyError:
            pass
    configured = os.environ.get("XDG_CONFIG_HOME")
    return (Path(configured) if configured else Path("~/.config").expanduser()) / "raidtui"
