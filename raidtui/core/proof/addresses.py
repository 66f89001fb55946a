"""Where a byte of an array lies on its members: the data, each copy, the rest of its stripe. For members of equal size;
None where the kernel's map is not known here (linear, RAID 0 of unequal members, reshaped arrays).
"""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.raid import levels
from raidtui.core.raid.levels import layout10, level
from raidtui.core.raid.placement import FAR_ROWS, Placements, RequestShape
from raidtui.core.raid.stripes import roles


class MemberByte(msgspec.Struct, frozen=True):
    """`member`: its slot; `offset`: on it, behind the data offset; `address`: of the array, that lies there (None:
    parity).
    """

    member: int
    offset: int
    address: int | None = None


class Geography(msgspec.Struct, frozen=True):
    """Of an array. `member_used_bytes`: of each member, behind its data offset."""

    key: str
    layout: str | None
    disks: int
    chunk_bytes: int
    member_used_bytes: int

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
        chunk, offset = divmod(address, self.chunk_bytes)
        shape = RequestShape(self.key, self.disks, self.layout, self.chunk_bytes)
        return tuple(
            MemberByte(place.disk, self._row_bytes(place.row) + offset, address)
            for place in Placements(shape).chunk_places(chunk)
        )

    def stripe(self, address: int) -> tuple[MemberByte, ...]:
        """All that the parity over `address` is computed from, and the parity; empty without parity."""
        if not level(self.key).parity_disks:
            return ()
        chunk, offset = divmod(address, self.chunk_bytes)
        row, _ = divmod(chunk, self.disks - level(self.key).parity_disks)
        data, parity = roles(self.key, self.layout, row, self.disks)
        there = self._row_bytes(row) + offset
        first = row * len(data)
        addresses = ((first + index) * self.chunk_bytes + offset for index in range(len(data)))
        of_data = (MemberByte(disk, there, of) for disk, of in zip(data, addresses, strict=True))
        return (*of_data, *(MemberByte(disk, there) for disk in parity))

    def _row_bytes(self, row: int) -> int:
        copy, row = divmod(row, FAR_ROWS)
        far = layout10(self.layout).copies if copy else 1
        return (copy * (self.member_used_bytes // self.chunk_bytes // far) + row) * self.chunk_bytes


def geography(
    key: str, layout: str | None, sizes: Sequence[int], chunk_bytes: int | None, member_used_bytes: int
) -> Geography | None:
    """`sizes`: of the members. None if unknown."""
    row = level(key)
    if row.md_name is None or key == "linear" or (key == "0" and len(set(sizes)) > 1):
        return None
    return Geography(key, layout or None, len(sizes), chunk_bytes or 0, member_used_bytes)
