"""Rounds in a report: a bar a round, and a sentence on how they ended."""

from raidtui.core.page.markdown import markdown
from raidtui.core.report.series import round_blocks
from raidtui.core.results.series.rounds import Rounds
from raidtui.core.results.steady import steady


def told(*figures: float | None) -> str:
    known = [one for one in figures if one is not None]
    found = Rounds(
        title="Writes",
        setup="RAID 0",
        kind="random",
        figures=figures,
        most_rounds=25,
        steady=steady(known),
        ended=False,
    )
    return markdown(round_blocks([found]))


def test_each_round_has_a_bar_and_one_without_a_figure_says_so() -> None:
    text = told(100.0, None, 50.0)
    assert "round 1" in text and "50.0 IOPS" in text and "no figure" in text
    assert "3 of at most 25 rounds: too few to tell whether it is steady." in text


def test_the_last_five_decide() -> None:
    assert "in steady state: the last 5 rounds range over 0 %" in told(900.0, *[100.0] * 5)
    assert "NOT in steady state" in told(*[100.0] * 4, 200.0)
    assert list(round_blocks([])) == []
