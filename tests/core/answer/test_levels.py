"""Levels, test by test: what survives a failed disk, what cannot be told from it, and each over RAID 0."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import alone, answered

ALL_DISKS = Axes(disks=(0,), stripe_cache_size=(256,))
RATES = {"0": 400.0, "1": 100.0, "4": 199.0, "5": 200.0, "10": 150.0}


def by_level(stage: Stage, trial: Trial) -> float:
    return RATES[stage.setup.level] if stage.setup else alone(trial)


def test_each_test_names_its_best_level_with_redundancy_and_raid_0_is_no_candidate() -> None:
    found = answered("levels-sequential", 4, by_level, axes=ALL_DISKS)
    assert found.kind == "levels"
    assert found.sentences[0] == (
        "Of what survives a failed disk RAID 5 and RAID 4 are best in all 3 tests: sequential write, one stream"
        " 200 MB/s; sequential read, one stream 200 MB/s; sequential read, three streams 200 MB/s (RAID 5); small"
        " random requests were not measured. RAID 5 and RAID 4: 3.00 of 4.00 TB usable, any 1 disk may fail; others"
        " give instead: RAID 10 n3 (any 2 disks may fail) and RAID 1 (any 3 disks may fail)."
    )
    (table,) = found.tables
    assert (
        table.title
        == "What survives a failed disk, one setup a level. Shares are of RAID 0, the last here, which survives"
        " none. The article's are of 3 disks."
    )
    assert table.headers[1] == "Sequential write, one stream, MB/s"
    shown = {line[0]: line[1] for line in table.lines}
    assert (shown["RAID 0"], shown["RAID 4"], shown["RAID 10 n2"]) == ("400", "199 (50 %)", "150 (38 %)")
    assert list(shown)[-1] == "RAID 0"
    assert (shown["RAID 5"], shown["RAID 1"]) == ("200 (50 %, article 61 %)", "100 (25 %, article 32 %)")


def test_what_is_equal_for_reads_stands_beside_writes_in_no_average() -> None:
    def reads_alike(stage: Stage, trial: Trial) -> float:
        return by_level(stage, trial) if trial.rw == "write" else 300.0

    found = answered("levels-sequential", 4, reads_alike, axes=ALL_DISKS)
    assert (
        "Of what survives a failed disk RAID 5 and RAID 4 are best, or not told from the best, in all 3 tests:"
        " sequential write, one stream 200 MB/s; sequential read, one stream 300 MB/s (all equal within 3 %);"
        " sequential read, three streams 300 MB/s"
        " (all equal within 3 %) (RAID 5); small random requests were not measured."
    ) in found.sentences[0]
    assert "average" not in " ".join(found.sentences)


def test_a_base_that_is_itself_slow_says_so_beside_its_shares() -> None:
    def slow_base(stage: Stage, trial: Trial) -> float:
        return by_level(stage, trial) * (0.6 if stage.setup and stage.setup.level == "0" else 1.0)

    (table,) = answered("levels-sequential", 4, slow_base, axes=ALL_DISKS).tables
    shares_of, slow, of_theory = table.title.partition(" Where that is itself slow (60 % of theory in sequential")
    assert shares_of.endswith("one setup a level. Shares are of RAID 0, the last here, which survives none.") and slow
    no_shares = "A like test for which theory has no figure has no shares."
    assert of_theory.endswith(f"), they are of what theory has for it. {no_shares} The article's are of 3 disks.")
    assert dict((line[0], line[1]) for line in table.lines)["RAID 0"] == "240 (60 %)"


def test_ranks_are_values_with_their_intervals() -> None:
    found = answered("levels-sequential", 4, by_level, axes=ALL_DISKS)
    ranks = [one for one in found.conclusions if one.kind == "rank" and one.subject == "RAID 1"]
    assert ranks[0].verdict == "different" and ranks[0].certainty == "interval"
    assert ranks[0].low and ranks[0].high and ranks[0].low < 0.5 < ranks[0].high
