"""The levels as a table: what each would give of the chosen disks, in figures against one disk. Pure."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from raidtui.core.advice import wording
from raidtui.core.advice.preview import LevelPreview
from raidtui.core.advice.proposals import are_many_and_large
from raidtui.core.advice.rationale import failing, times
from raidtui.core.raid.levels import LAYOUTS_10, level
from raidtui.core.raid.stripes import parity_only_disks
from raidtui.core.units import both, format_bytes, format_duration
from raidtui.ui.render.cells import Piece, Row, Sheet, fit
from raidtui.ui.render.glyphs import of_terminal

_MARKS, _NAME, _USABLE, _SURVIVES, _REBUILD = 3, 11, 19, 15, 12
_HEADING = (("level", _NAME), ("usable", _USABLE), ("survives", _SURVIVES), ("rebuild", _REBUILD))
_TWO_PARITIES = 2
_TIMES = {  # what the figures against one disk are of, where that is not plain
    "1": "A single sequential read uses one disk; several use several.",
    "linear": "Random requests use all disks only once it is full; the first data lies on one.",
    "jbod": "Speeds: all disks busy at once.",
}
_PARITIES = {1: "its parity", _TWO_PARITIES: "two parities"}
_HALF = Fraction(1, 2)  # of all pairs, or threes, of disks that fail together
_RATES = (("read", 5), ("write", 6), ("small", 6))


class LevelRow(msgspec.Struct, frozen=True):
    """A level and what it would be. `chosen`: the one in force; `proposed`: by the purpose that was told."""

    view: LevelPreview
    chosen: bool = False
    proposed: bool = False


def level_sheet(rows: Sequence[LevelRow], width: int) -> Sheet:
    """One line a level; what is not possible says what it takes."""
    heading = [("", ""), *((fit(name, wide), "dim") for name, wide in _HEADING)]
    heading[0] = (" " * _MARKS, "")
    heading += [(fit(name, wide, right=True), "dim") for name, wide in _RATES]
    return Sheet(tuple(heading), tuple(_row(level_row, width) for level_row in rows))


def _row(level_row: LevelRow, width: int) -> Row:
    view, glyphs = level_row.view, of_terminal()
    mark = glyphs.picked if level_row.chosen else glyphs.free
    look = "" if view.capacity else "dim"
    cells: list[Piece] = [
        (
            f"{glyphs.proposed if level_row.proposed else ' '}{mark} ",
            "accent" if level_row.chosen and view.capacity else "dim",
        ),
        (fit(name_of(view), _NAME), "strong" if view.capacity else "dim"),
    ]
    if view.capacity is None:
        cells.append((fit(view.problem, max(1, width - _MARKS - _NAME)), "dim"))
        return Row((tuple(cells),), possible=False)
    against = times(view)
    rates = (against.long_reads, against.long_writes, against.small_writes)
    cells += [
        (fit(both(view.capacity.array_bytes), _USABLE), look),
        (fit(survives_words(view), _SURVIVES), look),
        (fit(format_duration(view.rebuild.duration_s) if view.rebuild else "none", _REBUILD), look),
        *(
            (fit(wording.times_words(rate), wide, right=True), look)
            for rate, (_, wide) in zip(rates, _RATES, strict=True)
        ),
    ]
    return Row((tuple(cells),))


def name_of(view: LevelPreview) -> str:
    return f"{view.level} {view.layout}" if view.layout in LAYOUTS_10 else view.level


def survives_words(view: LevelPreview) -> str:
    """How many disks may fail surely, and whether one more: "any 1, often 2"; of separate disks, what one takes."""
    survives = view.capacity.survives if view.capacity else 0
    if not survives:
        return "none" if level(view.key).md_name else "others' files"
    odds = f", {'often' if view.luck > _HALF else 'maybe'} {survives + 1}" if view.luck else ""
    return f"any {survives}{odds}"


def level_sentences(view: LevelPreview) -> str:
    """All of a level that has no column: its price in words, what a rebuild reads and risks."""
    if view.problem:
        return f"Not possible: {view.problem}"
    sentences = [view.advice or level(view.key).summary]
    sentences += [_TIMES[view.key]] if view.key in _TIMES else []
    if level(view.key).parity_disks == _TWO_PARITIES and are_many_and_large(view):
        sentences.append("For many large disks.")
    why = failing(view)
    if view.luck:
        sentences.append(
            f"After any {why.survives}, one more may fail in {why.luck.numerator} of {why.luck.denominator} cases."
        )
    if view.prediction and level(view.key).md_name:
        count = view.prediction.write_penalty
        penalty = f"Write penalty {count}{_operations_words(level(view.key).parity_disks, count)}."
        sentences += [_reads_words(view), penalty]
    if why.rebuild:
        reads = format_bytes(why.rebuild.read_bytes)
        sentences.append(f"Rebuild: {wording.rebuild_words(why, view.speed)}, reads {reads} from the others.")
        sentences.append(wording.risk_words(why.risk, why.rebuild.read_bytes))
    return " ".join(text for text in sentences if text)


def _reads_words(view: LevelPreview) -> str:
    """Why a long read of a level with parity or with copies apart is as fast as it is; "" where that is plain."""
    row, disks = level(view.key), times(view).long_reads
    if view.key == "10":
        of_flash = "" if view.rotating else " (no seeks)"
        return f"Sequential reads use all disks{of_flash}." if disks == view.disks else ""
    if not row.parity_disks or parity_only_disks(view.key, view.layout, view.disks):
        return ""
    if disks == view.disks:
        of_flash = "" if view.rotating else " (no seeks)"
        return f"Parity rotates, so sequential reads use all disks{of_flash}."
    return "Sequential reads are slower by the parity that heads skip."


def _operations_words(parities: int, count: int) -> str:
    if not parities:
        return ""
    both_ways = ", each read and written" if count == 2 * (1 + parities) else ""
    return f" (data and {_PARITIES[parities]}{both_ways})"
