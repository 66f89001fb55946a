"""Figures, ratios and the three-way verdict in the words of an answer. The only place where a difference has words."""

import math
from collections.abc import Callable, Sequence

from raidtui.core.answer.values import (
    AnswerTable,
    Effect,
    Expected,
    Gain,
    Over,
    ParsedSetup,
    PlainFigure,
    Rank,
    RebuildPace,
    Unit,
    judged,
)
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.results import deviation
from raidtui.core.results.differences import Difference
from raidtui.core.run import kernel
from raidtui.core.units import MB, TB, change, format_bytes, format_duration, format_iops, format_latency, format_rate

DASH, TIMES = "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
_LITTLE, _BELOW = "\N{DAGGER}", "\N{DOWNWARDS ARROW}"
_MOST_NAMED = 3
_WORDS: dict[Unit, Callable[[float], str]] = {
    "bytes/s": format_rate,
    "IOPS": lambda iops: f"{format_iops(iops)} IOPS",
    "bytes": lambda size: format_bytes(round(size)),
    "ns": format_latency,
}
LEGEND = {
    "n.s.": "n.s. = within measurement noise.",
    "!": "! = latency contradicts the rate; both shares are given.",
    _LITTLE: f"{_LITTLE} = seen over under 5 % of the disk and under 1 GB.",
    _BELOW: f"{_BELOW} = below the minimum that was set.",
}


def figure(value: float | None, unit: Unit) -> str:
    """`286 IOPS`."""
    if value is None:
        return ""
    return _WORDS[unit](value) if unit in _WORDS else f"{value:.3g} {unit}".strip()


def number(value: float | None, unit: Unit) -> str:
    """Without its unit, which the head of its column has: MB/s of bytes/s, or IOPS."""
    return format_iops(value / (MB if unit == "bytes/s" else 1)) if value is not None else ""


def percent(ratio: float) -> str:
    """A ratio as a change: `+36 %`."""
    return change(ratio - 1)


def share(ratio: float | None) -> str:
    return f"{100 * (ratio or 0.0):.0f} %"


def times(ratio: float) -> str:
    """How many times: `24x`, `3.0x`, `0.09x` with the multiplication sign."""
    return f"{ratio:.0f}{TIMES}" if ratio >= 9.95 else f"{ratio:.1f}{TIMES}" if ratio >= 0.95 else f"{ratio:.2f}{TIMES}"


def between(low: str, high: str) -> str:
    """`14-36` with a dash, or one of two that are the same as printed; a unit that both end in once."""
    if low == high:
        return low
    return f"{low.removesuffix(' ' + high.rpartition(' ')[2])}{DASH}{high}"


def pair(mine: float, base: float, unit: Unit) -> str:
    """`194 vs 296 ms`, the unit once where it is the same."""
    own, other = figure(mine, unit), figure(base, unit)
    return f"{own.removesuffix(' ' + other.rpartition(' ')[2])} vs {other}"


def lower(title: str) -> str:
    return title[:1].lower() + title[1:]


def upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def named(names: Sequence[str], most: int = _MOST_NAMED) -> str:
    """`a, b, c, 4 more`."""
    return ", ".join([*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])])


def span(overs: Sequence[Over]) -> str:
    """`+14 to +36 %`, `+80 %`."""
    low, high = (percent(pick((over.share or 1.0) for over in overs)) for pick in (min, max))
    return low if low == high else f"{low.removesuffix(' %')} to {high}"


def verdict(overs: Sequence[Over]) -> str:
    """The words of a difference, and of several that were asked for together: they are all that there are."""
    if all(over.verdict == "equal" for over in overs):
        return "equal (±3 %)"
    different = [over for over in overs if over.verdict == "different"]
    if not different:
        largest = max(overs, key=lambda over: abs(math.log(over.share or 1.0)))
        bounds = [abs((bound or 1.0) - 1) for over in overs for bound in (over.low, over.high)]
        detects = f", detects ≥ {100 * max(bounds):.0f} %" if any(bounds) else ""
        return f"n.s. ({'max ' if len(overs) > 1 else ''}{percent(largest.share or 1.0)}{detects})"
    if len(different) == len(overs):
        return span(different)
    (first, *others), place = different, ""
    if not others and isinstance(first, Effect) and first.where:
        place = f" ({first.where})"
    return f"{span(different)} in {len(different)} of {len(overs)} cases{place}"


