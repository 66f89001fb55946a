"""What is loaded at boot: the newest kernel and its own initramfs, whatever lies beside them. Who ends with whom."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.server.machine import REPOSITORY, Broken, loaded_at_boot

_OLD, _NEW = (
    ("vmlinuz-6.1.0-50-amd64", "initrd.img-6.1.0-50-amd64"),
    ("vmlinuz-6.1.0-56-amd64", "initrd.img-6.1.0-56-amd64"),
)


@pytest.mark.parametrize("beside", [(), (f"{_NEW[1]}.dpkg-bak",), (f"{_NEW[1]}.dpkg-bak", f"{_NEW[1]}.new")])
def test_half_an_initramfs_beside_it_is_not_loaded(beside: tuple[str, ...]) -> None:
    assert loaded_at_boot(sorted((*_OLD, *_NEW, *beside))) == _NEW


def test_a_kernel_without_its_initramfs_does_not_boot() -> None:
    with pytest.raises(Broken, match=r"no initrd\.img-6\.1\.0-56-amd64"):
        loaded_at_boot(sorted((*_OLD, _NEW[0], f"{_NEW[1]}.new")))


_LONG_S = 60.0
# The lab with a machine in QEMU's place that boots for ever; it tells of that one's process.
_LAB = """
import signal, sys
from pathlib import Path
from tests.server import __main__ as lab, machine
from tests.server.image import Image
from tests.server.row import Row
class StandIn(machine.Server):
    _machine = lambda self: ["sleep", "600"]
    def _wait_until_ready(self):
        print(self._qemu.pid, flush=True)
        signal.pause()

lab.Server, lab.ROWS = StandIn, (Row(name="boots", disks=(), act=None, core=True),)
lab._built = lambda zfs: Image(Path("/etc/hostname"), Path("/etc/hostname"))
lab.main()
"""


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGKILL])
def test_a_lab_that_is_ended_from_outside_leaves_no_machine(tmp_path: Path, ended_by: signal.Signals) -> None:
    folders = {"RAIDTUI_SERVER": str(tmp_path / "server"), "SERVER_OUT": str(tmp_path / "out")}
    (tmp_path / "server").mkdir()
    argv = (sys.executable, "-c", _LAB)
    with subprocess.Popen(argv, cwd=REPOSITORY, env=os.environ | folders, stdout=subprocess.PIPE) as lab:
        pid = int(next(iter(lab.stdout or ())))
        machine = os.pidfd_open(pid)
        lab.send_signal(ended_by)
    try:
        ended = select.poll()
        ended.register(machine, select.POLLIN)
        assert ended.poll(_LONG_S * 1000)
        assert bool(list((tmp_path / "server").iterdir())) == (ended_by == signal.SIGKILL)
    finally:
        os.close(machine)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
