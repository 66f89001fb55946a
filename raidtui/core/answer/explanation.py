"""What holds a test back, by its ablation: what a change proved or a counter shows, else that it is not explained."""

from raidtui.core.answer import cause_words, wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import AnswerFacts, AnswerPart
from raidtui.core.results.ablation import Ablation, Effect, of_run
from raidtui.core.results.analysis import test_title


def explanation(facts: AnswerFacts) -> list[AnswerPart]:
    """A sentence for each direction of the test that was explained."""
    ablations = of_run(facts.plan, facts.state, facts.comparison)
    return [_part(ablation) for ablation in ablations if ablation.unchanged.value is not None]


def _part(ablation: Ablation) -> AnswerPart:
    conclusions = tuple(_conclusion(ablation, effect) for effect in ablation.effects)
    by_subject = {conclusion.subject: conclusion for conclusion in conclusions}
    causes = [
        f"{effect.suspect.cause} holds it back, {wording.change(by_subject[effect.suspect.changed])}"
        f" {effect.suspect.changed}"
        for effect in ablation.causes
    ]
    shown = (*causes, *ablation.slow, *map(cause_words.words, ablation.evident))
    holding = "; ".join(shown) + ("" if causes else _no_effect(ablation)) if shown else _nothing_found(ablation)
    off = "" if ablation.deviation is None else f" ({wording.percent(1 + ablation.deviation)} off theory)"
    return AnswerPart(f"{wording.lower(test_title(ablation.row))}{off}: {holding}", conclusions)


def _nothing_found(ablation: Ablation) -> str:
    """That nothing of what was changed holds it back, and whether anything had to."""
    no_effect = _no_effect(ablation)
    if ablation.above_expected:
        return f"it does more than theory expects, and why is not explained{no_effect}"
    if ablation.as_expected:
        return f"nothing holds it back, it does what theory expects or more{no_effect}"
    return f"not explained{no_effect}"


def _no_effect(ablation: Ablation) -> str:
    changes = len(ablation.effects)
    return f"; none of {changes} changes makes it faster by more than chance" if changes > 1 else ""


def _conclusion(ablation: Ablation, effect: Effect) -> Conclusion:
    """The test with one change over the unchanged one; different where that proves a cause, or makes it slower."""
    difference = effect.throughput
    slower = difference.conclusion == "different" and (difference.share or 0.0) < 0
    verdict = "different" if effect.helped or slower else "equal" if difference.conclusion == "equal" else "cannot tell"
    return of_difference(
        difference,
        kind="effect",
        subject=effect.suspect.changed,
        test=test_title(ablation.row),
        figure=effect.figure.value,
        unit=unit_of(ablation.row),
        base="unchanged",
        base_figure=ablation.unchanged.value,
        verdict=verdict,
        runs=min(effect.figure.runs, ablation.unchanged.runs),
    )
