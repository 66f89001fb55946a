"""The best setup of each test: never a mean of tests that are unlike, and none of many that cannot be told apart."""

from raidtui.core.answer.best import by_test, in_brief, standings
from raidtui.core.answer.facts import Known
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from tests.builders import sweeps
from tests.builders.answers import repeated


def known(recipe: str = "levels-random-4k", chunk: tuple[str, ...] = ("64KiB",)) -> Known:
    """RAID 10 writes best of two, RAID 5 reads best."""
    rate = {("10", "randwrite"): 300.0, ("5", "randwrite"): 150.0, ("10", "randread"): 500.0, ("5", "randread"): 600.0}

    def rated(stage: Stage, trial: Trial) -> float:
        return rate.get((stage.setup.level, trial.rw), 100.0) if stage.setup else 100.0

    axes = tuple(Axes(level=(level,), chunk=chunk, first_sync=("skip",)) for level in ("10", "5"))
    made = sweeps.plan(recipe, 6, repeat=3, axes=axes)
    state = sweeps.state(made, repeated(rated))
    return Known(made, state, compare(made, state))


def test_reads_and_writes_have_a_best_each() -> None:
    facts = known()
    told = {part.conclusions[0].test: part.sentence for part in by_test(facts, facts.ranked)}
    assert told == {
        "Random 4K write": "random 4K write: RAID 10 n2 is fastest, 300 IOPS; less give RAID 5 150 IOPS",
        "Random 4K read": "random 4K read: RAID 5 is fastest, 600 IOPS; less give RAID 10 n2 500 IOPS",
    }


def test_of_each_level_its_best_setup_alone() -> None:
    facts = known(chunk=("4KiB", "64KiB"))
    (grid, *_) = facts.ranking.tests
    assert len(standings(grid, facts.ranked)) == 4
    assert [one.row.cell and one.row.cell.level for one in standings(grid, facts.ranked, True)] == ["10", "5"]


def test_in_brief_names_the_least_only_where_it_differs() -> None:
    facts = known(chunk=("4KiB", "64KiB"))
    grid = next(one for one in facts.ranking.tests if one.title == "Random 4K write")
    every = in_brief([grid], facts.ranked)
    alike = in_brief([grid], [one for one in facts.ranked if one.setup.level == "5"])
    assert every and every.sentence.startswith("random 4K write RAID 10 n2 ") and " and RAID 5 " in every.sentence
    assert alike and alike.sentence.endswith(" 150 IOPS, and no other can be told from it")
