"""One conclusion of several levels: which leads in most tests, what it leaves of the space and survives, and what the
others give instead. Speed is weighed by counting tests alone; what a reader needs most nobody here knows."""

from collections.abc import Sequence

import msgspec

from raidtui.core.answer import wording
from raidtui.core.answer.best import SetupOrder
from raidtui.core.answer.conclusions import Conclusion, capacity_of, of_capacity
from raidtui.core.answer.facts import AnswerFacts, AnswerPart
from raidtui.core.answer.ranking import Ranked
from raidtui.core.plan.failures import may_fail_words

_NONE_LEADS = "no level leads in these tests, so space and failures decide"


class _Standing(msgspec.Struct, frozen=True):
    """A setup: in which tests it is the best or not told from it, its space, and how many disks may fail."""

    tests: frozenset[int]
    leads: Conclusion
    space: Conclusion
    survives: Conclusion

    @property
    def gives(self) -> tuple[str, str]:
        usable = wording.pair(self.space.figure, "of", self.space.base_figure, "bytes")
        return f"{usable} usable", may_fail_words(round(self.survives.figure or 0))


def lead(facts: AnswerFacts, tests: Sequence[SetupOrder], setups: Sequence[Ranked], verdict: AnswerPart) -> AnswerPart:
    """The conclusion of these setups, those with a rank, and `verdict`, which is best in each test; that alone of one.

    Where one leads in all tests the verdict has said so already, and stands first.
    """
    standings = [standing for setup in setups if (standing := _standing(facts, tests, setup))]
    if len(standings) < 2 or not tests:
        return verdict
    most = max(standing.leads.figure or 0 for standing in standings)
    first = [standing for standing in standings if standing.leads.figure == most]
    others = [standing for standing in standings if standing not in first]
    names = wording.listed([standing.leads.subject for standing in first])
    alike = len({standing.gives for standing in first}) == 1
    of_first = [f"{'' if alike else f'{standing.leads.subject} '}{', '.join(standing.gives)}" for standing in first]
    in_all = bool(others) and most == len(tests)
    verbs = "leads or shares" if len(first) == 1 else "lead or share"
    words = f"{names} {verbs} the lead in {most:.0f} of {len(tests)} tests" if others else _NONE_LEADS
    words = f"{names if in_all else words}: {'; '.join(dict.fromkeys(of_first))}"
    instead = [text for other in others if (text := _instead(other, first))]
    words += f"; others give instead: {wording.listed(instead)}" if instead else ""
    told = [value for standing in standings for value in (standing.leads, standing.space, standing.survives)]
    sentences = [words, verdict.sentence] if not in_all else [verdict.sentence, words]
    return msgspec.structs.replace(
        verdict,
        sentence=" ".join(wording.sentence(text) for text in sentences),
        conclusions=(*told, *verdict.conclusions),
    )


def _instead(other: _Standing, first: Sequence[_Standing]) -> str:
    """`RAID 6 (any 2 disks may fail)`: what of it is more than the first ones give; "" where nothing is."""
    space, survives = other.gives
    alone = len(other.tests - frozenset[int]().union(*(best.tests for best in first)))
    more = [
        space if all((other.space.figure or 0) > (best.space.figure or 0) for best in first) else "",
        survives if all((other.survives.figure or 0) > (best.survives.figure or 0) for best in first) else "",
        f"leads in {alone} test{'' if alone == 1 else 's'}" if alone else "",
    ]
    return f"{other.leads.subject} ({', '.join(filter(None, more))})" if any(more) else ""


def _standing(facts: AnswerFacts, tests: Sequence[SetupOrder], setup: Ranked) -> _Standing | None:
    holds = capacity_of(facts.plan, setup.setup)
    if holds is None or setup.survives is None:
        return None
    led = [i for i, test in enumerate(tests) if any(other.ranked.stage == setup.stage for other in test.alike)]
    return _Standing(
        frozenset(led),
        Conclusion(
            kind="figure", subject=setup.name, figure=len(led), unit="trials", base="all tests", base_figure=len(tests)
        ),
        of_capacity(setup.name, holds),
        Conclusion(kind="figure", subject=setup.name, figure=setup.survives, unit="disks", base="may fail"),
    )
