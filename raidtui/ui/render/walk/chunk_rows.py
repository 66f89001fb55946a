"""Chunk sizes as a table: which disks a request uses, and what the array does with many of them. Pure."""

from collections.abc import Sequence

import msgspec

from raidtui.core.advice.preview import LevelPreview
from raidtui.core.advice.proposals import chunk_reason
from raidtui.core.advice.wording import speed_source
from raidtui.core.raid.filesystems import data_disks
from raidtui.core.raid.placement import Placements, RequestShape, full_queue_iops
from raidtui.core.units import KIB, MIB, Units, change, format_bytes, format_iops, format_rate, format_round
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, fit_right, of_terminal, wrapped
from raidtui.ui.render.parts import bar, join, signs

REQUESTS = (4 * KIB, 64 * KIB, MIB)
_MANY = 8  # disks, more of which are a bar
_NARROW = (3, 9, 10, 12, 10, 7)  # marks, chunk, full stripe, a request, read and write IOPS
_WIDE = (3, 9, 13, 13, 10, 7)
_RATES = ("64K read", "write")
_FROM, _LEAST_BAR, _MOST_BAR = 86, 6, 16
_EQUAL = 0.03


class ChunkRow(msgspec.Struct, frozen=True):
    """`used`: the disks that a read of 4K, 64K and 1M from the array's beginning uses. Rates: of 64K, with a full
    queue.
    """

    chunk_bytes: int
    stripe_bytes: int
    used: tuple[frozenset[int], ...]
    read_iops: float
    write_iops: float


def chunk_row(view: LevelPreview, chunk_bytes: int) -> ChunkRow:
    def shape(block_bytes: int) -> RequestShape:
        at = view.key, view.disks, view.layout, chunk_bytes, block_bytes
        return RequestShape(*at, rotating=view.rotating, groups=view.groups)

    reads = [Placements(shape(block_bytes)).at(0, False).reads for block_bytes in REQUESTS]
    middle, iops = shape(REQUESTS[1]), view.speed.iops
    return ChunkRow(
        chunk_bytes,
        chunk_bytes * data_disks(view.key, view.layout, view.group_disks),
        tuple(frozenset(placed.disks[0] for placed in each) for each in reads),
        full_queue_iops(middle, iops, iops, 1.0) if iops else 0.0,
        full_queue_iops(middle, iops, iops, 0.0) if iops else 0.0,
    )


def chunk_sheet(rows: Sequence[ChunkRow], view: LevelPreview, proposed: int, width: int) -> Sheet:
    """One line a size; the chosen one is the preview's."""
    is_wide = width >= _FROM
    marks, name, stripe, requests, *rates = _WIDE if is_wide else _NARROW
    spare = (width - _FROM) // len(_RATES)
    of_bar = min(_MOST_BAR, spare) if is_wide and spare >= _LEAST_BAR else 0
    heads = [("", marks), ("chunk", name), ("full stripe" if is_wide else "stripe", stripe)]
    heads += [(f"{text} request" if is_wide else text, requests) for text in ("4K", "64K", "1M")]
    heading = [(fit(text, wide), "dim") for text, wide in heads]
    heading += [
        (fit_right(text, wide + max(0, of_bar - 2)) + "  " * bool(of_bar), "dim")
        for text, wide in zip(_RATES, rates, strict=True)
    ]
    top = max((row.read_iops for row in rows), default=1.0) or 1.0
    laid = []
    for row in rows:
        is_chosen = row.chunk_bytes == view.chunk_bytes
        strong = "*strong" if is_chosen else ""
        cells = [signs(is_chosen, row.chunk_bytes == proposed), (fit(format_round(row.chunk_bytes), name), strong)]
        cells.append((fit(format_round(row.stripe_bytes), stripe), strong))
        for used in row.used:
            cells += _tiles(used, view.disks, requests, strong)
        for iops, look, wide in zip((row.read_iops, row.write_iops), ("r5", "w5"), rates, strict=True):
            cells += [*bar(iops / top, of_bar - 2, look), (fit_right(format_iops(iops), wide), strong)]
            cells.append(("  " if of_bar else "", ""))
        laid.append(Row((join(cells),)))
    return Sheet(join(heading), tuple(laid))