def in_words(difference: Difference) -> str:
    """`+36 %`, `equal (±3 %)`, `n.s. (+4 %, detects ≥ 15 %), 28 runs needed`; nothing without a figure."""
    if difference.share is None:
        return ""
    runs = difference.repetitions if difference.is_worth_finding else None
    return verdict([Over(**judged(difference))]) + (f", {runs} runs needed" if runs else "")


def in_cell(difference: Difference) -> str:
    """`+36 %`, `+1 % (equal)`, `+4 % n.s.`; nothing without a figure."""
    over = Over(**judged(difference))
    return "" if over.ratio is None else percent(over.ratio) + mark(over)


def interval(over: Difference | Over) -> str:
    """Its 95 % interval, `+12 to +36 %`; nothing where it is not known."""
    found = Over(**judged(over)) if isinstance(over, Difference) else over
    if found.low is None or found.high is None:
        return ""
    return f"{percent(found.low).removesuffix(' %')} to {percent(found.high)}"


def mark(over: Over) -> str:
    """Behind a number, for its uncertainty."""
    doubt = " !" if isinstance(over, Effect) and over.by_latency is not None else ""
    return {"equal": " (equal)", "n.s.": " n.s."}.get(over.verdict, "") + doubt


def cell(values: Sequence[ParsedSetup], unit: Unit, kept: bool) -> str:
    """`220 · 76 %`, `95.8 vs 48.1 · +99 %`, `24x`, `+1 %`; of several the words of their difference."""
    if len(values) > 1:
        return verdict([value for value in values if isinstance(value, Over)])
    if not values:
        return ""
    (value,) = values
    in_column = number if unit in ("bytes/s", "IOPS") else figure
    own = in_column(value.figure, value.unit)
    match value:
        case PlainFigure():
            return own
        case Gain(published=published):
            return times(value.share or 1.0) + (f" (published {times(published)})" if published else "")
        case Expected():
            return percent(value.ratio or 1.0) + (" n.s." if value.closeness == "n.s." else "")
        case Rank(published=published):
            of_source = f" (published {share(published)})" if published else ""
            return f"{own} · {share(value.share)}{of_source}" if value.base else own
        case Effect():
            ratios = [value.share or 1.0] + ([value.by_latency] if value.by_latency is not None else [])
            shares = dict.fromkeys(share(ratio) if kept else percent(ratio) for ratio in ratios)
            word = "of" if kept else "vs"
            return f"{own} {word} {in_column(value.base_figure, value.unit)} · {' or '.join(shares)}{mark(value)}"
        case RebuildPace():
            took = f" · {format_duration(TB / value.figure)}/TB" if value.figure and not value.little else ""
            marks = [(_LITTLE, value.little), (_BELOW, value.below_min)]
            return own + took + "".join(f" {sign}" for sign, is_so in marks if is_so)


