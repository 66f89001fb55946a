"""Bounds of a proof in a plan file: states, spans, tags and members that its readers count on."""

import re

from raidtui.core.plan.model import Stage
from raidtui.core.proof.pattern import PatternSpan, ProofPlan, ProofState

_TAG = re.compile(r"(?:[0-9a-f]{8}|\{name:[0-9]{1,5}\}){2}")
_DEVICES = ("{array}", "{array:1}", "{volume}", "{held}")


def check(stage: Stage, members: int) -> None:
    """ValueError, one sentence."""
    proof = stage.proof
    states = len(proof.states) if proof else 0
    for trial in stage.trials:
        if not 0 <= trial.state <= states:
            raise ValueError(f"a trial is of state {trial.state}, and its proof has {states}")
    if proof:
        _check(proof, len(stage.steps), members)


def _check(proof: ProofPlan, steps: int, members: int) -> None:
    if proof.device not in _DEVICES:
        raise ValueError("its proof is of no array, volume or file of the run")
    if not proof.states or not proof.tags or not all(map(_TAG.fullmatch, proof.tags)):
        raise ValueError("its proof has no states, or no tags of 16 digits")
    if not 0 < proof.share <= 1 or not 0 <= proof.first <= steps:
        raise ValueError(f"its proof is of a share of {proof.share:g}, from step {proof.first} of {steps} on")
    for number, state in enumerate(proof.states, 1):
        is_cut = bool(proof.witness) and number == len(proof.states)
        if is_cut == bool(state.spans) or not _is_out_possible(state, members):
            raise ValueError(f"state {number} of its proof has impossible spans or members")
        if not all(_is_possible(span, len(proof.tags)) for span in state.spans):
            raise ValueError(f"state {number} of its proof has a span that cannot be")


def _is_out_possible(state: ProofState, members: int) -> bool:
    return len(set(state.out)) == len(state.out) and all(0 <= index < members for index in state.out)


def _is_possible(span: PatternSpan, tags: int) -> bool:
    places = (span.begin_bytes, span.zone_bytes, span.skip_bytes)
    zones = span.zone_bytes > 0 or not span.skip_bytes
    return 0 <= span.tag < tags and min(places) >= 0 and zones and 0 < span.written_bytes <= span.size_bytes
