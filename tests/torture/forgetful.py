"""Disks of the matrix' own that lose what no flush wrote (`forgetting`): nbd under a disk of tcm_loop. Their files are
on the host, and outlive the kernel.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.practice.rack import MIB
from tests.torture import forgetting, luns
from tests.torture.dust import appears
from tests.torture.stand import Stand, command, settle

_SIZE_MIB = 48
_FOLDER = Path("/var/lib/raidtui/forgetful")
_RULE = Path("/etc/udev/rules.d/63-forgetful.rules")  # else udev would give nbd itself to md after the boot


@contextmanager
def disks(stand: Stand, count: int) -> Iterator[list[tuple[Disk, "subprocess.Popen[bytes]"]]]:
    """So many disks, with what their files have of an earlier boot, and their processes."""
    _RULE.write_text('KERNEL=="nbd*", ENV{ID_FS_TYPE}=""\n')
    command("udevadm", "control", "--reload")
    command("modprobe", "nbd", f"nbds_max={count}", "max_part=0")
    _FOLDER.mkdir(exist_ok=True)
    with ExitStack() as stack:
        made = []
        for number in range(count):
            name, node = f"forgets{number}", f"/dev/nbd{number}"
            if not (file := _FOLDER / name).exists():
                with file.open("wb") as image:
                    image.truncate(_SIZE_MIB * MIB)
            server = stack.enter_context(_served(file, node))
            _await_size(number, server)
            settle()  # else udev holds it
            store = stack.enter_context(luns.store("iblock", name, f"udev_path={node}"))
            stack.enter_context(luns.path(store))
            made.append((appears(stand, name.upper())[0], server))
        settle()
        yield made


@contextmanager
def _served(file: Path, node: str) -> Iterator["subprocess.Popen[bytes]"]:
    server = subprocess.Popen([sys.executable, "-S", forgetting.__file__, str(file), node])
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def _await_size(number: int, server: "subprocess.Popen[bytes]") -> None:
    """Until the kernel has the disk in its whole size."""
    end_s = time.monotonic() + 60
    while int(Path(f"/sys/block/nbd{number}/size").read_text()) != _SIZE_MIB * MIB // 512:
        if server.poll() is not None or time.monotonic() > end_s:
            raise RuntimeError(f"nbd{number} did not come up")
        time.sleep(0.1)