def cells(table: AnswerTable) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of a table in words."""
    heads = [
        table.first,
        *(
            ", ".join(filter(None, (name, "MB/s" if unit == "bytes/s" else unit, base)))
            for (name, unit), base in zip(table.columns, table.bases or [""] * len(table.columns), strict=True)
        ),
    ]
    rows = [
        [
            row.name,
            *(cell(values, unit, table.kept) for values, (_, unit) in zip(row.cells, table.columns, strict=True)),
        ]
        for row in table.rows
    ]
    return heads, rows


def note(table: AnswerTable) -> str:
    """Below a table: its note, and what its marks mean."""
    texts = [text for row in cells(table)[1] for text in row[1:]]
    legend = [words for sign, words in LEGEND.items() if any(sign in text for text in texts)]
    return " ".join(filter(None, (table.note, *legend)))


def floored(of: float) -> str:
    """In percent, never more than measured: of nearly all of a disk `99.9 %`."""
    in_percent = min(100.0, 100 * of)
    return f"{math.floor(10 * in_percent) / 10:g} %" if in_percent >= 1 else f"{in_percent:.1g} %"


_NAMES = {
    "journal": "write journal on one disk",
    "file-start": "file offset on the array",
    "controller": "controller",
    "read-ahead": "read-ahead",
    "buffered": "page cache",
    "zeros": "zeros written",
    "write-caches": "disk write caches",
}


def words(cause: deviation.Cause | deviation.Suspect) -> str:
    """A noun with its figures; of kernel messages their text."""
    match cause:
        case deviation.KernelMessages(messages):
            return kernel.words(messages)
        case deviation.SlowedByDisk(disk, of_typical):
            return f"slow disk {disk} ({share(of_typical)} of the typical disk)"
        case deviation.AlsoRead(of_writes, _, moved, of_limit):
            limit = f" ({moved / MB:.0f} MB/s in all, {share(of_limit)} of their limit)" if moved else ""
            return f"disks read {share(of_writes)} as many I/Os as they wrote{limit}"
        case deviation.Penalty(measured, model):
            split = f"{measured.reads:.1f} reads + {measured.writes:.1f} writes"
            return f"{measured.total:.1f} disk I/Os per write ({split}, model {model.total:.1f})"
        case deviation.Resync():
            return "resync or check running"
        case deviation.BusyDisk(disk, busy, least, most):
            return f"{disk} {share(busy)} busy (others {between(f'{100 * least:.0f}', f'{100 * most:.0f}')} %)"
        case deviation.FullThreads(threads):
            return ", ".join(f"thread {name} at {share(used)} of a CPU" for name, used in threads)
        case deviation.Cpu():
            return _cpu(cause)
        case deviation.Hot(disk, reached_c, limit_c):
            return f"{disk} throttles at {reached_c:.0f} °C (limit {limit_c:.0f})"
        case deviation.Link(link, disks):
            return link.describe(disks)
        case deviation.Shared(of_alone, of):
            part = f", part of {change(of)}" if of is not None else ""
            return f"shared link, controller or CPU (all disks at once {share(of_alone)}{part})"
        case deviation.PageCache(from_disks):
            return f"page cache (disks read {share(from_disks)} of it)"
        case deviation.TunableValue(tunable, value):
            return TUNABLES[tunable].describe(value)
        case deviation.UnequalDisks(of_array, disks):
            return f"unequal disks ({share(of_array)} of the array on fewer than {disks})"
        case deviation.NearBalancer():
            return "read balancing of RAID 10 near"
        case deviation.MirrorReads(queue):
            return f"RAID 1 reads at QD{queue} from several disks"
        case deviation.ShortStrokes(of_array):
            return f"short strokes ({100 * of_array:.1g} % of the array)"
        case deviation.Other(name):
            return _NAMES[name]


def _cpu(cause: deviation.Cpu) -> str:
    parts = [
        f"busiest core {share(cause.busiest)}",
        *(f"{name} {share(used)}" for name, used in cause.threads),
        f"{share(cause.all_at_once)} without md" if cause.all_at_once else f"+{share(cause.headroom)} possible",
    ]
    return f"CPU ({', '.join(filter(None, parts))})"


def brief(cause: deviation.Cause | deviation.Suspect) -> str:
    """For a line of an answer: kernel messages are counted."""
    if isinstance(cause, deviation.KernelMessages):
        return f"{len(cause.messages)} kernel message{'' if len(cause.messages) == 1 else 's'}"
    return words(cause)


def lines(causes: deviation.Causes) -> tuple[str, ...]:
    """Each cause, then each suspect; of a deviation within noise that, of one without either that it is unknown."""
    if causes.deviation is None:
        return ()
    if causes.chance:
        return ("n.s.",)
    evident = tuple(f"cause: {words(cause)}" for cause in causes.evident)
    return (*evident, *(f"suspect: {words(suspect)}" for suspect in causes.suspects)) or ("cause unknown",)
