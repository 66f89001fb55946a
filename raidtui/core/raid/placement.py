"""Disk operations of one request, by md's addresses: chunks, copies, parity pages; no timing. Kernel raid0.c, raid1.c,
raid10.c (`__raid10_find_phys`, `read_balance`), raid5.c (`raid5_compute_sector`, `handle_stripe_dirtying`), with
`rmw_level` 1.

Data, copies and parity by disk and row of chunks, for equal disks. Kernel raid5.c (`raid5_compute_sector`), raid10.c
(`__raid10_find_phys`), raid0.c; tested with a pattern on real arrays.

Operations of a mean request per disk, hence the full queue's rate. Queues are in `queueing`.
"""

import enum
import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

import msgspec

from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, Layout10, Level, copies, layout10, level


class Kind(enum.Enum):
    DATA = "data"
    COPY = "copy"
    PARITY = "P"
    SECOND_PARITY = "Q"


class StoredBlock(NamedTuple):
    """One chunk of one disk. `number`: chunk of the array; for parity its stripe."""

    kind: Kind
    number: int
    copy: int = 0  # of copies: 1 is the first after the data itself


class Rotation(NamedTuple):
    """Parity rotation. `parity`: position of P; `symmetric`: data start after P, else on the first disk; `apart`: Q
    stays on the last disk; `later`: shift in stripes; `q_first`: Q before P.
    """

    parity: Literal["left", "right", "first", "last"]
    symmetric: bool = False
    apart: bool = False
    later: int = 0
    q_first: bool = False


_ROTATIONS: Mapping[str, Rotation] = {
    "left-symmetric": Rotation("left", symmetric=True),
    "left-asymmetric": Rotation("left"),
    "right-symmetric": Rotation("right", symmetric=True),
    "right-asymmetric": Rotation("right"),
    "parity-first": Rotation("first"),
    "parity-last": Rotation("last"),
    "ddf-zero-restart": Rotation("right"),
    "ddf-N-restart": Rotation("left", later=1),
    "ddf-N-continue": Rotation("left", symmetric=True, q_first=True),
    "left-symmetric-6": Rotation("left", symmetric=True, apart=True),
    "left-asymmetric-6": Rotation("left", apart=True),
    "right-symmetric-6": Rotation("right", symmetric=True, apart=True),
    "right-asymmetric-6": Rotation("right", apart=True),
    "parity-first-6": Rotation("first", apart=True),
}


class Roles(NamedTuple):
    """Disks of one stripe: data in order; P, Q."""

    data: tuple[int, ...]
    parity: tuple[int, ...]


def roles(key: str, layout: str | None, stripe: int, disks: int) -> Roles:
    """RAID 4, 5, 6; `layout` None: default. RAID 4: parity on the last disk."""
    rotation = _rotation(key, layout)
    p_disks = disks - rotation.apart  # the disks that P wanders over
    has_two_parities = level(key).parity_disks == 2 and not rotation.apart
    if rotation.parity in ("left", "right"):
        steps = (stripe + rotation.later) % p_disks
        parity_disk = p_disks - 1 - steps if rotation.parity == "left" else steps
    else:
        parity_disk = 0 if rotation.parity == "first" else p_disks - 1 - has_two_parities
    parity: tuple[int, ...] = (parity_disk,)
    if has_two_parities:
        parity = (parity_disk, (parity_disk + (-1 if rotation.q_first else 1)) % p_disks)
    elif rotation.apart:
        parity = (parity_disk, disks - 1)
    first = (parity_disk + 1 + (has_two_parities and not rotation.q_first)) % p_disks if rotation.symmetric else 0
    order = ((first + step) % p_disks for step in range(p_disks))
    return Roles(tuple(disk for disk in order if disk not in parity), parity)


def cycle_stripes(key: str, layout: str | None, disks: int) -> int:
    """Stripes of RAID 4, 5, 6 until parity positions repeat."""
    rotation = _rotation(key, layout)
    return disks - rotation.apart if rotation.parity in ("left", "right") else 1


