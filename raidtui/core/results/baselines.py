"""Passes of a run beside each other by their baselines; one that is off by over 5 % is measured once more."""

import math
from collections.abc import Sequence
from statistics import median

import msgspec

from raidtui.core.fio.job import directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.results.figure import value_of
from raidtui.core.results.numerics import fit
from raidtui.core.run.events import TrialsRepeated
from raidtui.core.run.state import RunState

OFF = 0.05
_FEWEST_BLOCKS = 3  # of which one can be told to be the odd one


class Block(msgspec.Struct, frozen=True):
    """One block: its baseline is 1 + `share` times the median of all, of two that of the other."""

    number: int
    share: float
    measured_again: bool

    @property
    def is_off(self) -> bool:
        return abs(self.share) > OFF


def blocks(plan: Plan, state: RunState) -> tuple[Block, ...]:
    """Each pass with a measured baseline; none of a single one. Over tests that several have: log = test +
    pass + rest.
    """
    tests: dict[tuple[str, str, int | None, DirectionName], dict[int, float]] = {}
    for trial in plan.trials:
        if trial.block and trial.target in ("member", "members") and (measured := state.measured(trial.id)):
            for direction_name in directions(trial.rw):
                if value := _figure(trial, measured, direction_name):
                    key = (trial.job, trial.target, trial.member, direction_name)
                    tests.setdefault(key, {})[trial.block] = math.log(value)
    block_effects = fit({i: test for i, test in enumerate(tests.values()) if len(test) > 1}, blocks=True).blocks
    repeated_blocks = {asked_again.block for asked_again in state.asked_again if asked_again.why == "baseline"}
    usual = median(block_effects.values()) if block_effects else 0.0
    times = 2 if len(block_effects) == 2 else 1  # of two the median lies half way to the other
    return tuple(
        Block(number, math.expm1(times * (effect - usual)), number in repeated_blocks)
        for number, effect in sorted(block_effects.items())
        if len(block_effects) > 1
    )


def _figure(trial: Trial, measured: Measurement, direction_name: DirectionName) -> float | None:
    return value_of(measured, direction_name, kind(trial.rw)) if measured.status == "ok" else None


def odd(plan: Plan, state: RunState) -> Block | None:
    """The block that is furthest off the others, by over 5 %, and was not measured once more yet."""
    compared = blocks(plan, state)
    off = [block for block in compared if block.is_off and not block.measured_again]
    if len(compared) < _FEWEST_BLOCKS:
        return None
    return max(off, key=lambda block: abs(math.log1p(block.share)), default=None)


def trials_of(plan: Plan, block: int) -> tuple[str, ...]:
    return tuple(trial.id for trial in plan.trials if trial.block == block)


def sentences(plan: Plan, state: RunState) -> list[str]:
    """What stands against comparing blocks: each that was measured once more, and each that is off yet."""
    compared = blocks(plan, state)
    again_sentences = [words(asked_again) for asked_again in state.asked_again if asked_again.why == "baseline"]
    if len(compared) < _FEWEST_BLOCKS:
        return again_sentences + _of_two(compared)
    return again_sentences + [
        f"without an array the disks of block {block.number} did {_more_words(block.share)} in the other blocks"
        + (", and again when repeated: it counts" if block.measured_again else "")
        for block in compared
        if block.is_off
    ]


def words(asked_again: TrialsRepeated) -> str:
    if asked_again.why == "stall":
        return "stalled for 1 s or more, measured again"
    did = f"without an array its disks did {_more_words(asked_again.share)} in the others"
    return f"block {asked_again.block} was measured again: {did}"


def _of_two(compared: Sequence[Block]) -> list[str]:
    off = [block for block in compared if block.is_off]
    if not off:
        return []
    difference = (
        f"without an array the disks of block {off[-1].number} did {_more_words(off[-1].share)} in the other block"
    )
    return [f"{difference}: one of the two was disturbed, which is unknown"]


def _more_words(share: float) -> str:
    return f"{100 * abs(share):.0f} % {'more' if share > 0 else 'less'} than"
