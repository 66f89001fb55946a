"""The list of runs at any width: what stands first, what each line says."""

from pathlib import Path

import pytest

from raidtui.runs.status import RunStatus
from raidtui.ui.run_rows import about, order, run_detail, run_sheet, tally


def run(name: str, word: str = "finished", **more: object) -> RunStatus:
    fields: dict[str, object] = {"setup": "RAID 5 of 3", "measured": 3, "trials": 12, "begun_s": 1e9} | more
    return RunStatus(path=Path("/runs") / name, word=word, sentence="", **fields)  # type: ignore[arg-type]


def test_what_goes_on_comes_first_then_what_is_to_be_seen_to_then_the_newest() -> None:
    old, new = run("old", begun_s=1.0), run("new", begun_s=9.0)
    dead, alive = run("dead", "cut off", unsettled=True, begun_s=2.0), run("alive", "going on", alive=True, begun_s=0.5)
    assert order((old, new, dead, alive)) == (alive, dead, new, old)
    assert tally((old, new, run("kept", kept=True))) == "2 finished, 1 kept"


@pytest.mark.parametrize("width", [78, 98, 118, 198])
def test_no_line_is_wider_than_the_window(width: int) -> None:
    runs = (run("a", "going on", alive=True, left_s=1e5, setup="RAID 10 n2 of 24 disks, chunk 512 KiB, xfs " * 4),)
    for line in (run_sheet(runs, (), width).heading, *run_sheet(runs, (), width).rows[0].lines):
        assert len("".join(text for text, _ in line)) <= width


def test_a_marked_run_carries_its_letter() -> None:
    runs = (run("a"), run("b"))
    lines = ["".join(text for text, _ in row.lines[0]) for row in run_sheet(runs, (runs[1].path,), 80).rows]
    assert lines[0].startswith("    ") and lines[1].startswith("  A ")


def test_an_array_that_is_permanent_says_what_takes_that_back() -> None:
    assert run_detail(run("a", kept=True)).endswith("Array kept; D removes it.")
    assert run_detail(run("a", cleared=True)).endswith("Array removed.")
    assert run_detail(run("a", kept=True, permanent=True)).endswith("D removes these entries, then the array.")


def test_what_a_sweep_is_about_is_said_once() -> None:
    assert about(run("a", setup="Levels, 6 disks, 9 setups", recipe="Levels")) == "Levels, 6 disks, 9 setups"
    assert about(run("a", recipe="Quick look")) == "Quick look: RAID 5 of 3"


@pytest.mark.parametrize(("width", "columns"), [(98, 0), (118, 0), (158, 2)])
def test_what_a_run_is_about_is_whole_before_there_are_further_columns(width: int, columns: int) -> None:
    runs = (run("a", setup="RAID 10 n2 of 24 disks, chunk 512 KiB, xfs", recipe="Quick look"),)
    sheet = run_sheet(runs, (), width)
    assert about(runs[0]) in "".join(text for text, _ in sheet.rows[0].lines[0])
    heading = "".join(text for text, _ in sheet.heading)
    assert ("time left" in heading) + ("id (UTC)" in heading) == columns
