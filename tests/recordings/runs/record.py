"""Makes the recordings of runs, and of the machine that the pictures of the wizard show. Needs the practice kernel.

    python -m raidtui.practice -n 24 -s 128 -b 20 -o OUT -- python -m tests.recordings.runs.record run 6
    python -m raidtui.practice -n 3 -s 512 -b 94 -o OUT -- python -m tests.recordings.runs.record run 5
    python -m raidtui.practice -n 6 -s 512 -b 60 -o OUT -- python -m tests.recordings.runs.record files
    python -m raidtui.practice -n 24 -s 128 -b 20 -o OUT -- python -m tests.recordings.runs.record slow
    python -m raidtui.practice -p EMPTY -n 12 -s 3815447 -o OUT -- python -m tests.recordings.runs.record server

What appears below OUT is the recording; of a run plan, journal, samples and report are kept, fio's files are not.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import tomli_w

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.system.discovery import read_machine
from tests.lab.guest.disk_states import command, create, ext4, mounted, partition, stop
from tests.recordings.machines.record import look

_OUT = Path("/var/lib/raidtui")
_SLOW = 16  # the disk that is slower than the others, by its place
_AT_ONCE = 192  # commands that scsi_debug takes from all its disks together; it aborts what is beyond


_FILES = {"use": "files", "after": "keep", "setup": {"level": "6", "chunk": "128KiB", "filesystem": "xfs"}}


def files() -> None:
    """A machine, and on it what the wizard proposes for files, kept."""
    look(_OUT, "machine")
    run(_FILES)


def slow() -> None:
    """A machine of 24 disks, one of them held to 60 % of the others' rate, and RAID 6 of all, kept."""
    disks = sorted(Path("/sys/block").glob("sd*"), key=lambda disk: (len(disk.name), disk.name))
    device = (disks[_SLOW] / "dev").read_text().strip()
    for way in ("read", "write"):
        limit = Path(f"/run/blkio/blkio.throttle.{way}_bps_device")
        (rate,) = [line.split()[1] for line in limit.read_text().splitlines() if line.split()[0] == device]
        limit.write_text(f"{device} {int(rate) * 6 // 10}")
    look(_OUT, "machine")
    run({"use": "backup", "after": "keep", "setup": {"level": "6", "filesystem": "xfs"}})


def run(wanted: dict[str, Any]) -> None:
    """The recipe `quick` on all disks."""
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK]
    for depth in Path("/sys/block").glob("sd*/device/queue_depth"):
        depth.write_text(str(min(32, _AT_ONCE // len(disks))))
    answers = Path("/run/answers.toml")
    answers.write_text(tomli_w.dumps({"disks": disks, **wanted}))
    raidtui = (sys.executable, "-m", "raidtui")
    code = command(*raidtui, "plan", str(answers)).split()[-1]
    subprocess.run((*raidtui, "run", str(answers), "--confirm", code), check=True)


def server() -> None:
    """Twelve disks of 4 TB: one with a mounted ext4, one of LVM, one of a stopped array, one with old data; blank."""
    partition("/dev/sda", "64G", "+")
    ext4("/dev/sda1", "srv")
    command("pvcreate", "--yes", "/dev/sdb")
    create("/dev/md7", "1", "/dev/sdc", "missing")
    stop("/dev/md7", "/dev/sdc")
    partition("/dev/sdd", "64G")
    ext4("/dev/sdd1", "backup")
    with mounted("/dev/sda1", Path(mkdtemp()) / "srv"):
        look(_OUT, "server")


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run({"setup": {"level": sys.argv[2], "filesystem": "xfs"}})
    elif sys.argv[1] in ("files", "slow"):
        {"files": files, "slow": slow}[sys.argv[1]]()
    else:
        server()
