"""The wizard in the practice kernel, key by key through a terminal, from blank disks to an exported report."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.kernels import REPOSITORY
from tests.lab.newer_kernel import newer_kernel
from tests.lab.screen import Screen

pytestmark = pytest.mark.lab
TEST_S = 420  # in which one more has been measured, also on a busy machine
WIZARD = f"env --chdir=/var/lib/raidtui XDG_CONFIG_HOME=/var/lib/raidtui/config {sys.executable} -P -m raidtui"


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    yield from opened("raidtui practice --disks 3 --disk-size 320MiB --disk-speed 94MB/s", tmp_path)


@pytest.fixture
def brief(tmp_path: Path) -> Iterator[Screen]:
    """The same, but that each test of the quick look takes a second: by a recipe of the user's own."""
    out = tmp_path / "raidtui/practice"
    own = out / "config/raidtui/recipes/quick.toml"
    own.parent.mkdir(parents=True)
    shipped = (REPOSITORY / "raidtui/recipes/quick.toml").read_text()
    own.write_text(shipped.replace('runtime = "5s"', 'runtime = "1s"').replace('ramp_time = "1s"', 'rate = "8m"'))
    kernel = f"-k {newer_kernel()}" if newer_kernel() else ""
    yield from opened(f"raidtui.practice -n 3 -s 320 -b 94 {kernel} -o {out} -- {WIZARD}", tmp_path)


def opened(module: str, tmp_path: Path) -> Iterator[Screen]:
    places = {"XDG_STATE_HOME": str(tmp_path), "RAIDTUI_PRACTICE_RESULTS": str(tmp_path / "raidtui/practice")}
    screen = Screen(f"{sys.executable} -m {module}", REPOSITORY, columns=80, rows=24, environment=places)
    yield screen
    screen.close()


def begin(screen: Screen, *keys: str) -> None:
    """To the disks, for a quick look at them; `keys` are pressed where it is chosen."""
    screen.wait("3 free")
    screen.press("2")
    screen.wait("What do you want to measure?")
    for key in keys:
        screen.press(key)
    screen.press("Enter")
    screen.wait("sdc")


def test_from_blank_disks_to_an_exported_report(brief: Screen, tmp_path: Path) -> None:
    screen = brief
    begin(screen, "e")  # each step is asked for
    screen.press("a")
    screen.wait("RAID 5")
    screen.press("Enter")
    screen.wait("Which level?")
    screen.press("Enter")
    screen.wait("Which chunk size?")
    screen.press("Enter")
    screen.wait("Which file system?")
    for _ in range(4):  # from none, the last, to the first
        screen.press("Up")
    screen.wait("su=524288")
    screen.press("Enter")
    screen.wait("Which tests?")
    screen.press("Enter")
    assert "nothing has been written yet" in screen.wait("then type  erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("Type  erase 3 disks of practice  and press Enter")
    screen.type("erase 2 disks of practice")
    screen.press("Enter")
    screen.wait("Nothing was started")
    assert not list(tmp_path.glob("raidtui/practice/runs/*"))
    screen.type("erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("MB/s")
    screen.resize(120, 40)
    screen.wait("sda")
    screen.wait_on("Finished after", "Done:", TEST_S)
    screen.press("e")
    screen.wait("to which file")
    screen.press("Enter")
    screen.wait("Written to")
    [run] = tmp_path.glob("raidtui/practice/runs/*")
    report = (run / "report.md").read_text()
    page = report.partition("## Attachments")[0]
    written = (tmp_path / f"raidtui/practice/raidtui-{run.name}.md").read_text()
    assert written.startswith(page) and "mdadm --create" in written
    assert "mdadm --create" in (run / "attachments/commands.md").read_text()
    assert "RAID 5" in report and "xfs" in report and "FAILED" not in report
    screen.press("q")
    screen.wait("ended with 0")


def test_a_hang_up_ends_the_practice_kernel_and_keeps_what_was_written(screen: Screen, tmp_path: Path) -> None:
    begin(screen)
    screen.press("a")
    for title in ("Which tests?", "then type  erase"):
        screen.press("Enter")
        screen.wait(title)
    screen.press("Enter")
    screen.wait("Type  erase 3 disks of practice  and press Enter")
    screen.type("erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("Test 1 of 12")  # no file system: all of them are on the bare array
    [run] = tmp_path.glob("raidtui/practice/runs/*")
    screen.close()
    assert b'"trial-started"' in (run / "journal.jsonl").read_bytes()
