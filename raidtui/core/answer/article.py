"""What was found, beside what the recipe's source has of it: named, and whether it is so here.

Knows ratios, for the source's disks are others; a reason only where a conclusion has its evidence.
"""

from collections.abc import Callable, Sequence

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, Kind

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


def beside_article(source: str, told: Sequence[Conclusion]) -> str:
    """One sentence: the figure that is furthest from the source's, or that all are about the same."""
    known = [conclusion for conclusion in told if conclusion.published and conclusion.share]
    if not known or not source:
        return ""
    article = f"the article ({source})"
    refuted = sorted((conclusion for conclusion in known if _refuted(conclusion)), key=_apart, reverse=True)
    if not refuted:
        return f"{article} has about the same"
    worst, ratio = refuted[0], _RATIO[refuted[0].kind]
    said = f"{article} has {_WHAT[worst.kind](worst)} {ratio(worst.published or 1.0)}, here {ratio(worst.share or 1.0)}"
    others = len(refuted) - 1
    more = [f"{others} more {'differs' if others == 1 else 'differ'}, too"] if others else []
    return "; ".join((said, *worst.evidence, *more))


def _refuted(one: Conclusion) -> bool:
    """Is the source's ratio neither near nor within what chance may make of ours?"""
    surely = one.low is None or one.high is None or not one.low <= (one.published or 1.0) <= one.high
    return surely and _apart(one) > _APART


def _apart(one: Conclusion) -> float:
    ratio = (one.share or 1.0) / (one.published or 1.0)
    return max(ratio, 1 / ratio)
