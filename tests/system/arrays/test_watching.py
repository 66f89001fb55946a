"""When the next check begins, as systemd has it, and whether smartd runs, in folders of a test's own."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.core.arrays.monitor import NextCheck
from raidtui.system.arrays import watching
from raidtui.system.process import Done, ProcessError


def scheduled(base: Path, *files: str) -> None:
    for file in files:
        (base / file).parent.mkdir(parents=True, exist_ok=True)
        (base / file).touch()


TIMER = "etc/systemd/system/mdmonitor.service.wants/mdcheck_start.timer"
CRON = "etc/cron.d/mdadm"


@pytest.mark.parametrize(
    "files, told, expected",
    [
        ((), "t 1796518800000000\n", NextCheck()),
        ((TIMER,), "t 1796518800000000\n", NextCheck(by="mdcheck_start.timer", at_s=1796518800.0)),
        ((CRON, TIMER), "t 1796518800000000\n", NextCheck(by="mdcheck_start.timer", at_s=1796518800.0)),
        ((TIMER,), "t 18446744073709551615\n", NextCheck(by=f"/{TIMER}")),  # it is stopped
        ((TIMER,), "", NextCheck(by=f"/{TIMER}")),
        ((CRON,), "t 1796518800000000\n", NextCheck(by=f"/{CRON}")),
    ],
)
def test_the_next_check_is_a_timers_and_of_cron_no_date_is_read(
    tmp_path: Path, files: tuple[str, ...], told: str, expected: NextCheck
) -> None:
    asked: list[Sequence[str]] = []

    def ask(argv: Sequence[str], timeout_s: float) -> Done:
        asked.append(argv)
        return Done(returncode=0, stdout=told, stderr="")

    scheduled(tmp_path, *files)
    assert watching.next_check(tmp_path, ask) == expected
    assert all(argv[3].endswith("/mdcheck_5fstart_2etimer") for argv in asked)


def test_a_bus_that_does_not_answer_leaves_the_date_unread(tmp_path: Path) -> None:
    def ask(argv: Sequence[str], timeout_s: float) -> Done:
        raise ProcessError("busctl is not installed")

    scheduled(tmp_path, TIMER)
    assert watching.next_check(tmp_path, ask) == NextCheck(by=f"/{TIMER}")


def process(base: Path, pid: int, comm: str, *words: str) -> None:
    folder = base / "proc" / str(pid)
    folder.mkdir(parents=True)
    (folder / "comm").write_text(f"{comm}\n")
    (folder / "cmdline").write_bytes(b"\0".join(word.encode() for word in words) + b"\0")


def test_smartd_is_found_by_its_process_and_read_by_its_own_file(tmp_path: Path) -> None:
    assert watching.smartd(["sda"], tmp_path) == (None, {"sda": "not named"})
    process(tmp_path, 1, "init", "init")
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/smartd.conf").write_text("DEVICESCAN\n")
    assert watching.smartd(["sda"], tmp_path) == (False, {"sda": "by DEVICESCAN"})
    process(tmp_path, 7, "smartd", "/usr/sbin/smartd", "-n", "-c", "/etc/own.conf")
    assert watching.smartd(["sda"], tmp_path) == (True, {"sda": "not checked"})
    link = tmp_path / "dev/disk/by-id/wwn-0x1"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../sda")
    (tmp_path / "etc/own.conf").write_text("/dev/disk/by-id/wwn-0x1 -a\n")
    assert watching.smartd(["sda", "sdb"], tmp_path) == (True, {"sda": "by name", "sdb": "not named"})
