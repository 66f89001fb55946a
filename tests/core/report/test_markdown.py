"""Reports: readable raw and rendered, every number from the input, nothing hostile gets through.

After a wanted change of the golden report: `REPORT_WRITE=1 pytest tests/core/report`, and read the difference.
"""

import os
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.page import markdown as page
from raidtui.core.report import markdown, provenance
from raidtui.core.run import events
from raidtui.core.run.state import fold, fold_all
from raidtui.core.units import MB
from tests.builders import handmade
from tests.builders.tables import tables_of

PLAN = handmade.plan()
GOLDEN = Path(__file__).with_name("report_handmade.md")


def test_the_golden_report() -> None:
    text = markdown.whole(PLAN, handmade.full_state(PLAN))
    if os.environ.get("REPORT_WRITE"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_every_table_has_one_width_and_every_figure_a_unit() -> None:
    found = tables_of(markdown.markdown(PLAN, handmade.full_state(PLAN)))
    assert len(found) == 9
    unit = re.compile("MB/s|IOPS|ms|%|°C|Time, s|Estimated, s|\N{MULTIPLICATION SIGN}|TB|TiB|Bytes")
    names = {
        "Queue",
        "Disk",
        "Serial",
        "Size",
        "Asked",
        "Read back",
        "Identity",
        "Which",
        "Model",
        "one disk",
        "array",
        "gain",
    }
    for one in found:
        assert len({len(row) for row in one}) == 1
        for header, below in zip(one[0], one[2], strict=True):
            assert header in names or unit.search(header) or not re.fullmatch(r"[\d.]+", below)


def test_every_rate_in_the_tables_is_one_of_the_input() -> None:
    state = handmade.state(PLAN)
    known, rates = {"0.0"}, set[str]()
    for one in provenance.measurements(PLAN, state):
        ways = [way for way in (one.read, one.write) if way]
        known |= {f"{way.bytes_per_s / MB:.1f}" for way in ways} | {f"{way.iops:.1f}" for way in ways}
        known |= {f"{rate / MB:.1f}" for disk in one.disks.values() for rate in msgspec.structs.astuple(disk)[:2]}
        for way in ("read", "write"):
            known.add(f"{sum(getattr(disk, f'{way}_bytes_per_s') for disk in one.disks.values()) / MB:.1f}")
    for one_table in tables_of(markdown.whole(PLAN, state)):
        for column, header in enumerate(one_table[0]):
            if re.search("MB/s|IOPS$", header) and "Expected" not in header:
                rates |= {row[column] for row in one_table[2:]}
    assert len(rates) > 10 and rates <= known | {page.NO_CELL}


def test_a_failure_is_told_in_words_and_never_as_a_number() -> None:
    text = markdown.whole(PLAN, handmade.full_state(PLAN))
    line, *_ = [line for line in text.splitlines() if line.startswith("| Random 4K write ")]
    assert [cell.strip() for cell in line.split("|")][4:6] == ["FAILED", page.NO_CELL]
    assert r"FAILED: job 'x': No space left on device \| \`boom\`" in text
    assert "FAILED IOPS" not in text


@pytest.mark.parametrize("length", [0, 1, 5, 30, 40, 60])
def test_a_run_without_an_end_says_so(length: int) -> None:
    text = markdown.whole(PLAN, fold_all(handmade.journal(PLAN)[:length]))
    assert "it is running, or was interrupted" in text
    assert "not run" in text


def test_how_a_run_ended() -> None:
    at = 1_700_100_000.0
    state = handmade.state(PLAN)
    stopped = fold(state, events.RunEnded(at_s=at, outcome="stopped", reason="asked to", left=("/dev/sdb",)))
    assert "**This run stopped before its end.** asked to" in markdown.whole(PLAN, stopped)
    assert "Not removed: /dev/sdb." in markdown.whole(PLAN, stopped)
    kept = fold(state, events.RunEnded(at_s=at, outcome="finished", kept=True))
    assert "Finished. The array is kept." in markdown.whole(PLAN, kept)
    unrestored = fold(state, events.SettingChanged(at_s=at, path="/sys/x", old="4096", new="1"))
    assert "/sys/x was 4096" in markdown.whole(PLAN, unrestored)


HOSTILE = st.one_of(st.just(handmade.HOSTILE), st.text(max_size=30), st.text("|`*_<>[]#\\\n\x1b\u202e ~x", max_size=12))


@given(hostile=HOSTILE)
def test_hostile_text_breaks_no_table_and_reaches_no_terminal(hostile: str) -> None:
    plan = handmade.plan(model=hostile)
    members = tuple(replace(m, serial=hostile, found=hostile) for m in plan.members)
    plan = replace(plan, members=members, notes=(hostile,), recipe_title=hostile)
    odd = {"status": "failed", "error": hostile, "warnings": (hostile,)}
    state = handmade.state(plan, {1: 0.5}, filesystem_seq_read=odd)
    state = fold(state, events.StepStarted(at_s=1.8e9, stage=1, what=hostile, line=f"echo {hostile}"))
    text = markdown.whole(plan, state)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    found = tables_of(text)
    assert [len(one) for one in found] == [len(one) for one in tables_of(markdown.whole(PLAN, handmade.state(
        PLAN, {1: 0.5}, filesystem_seq_read={"status": "failed"})))]  # fmt: skip
    for one in found:
        assert len({len(row) for row in one}) == 1
    assert "<i>" not in re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", text).replace(r"\<i\>", "")


@pytest.mark.parametrize(
    "bitmap, words",
    [
        ("internal", "superblock, bitmap, "),
        ("", "superblock, "),
        ("none", "superblock, "),
        ("ppl", "superblock, partial parity log, "),
    ],
)
def test_no_room_is_lost_to_a_bitmap_that_is_not_there(bitmap: str, words: str) -> None:
    array = replace(PLAN.stages[1].array, bitmap=bitmap)  # type: ignore[type-var]
    stage = replace(PLAN.stages[1], array=array)
    plan = replace(PLAN, stages=(PLAN.stages[0], stage))
    assert f"metadata ({words}data offset)" in markdown.whole(plan, handmade.full_state(PLAN))
