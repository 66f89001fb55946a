"""Where a byte of an array lies on its members: the data, each copy, the rest of its stripe. For members of equal size;
None where the kernel's map is not known here (linear, RAID 0 of unequal members, reshaped arrays).

Parity of one stripe from its data, as md computes it: P is the sum, Q the sum of multiples (raid6 in the kernel's
lib/raid6, order of the disks in raid5.c: `set_syndrome_sources`).
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from raidtui.core.raid import levels
from raidtui.core.raid.capacity import Outer
from raidtui.core.raid.levels import layout10, level
from raidtui.core.raid.placement import FAR_ROWS, Placements, RequestShape, roles


class MemberByte(msgspec.Struct, frozen=True):
    """`member`: its slot, counted on through all groups; `offset`: on it, behind the data offset; `address`: of the
    array, that lies there (None: parity).
    """

    member: int
    offset: int
    address: int | None = None


class Geography(msgspec.Struct, frozen=True):
    """Of an array, or of groups under `outer`: of `disks` each. `member_used_bytes`: of each member, behind its data
    offset.
    """

    key: str
    layout: str | None
    disks: int
    chunk_bytes: int
    member_used_bytes: int
    outer: Outer | None = None

    @property
    def count(self) -> int:
        """Copies of each byte."""
        return levels.copies(self.key, self.layout, self.disks)

    @property
    def row_bytes(self) -> int:
        """Data over one parity; 0 without parity."""
        parity = level(self.key).parity_disks
        return self.chunk_bytes * (self.disks - parity) if parity else 0

    def pieces(self, address: int, size_bytes: int) -> Iterator[tuple[int, int]]:
        """Addresses and lengths, each within one chunk."""
        end = address + size_bytes
        while address < end:
            within = self.chunk_bytes - address % self.chunk_bytes if self.chunk_bytes else size_bytes
            yield address, min(end - address, within)
            address += min(end - address, within)

    def rows(self, address: int, size_bytes: int) -> range:
        """Stripes that these bytes lie in, by number; empty without parity."""
        if not self.row_bytes:
            return range(0)
        return range(address // self.row_bytes, -(-(address + size_bytes) // self.row_bytes))

    def copies(self, address: int) -> tuple[MemberByte, ...]:
        """Each place with the byte at `address`, the first copy first."""
        if not self.chunk_bytes:
            return tuple(MemberByte(slot, address, address) for slot in range(self.disks))
        first, inside = self._inside(address)
        chunk, offset = divmod(inside, self.chunk_bytes)
        shape = RequestShape(self.key, self.disks, self.layout, self.chunk_bytes)
        return tuple(
            MemberByte(first + place.disk, self._row_bytes(place.row) + offset, address)
            for place in Placements(shape).chunk_places(chunk)
        )

    def stripe(self, address: int) -> tuple[MemberByte, ...]:
        """All that the parity over `address` is computed from, and the parity; empty without parity."""
        if not level(self.key).parity_disks:
            return ()
        first, inside = self._inside(address)
        row, offset = inside // self.row_bytes, inside % self.chunk_bytes
        data, parity = roles(self.key, self.layout, row, self.disks)
        there = self._row_bytes(row) + offset
        begin = address // self.row_bytes * self.row_bytes + offset
        addresses = (begin + index * self.chunk_bytes for index in range(len(data)))
        of_data = (MemberByte(first + disk, there, of) for disk, of in zip(data, addresses, strict=True))
        return (*of_data, *(MemberByte(first + disk, there) for disk in parity))

    def _inside(self, address: int) -> tuple[int, int]:
        """First slot of the array of disks that has this byte, and where in that array."""
        group, inside = self.outer.place(address) if self.outer else (0, address)
        return group * self.disks, inside

    def _row_bytes(self, row: int) -> int:
        copy, row = divmod(row, FAR_ROWS)
        far = layout10(self.layout).copies if copy else 1
        return (copy * (self.member_used_bytes // self.chunk_bytes // far) + row) * self.chunk_bytes


def geography(
    key: str,
    layout: str | None,
    sizes: Sequence[int],
    chunk_bytes: int | None,
    member_used_bytes: int,
    outer: Outer | None = None,
) -> Geography | None:
    """`sizes`: of the members, of all groups. None if unknown."""
    row = level(key)
    if row.md_name is None or key == "linear" or (key == "0" and len(set(sizes)) > 1):
        return None
    disks = len(sizes) // (outer.groups if outer else 1)
    return Geography(key, layout or None, disks, chunk_bytes or 0, member_used_bytes, outer)


_POLYNOMIAL = 0x1D  # of the field with 256 elements, without x^8
_OF_DDF = "ddf-"  # layouts whose multiples count all disks, parity too


def wrong(
    stripe: Sequence[MemberByte], contents: Mapping[int, bytes], layout: str | None, disks: int
) -> dict[MemberByte, bytes]:
    """Parity that is not that of the data -> as it should be. `contents`: of each member there, of equal length;
    `disks`: of its group, if it has one.
    """
    data = [place for place in stripe if place.address is not None]
    parity = [place for place in stripe if place.address is None]
    should = [_sum([contents[place.member] for place in data])]
    if len(parity) > 1:
        ordered = _multiplied(data, parity, layout, disks)
        should.append(_sum_of_multiples([contents[member] if member >= 0 else b"" for member in ordered]))
    there = zip(parity, should, strict=True)
    return {place: expected for place, expected in there if contents[place.member] != expected}


def _multiplied(data: Sequence[MemberByte], parity: Sequence[MemberByte], layout: str | None, disks: int) -> list[int]:
    """Members of the data by their power of two, from the lowest one on; -1: none of it."""
    of_data = {place.member for place in data}
    first = parity[1].member // disks * disks
    if (layout or "").startswith(_OF_DDF):
        return [member if member in of_data else -1 for member in range(first, first + disks)]
    begin = parity[1].member + 1
    around = [first + (begin + step) % disks for step in range(disks)]
    return [member for member in around if member in of_data]


def _sum(blocks: Sequence[bytes]) -> bytes:
    total = 0
    for block in blocks:
        total ^= int.from_bytes(block, "little")
    return total.to_bytes(max(map(len, blocks)), "little")


def _sum_of_multiples(blocks: Sequence[bytes]) -> bytes:
    """By Horner's rule, from the highest power down."""
    size_bytes = max(map(len, blocks))
    low, ones = (int.from_bytes(bytes((byte,)) * size_bytes, "little") for byte in (0x7F, 0x01))
    total = 0
    for block in reversed(blocks):
        total = ((total & low) << 1) ^ ((total >> 7 & ones) * _POLYNOMIAL)
        total ^= int.from_bytes(block, "little")
    return total.to_bytes(size_bytes, "little")
