"""Levels ranked: first what survives a failed disk, what cannot be told from it, and RAID 0 beside them by ratio."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered

ALL_DISKS = Axes(disks=(0,), stripe_cache_size=(256,))
RATES = {"0": 300.0, "1": 100.0, "4": 199.0, "5": 200.0, "10": 150.0}


def by_level(stage: Stage, trial: Trial) -> float:
    return RATES[stage.setup.level] if stage.setup else 100.0


def test_the_best_level_with_redundancy_comes_first_and_raid_0_is_no_candidate() -> None:
    found = answered("levels-sequential", 4, by_level, axes=ALL_DISKS)
    assert found.kind == "levels"
    assert found.sentences[0].startswith("Of the levels that survive a failed disk RAID 5 gives most: sequential write")
    assert "RAID 4 cannot be told from it" in found.sentences[0]
    assert "RAID 1 50 % less" in found.sentences[1] and "RAID 0" not in found.sentences[1]
    assert "Of RAID 0, which survives nothing, this is: RAID 5 67 % (in the article " in found.sentences[2]


def test_ranks_are_values_with_their_intervals() -> None:
    found = answered("levels-sequential", 4, by_level, axes=ALL_DISKS)
    ranks = [one for one in found.conclusions if one.kind == "rank" and one.subject == "RAID 1"]
    assert ranks[0].verdict == "different" and ranks[0].certainty == "interval"
    assert ranks[0].low and ranks[0].high and ranks[0].low < 0.5 < ranks[0].high
