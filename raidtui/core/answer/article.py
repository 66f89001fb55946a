"""What was found, beside what the recipe's source has of it: named, and whether it is so here.

Knows ratios, for the source's disks are others; a reason only where a conclusion has its evidence.
"""

from collections.abc import Callable, Sequence

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, Kind

_MOST_OTHERS = 2
_FAR_FROM_OURS = 1.2  # times as much, or as little: the source has other disks and another machine

_RATIO: dict[Kind, Callable[[float], str]] = {
    "gain": lambda ratio: f"{wording.times(ratio)} times one disk",
    "rank": lambda ratio: f"{100 * ratio:.0f} %",
    "effect": lambda ratio: f"{round(100 * (ratio - 1), 1) or 0.0:+.3g} %",
}
_CLAIM: dict[Kind, Callable[[Conclusion], str]] = {
    "gain": lambda conclusion: wording.lower(conclusion.test),
    "rank": lambda conclusion: f"{conclusion.subject} in {wording.lower(conclusion.test)}",
    "effect": lambda conclusion: f"{wording.lower(conclusion.test)} with {conclusion.where}",
}


def beside_article(source: str, conclusions: Sequence[Conclusion]) -> str:
    """One sentence: the figure that is furthest from the source's, or that all are about the same."""
    published = [conclusion for conclusion in conclusions if conclusion.published and conclusion.share]
    if not published or not source:
        return ""
    article = f"the article ({source})"
    refuted = sorted((conclusion for conclusion in published if _refuted(conclusion)), key=_times_apart, reverse=True)
    if not refuted:
        return f"{article} has about the same"
    worst, ratio = refuted[0], _RATIO[refuted[0].kind]
    article_ratio, own_ratio = ratio(worst.published or 1.0), ratio(worst.share or 1.0)
    change = f" ({wording.instead(worst.subject, worst.base)})" if worst.kind == "effect" else ""
    of_base = f" of {worst.base}" if worst.kind == "rank" and worst.base else ""
    return "; ".join((f"{article} has {_CLAIM[worst.kind](worst)} {article_ratio}{change}, here {own_ratio}{of_base}",
                      *worst.evidence, *_other_claims(published, refuted)))  # fmt: skip


def _other_claims(published: Sequence[Conclusion], refuted: Sequence[Conclusion]) -> list[str]:
    """What else is not so here: two by name, of more that none is, or nothing."""
    other_claims = [_CLAIM[conclusion.kind](conclusion) for conclusion in refuted[1:]]
    if 0 < len(other_claims) <= _MOST_OTHERS:
        return [f"{wording.listed(other_claims)} {'differs' if len(other_claims) == 1 else 'differ'}, too"]
    return [f"all {len(published)} that are compared differ"] if other_claims and len(refuted) == len(published) else []


def _refuted(ours: Conclusion) -> bool:
    """Is the source's ratio neither near nor within what chance may make of ours?"""
    surely = ours.low is None or ours.high is None or not ours.low <= _expected(ours) <= ours.high
    return surely and _times_apart(ours) > _FAR_FROM_OURS


def _expected(ours: Conclusion) -> float:
    """The source's ratio on this number of disks."""
    return (ours.published or 1.0) * ours.geometry


def _times_apart(ours: Conclusion) -> float:
    ratio = (ours.share or 1.0) / _expected(ours)
    return max(ratio, 1 / ratio)
