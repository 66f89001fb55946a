"""The answer of an explanation: a question of its own, what a change proved with its figures, else that none did."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer.values import Explained
from tests.builders.ablations import PLAN, THEORY, measured
from tests.core.answer.golden import answer_of, of_kind


@pytest.mark.parametrize(
    "effects, base, proven, verdicts, above, as_expected",
    [
        ({"wbt": 0.30, "bitmap": 0.01}, 0.7, 1, {"without wbt": "different"}, False, False),
        ({}, 1.0, 0, {}, False, True),
        ({}, 0.6, 0, {}, False, False),
        ({}, 1.5, 0, {}, True, True),
        ({"wbt": -0.3}, 0.6, 0, {"without wbt": "different"}, False, False),  # slower: no cause
    ],
)
def test_a_cause_is_what_makes_it_faster(
    effects: dict[str, float], base: float, proven: int, verdicts: dict[str, str], above: bool, as_expected: bool
) -> None:
    state = measured(effects, base=base * THEORY)
    found = answer_of((PLAN, state))
    assert found.kind == "explanation" and found.next.does == ""
    (told,) = of_kind(found, Explained)
    assert (told.test, len(told.proven), len(told.effects)) == ("Random 4K write", proven, 3)
    assert (told.above_expected, told.as_expected) == (above, as_expected)
    assert told.deviation == pytest.approx(base - 1, abs=0.08)
    assert {one.subject: one.verdict for one in told.effects if one.verdict == "different"} == verdicts
    for effect in told.effects:
        assert effect.base == "unchanged" and effect.unit == "IOPS" and effect.runs == 5
        if effect.subject in verdicts:
            assert effect.share == pytest.approx(1 + effects["wbt"], abs=0.08)
            assert effect is told.effects[0] or not proven
            assert effect.figure and effect.base_figure and (effect.figure > effect.base_figure) is bool(proven)


def test_a_run_that_explains_nothing_has_the_question_of_its_recipe() -> None:
    made = replace(PLAN, answers=replace(PLAN.answers, explain=()))
    state = measured({}, base=THEORY)
    assert answer_of((made, state)).kind == "gain"
