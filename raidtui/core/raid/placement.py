"""Disk operations of one request, by md's addresses: chunks, copies, parity pages; no timing. Kernel raid0.c, raid1.c,
raid10.c (`__raid10_find_phys`, `read_balance`), raid5.c (`raid5_compute_sector`, `handle_stripe_dirtying`), with
`rmw_level` 1.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, Layout10, layout10, level
from raidtui.core.raid.stripes import cycle_stripes, roles

PAGE_BYTES = 4096  # md's parity levels work page by page
FAR_ROWS = 1 << 32  # between a chunk's far copies: no two of them are neighbours


class RequestShape(msgspec.Struct, frozen=True):
    """Array and requests. `start_bytes`: array address of partition and file; requests are aligned to their own size
    from there. `rotating`: far and offset copies are read at the lower address only.
    """

    key: str
    disks: int
    layout: str | None = None
    chunk_bytes: int = DEFAULT_CHUNK_BYTES
    block_bytes: int = PAGE_BYTES
    start_bytes: int = 0
    rotating: bool = False

    @property
    def striped(self) -> bool:
        return self.key not in ("1", "jbod", "linear")

    @property
    def split(self) -> bool:
        """Whether any request spans two chunks."""
        aligned = self.chunk_bytes % self.block_bytes == 0 and self.start_bytes % self.block_bytes == 0
        return self.striped and not aligned

    @property
    def piece_bytes(self) -> int:
        """A chunk; without chunks more than any request."""
        return self.chunk_bytes if self.striped else self.block_bytes << 32

    @property
    def cycle_bytes(self) -> int:
        """After so many bytes the order of disks repeats."""
        parity = level(self.key).parity_disks
        rows = cycle_stripes(self.key, self.layout, self.disks) if parity else self.disks
        return self.piece_bytes * rows * (self.disks - parity)

    @property
    def positions(self) -> int:
        """Number of distinct request positions."""
        return math.lcm(self.cycle_bytes, self.block_bytes) // self.block_bytes


class WriteExtent(NamedTuple):
    """Disk and byte range, so that neighbours can be merged."""

    disk: int
    start: int
    end: int


class PlacedRead(NamedTuple):
    """`disks`: those with a copy; `groups`: groups of the request that need it."""

    disks: tuple[int, ...]
    groups: tuple[int, ...] = ()


class WriteGroup(NamedTuple):
    """Writes issued together after so many reads (0: at once)."""

    reads: int
    writes: tuple[WriteExtent, ...]


class Placement(NamedTuple):
    """One request: `reads` at once, each group once its reads are done."""

    reads: tuple[PlacedRead, ...]
    groups: tuple[WriteGroup, ...] = ()


class _ChunkPiece(NamedTuple):
    chunk: int
    offset: int
    length: int


class ChunkPlace(NamedTuple):
    """`row` counts chunks on the disk; far copies lie `FAR_ROWS` rows apart, wherever the disk has them."""

    disk: int
    row: int


class Placements:
    """By address; computed once per position."""

    def __init__(self, shape: RequestShape) -> None:
        self.shape = shape
        self._by_address: dict[tuple[int, bool], Placement] = {}
        self._chunk_bytes = shape.piece_bytes
        self._cycle_bytes = shape.cycle_bytes

    def at(self, address: int, writes: bool) -> Placement:
        """`address`: byte of the array."""
        offset_in_chunk = address % self._chunk_bytes
        place = address % self._cycle_bytes
        if offset_in_chunk + self.shape.block_bytes <= self._chunk_bytes:
            place -= (
                offset_in_chunk - offset_in_chunk % PAGE_BYTES
            )  # where in its chunk a whole request lies makes no difference
        placement = self._by_address.get((place, writes))
        if placement is None:
            pieces = tuple(_chunk_pieces(place, self.shape.block_bytes, self._chunk_bytes))
            placement = self._by_address[place, writes] = (
                self._write_placement(pieces) if writes else self._read_placement(pieces)
            )
        return placement

    def _read_placement(self, pieces: tuple[_ChunkPiece, ...]) -> Placement:
        """One copy of each piece; neighbours on a disk are merged."""
        extents: list[tuple[tuple[int, ...], int, int]] = []
        for piece in pieces:
            places = self.chunk_places(piece.chunk)
            lower_only = self.shape.rotating and self.shape.key == "10" and _kind10(self.shape) != "near"
            disks = tuple(sorted({place.disk for place in places[: 1 if lower_only else None]}))
            start = places[0].row * self._chunk_bytes + piece.offset
            for index, (disks_before, first, last) in enumerate(extents):
                if disks_before == disks and last == start:
                    extents[index] = (disks, first, start + piece.length)
                    break
            else:
                extents.append((disks, start, start + piece.length))
        return Placement(tuple(PlacedRead(disks) for disks, _, _ in extents))

    def _write_placement(self, pieces: tuple[_ChunkPiece, ...]) -> Placement:
        if level(self.shape.key).parity_disks:
            return self._parity_write_placement(pieces)
        extents = [
            WriteExtent(place.disk, start, start + piece.length)
            for piece in pieces
            for place in self.chunk_places(piece.chunk)
            for start in [place.row * self._chunk_bytes + piece.offset]
        ]
        return Placement((), (WriteGroup(0, tuple(merged(extents))),))

    def chunk_places(self, chunk: int) -> tuple[ChunkPlace, ...]:
        """Copies of a chunk, lowest address first."""
        shape, disk_count = self.shape, self.shape.disks
        if shape.key == "1":
            return tuple(ChunkPlace(disk, 0) for disk in range(disk_count))
        if parity := level(shape.key).parity_disks:
            stripe, index = divmod(chunk, disk_count - parity)
            return (ChunkPlace(roles(shape.key, shape.layout, stripe, disk_count).data[index], stripe),)
        if shape.key != "10":
            return (ChunkPlace(chunk % disk_count, chunk // disk_count),)
        layout = layout10(shape.layout)
        numbers = range(layout.copies)
        if layout.kind == "near":
            return tuple(
                ChunkPlace(number % disk_count, number // disk_count)
                for copy in numbers
                for number in [chunk * layout.copies + copy]
            )
        return tuple(
            ChunkPlace((chunk + copy) % disk_count, _row10(layout, chunk // disk_count, copy)) for copy in numbers
        )

    def _parity_write_placement(self, pieces: tuple[_ChunkPiece, ...]) -> Placement:
        """Per page: reads, then data and parity; pages with the same reads join."""
        disk_count = self.shape.disks
        pages: defaultdict[int, dict[int, int]] = defaultdict(dict)  # page row -> data index -> bytes written
        for piece in pieces:
            stripe, index = divmod(piece.chunk, disk_count - level(self.shape.key).parity_disks)
            piece_start = stripe * self._chunk_bytes + piece.offset
            for page in range(piece_start // PAGE_BYTES, -(-(piece_start + piece.length) // PAGE_BYTES)):
                start, end = page * PAGE_BYTES, (page + 1) * PAGE_BYTES
                pages[page][index] = min(end, piece_start + piece.length) - max(start, piece_start)
        reads: defaultdict[int, list[int]] = defaultdict(list)  # disk -> page rows
        written_disks: dict[int, list[int]] = {}  # page row -> disks
        for page, touched in sorted(pages.items()):
            read_before, written_disks[page] = self._page(page * PAGE_BYTES // self._chunk_bytes, touched)
            for disk in read_before:
                reads[disk].append(page)
        runs = [(disk, run) for disk, rows in sorted(reads.items()) for run in _runs(rows)]
        awaited: dict[int, frozenset[int]] = {
            page: frozenset(number for number, (_, run) in enumerate(runs) if page in run) for page in written_disks
        }
        groups = {waits: number for number, waits in enumerate(dict.fromkeys(awaited.values()))}
        return Placement(
            tuple(
                PlacedRead((disk,), tuple(dict.fromkeys(groups[awaited[page]] for page in run))) for disk, run in runs
            ),
            tuple(
                WriteGroup(
                    len(waits),
                    tuple(
                        merged(
                            WriteExtent(disk, page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
                            for page, disks in written_disks.items()
                            if awaited[page] == waits
                            for disk in disks
                        )
                    ),
                )
                for waits in groups
            ),
        )

    def _page(self, stripe: int, touched: dict[int, int]) -> tuple[list[int], list[int]]:
        """Disks read and written for one page row of a stripe. rmw reads what it writes; rcw reads the data not fully
        written. md uses rmw only if it reads fewer (raid5.c `handle_stripe_dirtying`: rmw < rcw).
        """
        data_disks, parity_disks = roles(self.shape.key, self.shape.layout, stripe, self.shape.disks)
        written_disks = [*(data_disks[index] for index in touched), *sorted(parity_disks)]
        unwritten = [disk for index, disk in enumerate(data_disks) if touched.get(index, 0) < PAGE_BYTES]
        return (written_disks if len(written_disks) < len(unwritten) else unwritten), written_disks


def _kind10(shape: RequestShape) -> str:
    return layout10(shape.layout).kind


def _row10(layout: Layout10, row: int, copy: int) -> int:
    return row * layout.copies + copy if layout.kind == "offset" else row + copy * FAR_ROWS


def _chunk_pieces(address: int, length: int, chunk_bytes: int) -> Iterator[_ChunkPiece]:
    while length > 0:
        chunk, offset = divmod(address, chunk_bytes)
        piece_length = min(length, chunk_bytes - offset)
        yield _ChunkPiece(chunk, offset, piece_length)
        address, length = address + piece_length, length - piece_length


def _runs(rows: list[int]) -> Iterator[range]:
    start = rows[0]
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        if following != row + 1:
            yield range(start, row + 1)
            start = following if following is not None else row


def merged(extents: Iterable[WriteExtent]) -> list[WriteExtent]:
    joined: list[WriteExtent] = []
    for extent in sorted(extents):
        if joined and joined[-1].disk == extent.disk and joined[-1].end == extent.start:
            joined[-1] = WriteExtent(extent.disk, joined[-1].start, extent.end)
        else:
            joined.append(extent)
    return joined