def chunk_verdict(rows: Sequence[ChunkRow], proposed: int) -> tuple[str, str]:
    """What is lost by keeping the proposal, by requests of 64K with a full queue; which sizes differ from it."""
    kept = next((row for row in rows if row.chunk_bytes == proposed), None)
    if kept is None or not kept.read_iops:
        return "Chunk sizes", ""
    shares = {
        format_round(row.chunk_bytes): (row.read_iops / kept.read_iops - 1, row.write_iops / kept.write_iops - 1)
        for row in rows
    }
    slower = [size for size, pair in shares.items() if min(pair) < -_EQUAL]
    faster = [f"{size} {change(max(pair))}" for size, pair in shares.items() if max(pair) > _EQUAL]
    keep = f"Not sure? Keep {format_round(proposed)}"
    beside = [f"slower: {', '.join(slower)}"] if slower else [] if faster else ["all are equally fast"]
    return keep if faster else f"{keep}: none is faster", "; ".join((*faster, *beside))


def _tiles(used: frozenset[int], disks: int, width: int, look: str) -> list[Piece]:
    """A tile a disk and their number; of many disks a bar."""
    number = fit_right(str(len(used)), 3)
    if disks > _MANY:
        return [
            *bar(len(used) / disks, _MANY, "r5", "·"),
            (number, look),
            (" " * (width - _MANY - 3), ""),
        ]
    tiles = [("■", "read") if disk in used else ("·", "lost") for disk in range(disks)]
    return [*tiles, (number, look), (" " * (width - disks - 3), "")]


def chunk_legend(view: LevelPreview) -> Line:
    sign: Piece = ("", "") if view.disks > _MANY else ("■", "read")
    what = f"bar: of {view.disks} disks" if view.disks > _MANY else " disk one read uses"
    rates = f"   64K IOPS: full queue, {speed_source(view.speed)}"
    return join(((f"  {of_terminal().proposed} ", "accent"), ("proposed   ", "dim"), sign, (what + rates, "dim")))


def stripe_line(view: LevelPreview) -> Line:
    """The full stripe; of groups, that of one."""
    striped = data_disks(view.key, view.layout, view.group_disks)
    if not view.chunk_bytes or not striped:
        return ()
    sum_words = f" = {striped} × {format_round(view.chunk_bytes)} of data"
    return (("full stripe ", "dim"), (format_round(view.chunk_bytes * striped), "*strong"), (sum_words, "dim"))


def why_chunk(view: LevelPreview, rows: Sequence[ChunkRow], proposed: int, units: Units, width: int) -> list[Line]:
    """Reason of the proposal, and what smaller and larger chunks gain and lose."""
    if view.prediction is None or view.capacity is None or not view.chunk_bytes:
        return []
    parity, here = view.raid.parity_disks, next(row for row in rows if row.chunk_bytes == view.chunk_bytes)
    reason = chunk_reason(view.key, proposed, view.rotating)
    read, write = (format_iops(iops) for iops in (view.prediction.rand_read_iops, view.prediction.rand_write_iops))
    rate = format_rate(view.prediction.seq_read_bytes_per_s, units)
    stripes = "No parity: no read before a write"
    if parity:
        penalty = view.prediction.write_penalty
        stripes = f"{format_round(here.stripe_bytes)}, aligned: no reads; smaller: {penalty} disk I/Os"
    disks, size = len(here.used[1]), view.capacity.array_bytes
    each = f"{disks} disk{'' if disks == 1 else 's'} each"
    sizes = f"{format_bytes(size)} = {format_bytes(size, Units.BINARY)} usable"
    rounding = f"rounding to whole chunks {format_bytes(view.capacity.lost.rounding_bytes, units)}"
    streams = "− QD1 streams use fewer disks" + ("; longer full stripe" if parity else "")
    paragraphs = (
        (format_round(view.chunk_bytes), (f"64K reads: {format_iops(here.read_iops)} IOPS ({each})",)),
        ("Smaller chunk", ("+ one large request uses more disks", "− 64K requests split: fewer run at once")),
        ("Larger chunk", ("+ requests stay on one disk: more run at once", streams)),
        ("At every chunk", (f"4K: {read} read, {write} write IOPS", f"sequential read {rate}")),
        ("Full-stripe writes", (stripes,)),
        ("Capacity", (sizes, rounding)),
    )
    head = (f"{format_round(proposed)} proposed", "*strong")
    lines: list[Line] = [((f"{of_terminal().proposed} ", "accent"), head, (f" ({reason})", "dim"))]
    for title, texts in paragraphs:
        lines += [((title, "*accent"),), *(line for text in texts for line in wrapped(text, width)), ()]
    return lines[:-1]
