"""Figures, ratios and verdicts in words, as the sentences of an answer use them. Decimal units, plain text."""

from collections.abc import Collection, Sequence

from raidtui.core.answer.conclusions import Conclusion, Unit
from raidtui.core.units import format_bytes, format_iops, format_latency, format_rate, signed_percent

_MOST_NAMED = 3
_AS_ONE = 0.995  # of one disk: below it, less
_TIMES = 2.0  # from here on a distance is a factor, not a percentage


def figure(value: float | None, unit: Unit) -> str:
    if value is None:
        return "no figure"
    if unit == "bytes/s":
        return format_rate(value)
    if unit == "IOPS":
        return f"{format_iops(value)} IOPS"
    if unit == "bytes":
        return format_bytes(round(value))
    return format_latency(value) if unit == "ns" else f"{value:.3g} {unit}".strip()


def times(ratio: float) -> str:
    """How many times: 24, 3.0, 0.09."""
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.95 else f"{ratio:.2f}"


def over_one_disk(ratio: float) -> str:
    """`3.0 times one disk`, `12 times less than one disk`."""
    return f"{times(ratio)} times one disk" if ratio >= _AS_ONE else f"{more_or_less(ratio)} than one disk"


def more_or_less(ratio: float) -> str:
    """`23 % less`, `57 % more`, `12 times less`: beyond half and twice a factor."""
    if ratio >= _TIMES:
        return f"{times(ratio)} times as much"
    if 0 < ratio <= 1 / _TIMES:
        return f"{times(1 / ratio)} times less"
    return f"{abs(100 * (ratio - 1)):.0f} % {'more' if ratio >= 1 else 'less'}"


def against_theory(conclusion: Conclusion, gain: float | None = None) -> str:
    """`near theory`, `54 % of theory`, `9 % above theory`; beside a `gain` over one disk `46 % below theory's 3.0`,
    times one disk, and of a factor `where theory says 4.0`."""
    ratio = conclusion.ratio or 1.0
    if conclusion.verdict in ("as theory", "near theory"):
        return conclusion.verdict
    expected = gain / ratio if gain and ratio > 0 else None
    if 0 < ratio <= 1 / _TIMES or ratio >= _TIMES:
        if expected and gain:
            # `3.0 times one disk` stands before it, or `12 times less than one disk`
            return f"where theory says {times(expected)}{'' if gain >= _AS_ONE else ' times one disk'}"
        return f"{times(ratio)} times theory" if ratio >= _TIMES else f"{100 * ratio:.2g} % of theory"
    if ratio < 1 and not expected:
        return f"{100 * ratio:.0f} % of theory"
    theory = f"theory's {times(expected)}" if expected else "theory"
    return f"{abs(100 * (ratio - 1)):.0f} % {'above' if ratio > 1 else 'below'} {theory}"


def percent(ratio: float) -> str:
    """By how much more or less: `+57 %`, `-3 %`, `+0 %`."""
    return f"{signed_percent(ratio - 1)} %"


def difference(conclusion: Conclusion) -> str:
    """`+57 %`, `equal within 3 %`, `no difference can be told (+4 %)`."""
    if conclusion.share is None:
        return "no figure"
    percent_words = percent(conclusion.share)
    if conclusion.verdict == "different":
        return percent_words
    return "equal within 3 %" if conclusion.verdict == "equal" else f"no difference can be told ({percent_words})"


def instead(mine: str, base: str) -> str:
    """`chunk 64KiB instead of 4KiB`: the words that both begin with are said once."""
    return f"{mine} instead of {name_after(mine, base)}"


def name_after(previous: str, name: str) -> str:
    """A name without the words that the one before it begins with, too, up to a number: `64KiB` after `chunk 4KiB`."""
    pairs = zip(previous.split(), name.split(), strict=False)
    at, pair = next(((at, pair) for at, pair in enumerate(pairs) if len(set(pair)) > 1), (0, ()))
    return " ".join(name.split()[at:]) if pair and all(word[0].isdigit() for word in pair) else name


def range_of(conclusions: Sequence[Conclusion]) -> str:
    """From the least to the most that these change: `+14 to +36 %`, `+80 %`."""
    percents = [
        percent(conclusion.share)
        for conclusion in sorted(conclusions, key=lambda conclusion: conclusion.share or 0.0)
        if conclusion.share
    ]
    if not percents:
        return ""
    return percents[0] if percents[:1] == percents[-1:] else f"{percents[0].removesuffix(' %')} to {percents[-1]}"


def pair(value: float | None, word: str, second_value: float | None, unit: Unit) -> str:
    """`551 to 564 IOPS`, the unit said once where it is the same."""
    first, last = figure(value, unit), figure(second_value, unit)
    shared_unit = " " + last.rpartition(" ")[2]
    return f"{first.removesuffix(shared_unit)} {word} {last}"


def both(conclusion: Conclusion, word: str) -> str:
    """The figure and its base: `286 instead of 211 IOPS`."""
    return pair(conclusion.figure, word, conclusion.base_figure, conclusion.unit)


def change(conclusion: Conclusion) -> str:
    """`286 instead of 211 IOPS (+36 %)`, `557 and 546 IOPS (no difference can be told)`."""
    if conclusion.verdict == "different":
        return f"{both(conclusion, 'instead of')} ({percent(conclusion.share or 1.0)})"
    verdict = "equal within 3 %" if conclusion.verdict == "equal" else "no difference can be told"
    return f"{both(conclusion, 'and')} ({verdict})"


def between(values: Collection[int]) -> str:
    """`4`, or `1 to 64`."""
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low} to {high}"


def listed(words: Sequence[str], limit: int = _MOST_NAMED) -> str:
    """`a, b and c`; of many the first, and how many more."""
    named = list(words[:limit])
    if len(words) > limit:
        named.append(f"{len(words) - limit} more")
    return f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else "".join(named)


def sentence(text: str) -> str:
    """With a capital first letter and one full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def lower(title: str) -> str:
    """A test's title inside a sentence."""
    return title[:1].lower() + title[1:]
