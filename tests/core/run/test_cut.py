"""The power cut of a proof, as its journal has it."""

from raidtui.core.run import events
from raidtui.core.run.power_cut import PowerCut
from raidtui.core.run.state import fold_all

BEGAN = events.PowerCutAwaited(at_s=2.0, tag="ab", boot_id="first")
STEP = events.StepStarted(at_s=1.0, stage=0, what="", line="", role="power-cut")


def folded(*told: events.AnyEvent) -> PowerCut | None:
    return fold_all([STEP, *told]).cut


def test_a_boot_while_they_go_on_may_be_a_power_cut() -> None:
    cut = folded(BEGAN)
    assert cut and cut.may_be_cut("second") and not cut.may_be_cut("first")
    cut = folded(BEGAN, events.StepEnded(at_s=3.0, what="", error="stopped"))
    assert cut and not cut.may_be_cut("second")


def test_what_the_witness_has_and_what_was_found() -> None:
    answered = events.PowerCutAnswered(at_s=4.0, acknowledged=7)
    cut = folded(BEGAN, answered)
    assert cut and (cut.acknowledged, cut.found_at_s, cut.is_skipped) == (7, 0.0, False)
    cut = folded(BEGAN, answered, events.PowerCutAnswered(at_s=9.0, acknowledged=7, found=5))
    assert cut and (cut.found, cut.found_at_s) == (5, 9.0)
    cut = folded(BEGAN, events.PowerCutAnswered(at_s=4.0, acknowledged=0))
    assert cut and cut.is_skipped
    assert folded(answered) is None


def test_of_an_array_that_was_created_anew_there_is_none() -> None:
    created = events.StepStarted(at_s=5.0, stage=0, what="", line="", role="create", array="uuid")
    assert folded(BEGAN, created) is None