@functools.cache
def parity_only_disks(key: str, layout: str | None, disks: int) -> int:
    """Disks that serve no reads: 1 for RAID 4. None if parity rotates, for pools and unknown layouts."""
    row = level(key)
    if row.md_name is None or not row.parity_disks or (layout and layout not in row.layouts):
        return 0
    stripes = range(cycle_stripes(key, layout, disks))
    return disks - len({disk for stripe in stripes for disk in roles(key, layout, stripe, disks).data})


def _rotation(key: str, layout: str | None) -> Rotation:
    return _ROTATIONS[layout or level(key).default_layout or "parity-last"]


def block(
    key: str, layout: str | None, disks: int, disk: int, row: int, disk_part: int = 0, groups: int = 1
) -> StoredBlock:
    """RAID 10 far: `disk_part` selects a copy's part. Stripes go to `groups` in turn. ValueError for a level without
    rows (linear, JBOD, pools).
    """
    if groups > 1:
        each = disks // groups
        group, within = divmod(disk, each)
        alone = block(key, layout, each, within, row)
        before = row * (groups - 1) + group  # stripes of the other groups
        blocks = before * (each - level(key).parity_disks if alone.kind is Kind.DATA else 1)
        return alone._replace(number=alone.number + blocks)
    if level(key).parity_disks:
        data_disks, parity = roles(key, layout, row, disks)
        if disk in parity:
            return StoredBlock((Kind.PARITY, Kind.SECOND_PARITY)[parity.index(disk)], row)
        return StoredBlock(Kind.DATA, row * len(data_disks) + data_disks.index(disk))
    if key == "0":
        return StoredBlock(Kind.DATA, row * disks + disk)
    if key == "1":
        return _stored(row, disk)
    if key != "10":
        raise ValueError(f"{level(key).name} has no stripes: there is nothing to draw.")
    kind, stored = layout10(layout).kind, copies(key, layout, disks)
    if kind == "near":
        return _stored(*divmod(row * disks + disk, stored))
    stripe, copy = divmod(row, stored) if kind == "offset" else (row, disk_part)
    return _stored(stripe * disks + (disk - copy) % disks, copy)


def disk_parts(key: str, layout: str | None, disks: int) -> int:
    return copies(key, layout, disks) if key == "10" and layout10(layout).kind == "far" else 1


def has_rows(key: str) -> bool:
    return level(key).has_chunk or key == "1"


def _stored(number: int, copy: int) -> StoredBlock:
    return StoredBlock(Kind.COPY if copy else Kind.DATA, number, copy)


PAGE_BYTES = 4096  # md's parity levels work page by page
FAR_ROWS = 1 << 32  # between a chunk's far copies: no two of them are neighbours


