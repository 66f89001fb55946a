"""What was found, beside what the recipe's source has of it: named, and whether it is so here.

Knows ratios, for the source's disks are others; a reason only where a conclusion has its evidence.
"""

from collections.abc import Callable, Sequence

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, Kind

_MOST_OTHERS = 2
_APART = 1.2  # times as much, or as little: the source has other disks and another machine

_RATIO: dict[Kind, Callable[[float], str]] = {
    "gain": lambda ratio: f"{wording.times(ratio)} times one disk",
    "rank": lambda ratio: f"{100 * ratio:.0f} %",
    "effect": lambda ratio: f"{round(100 * (ratio - 1), 1) or 0.0:+.3g} %",
}
_WHAT: dict[Kind, Callable[[Conclusion], str]] = {
    "gain": lambda conclusion: wording.lower(conclusion.test),
    "rank": lambda conclusion: f"{conclusion.subject} in {wording.lower(conclusion.test)}",
    "effect": lambda conclusion: f"{wording.lower(conclusion.test)} with {conclusion.where}",
}


def beside_article(source: str, conclusions: Sequence[Conclusion]) -> str:
    """One sentence: the figure that is furthest from the source's, or that all are about the same."""
    known = [conclusion for conclusion in conclusions if conclusion.published and conclusion.share]
    if not known or not source:
        return ""
    article = f"the article ({source})"
    refuted = sorted((conclusion for conclusion in known if _refuted(conclusion)), key=_apart, reverse=True)
    if not refuted:
        return f"{article} has about the same"
    worst, ratio = refuted[0], _RATIO[refuted[0].kind]
    there, here = ratio(worst.published or 1.0), ratio(worst.share or 1.0)
    of_base = f" of {worst.base}" if worst.kind == "rank" and worst.base else ""
    return "; ".join((f"{article} has {_WHAT[worst.kind](worst)} {there}, here {here}{of_base}",
                      *worst.evidence, *_others(known, refuted)))  # fmt: skip


def _others(known: Sequence[Conclusion], refuted: Sequence[Conclusion]) -> list[str]:
    """What else is not so here: two by name, of more that none is, or nothing."""
    others = [_WHAT[conclusion.kind](conclusion) for conclusion in refuted[1:]]
    if 0 < len(others) <= _MOST_OTHERS:
        return [f"{wording.listed(others)} {'differs' if len(others) == 1 else 'differ'}, too"]
    return [f"all {len(known)} that it has differ"] if others and len(refuted) == len(known) else []


def _refuted(ours: Conclusion) -> bool:
    """Is the source's ratio neither near nor within what chance may make of ours?"""
    surely = ours.low is None or ours.high is None or not ours.low <= _expected(ours) <= ours.high
    return surely and _apart(ours) > _APART


def _expected(ours: Conclusion) -> float:
    """The source's ratio on this number of disks."""
    return (ours.published or 1.0) * ours.geometry


def _apart(ours: Conclusion) -> float:
    ratio = (ours.share or 1.0) / _expected(ours)
    return max(ratio, 1 / ratio)
