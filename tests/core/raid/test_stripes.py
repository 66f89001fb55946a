"""Where md puts blocks, as far as it can be told without md; `tests/lab/guest/test_capacity.py` asks the real one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.levels import copies, level, possible
from raidtui.core.raid.placement import (
    Kind,
    Placements,
    RequestShape,
    StoredBlock,
    block,
    disk_parts,
    has_rows,
    parity_only_disks,
    roles,
)
from raidtui.core.units import KIB

ALL = [(key, layout) for key in ("0", "1", "4", "5", "6", "10") for layout in (level(key).layouts or (None,))]


def drawn(key: str, layout: str | None, disks: int, rows: int, part: int = 0) -> list[str]:
    """Rows as a person draws them."""
    words = {Kind.DATA: "{}", Kind.COPY: "{}'", Kind.PARITY: "P", Kind.SECOND_PARITY: "Q"}
    table = [[block(key, layout, disks, disk, row, part) for disk in range(disks)] for row in range(rows)]
    return [" ".join(words[one.kind].format(one.number) for one in line) for line in table]


@pytest.mark.parametrize(
    "key, layout, disks, rows",
    [
        ("0", None, 3, ["0 1 2", "3 4 5"]),
        ("1", None, 3, ["0 0' 0'", "1 1' 1'"]),
        ("4", None, 3, ["0 1 P", "2 3 P"]),
        ("5", "left-symmetric", 3, ["0 1 P", "3 P 2", "P 4 5", "6 7 P"]),
        # one turn of each: drivers/md/raid5.c, raid5_compute_sector
        ("5", "left-symmetric", 3, ["0 1 P", "3 P 2", "P 4 5"]),
        ("5", "left-asymmetric", 3, ["0 1 P", "2 P 3", "P 4 5"]),
        ("5", "right-symmetric", 3, ["P 0 1", "3 P 2", "4 5 P"]),
        ("5", "right-asymmetric", 3, ["P 0 1", "2 P 3", "4 5 P"]),
        ("5", "parity-first", 3, ["P 0 1"]),
        ("5", "parity-last", 3, ["0 1 P"]),
        ("6", "left-symmetric", 4, ["Q 0 1 P", "2 3 P Q", "5 P Q 4", "P Q 6 7"]),
        ("6", "left-asymmetric", 4, ["Q 0 1 P", "2 3 P Q", "4 P Q 5", "P Q 6 7"]),
        ("6", "right-symmetric", 4, ["P Q 0 1", "3 P Q 2", "4 5 P Q", "Q 6 7 P"]),
        ("6", "right-asymmetric", 4, ["P Q 0 1", "2 P Q 3", "4 5 P Q", "Q 6 7 P"]),
        ("6", "parity-first", 4, ["P Q 0 1"]),
        ("6", "parity-last", 4, ["0 1 P Q"]),
        ("6", "ddf-zero-restart", 4, ["P Q 0 1", "2 P Q 3", "4 5 P Q", "Q 6 7 P"]),
        ("6", "ddf-N-restart", 4, ["0 1 P Q", "2 P Q 3", "P Q 4 5", "Q 6 7 P"]),
        ("6", "ddf-N-continue", 4, ["0 1 Q P", "3 Q P 2", "Q P 4 5", "P 6 7 Q"]),
        ("6", "left-symmetric-6", 4, ["0 1 P Q", "3 P 2 Q", "P 4 5 Q"]),
        ("6", "left-asymmetric-6", 4, ["0 1 P Q", "2 P 3 Q", "P 4 5 Q"]),
        ("6", "right-symmetric-6", 4, ["P 0 1 Q", "3 P 2 Q", "4 5 P Q"]),
        ("6", "right-asymmetric-6", 4, ["P 0 1 Q", "2 P 3 Q", "4 5 P Q"]),
        ("6", "parity-first-6", 4, ["P 0 1 Q"]),
        ("10", "n2", 4, ["0 0' 1 1'", "2 2' 3 3'"]),
        ("10", "n2", 3, ["0 0' 1", "1' 2 2'"]),
        ("10", "o2", 3, ["0 1 2", "2' 0' 1'", "3 4 5"]),
        ("10", "n3", 4, ["0 0' 0' 1", "1' 1' 2 2'"]),
    ],
)
def test_as_it_is_drawn_in_every_book(key: str, layout: str | None, disks: int, rows: list[str]) -> None:
    assert drawn(key, layout, disks, len(rows)) == rows


def test_far_copies_are_a_part_of_the_disk_further_on_and_shifted_by_one() -> None:
    assert disk_parts("10", "f2", 3) == 2
    assert drawn("10", "f2", 3, 2) == ["0 1 2", "3 4 5"]
    assert drawn("10", "f2", 3, 2, part=1) == ["2' 0' 1'", "5' 3' 4'"]


@given(st.sampled_from(ALL), st.integers(2, 9), st.integers(0, 12))
def test_each_chunk_is_stored_as_often_as_the_level_says_on_disks_of_its_own(
    setup: tuple[str, str | None], disks: int, chunk: int
) -> None:
    key, layout = setup
    disks = max(disks, level(key).sensible_min_disks, copies(key, layout, disks))
    assert possible(key, layout, disks, None)[0]
    places = [
        (disk, row, part)
        for part in range(disk_parts(key, layout, disks))
        for row in range(3 * 13)
        for disk in range(disks)
        for found in [block(key, layout, disks, disk, row, part)]
        if found.kind in (Kind.DATA, Kind.COPY) and found.number == chunk
    ]
    assert len(places) == len({disk for disk, _, _ in places}) == copies(key, layout, disks)


@given(st.sampled_from(["4", "5", "6"]), st.integers(4, 9), st.data())
def test_a_stripe_has_each_disk_once(key: str, disks: int, data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(level(key).layouts or (None,)))
    found = roles(key, layout, data.draw(st.integers(0, 99)), disks)
    assert sorted((*found.data, *found.parity)) == list(range(disks))
    assert len(found.parity) == level(key).parity_disks


@pytest.mark.parametrize(
    "key, layout",
    [
        ("0", None),
        ("4", None),
        ("5", None),
        ("5", "parity-first"),
        ("6", None),
        ("6", "ddf-N-continue"),
        ("6", "right-asymmetric-6"),
        ("10", "n2"),
        ("10", "o2"),
    ],
)
@pytest.mark.parametrize("disks", [4, 5])
def test_requests_go_where_the_drawing_says(key: str, layout: str | None, disks: int) -> None:
    """`placement` computes addresses, this module what lies there: one md."""
    shape = RequestShape(key, disks, layout, 64 * KIB)
    drawn = [(disk, block(key, layout, disks, disk, row)) for row in range(2 * disks) for disk in range(disks)]
    kept = [(disk, found) for disk, found in drawn if found.kind in (Kind.DATA, Kind.COPY)]
    assert len(kept) >= disks
    for disk, found in kept:
        (read,) = Placements(shape).at(found.number * 64 * KIB, writes=False).reads
        assert disk in read.disks


@pytest.mark.parametrize(
    "key, layout, count",
    [("4", None, 1), ("4", "", 1), ("5", None, 0), ("5", "parity-last", 1), ("6", "parity-first-6", 2),
     ("5", "left-symmetric-6", 0), ("5", "weird", 0), ("zfs-raidz1", None, 0), ("10", "n2", 0)],
)  # fmt: skip
def test_disks_that_hold_nothing_but_parity_are_counted(key: str, layout: str | None, count: int) -> None:
    assert parity_only_disks(key, layout, 6) == count


def test_what_has_no_rows_is_not_drawn() -> None:
    assert not has_rows("linear") and not has_rows("jbod") and has_rows("1")
    with pytest.raises(ValueError, match="Linear has no stripes"):
        block("linear", None, 2, 0, 0)
    assert block("5", None, 3, 2, 0) == StoredBlock(Kind.PARITY, 0)
