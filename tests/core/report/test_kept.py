"""The recorded reports whose runs are kept: as the program writes them today, answered, and no table too wide."""

import pytest

from raidtui.core.answer.answer import MOST_SENTENCES, answer
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from tests.recordings.reports import kept

every_report = pytest.mark.parametrize("name", kept.names())


@every_report
def test_the_report_of_a_kept_run_stays_as_it_is(name: str) -> None:
    """Where it is changed on purpose: `python -m tests.recordings.reports.kept`."""
    text = markdown(*kept.load(name))
    assert text == (kept.HERE / f"{name}.md").read_text()
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert max(map(len, tables)) <= 100


@every_report
def test_its_answer_is_two_to_five_sentences_of_one_statistic(name: str) -> None:
    """Every share is the one that a reader makes of the two figures beside it, and lies in its own interval."""
    plan, state = kept.load(name)
    told = answer(plan, state, compare(plan, state))
    assert 2 <= len(told.sentences) <= MOST_SENTENCES + (told.conclusions[0].kind == "emulated")
    for conclusion in told.conclusions:
        if conclusion.kind not in ("effect", "rank") or not (conclusion.ratio and conclusion.share):
            continue
        assert conclusion.ratio == pytest.approx(conclusion.share, rel=0.003)
        if conclusion.low is not None and conclusion.high is not None:
            assert conclusion.low <= conclusion.share * 1.001 and conclusion.share <= conclusion.high * 1.001
            assert conclusion.verdict != "different" or not conclusion.low < 1 < conclusion.high
