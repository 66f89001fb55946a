"""The drawing of where blocks lie: as wide as the window, no disk left out at its ends, right in its chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.advice.preview import LevelPreview, preview_level
from raidtui.core.raid.levels import LEVELS
from raidtui.core.units import KIB, MIB
from raidtui.ui.render.drawing import drawing_lines
from tests.ui.machines import rack
from tests.ui.pages import texts


def view(key: str, count: int, layout: str | None = None, chunk_bytes: int | None = None) -> LevelPreview:
    return preview_level(key, layout, chunk_bytes, rack(count))


def drawn(found: LevelPreview, width: int = 80, height: int = 6) -> list[str]:
    return texts(drawing_lines(found, [disk.name for disk in rack(found.disks)], width, height))


def test_raid_6_of_4_disks() -> None:
    lines = drawn(view("6", 4, "left-symmetric", 64 * KIB))
    assert [line.split() for line in lines[:3]] == [["sda", "sdb", "sdc", "sdd"], ["Q", "1", "2", "P"], list("34PQ")]
    assert lines[-2] == " 1, 2, 3: data in chunks of 64 KiB (bold: the array's first MiB); P, Q: parity,"
    assert lines[-1] == " two sums of the row: they bring back any two chunks of it."


def test_far_copies_stand_further_down() -> None:
    lines = drawn(view("10", 3, "f2", 64 * KIB), height=8)
    assert [line.split() for line in lines[1:3]] == [["1", "2", "3"], ["4", "5", "6"]]
    assert lines[3] == " further down, from the middle of each disk on:" and lines[4].split() == ["3'", "1'", "2'"]


def test_the_first_mib_is_bold_and_its_spread_follows_the_chunk() -> None:
    def bold(chunk_bytes: int) -> list[str]:
        lines = drawing_lines(view("0", 4, None, chunk_bytes), list("abcd"), 80, 8)[1:-1]
        return [word for line in lines for words, look in line if look == "strong" for word in words.split()]

    assert (
        bold(1 * MIB) == ["1"] and bold(512 * KIB) == ["1", "2"] and bold(128 * KIB) == [str(at) for at in range(1, 9)]
    )


def test_of_many_disks_the_first_and_the_last_are_drawn() -> None:
    names = drawn(view("5", 100, "left-symmetric", 64 * KIB))[0].split()
    assert names[0] == "1" and names[-1] == "100" and names.count("┆") == 1


@pytest.mark.parametrize("key", ["linear", "jbod"])
def test_what_has_no_stripes_is_told_in_words(key: str) -> None:
    (line,) = drawn(view(key, 3))
    assert line.endswith(".")


def test_what_cannot_be_built_is_not_drawn() -> None:
    assert drawn(view("6", 2)) == [] and drawn(view("5", 3, None, 64 * KIB), height=3) == []


@given(
    st.sampled_from([row.key for row in LEVELS]),
    st.integers(1, 60),
    st.integers(60, 200),
    st.integers(0, 30),
    st.data(),
)
def test_it_fits_in_every_window(key: str, count: int, width: int, height: int, data: st.DataObject) -> None:
    row = next(row for row in LEVELS if row.key == key)
    layout = data.draw(st.sampled_from(row.layouts or (None,)))
    lines = drawn(view(key, count, layout, 512 * KIB if row.has_chunk else None), width, height)
    assert len(lines) <= max(height, 2) and all(len(line) <= width for line in lines)
    assert not any("…" in line for line in lines)