class RequestShape(msgspec.Struct, frozen=True):
    """Array and requests. `start_bytes`: array address of partition and file; requests are aligned to their own size
    from there. `rotating`: far and offset copies are read at the lower address only. `groups` of parity under a RAID 0
    whose chunk is a stripe of one.
    """

    key: str
    disks: int
    layout: str | None = None
    chunk_bytes: int = DEFAULT_CHUNK_BYTES
    block_bytes: int = PAGE_BYTES
    start_bytes: int = 0
    rotating: bool = False
    groups: int = 1

    @property
    def group_disks(self) -> int:
        return self.disks // self.groups

    @property
    def raid(self) -> Level:
        return level(self.key)

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
        rows = cycle_stripes(self.key, self.layout, self.group_disks) * self.groups if parity else self.disks
        return self.piece_bytes * rows * (self.group_disks - parity)

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
            lower_only = self.shape.rotating and self.shape.key == "10" and layout10(self.shape.layout).kind != "near"
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
        if self.shape.raid.parity_disks:
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
        if parity := shape.raid.parity_disks:
            stripe, index = divmod(chunk, shape.group_disks - parity)
            return (ChunkPlace(self._roles(stripe).data[index], stripe // shape.groups),)
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

    def _roles(self, stripe: int) -> Roles:
        """Of the array's stripes, which go to its groups in turn."""
        shape = self.shape
        row, group = divmod(stripe, shape.groups)
        in_group = roles(shape.key, shape.layout, row, shape.group_disks)
        if not group:
            return in_group
        first = group * shape.group_disks
        return Roles(*(tuple(first + disk for disk in disks) for disks in in_group))

    def _parity_write_placement(self, pieces: tuple[_ChunkPiece, ...]) -> Placement:
        """Per page: reads, then data and parity; pages with the same reads join."""
        data_disks = self.shape.group_disks - self.shape.raid.parity_disks
        pages: defaultdict[int, dict[int, int]] = defaultdict(dict)  # page row -> data index -> bytes written
        for piece in pieces:
            stripe, index = divmod(piece.chunk, data_disks)
            piece_start = stripe * self._chunk_bytes + piece.offset
            for page in range(piece_start // PAGE_BYTES, -(-(piece_start + piece.length) // PAGE_BYTES)):
                start, end = page * PAGE_BYTES, (page + 1) * PAGE_BYTES
                pages[page][index] = min(end, piece_start + piece.length) - max(start, piece_start)
        reads = defaultdict(list)  # disk -> page rows
        written_disks = {}  # page row -> disks
        for page, touched in sorted(pages.items()):
            read_before, written_disks[page] = self._page(page * PAGE_BYTES // self._chunk_bytes, touched)
            for disk in read_before:
                reads[disk].append(page)
        runs = [(disk, run) for disk, rows in sorted(reads.items()) for run in _runs(rows)]
        awaited = {
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
        data_disks, parity_disks = self._roles(stripe)
        written_disks = [*(data_disks[index] for index in touched), *sorted(parity_disks)]
        unwritten = [disk for index, disk in enumerate(data_disks) if touched.get(index, 0) < PAGE_BYTES]
        return (written_disks if len(written_disks) < len(unwritten) else unwritten), written_disks


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


_MOST_ADDRESSES = 4096  # of a pattern that repeats late, as many are looked at


class Demand(NamedTuple):
    """Operations on one disk per request, averaged over request positions."""

    reads: float
    writes: float


@functools.cache
def demands(shape: RequestShape, writes: bool) -> tuple[Demand, ...]:
    """Per disk with all disks busy: copies are read in turn, neighbours merged."""
    count = [[0.0, 0.0] for _ in range(shape.disks)]
    placements = Placements(shape)
    addresses = _addresses(shape)
    for address in addresses:
        placement = placements.at(address, writes)
        for placed_read in placement.reads:
            for disk in placed_read.disks:
                count[disk][0] += 1 / len(placed_read.disks)
        for extent in merged(extent for group in placement.groups for extent in group.writes):
            count[extent.disk][1] += 1
    by_disk = [Demand(reads / len(addresses), disk_writes / len(addresses)) for reads, disk_writes in count]
    if shape.split or not _parity_rotates(shape):
        return tuple(by_disk)
    mean = Demand(
        sum(demand.reads for demand in by_disk) / shape.disks, sum(demand.writes for demand in by_disk) / shape.disks
    )
    return (mean,) * shape.disks


def _parity_rotates(shape: RequestShape) -> bool:
    return shape.key in ("5", "6") and not parity_only_disks(shape.key, shape.layout, shape.group_disks)


def _addresses(shape: RequestShape) -> range:
    """One request of each position, or evenly spaced ones if there are very many."""
    if not shape.split:
        one_for_all = _parity_rotates(shape)  # one stripe stands for all
        cycle = shape.cycle_bytes // (cycle_stripes(shape.key, shape.layout, shape.group_disks) if one_for_all else 1)
        return range(shape.start_bytes, shape.start_bytes + cycle, shape.piece_bytes)
    step = max(1, shape.positions // _MOST_ADDRESSES)
    while math.gcd(step, shape.positions) > 1:
        step += 1
    return range(shape.start_bytes, shape.start_bytes + shape.positions * shape.block_bytes, step * shape.block_bytes)


def full_queue_iops(shape: RequestShape, reads: float, writes: float, read_share: float) -> float:
    """Upper bound of any queue, by the bottleneck law (Denning, Buzen 1978): X <= 1 / max D, with so many operations of
    each kind per second on the busiest disk. For unsplit requests n x / P.
    """
    shares = {False: read_share, True: 1 - read_share}
    busy_s = [0.0] * shape.disks
    for writing, share in shares.items():
        for number, demand in enumerate(demands(shape, writing) if share else ()):
            busy_s[number] += share * (demand.reads / reads + demand.writes / writes)
    return 1 / max(busy_s)
