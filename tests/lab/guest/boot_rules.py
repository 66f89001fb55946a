"""What mdadm itself does at boot with an array and an mdadm.conf, without udev."""

import os
import socket
import subprocess
from pathlib import Path

from tests.builders.boot_rules import UUID, text_of
from tests.lab.guest.disk_states import command, udev_looks

DISKS = ("/dev/sda", "/dev/sdb")
_CONF, _MAP = Path("/run/boot_rules.conf"), Path("/run/mdadm/map")
NOT_ASSEMBLED = "-"  # or not as a whole


def alone() -> None:
    """mdadm makes the nodes by itself from now on. udev would look at each of thousands of changes afterwards: it is
    held for the rest of this kernel's life.
    """
    os.environ["MDADM_NO_UDEV"] = "1"
    udev_looks(False)


class Array:
    """A mirror of both disks. It is made anew for another title, and after it was not assembled as a whole."""

    def __init__(self) -> None:
        self.title: str | None = None

    def incremental(self, conf: str, title: str, host: str) -> str:
        """Name of the node after `--incremental` of each disk."""
        return self._after(conf, title, host, [("mdadm", "--incremental", f"--config={_CONF}", disk) for disk in DISKS])

    def scan(self, conf: str, title: str, host: str) -> str:
        return self._after(conf, title, host, [("mdadm", "--assemble", "--scan", f"--config={_CONF}")])

    def _after(self, conf: str, title: str, host: str, commands: list[tuple[str, ...]]) -> str:
        _stop()
        if title != self.title:
            _create(title)
            self.title = title
        socket.sethostname(host)
        _CONF.write_text(text_of(conf))
        for argv in commands:
            subprocess.run(argv, capture_output=True, check=False)  # it may refuse: then nothing is assembled
        names = {line.split()[0]: line.split()[-1] for line in _MAP.read_text().splitlines()} if _MAP.exists() else {}
        whole = [name for name in names if _attribute(name, "degraded") == "0"]
        self.title = title if whole else None
        return names[whole[0]] if whole else NOT_ASSEMBLED


def _create(title: str) -> None:
    home, mark, name = title.partition(":")
    whose = (f"--homehost={home}", f"--name={name}") if mark else ("--homehost=<none>", f"--name={home}")
    command("mdadm", "--create", "/dev/md99", *whose, f"--uuid={UUID}", "-l1", "-n2", "--bitmap=none",
            "--assume-clean", "--run", *DISKS)  # fmt: skip
    _stop()


def _attribute(array: str, file: str) -> str:
    """ "" of an array that is not started."""
    path = Path("/sys/block", array, "md", file)
    return path.read_text().strip() if path.exists() else ""


def _stop() -> None:
    for array in sorted(Path("/sys/block").glob("md*")):
        subprocess.run(("mdadm", "--stop", f"/dev/{array.name}"), capture_output=True, check=False)
    for node in (*Path("/dev/md").glob("*"), *Path("/dev").glob("md[0-9_]*")):
        node.unlink(missing_ok=True)  # udev may be faster
    _MAP.unlink(missing_ok=True)
