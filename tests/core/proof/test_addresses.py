"""Where a byte of an array lies, against the table of what lies on each disk."""

import pytest

from raidtui.core.proof.addresses import Geography, MemberByte, geography, wrong
from raidtui.core.raid.capacity import Outer
from raidtui.core.raid.levels import LEVELS, level
from raidtui.core.raid.placement import Kind, block, disk_parts

CHUNK = 65536
LAYOUTS = [
    (row.key, layout, disks)
    for row in LEVELS
    for layout in row.layouts or ("",)
    for disks in (3, 4, 5, 6)
    if row.md_name and row.key not in ("linear", "1") and disks >= row.min_disks
]


@pytest.mark.parametrize("key, layout, disks", LAYOUTS)
def test_every_chunk_of_a_disk_is_where_the_array_has_it(key: str, layout: str, disks: int) -> None:
    rows, parts = 60, disk_parts(key, layout or None, disks)
    assert parts
    where = Geography(key, layout or None, disks, CHUNK, rows * parts * CHUNK)
    for disk in range(disks):
        for part in range(parts):
            for row in range(rows // 2):
                stored = block(key, layout or None, disks, disk, row, part)
                here = MemberByte(disk, (part * rows + row) * CHUNK + 512, stored.number * CHUNK + 512)
                if stored.kind in (Kind.DATA, Kind.COPY):
                    assert here in where.copies(stored.number * CHUNK + 512), (disk, part, row)
                else:
                    first = stored.number * (disks - (2 if key == "6" else 1)) * CHUNK + 512
                    assert MemberByte(disk, here.offset) in where.stripe(first)


def test_a_stripe_has_all_its_data_and_its_parity() -> None:
    stripe = Geography("6", "left-symmetric", 5, CHUNK, 100 * CHUNK).stripe(7 * CHUNK + 4096)
    assert sorted(place.member for place in stripe) == [0, 1, 2, 3, 4]
    assert {place.offset for place in stripe} == {2 * CHUNK + 4096}
    assert [place.address for place in stripe] == [6 * CHUNK + 4096, 7 * CHUNK + 4096, 8 * CHUNK + 4096, None, None]


def test_a_mirror_has_each_byte_at_the_same_place() -> None:
    whole = geography("1", None, (100, 100, 100), None, 100)
    assert whole and [(place.member, place.offset) for place in whole.copies(77)] == [(0, 77), (1, 77), (2, 77)]
    assert whole.stripe(77) == ()


@pytest.mark.parametrize("key, sizes", [("linear", (100, 100)), ("0", (100, 200)), ("jbod", (100, 100))])
def test_other_maps_are_not_known(key: str, sizes: tuple[int, ...]) -> None:
    assert geography(key, None, sizes, CHUNK, 100) is None


@pytest.mark.parametrize("key, layout, disks", [("5", "left-symmetric", 3), ("6", "left-symmetric", 5)])
def test_a_byte_over_groups_is_where_its_group_has_it(key: str, layout: str, disks: int) -> None:
    data = disks - level(key).parity_disks
    outer = Outer(3, 100 * data * CHUNK, data * CHUNK, 7 * data * CHUNK)
    alone, where = (
        Geography(key, layout, disks, CHUNK, 100 * CHUNK),
        Geography(key, layout, disks, CHUNK, 100 * CHUNK, outer),
    )
    seen = set()
    for chunk in range(3 * data * 20):
        group, inside = outer.place(chunk * CHUNK + 512)
        stripe = chunk // data
        assert (group, inside) == (stripe % 3, (7 + stripe // 3) * data * CHUNK + chunk % data * CHUNK + 512)
        (place,), (own,) = where.copies(chunk * CHUNK + 512), alone.copies(inside)
        assert (place.member, place.offset) == (group * disks + own.member, own.offset)
        together = where.stripe(chunk * CHUNK + 512)
        assert place in together and [one.member // disks for one in together] == [group] * disks
        seen.add((place.member, place.offset))
    assert len(seen) == 3 * data * 20


def test_parity_of_a_later_group_is_computed_of_its_own_disks() -> None:
    outer = Outer(2, 100 * 2 * CHUNK, 2 * CHUNK, 2 * CHUNK)
    alone, where = (
        Geography("6", "left-symmetric", 4, CHUNK, 100 * CHUNK),
        Geography("6", "left-symmetric", 4, CHUNK, 100 * CHUNK, outer),
    )
    first, second = alone.stripe(3 * 2 * CHUNK), where.stripe(5 * 2 * CHUNK)
    assert [place.member + 4 for place in first] == [place.member for place in second]
    contents = {place.member: bytes([3 * place.member + 1] * 8) for place in first}
    expected = wrong(first, contents, "left-symmetric", 4)
    found = wrong(second, {member + 4: block for member, block in contents.items()}, "left-symmetric", 4)
    assert len(expected) == 2
    assert [(place.member + 4, block) for place, block in expected.items()] == [
        (place.member, block) for place, block in found.items()
    ]
