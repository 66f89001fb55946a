"""`mdadm --monitor` found by the words of processes, and its age beside that of mdadm.conf."""

import os
import time
from pathlib import Path

import pytest

from raidtui.core.arrays.boot_files import BootFiles, MdadmConf
from raidtui.core.arrays.monitor import Monitor
from raidtui.system.arrays import monitors
from raidtui.system.arrays.monitors import is_monitor, look

FILES = BootFiles(mdadm=MdadmConf(mailaddr="root"))


@pytest.mark.parametrize(
    "words, watches",
    [
        ("/sbin/mdadm --monitor --scan", True),
        ("mdadm --follow --scan --daemonise", True),
        ("mdadm --mon --scan", True),
        ("mdadm -Fs", True),
        ("mdadm --detail --export /dev/md0", False),
        ("mdadm --assemble --scan", False),
        ("mdadm -As", False),
        ("mdadm /dev/md0 --fail /dev/sda", False),
        ("vi mdadm --monitor", False),
        ("mdmon --monitor", False),
        ("", False),
    ],
)
def test_a_process_that_watches(words: str, watches: bool) -> None:
    assert is_monitor(b"\0".join(word.encode() for word in words.split(" ")) + b"\0") is watches


def process(proc: Path, pid: str, cmdline: bytes, began_s: float) -> None:
    up_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    ticks = int((began_s - time.time() + up_s) * os.sysconf("SC_CLK_TCK"))
    (proc / pid).mkdir()
    (proc / pid / "cmdline").write_bytes(cmdline)
    (proc / pid / "stat").write_text(f"{pid} (mdadm) S {' '.join(['0'] * 18)} {ticks} 0\n")


def test_one_that_began_before_the_file_was_changed_goes_by_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitors, "which", lambda program: f"/usr/sbin/{program}")
    now_s = time.time()
    (tmp_path / "uptime").touch()
    process(tmp_path, "1", b"init\0", now_s - 100)
    assert look(FILES, tmp_path) == Monitor(running=False, mailaddr="root")
    process(tmp_path, "2", b"mdadm\0--monitor\0--scan\0", now_s - 50)
    assert look(FILES, tmp_path) == Monitor(running=True, mailaddr="root")
    for changed_s, older in ((now_s - 60, False), (now_s - 40, True)):
        files = BootFiles(mdadm=MdadmConf(mailaddr="root"), changed_s=changed_s)
        assert look(files, tmp_path).older is older
    monkeypatch.setattr(monitors, "which", lambda program: None)
    assert look(FILES, tmp_path).no_sendmail
