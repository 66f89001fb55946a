"""What the rows in a practice kernel share: the plays, the answer files, and the bytes of the disks at rest."""

import fcntl
import hashlib
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tests.ansible.__main__ import COLLECTIONS, REPOSITORY
from tests.ansible.plays import Plays, need
from tests.lab.guest import brief_runs

OUT = Path("/var/lib/raidtui")
FOLDER, HOME = Path("/run/plays"), Path("/run/home")
RAIDTUI = str(REPOSITORY / ".venv/bin/raidtui")
LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3"}
COLLECTED = OUT / "collected"
_BITMAP_S = 600.0
_BLKFLSBUF = 0x1261  # linux/fs.h

plays = Plays(FOLDER, Path(sys.argv[-1]), OUT / COLLECTIONS)


def serial(node: str) -> str:
    """Of the practice kernel's disks: 2000 for sda, 4000 for sdb …"""
    return str(2000 * (ord(node[-1]) - ord("a") + 1))


def answers_file(name: str, **document: Any) -> str:
    path = FOLDER / name
    path.write_text(tomli_w.dumps({"after": "keep", **document}))
    return str(path)


def inventory(hosts: Sequence[str], *arrays: Mapping[str, Any]) -> None:
    """These hosts, which are this kernel, and the role's arrays for all of them."""
    role = {
        "commission_arrays": arrays,
        "commission_executable": RAIDTUI,
        "commission_controller_executable": RAIDTUI,
        "commission_collected": str(COLLECTED),
        "commission_report": str(OUT / "fleet"),
        "commission_poll_s": 5,
    }
    plays.inventory({host: LOCAL for host in hosts}, role)


def write_recipe() -> str:
    """A second of writing and of reading; its name."""
    return brief_runs.write_recipe(HOME / ".config", brief_runs.WRITE, brief_runs.READ, baseline="none")


def code(host: str, array: str) -> str:
    return (COLLECTED / f"plans/{host}/{array}.txt").read_text().split()[-1]


def bytes_of_disks() -> dict[str, str]:
    """A hash of all that each disk holds, by its node; of the disk itself, not of what was read of it before."""
    found = {}
    for node in sorted(map(str, Path("/dev").glob("sd?"))):
        with Path(node).open("rb") as disk:
            fcntl.ioctl(disk, _BLKFLSBUF)
            found[node] = hashlib.file_digest(disk, "sha256").hexdigest()
    return found


def bytes_at_rest() -> dict[str, str]:
    """The bytes of the disks once md writes no more: it clears the bits of its bitmaps some seconds after the last
    write, on one member after the other.
    """
    end_s = time.monotonic() + _BITMAP_S
    while not _at_rest():
        need(time.monotonic() < end_s, f"md was not at rest after {_BITMAP_S:.0f} s")
        time.sleep(0.2)
    return bytes_of_disks()


def _at_rest() -> bool:
    for array in Path("/sys/block").glob("md*"):
        if (array / "md/array_state").read_text() != "clean\n":
            return False
        for member in (array / "slaves").iterdir():
            if "spare" in (array / f"md/dev-{member.name}/state").read_text():
                continue  # md does not write its bitmap
            on_disk = subprocess.run(
                ("mdadm", "--examine-bitmap", f"/dev/{member.name}"), capture_output=True, text=True, check=False
            )
            if "bits (chunks)" in on_disk.stdout and " 0 dirty" not in on_disk.stdout:
                return False
    return True


def refused(*sentences: str, together: bool = False, but: Sequence[str] = ()) -> str:
    """The output of a play that fails for these reasons, with every disk byte for byte as before, except `but`."""
    before = bytes_at_rest()
    output = plays.play(status=2, together=together)
    said = output.replace('\\"', '"')
    for sentence in sentences:
        need(sentence in said, f"no “{sentence}” in:\n{output}")
    unchanged(before, but)
    return said


def unchanged(before: Mapping[str, str], but: Sequence[str] = ()) -> None:
    now = bytes_at_rest()
    changed = [node for node in before if now[node] != before[node] and node not in but]
    need(not changed, f"changed: {', '.join(changed)}")
