"""The drawing of where chunks lie: by `core/raid/placement`, no disk left out at its ends, the same without colours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.advice.preview import LevelPreview, preview_level
from raidtui.core.raid.levels import LEVELS
from raidtui.core.raid.placement import block
from raidtui.core.units import KIB, MIB
from raidtui.ui.render import cells
from raidtui.ui.render.walk.drawing import Drawn, disk_at, drawing_lines, failure_line, legend
from tests.ui.machines import rack
from tests.ui.pages import texts


def view(key: str, count: int, layout: str | None = None, chunk_bytes: int | None = None) -> LevelPreview:
    return preview_level(key, layout, chunk_bytes, rack(count))


def names(found: LevelPreview) -> list[str]:
    return [disk.name for disk in rack(found.disks)]


def drawn(found: LevelPreview, width: int = 76, height: int = 6, how: Drawn | None = None) -> list[str]:
    return texts(drawing_lines(found, names(found), width, height, how))


def test_raid_6_of_4_disks() -> None:
    lines = drawn(view("6", 4, "left-symmetric", 64 * KIB))
    assert [line.split() for line in lines[:3]] == [["sda", "sdb", "sdc", "sdd"], ["Q", "1", "2", "P"], list("34PQ")]


@pytest.mark.parametrize(
    "key, layout",
    [
        ("0", None),
        ("1", None),
        ("4", None),
        ("5", "left-symmetric"),
        ("6", "ddf-N-continue"),
        ("10", "n3"),
        ("10", "o2"),
    ],
)
def test_every_chunk_is_where_md_puts_it(key: str, layout: str | None) -> None:
    lines = drawn(view(key, 6, layout), height=7)[1:]
    assert len(lines) > 4
    for row, line in enumerate(lines):
        stored = [block(key, layout, 6, disk, row) for disk in range(6)]
        words = [
            one.kind.value if one.kind.value in "PQ" else f"{one.number + 1}{chr(39) * bool(one.copy)}"
            for one in stored
        ]
        assert line.split() == words


def test_far_copies_stand_further_down() -> None:
    lines = drawn(view("10", 3, "f2", 64 * KIB), height=8)
    assert [line.split() for line in lines[1:3]] == [["1", "2", "3"], ["4", "5", "6"]]
    assert lines[4] == "from the middle of each disk on:" and lines[5].split() == ["3'", "1'", "2'"]


@pytest.mark.parametrize("chunk_bytes", [MIB, 512 * KIB, 128 * KIB])
def test_the_chunks_of_one_read_of_a_mib_are_marked(chunk_bytes: int) -> None:
    found = view("0", 4, None, chunk_bytes)
    lines = drawn(found, height=8, how=Drawn(addresses=True))
    assert sum(line.count("»") for line in lines) == MIB // chunk_bytes
    assert lines[1].split()[0] == "»0" and texts([legend(found, Drawn(addresses=True))])[0].startswith("» 1M read")


def test_of_many_disks_the_first_and_the_last_are_drawn() -> None:
    lines = drawn(view("5", 100, "left-symmetric", 64 * KIB), width=40)
    assert lines[0].split()[0] == "1" and lines[0].split()[-1] == "0" and lines[0].count("┆") == 1
    assert lines[2].split()[0] == "100"  # number of the row's first chunk: each row has 99 of data


@pytest.mark.parametrize("key", ["linear", "jbod"])
def test_what_has_no_stripes_is_told_in_words(key: str) -> None:
    head, line = drawn(view(key, 3))
    assert head.split() == ["sda", "sdb", "sdc"] and line.endswith(".")


def test_what_cannot_be_built_is_not_drawn() -> None:
    assert drawn(view("6", 2)) == [] and drawn(view("5", 3, None, 64 * KIB), height=1) == []


def test_a_failed_disk_has_no_chunks() -> None:
    lines = drawn(view("10", 4, "n2"), how=Drawn(frozenset({1})))
    assert lines[0].split() == ["sda", "✗sdb", "sdc", "sdd"] and lines[1].split() == ["1", "╳╳", "2", "2'"]


@pytest.mark.parametrize(
    "key, failed, words",
    [
        ("10", {2}, "✓ sdc failed: no data lost, survives 0 more (1 more in 6 of 7 cases)"),
        ("10", {2, 5}, "✓ sdc, sdf failed: no data lost, survives 0 more (1 more in 4 of 6 cases)"),
        ("10", {2, 3}, "✗ sdc, sdd failed: data lost"),
        ("6", {0}, "✓ sda failed: no data lost, survives any 1 more"),
        ("5", {0, 7}, "✗ sda, sdh failed: data lost"),
        ("1", set(range(7)), "✓ sda, sdb, sdc, sdd, sde, sdf and 1 more failed: no data lost, survives 0 more"),
        ("jbod", {1}, "✗ sdb failed: its files lost, the other disks' files remain"),
    ],
)
def test_the_failure_sentence(key: str, failed: set[int], words: str) -> None:
    found = view(key, 8, "n2" if key == "10" else None)
    assert texts([failure_line(found, names(found), failed)]) == [words]


def test_the_disk_under_the_mouse() -> None:
    found = view("10", 8, "n2")
    assert [disk_at(found, names(found), 76, 6, column) for column in (0, 3, 9, 71, 75)] == [0, 0, 1, 7, None]


def test_without_colours_every_kind_has_its_own_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "_colours", False)
    assert drawn(view("6", 4))[1].split() == ["{Q}", "1", "2", "[P]"]
    lines = drawing_lines(view("6", 24), names(view("6", 24)), 60, 4)
    assert texts(lines)[1].split() == ["1", "Q", *"■" * 22, "P"]
    assert ("!" in {look for _, look in drawing_lines(view("0", 4), list("abcd"), 60, 4)[1]}) is True


@given(
    st.sampled_from([row.key for row in LEVELS]),
    st.integers(1, 60),
    st.integers(34, 200),
    st.integers(0, 30),
    st.booleans(),
    st.data(),
)
def test_it_fits_in_every_window(
    key: str, count: int, width: int, height: int, addresses: bool, data: st.DataObject
) -> None:
    row = next(row for row in LEVELS if row.key == key)
    layout = data.draw(st.sampled_from(row.layouts or (None,)))
    found = view(key, count, layout, 512 * KIB if row.has_chunk else None)
    lines = drawn(found, width, height, Drawn(frozenset({0}), 0, addresses))
    assert len(lines) <= height and all(len(line) <= width for line in lines)
    assert not any("…" in line for line in lines)
    assert len(texts([legend(found)])[0]) <= 38
