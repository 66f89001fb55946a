"""Setups test by test: their order over the best of each, one of each level, and never a mean of reads and writes."""

import pytest

from raidtui.core.answer import standings
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from tests.builders import sweeps
from tests.builders.answers import alone, repeated


def known(chunk: tuple[str, ...] = ("64KiB",), rate: dict[tuple[str, str], float] | None = None) -> AnswerFacts:
    """RAID 10 writes best of two, RAID 5 reads best, but for those of another rate."""
    rates = {("10", "randwrite"): 300.0, ("5", "randwrite"): 150.0, ("10", "randread"): 500.0, ("5", "randread"): 600.0}
    rates |= rate or {}

    def rated(stage: Stage, trial: Trial) -> float:
        return rates.get((stage.setup.level, trial.rw), 100.0) if stage.setup else alone(trial, disks=6)

    axes = tuple(Axes(level=(level,), chunk=chunk, first_sync=("skip",)) for level in ("10", "5"))
    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=axes)
    state = sweeps.state(made, repeated(rated))
    return AnswerFacts(made, state, compare(made, state))


@pytest.mark.parametrize(
    ("rate", "writes", "reads"),
    [
        ({}, [("RAID 10 n2", ""), ("RAID 5", "different")], [("RAID 5", ""), ("RAID 10 n2", "different")]),
        (
            {("10", "randread"): 602.0},
            [("RAID 10 n2", ""), ("RAID 5", "different")],
            [("RAID 10 n2", ""), ("RAID 5", "equal")],
        ),
    ],
)
def test_reads_and_writes_have_an_order_each(
    rate: dict[tuple[str, str], float], writes: list[tuple[str, str]], reads: list[tuple[str, str]]
) -> None:
    facts = known(rate=rate)
    best = standings.best(facts, facts.ranked, "Setups", with_space=True)
    assert best and [[(rank.subject, rank.verdict) for rank in order] for order in best.orders] == [writes, reads]
    assert {(rank.base, rank.test, rank.unit) for order in best.orders for rank in order} == {
        (writes[0][0], "Random 4K write", "IOPS"),
        (reads[0][0], "Random 4K read", "IOPS"),
    }
    (mirrors, parity) = sorted(best.holds, key=lambda held: held.subject)
    assert (mirrors.survives, parity.survives) == (1, 1) and mirrors.raw == parity.raw == pytest.approx(6e12, rel=0.01)
    assert mirrors.figure == pytest.approx(3e12, rel=0.01) and parity.figure == pytest.approx(5e12, rel=0.01)


def test_a_table_has_the_figures_of_all_setups() -> None:
    facts = known()
    table = standings.table(facts, facts.ranked, None)
    assert table and table.columns == (("Random 4K write", "IOPS"), ("Random 4K read", "IOPS"))
    assert {row.name: tuple(cell.figure for (cell,) in row.cells) for row in table.rows} == {
        "RAID 10 n2": (300.0, 500.0),
        "RAID 5": (150.0, 600.0),
    }
    assert standings.table(facts, facts.ranked[:1], None) is None


def test_of_each_level_one_setup_as_the_base_is() -> None:
    facts = known(chunk=("4KiB", "64KiB"))
    (grid, *_) = facts.ranking.tests
    assert len(standings.places(grid, facts.ranked)) == 4
    base = next(one for one in facts.ranked if one.setup.level == "10" and one.setup.chunk == "4KiB")
    shown = standings.one_a_level(facts, facts.ranked, base)
    assert {(one.setup.level, one.setup.chunk) for one in shown} == {("10", "4KiB"), ("5", "4KiB")}
