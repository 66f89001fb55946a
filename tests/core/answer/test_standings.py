"""Setups test by test: their order over the best of each, one of each level, and never a mean of reads and writes."""

import pytest

from raidtui.core.answer import standings
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.plan.answers import Axes
from raidtui.core.results.analysis import compare
from tests.builders import sweeps
from tests.builders.answers import repeated
from tests.core.answer.golden import setups


def known(chunk: tuple[str, ...] = ("64KiB",), reads: float = 500.0) -> AnswerFacts:
    """RAID 10 writes best of two, RAID 5 reads best, but where RAID 10 reads as well."""
    rates = {("10", "randwrite"): 300.0, ("5", "randwrite"): 150.0, ("10", "randread"): reads, ("5", "randread"): 600.0}
    axes = tuple(Axes(level=(level,), chunk=chunk, first_sync=("skip",)) for level in ("10", "5"))
    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=axes)
    state = sweeps.state(made, repeated(setups(lambda setup, trial: rates[setup.level, trial.rw], disks=6)))
    return AnswerFacts(made, state, compare(made, state))


@pytest.mark.parametrize("reads, verdict", [(500.0, "different"), (602.0, "equal")])
def test_reads_and_writes_have_an_order_each(reads: float, verdict: str) -> None:
    facts = known(reads=reads)
    best = standings.best(facts, facts.ranked, "Setups", with_space=True)
    assert best and [rank.subject for rank in best.orders[0]] == ["RAID 10 n2", "RAID 5"]
    assert [rank.subject for rank in best.orders[1]] == sorted(["RAID 10 n2", "RAID 5"], reverse=reads < 600)
    assert [[rank.verdict for rank in order] for order in best.orders] == [["", "different"], ["", verdict]]
    assert all(rank.base == order[0].subject and rank.unit == "IOPS" for order in best.orders for rank in order)
    holds = {
        held.subject: (held.survives, round((held.figure or 0) / 1e12), round(held.raw / 1e12)) for held in best.holds
    }
    assert holds == {"RAID 10 n2": (1, 3, 6), "RAID 5": (1, 5, 6)}
    table = standings.table(facts, facts.ranked, None)
    assert table and table.columns == (("Random 4K write", "IOPS"), ("Random 4K read", "IOPS"))
    figures = {row.name: tuple(cell.figure for (cell,) in row.cells) for row in table.rows}
    assert figures == {"RAID 10 n2": (300.0, pytest.approx(reads)), "RAID 5": (150.0, 600.0)}
    assert standings.table(facts, facts.ranked[:1], None) is None


def test_of_each_level_one_setup_as_the_base_is() -> None:
    facts = known(chunk=("4KiB", "64KiB"))
    assert len(standings.placed(facts.ranking.tests[0], facts.ranked)) == 4
    base = next(one for one in facts.ranked if one.setup.level == "10" and one.setup.chunk == "4KiB")
    shown = standings.one_a_level(facts, facts.ranked, base)
    assert {(one.setup.level, one.setup.chunk) for one in shown} == {("10", "4KiB"), ("5", "4KiB")}
