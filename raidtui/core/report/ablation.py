"""What explains a figure: the part of an ablation's report that says so, and the same as sentences for a screen.

Every effect stands with its interval, every advice with its price; knows words, and concludes nothing.
"""

from collections.abc import Sequence

from raidtui.core.report.tables import bullets, escape, milliseconds, number, table
from raidtui.core.results.ablation import Ablation, Effect
from raidtui.core.results.analysis import test_title
from raidtui.core.results.differences import Difference
from raidtui.core.units import MB

_UNITS = {"sequential": ("MB/s", MB), "random": ("IOPS", 1.0)}
_FULL_EFFECT = 0.10  # off theory, at which nothing is left to explain
_MEASURED_LOW = 0.25  # above theory: a disk's two figures of one test differ by less


def pages(found: Sequence[Ablation]) -> list[str]:
    """The sentences of each test, and its table."""
    return [block for ablation in found for block in _page(ablation)]


def _page(one: Ablation) -> list[str]:
    unit, scale = _UNITS[one.kind]
    lines = [["Unchanged", number(one.unchanged.value, scale), "", "", milliseconds(one.p99_ns), "", ""]]
    for effect in one.effects:
        lines.append(
            [
                effect.suspect.changed[:1].upper() + effect.suspect.changed[1:],
                number(effect.figure.value, scale),
                *_share(effect.throughput),
                milliseconds(effect.p99_ns),
                *_share(effect.p99),
            ]
        )
    headers = ["Test", unit, "Effect, %", "95 %", "p99, ms", "Effect, %", "95 %"]
    return [
        f"## What explains it: {escape(test_title(one.row))}",
        bullets(map(escape, sentences(one))),
        table(headers, lines) if one.effects else "",
    ]


def _share(difference: Difference) -> list[str]:
    if difference.share is None or difference.low is None or difference.high is None:
        return ["", ""]
    return [difference.mark.removesuffix(" %"), f"{100 * difference.low:+.0f} to {100 * difference.high:+.0f}"]


def sentences(one: Ablation) -> tuple[str, ...]:
    """What is found, how sure, what it costs to change it; or that it is not explained, and what to try."""
    unit, scale = _UNITS[one.kind]
    if one.unchanged.value is None:
        return (f"The test unchanged gave no figure: {one.unchanged.error or one.unchanged.standing}.",)
    off = "" if one.deviation is None else f", {100 * one.deviation:+.0f} % off theory"
    told = [f"Unchanged: {number(one.unchanged.value, scale)} {unit}{off}."]
    told += [f"A cause: {text}." for text in one.slow]
    told += [_cause(effect, main=not index) for index, effect in enumerate(one.causes)]
    told += [f"The kernel's counters show: {text}." for text in one.evident]
    if one.causes and one.left is not None and abs(one.left) > _FULL_EFFECT:
        told.append(f"Without it {100 * one.left:+.0f} % off theory are left, which no single change explains.")
    elif not (one.causes or one.slow or one.evident):
        told += _unexplained(one)
    return tuple(told)


def _cause(effect: Effect, *, main: bool) -> str:
    suspect = effect.suspect
    who = f"The cause: {suspect.cause}" if main else f"Also {suspect.cause}"
    return (
        f"{who}. {suspect.changed[:1].upper()}{suspect.changed[1:]}: throughput {_with_interval(effect.throughput)};"
        f" p99 {_with_interval(effect.p99)}. To change it: {suspect.advice}; the price: {suspect.price}."
    )


def _with_interval(difference: Difference) -> str:
    if difference.share is None or difference.low is None or difference.high is None:
        return "not known, of too few operations"
    shown = f"{100 * difference.share:+.0f} % ({100 * difference.low:+.0f} to {100 * difference.high:+.0f})"
    return shown if difference.conclusion != "cannot tell" else f"{shown}, which may be chance"


def _unexplained(one: Ablation) -> list[str]:
    tried = [effect.suspect.cause for effect in one.effects]
    none = f"none of these makes it faster by more than chance: {', '.join(tried)}" if tried else ""
    if (one.deviation or 0.0) > _MEASURED_LOW:
        return [
            "It does more than theory expects, and why is not explained. To try: measure the disks by themselves again."
        ]
    if one.as_expected:
        return [f"Nothing to explain: it does what theory expects, or more{f', and {none}' if none else ''}."]
    more = max((effect.throughput.repetitions or 0 for effect in one.effects), default=0)
    again = f"; {more} blocks would tell what {len(one.effects)} could not (`repeat` in the answers)" if more else ""
    tried_words = none or "no setting could be changed for it, and no disk stands out"
    return [
        f"Not explained: {tried_words}.",
        f"To try: the recipe disk-baseline, each disk by itself at several depths; other disks, another slot{again}.",
    ]
