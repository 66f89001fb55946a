"""The list of runs at any width: what stands first, what each line says."""

from pathlib import Path

import pytest

from raidtui.core.report.context import RunContext
from raidtui.core.units import Units
from raidtui.runs.status import RunStatus
from raidtui.ui.run_rows import about, bars_beside, mark, order, run_detail, run_sheet, tally
from tests.recordings.reports import kept
from tests.replay import recorded
from tests.ui.pages import texts


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
    sheet, _ = run_sheet(runs, (), {}, width)
    for line in (sheet.heading, *(line for row in sheet.rows for line in row.lines)):
        assert len("".join(text for text, _ in line)) <= width
    assert "RAID 10 n2 of 24 disks" in "".join(text for text, _ in sheet.rows[1].lines[0])


def test_a_marked_run_carries_its_letter() -> None:
    runs = (run("a"), run("b"))
    sheet, of_rows = run_sheet(runs, (runs[1].path,), {}, 80)
    lines = ["".join(text for text, _ in row.lines[0]) for row in sheet.rows]
    assert lines[1].startswith("   · ") and lines[2].startswith(" A · ") and of_rows == (None, *runs)


def test_an_array_that_is_permanent_says_what_takes_that_back() -> None:
    assert run_detail(run("a", kept=True)).endswith("Array kept; D removes it.")
    assert run_detail(run("a", cleared=True)).endswith("Array removed.")
    assert run_detail(run("a", kept=True, permanent=True)).endswith("D removes these entries, then the array.")


def test_what_a_sweep_is_about_is_said_once() -> None:
    assert about(run("a", setup="Levels, 6 disks, 9 setups", recipe="Levels")) == "Levels, 6 disks, 9 setups"
    assert about(run("a", recipe="Quick look")) == "Quick look: RAID 5 of 3"


def test_every_group_has_its_heading_and_two_lines_a_run() -> None:
    runs = order((
        run("a"), run("b", kept=True), run("c", "failed"), run("d", "going on", alive=True, left_s=90.0),
        run("e", "cut off", unsettled=True),
    ))  # fmt: skip
    sheet, of_rows = run_sheet(runs, (), {}, 100)
    headings = ["".join(text for text, _ in row.lines[1]) for row in sheet.rows if row.is_heading]
    assert headings == [" Running", " Interrupted", " Kept", " Finished", " Failed"]
    assert [one.name for one in of_rows if one] == ["d", "e", "b", "a", "c"]
    assert {len(row.lines) for row in sheet.rows} == {2}
    second = "".join(text for text, _ in sheet.rows[1].lines[1])
    assert "running, 3/12 tests, about 1 min 30 s left" in second and second.endswith(" d")


@pytest.mark.parametrize(
    "word, name, sign",
    [
        ("finished", "raid5-twice", "✓"),
        ("finished", "raid5-of-3", "▼"),  # the worse of finished and below expected
        ("finished", "rack-of-24", "✗"),
        ("finished", "existing-folder", "·"),
        ("finished", "", "·"),
        ("failed", "raid5-twice", "✗"),
        ("stopped", "raid5-twice", "▼"),
        ("stopped", "", "▼"),
    ],
)
def test_the_mark_of_a_run_is_the_worse_of_its_end_and_its_results(word: str, name: str, sign: str) -> None:
    known = recorded(name) if name else None
    assert mark(run("a", word), known)[0] == sign


def test_of_many_tests_the_signs_are_counted() -> None:
    sweep = RunContext(*kept.load("levels-random-4k"))
    one = run("a")
    sheet, _ = run_sheet((one,), (), {one.path: sweep}, 100)
    assert "24 of 24 as expected or above" in "".join(text for text, _ in sheet.rows[1].lines[1])


@pytest.mark.parametrize("height, more", [(40, 0), (12, 2), (5, 4)])
def test_as_many_tests_as_fit_have_their_bars(height: int, more: int) -> None:
    lines = texts(bars_beside(recorded("raid5-of-3"), Units.DECIMAL, 42, height))
    assert len(lines) <= height and max(map(len, lines)) <= 42
    assert (lines[-1] == f"{more} more tests") is bool(more)


def test_of_a_sweep_its_answer_is_beside() -> None:
    lines = texts(bars_beside(RunContext(*kept.load("levels-random-4k")), Units.DECIMAL, 42, 20))
    assert lines[0] == "Chunk: n.s. (max +5 %, detects ≥ 11 %)" and not any("Next" in line for line in lines)
