"""The answer of an explanation: a question of its own, what a change proved with its figures, else that none did."""

import msgspec
import pytest

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.answer.conclusions import Conclusion
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from tests.builders.ablations import PLAN, THEORY, measured


def explained(state: RunState) -> Answer:
    return answer(PLAN, state, compare(PLAN, state))


def effects(found: Answer) -> dict[str, Conclusion]:
    return {one.subject: one for one in found.conclusions if one.kind == "effect"}


def test_the_cause_is_named_with_both_figures_and_the_next_step_is_its_advice_and_price() -> None:
    found = explained(measured({"wbt": 0.30, "bitmap": 0.01}, base=0.7 * THEORY))
    assert (found.kind, found.question) == ("explanation", "What holds this test back?")
    wbt = effects(found)["without write throttling"]
    assert (wbt.base, wbt.verdict) == ("unchanged", "different") and wbt.share and 1.2 < wbt.share < 1.4
    assert found.sentences[0].startswith("Random 4K write (-2")
    figures = f"{wbt.figure:.0f} instead of {wbt.base_figure:.0f} IOPS (+"
    assert f"the kernel's write throttling holds it back, {figures}" in found.sentences[0]
    assert found.sentences[0].endswith(" %) without write throttling.")
    assert effects(found)["without the bitmap"].verdict != "different"
    assert "write 0 to queue/wbt_lat_usec" in found.next.why and "its price: writes queue up" in found.next.why
    assert not found.next.command


@pytest.mark.parametrize(("share", "words", "next_words"), [
    (1.0, "nothing holds it back, it does what theory expects or more; none of 3 changes", "nothing is needed"),
    (0.6, "not explained; none of 3 changes makes it faster by more than chance", "measure each disk by itself"),
    (1.5, "it does more than theory expects, and why is not explained", "nothing is needed"),
])  # fmt: skip
def test_where_no_change_helps_no_cause_is_named(share: float, words: str, next_words: str) -> None:
    found = explained(measured({}, base=share * THEORY))
    assert words in found.sentences[0] and next_words in found.next.why


def test_what_a_change_makes_slower_is_no_cause_and_no_advice() -> None:
    found = explained(measured({"wbt": -0.3}, base=0.6 * THEORY))
    assert effects(found)["without write throttling"].verdict == "different"
    assert "not explained" in found.sentences[0] and "measure each disk by itself" in found.next.why


def test_a_run_that_explains_nothing_has_the_question_of_its_recipe() -> None:
    made = msgspec.structs.replace(PLAN, answers=msgspec.structs.replace(PLAN.answers, explain=()))
    state = measured({}, base=THEORY)
    assert answer(made, state, compare(made, state)).kind == "gain"
