"""Are we root? Looking and planning need no privilege; reading what disks hold, and building, do."""

import os
import sys


def is_root() -> bool:
    """Effective, as the kernel will judge it."""
    return os.geteuid() == 0


def why_not_root() -> str | None:
    """One sentence with the command that starts this program again as root; None if it is root."""
    if is_root():
        return None
    return f"Building and measuring arrays needs root: start it with `sudo {sys.argv[0] or 'raidtui'}`."
