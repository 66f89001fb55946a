"""The recorded reports whose runs are kept: as the program writes them today, answered, and no table too wide."""

import re

import pytest

from raidtui.core.answer.answer import answer
from raidtui.core.answer.values import AxisChoice, Effect, Rank
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from tests.recordings.reports import kept

every_report = pytest.mark.parametrize("name", kept.names())


@every_report
def test_the_report_of_a_kept_run_stays_as_it_is(name: str) -> None:
    """Where it is changed on purpose: `python -m tests.recordings.reports.kept`."""
    text = markdown(*kept.load(name))
    assert text == (kept.HERE / f"{name}.md").read_text()
    assert not re.search(r"\{(name|uuid):", text), "a place for a UUID in place of the run's own"
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert max(map(len, tables)) <= 100


WITHOUT_SHARES = {"flash-steady-state", "latency-at-load", "quick-12", "raid0-gain", "sync-writes"}


@every_report
def test_its_answer_is_of_one_statistic(name: str) -> None:
    """Every share is the one that a reader makes of the two figures beside it, and lies in its own interval."""
    plan, state = kept.load(name)
    told = answer(plan, state, compare(plan, state))
    cells = [value for row in (told.table.rows if told.table else ()) for of in row.cells for value in of]
    effects = [effect for found in told.findings if isinstance(found, AxisChoice) for effect in found.effects]
    shares = 0
    for over in (*effects, *(value for value in cells if isinstance(value, Effect | Rank))):
        if not (over.ratio and over.share):
            continue
        shares += 1
        assert over.ratio == pytest.approx(over.share, rel=0.003)
        if over.low is not None and over.high is not None:
            assert over.low <= over.share * 1.001 and over.share <= over.high * 1.001
            assert over.verdict != "different" or not over.low < 1 < over.high
    assert bool(shares) == (name not in WITHOUT_SHARES)
