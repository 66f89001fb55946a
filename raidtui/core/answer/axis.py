"""What one axis of a sweep makes of its tests, whatever it is: over all pairs of setups that differ in nothing else."""

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, of_difference
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.levels import ranking
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import NAMES

_NAMES = {"group_thread_cnt": "number of md's threads", "stripe_cache_size": "stripe cache"}
_SETTINGS = ("group_thread_cnt", "stripe_cache_size", "chunk")


def settings(facts: Known) -> list[Part]:
    """The best setup, then what md's threads, its stripe cache and the chunk change, each for itself."""
    parts = [part for field in _SETTINGS if (part := axis(facts, field))]
    return [*ranking(facts)[:1], *parts]


def axis(facts: Known, field: str) -> Part | None:
    """The largest difference that one axis makes; None where the run does not vary it."""
    found = _effects(facts, field)
    if not found:
        return None
    name = _NAMES.get(field) or NAMES[field].partition(",")[0].lower()
    most = max(found, key=lambda one: abs((one.ratio or 1.0) - 1))
    of = f"{most.subject} over {most.base}"
    if all(one.verdict == "equal" for one in found):
        return Part(f"the {name} does not matter: equal within 3 %", tuple(found))
    return Part(f"the {name} changes most {wording.lower(most.test)}, {of}: {wording.difference(most)}", tuple(found))


def _effects(facts: Known, field: str) -> list[Conclusion]:
    """Each value of the axis over the first, test by test; setups that have no such setting are not in it."""
    found = []
    for grid in facts.ranking.tests:
        if field not in grid.columns:
            continue
        at = grid.columns.index(field)
        judged = of_figures(tuple(row.array for row in grid.rows))
        index = {((*labels[:at], *labels[at + 1 :]), labels[at]): i for i, labels in enumerate(grid.labels)}
        several = [rest for rest in dict.fromkeys(rest for rest, _ in index) if sum(r == rest for r, _ in index) > 1]
        base, *others = dict.fromkeys(value for rest, value in index if rest in several) or ("",)
        for value in others:
            pairs = [(index[rest, value], index[rest, base]) for rest in several
                     if (rest, value) in index and (rest, base) in index]  # fmt: skip
            over = judged.over_all(pairs, claims=len(others))
            if over.share is not None:
                found.append(
                    of_difference(over, kind="effect", subject=value, base=base, test=grid.title, where=NAMES[field])
                )
    return found
