"""The levels as a table: capacity, failures and rates of the chosen disks, as bars and figures. Pure."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from raidtui.core.advice import wording
from raidtui.core.advice.preview import LevelPreview
from raidtui.core.advice.proposals import Advice, are_many_and_large, failing, times
from raidtui.core.raid.levels import LAYOUTS_10, layout_summary
from raidtui.core.raid.placement import parity_only_disks
from raidtui.core.units import both, format_bytes, format_duration
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, fit_right, of_terminal
from raidtui.ui.render.parts import bar, join, signs, split_bar, swatch

_MARKS, _NAME, _USABLE, _SURVIVES, _REBUILD = 3, 11, 9, 10, 11
_WIDE = 110  # columns from which a split has its blanks
_FIXED = _MARKS + _NAME + _USABLE + _SURVIVES + _REBUILD
_MOST_BAR, _WITH_BAR, _FIGURE, _MOST_PIPS = 48, 11, 7, 8
_TWO_PARITIES = 2
_TIMES = {  # what the figures against one disk are of, where that is not plain
    "1": "A single sequential read uses one disk; several use several.",
    "linear": "Random requests use all disks only once it is full; the first data lies on one.",
    "jbod": "Speeds: all disks busy at once.",
}
_PARITIES = {1: "its parity", _TWO_PARITIES: "two parities"}
_RATES = (("read", "r5"), ("write", "w5"), ("4K write", "w5"))


class LevelRow(msgspec.Struct, frozen=True):
    """A level and what it would be. `chosen`: in force; `proposed`: by the purpose; `spares`: left by groups."""

    view: LevelPreview
    chosen: bool = False
    proposed: bool = False
    spares: int = 0

    def name(self, width: int) -> str:
        """With its spares; where there is little room without blanks."""
        name = self.view.named + (f" + {self.spares}" if self.spares else "")
        split = name.replace(", ", " ").replace(" × ", "×").replace(" + ", "+")
        return split if self.view.groups > 1 and width < _WIDE else name


def level_sheet(rows: Sequence[LevelRow], width: int) -> Sheet:
    """One line a level; what is not possible says what it takes."""
    name_width = max([_NAME, *(len(row.name(width)) + 1 for row in rows if row.view.groups > 1)])
    rest = width - _FIXED - (name_width - _NAME)
    cap = min(_MOST_BAR, rest * 36 // 100)
    one = (rest - cap) // 3
    rates = (one,) * 3
    if one < _WITH_BAR:
        rates = (_FIGURE, _FIGURE, _FIGURE + 2)
        cap = rest - sum(rates)
    raw = max((row.view.raw_bytes for row in rows), default=0)
    heads = [("", _MARKS), ("level", name_width), (f"of {format_bytes(raw)}", cap + _USABLE), ("survives", _SURVIVES)]
    heading = [(fit(text, wide), "dim") for text, wide in heads]
    heading += [
        (fit(text, wide) if wide >= _WITH_BAR else fit_right(text + " ", wide), "dim")
        for (text, _), wide in zip(_RATES, rates, strict=True)
    ]
    top = max((max(_figures(row.view)) for row in rows if row.view.prediction), default=1.0) or 1.0
    return Sheet(
        join((*heading, ("rebuild", "dim"))),
        tuple(_row(row, (width, name_width, cap), rates, top, raw) for row in rows),
    )


def _figures(view: LevelPreview) -> tuple[float, float, float]:
    if view.prediction is None:  # no model of the level's speed
        return 0.0, 0.0, 0.0
    against = times(view)
    return against.long_reads, against.long_writes, against.small_writes


def _row(level_row: LevelRow, widths: tuple[int, int, int], rates: Sequence[int], top: float, raw_bytes: int) -> Row:
    """`widths`: of the line, the name and the bar of `raw_bytes`."""
    view, (width, name_width, cap) = level_row.view, widths
    name = fit(level_row.name(width), name_width)
    strong = "*strong" if level_row.chosen else ""
    cells = [signs(level_row.chosen, level_row.proposed)]
    if view.capacity is None:
        cells += [(name, "dim"), (fit(view.problem, max(1, width - _MARKS - name_width)), "dim")]
        return Row((join(cells),), possible=False)
    shares = [(share * view.raw_bytes / raw_bytes, role) for share, role in capacity_shares(view)]
    cells += [(name, strong), *split_bar(shares, cap)]
    cells += [(fit_right(format_bytes(view.capacity.array_bytes), _USABLE - 1) + " ", strong), *_pips(view)]
    for value, wide, (_, look) in zip(_figures(view), rates, _RATES, strict=True):
        room = wide - _FIGURE
        cells += bar(value / top, room, look) if wide >= _WITH_BAR else ((" " * room, ""),)
        words = times_words(value) if view.prediction else "–"
        cells.append((fit(f" {words}", _FIGURE) if wide >= _WITH_BAR else fit_right(words, _FIGURE - 1) + " ", strong))
    rebuild = format_duration(view.rebuild.duration_s) if view.rebuild else "none"
    return Row((join((*cells, (fit(rebuild, _REBUILD), ""))),))


def capacity_shares(view: LevelPreview) -> tuple[tuple[float, str], ...]:
    """(share of the raw bytes, role): usable, copies, parity; the rest is left out."""
    if view.capacity is None or not view.raw_bytes:
        return ()
    lost = view.capacity.lost
    sizes = ((view.capacity.array_bytes, "data"), (lost.mirror_bytes, "mirror"), (lost.parity_bytes, "parity"))
    return tuple((size / view.raw_bytes, role) for size, role in sizes)


def _pips(view: LevelPreview) -> tuple[Piece, ...]:
    """A dot for each disk that may fail, whichever; a ring for one more in some cases."""
    survives = view.capacity.survives if view.capacity else 0
    if not survives:
        return ((fit("none", _SURVIVES), "bad"),)
    sure = "●" * survives if survives <= _MOST_PIPS else f"any {survives}"
    of_each = "/group" if view.groups > 1 else "○" if view.luck else ""
    return ((fit(sure + of_each, _SURVIVES), "ok"),)


def times_words(value: float) -> str:
    return wording.times_words(value).replace("x", "×")


def table_legend() -> Line:
    return join((
        (f"  {of_terminal().proposed} ", "accent"), ("proposed   ", "dim"), swatch("data"), (" usable  ", "dim"),
        swatch("mirror"), (" copies  ", "dim"), swatch("parity"), (" parity   ", "dim"), ("●", "ok"),
        (" any failure  ", "dim"), ("○", "ok"), (" 1 more in some cases   × one disk", "dim"),
    ))  # fmt: skip


def headline(view: LevelPreview, advice: Advice | str | None) -> tuple[str, str]:
    """One sentence of a level and its look: why it cannot be, or what it is."""
    if view.problem:
        return level_sentences(view), "warn"
    if isinstance(advice, str) or view.advice:
        return advice if isinstance(advice, str) else view.advice, "warn"
    return _summary(view), "dim"


def _summary(view: LevelPreview) -> str:
    if view.layout in LAYOUTS_10:
        layout = layout_summary(view.layout).replace(": ", ", ")
        return f"Striped mirrors: fast small writes. {view.layout}: {layout}."
    if view.groups == 1:
        return view.raid.summary
    each, parities = f"{view.groups} groups of {view.group_disks} disks", view.raid.parity_disks
    loses = "any disk may fail" if parities == 1 else f"any {parities} may fail"
    return f"A RAID 0 over {each}: {loses} in each; a rebuild reads {view.group_disks - 1}."


def so_far(view: LevelPreview) -> str:
    """The array as it is chosen: `RAID 6, 8 disks, 24.0 TB = 21.8 TiB usable`."""
    words = view.named + ("" if view.groups > 1 else f", {view.disks} disk{'' if view.disks == 1 else 's'}")
    return f"{words}, {both(view.capacity.array_bytes)} usable" if view.capacity else words


def survives_words(view: LevelPreview) -> str:
    """How many disks may fail surely, and whether one more."""
    survives = view.capacity.survives if view.capacity else 0
    if not survives:
        return "Survives no failure" if view.raid.md_name else "A failed disk loses its own files"
    luck: Fraction = view.luck
    if view.groups > 1:
        return f"Survives any {survives} of each group"
    return f"Survives any {survives}" + (f", 1 more in {luck.numerator} of {luck.denominator} cases" if luck else "")


def level_sentences(view: LevelPreview) -> str:
    """All of a level that has no column: its price in words, what a rebuild reads and risks."""
    if view.problem:
        return f"Not possible: {view.problem}"
    sentences = [view.advice or _summary(view)]
    sentences += [_TIMES[view.key]] if view.key in _TIMES else []
    if view.raid.parity_disks == _TWO_PARITIES and are_many_and_large(view):
        sentences.append("For many large disks.")
    why = failing(view)
    if view.luck and view.groups == 1:
        sentences.append(
            f"After any {why.survives}, one more may fail in {why.luck.numerator} of {why.luck.denominator} cases."
        )
    if view.prediction and view.raid.md_name:
        count = view.prediction.write_penalty
        penalty = f"Write penalty {count}{_operations_words(view.raid.parity_disks, count)}."
        sentences += [_reads_words(view), penalty]
    if why.rebuild:
        reads = format_bytes(why.rebuild.read_bytes)
        sentences.append(f"Rebuild: {wording.rebuild_words(why, view.speed)}, reads {reads} from the others.")
        sentences.append(wording.risk_words(why))
    return " ".join(text for text in sentences if text)


def _reads_words(view: LevelPreview) -> str:
    """Why a long read of a level with parity or with copies apart is as fast as it is; "" where that is plain."""
    row, disks = view.raid, times(view).long_reads
    if view.key == "10":
        of_flash = "" if view.rotating else " (no seeks)"
        return f"Sequential reads use all disks{of_flash}." if disks == view.disks else ""
    if not row.parity_disks or view.groups > 1 or parity_only_disks(view.key, view.layout, view.disks):
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
