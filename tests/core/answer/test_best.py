"""The best setup of each test: never a mean of tests that are unlike, and none of many that cannot be told apart."""

from raidtui.core.answer.best import best, one_a_level, standings
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


def test_reads_and_writes_have_a_best_each_and_all_have_their_figures() -> None:
    facts = known()
    (part,) = best(facts, facts.ranked)
    assert part.sentence == "random 4K write: RAID 10 n2, 300 IOPS; random 4K read: RAID 5, 600 IOPS"
    assert part.table
    assert part.table.headers == ("Setup", "Random 4K write, IOPS", "Random 4K read, IOPS")
    assert set(part.table.lines) == {("RAID 10 n2", "300", "500"), ("RAID 5", "150", "600")}


def test_what_is_best_or_equal_everywhere_is_the_answer() -> None:
    facts = known(rate={("10", "randread"): 601.0})
    (part,) = best(facts, facts.ranked)
    assert part.sentence == (
        "RAID 10 n2 is best, or not told from the best, in both tests: random 4K write 300 IOPS; random 4K read"
        " 601 IOPS (all equal within 3 %)"
    )


def test_where_nothing_can_be_told_apart_no_winner_is_named() -> None:
    facts = known(rate={("10", "randread"): 600.0, ("10", "randwrite"): 150.0})
    (part,) = best(facts, facts.ranked)
    assert part.sentence == (
        "no setup can be told from another: random 4K write 150 to 150 IOPS; random 4K read 600 to 600 IOPS"
    )


def test_of_each_level_one_setup_as_the_base_and_the_base_is_named() -> None:
    facts = known(chunk=("4KiB", "64KiB"))
    (grid, *_) = facts.ranking.tests
    assert len(standings(grid, facts.ranked)) == 4
    base = next(one for one in facts.ranked if one.setup.level == "10" and one.setup.chunk == "4KiB")
    shown = one_a_level(facts, facts.ranked, base)
    assert {(one.setup.level, one.setup.chunk) for one in shown} == {("10", "4KiB"), ("5", "4KiB")}
    (part,) = best(facts, [one for one in facts.ranked if one.setup.level == "5"], "has parity", [base])
    assert part.sentence.startswith("of what has parity RAID 5 chunk 4KiB is best in both tests: ")
    assert part.table is None


def test_of_a_base_that_is_slow_itself_theory_is_the_measure() -> None:
    """RAID 0 writes and reads 20 % less than theory has; three streams have no theory, and no share."""
    rates = {("0", "write"): 240.0, ("0", "read"): 240.0, ("5", "write"): 200.0, ("5", "read"): 300.0}

    def rated(stage: Stage, trial: Trial) -> float:
        return rates[stage.setup.level, trial.rw] if stage.setup else alone(trial, disks=3)

    axes = tuple(Axes(level=(level,), chunk=("512KiB",), first_sync=("skip",)) for level in ("0", "5"))
    made = sweeps.plan("levels-sequential", 3, repeat=3, variant="fair", axes=axes)
    facts = AnswerFacts(made, state := sweeps.state(made, repeated(rated)), compare(made, state))
    safe = [ranked for ranked in facts.ranked if ranked.survives]
    bare = [ranked for ranked in facts.ranked if not ranked.survives]
    (part,) = best(facts, [*safe, *safe], "survives a failed disk", bare)
    assert part.table
    (heading, base, slow, none) = part.table.title.split(". ")
    assert (heading, base) == (
        "What survives a failed disk, one setup a level",
        "Shares are of RAID 0, the last here, which survives none",
    )
    assert slow.startswith("Where that is itself slow (80 % of theory in ")
    assert none == "A like test for which theory has no figure has no shares."
    columns = dict(zip(part.table.headers, zip(*part.table.lines, strict=True), strict=True))
    assert columns["Sequential read, one stream, MB/s"][-2:] == ("300 (100 %, article 67 %)", "240 (80 %)")
    assert columns["Sequential read, three streams, MB/s"][-2:] == ("300", "240")
    over = [conclusion for conclusion in part.conclusions if conclusion.base == "what theory has for RAID 0"]
    assert {conclusion.subject for conclusion in over} == {"RAID 0", "RAID 5"}
