"""The wizard in the practice kernel, key by key through a terminal, from blank disks to an exported report."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.kernels import REPOSITORY
from tests.lab.screen import Screen

pytestmark = pytest.mark.lab
BOOT_S = 90
TEST_S = 420  # in which one more has been measured, also on a busy machine


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    command = f"{sys.executable} -m raidtui practice --disks 3 --disk-size 512MiB --disk-speed 94MB/s"
    opened = Screen(command, REPOSITORY, columns=80, rows=24, environment={"XDG_STATE_HOME": str(tmp_path)})
    yield opened
    opened.close()


def begin(screen: Screen, *keys: str) -> None:
    """To the disks, for a quick look at them; `keys` are pressed where it is chosen."""
    screen.wait("Being reckoned", BOOT_S)
    for _ in range(3):  # past what is built to be kept
        screen.press("Down")
    screen.wait("cleared away")
    for key in keys:
        screen.press(key)
    screen.press("Enter")
    screen.wait("sdc")


def test_from_blank_disks_to_an_exported_report(screen: Screen, tmp_path: Path) -> None:
    begin(screen, "e")  # each step is asked for
    screen.press("a")
    screen.wait("RAID 5")
    screen.press("Enter")
    screen.wait("Which level?")
    screen.press("Enter")
    screen.wait("Chunk")
    screen.press("Enter")
    screen.wait("Which file system")
    screen.press("Down")
    screen.press("Enter")
    screen.wait("How often is")
    screen.press("Enter")
    assert "Nothing has been started" in screen.wait("then type  erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("Type  erase 3 disks of practice  and press Enter")
    screen.type("erase 2 disks of practice")
    screen.press("Enter")
    screen.wait("Nothing was started")
    assert not list(tmp_path.glob("raidtui/practice/runs/*"))
    screen.type("erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("MB/s", 30)
    screen.resize(120, 40)
    screen.wait("sda")
    screen.wait_on("Finished after", "Done:", TEST_S)
    screen.press("e")
    screen.wait("to which file")
    screen.press("Enter")
    screen.wait("Written to")
    [run] = tmp_path.glob("raidtui/practice/runs/*")
    report = (run / "report.md").read_text()
    assert (tmp_path / f"raidtui/practice/raidtui-{run.name}.md").read_text() == report
    assert "RAID 5" in report and "xfs" in report and "FAILED" not in report
    screen.press("q")
    screen.wait("ended with 0", 30)


def test_a_hang_up_ends_the_practice_kernel_and_keeps_what_was_written(screen: Screen, tmp_path: Path) -> None:
    begin(screen)
    screen.press("a")
    for title in ("How often is", "then type  erase"):
        screen.press("Enter")
        screen.wait(title)
    screen.press("Enter")
    screen.wait("Type  erase 3 disks of practice  and press Enter")
    screen.type("erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("Measuring 1 of 12", 60)
    [run] = tmp_path.glob("raidtui/practice/runs/*")
    screen.close()
    assert b'"trial-started"' in (run / "journal.jsonl").read_bytes()
