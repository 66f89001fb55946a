"""What limits a test, by its ablation: what a change proved or a counter shows, else that it is not explained."""

from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.sweeps import Part
from raidtui.core.answer.values import Effect, Explained, judged
from raidtui.core.results.ablation import Ablation, ArmEffect, of_run
from raidtui.core.results.analysis import test_title


def explanation(facts: AnswerFacts) -> Part:
    ablations = of_run(facts.plan, facts.state, facts.comparison)
    return Part([_explained(one) for one in ablations if one.unchanged.value is not None])


def _explained(one: Ablation) -> Explained:
    return Explained(
        test_title(one.row),
        one.deviation,
        tuple(_effect(one, effect) for effect in (*one.causes, *(e for e in one.effects if e not in one.causes))),
        tuple(effect.suspect.cause for effect in one.causes),
        one.evident,
        one.slow,
        one.above_expected,
        one.as_expected,
    )


def _effect(one: Ablation, effect: ArmEffect) -> Effect:
    """The test with one change over the unchanged one; different where that proves a cause, or makes it slower."""
    fields = judged(effect.throughput)
    slower = fields["verdict"] == "different" and (effect.throughput.share or 0.0) < 0
    verdict = "different" if effect.helped or slower else "equal" if fields["verdict"] == "equal" else "n.s."
    fields |= {"verdict": verdict}
    return Effect(
        subject=effect.suspect.changed,
        test=test_title(one.row),
        figure=effect.figure.value,
        unit=unit_of(one.row),
        base="unchanged",
        base_figure=one.unchanged.value,
        runs=min(effect.figure.runs, one.unchanged.runs),
        **fields,
    )
