"""Levels, test by test: what survives a failed disk, what cannot be told from it, and each over RAID 0."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered

ALL_DISKS = Axes(disks=(0,), stripe_cache_size=(256,))
RATES = {"0": 300.0, "1": 100.0, "4": 199.0, "5": 200.0, "10": 150.0}


def by_level(stage: Stage, trial: Trial) -> float:
    return RATES[stage.setup.level] if stage.setup else 100.0


def test_each_test_names_its_best_level_with_redundancy_and_raid_0_is_no_candidate() -> None:
    found = answered("levels-sequential", 4, by_level, axes=ALL_DISKS)
    assert found.kind == "levels"
    first = found.sentences[0]
    assert first.startswith(
        "Sequential write, one stream: of what survives a failed disk RAID 5 is fastest, 200 MB/s (67 % of RAID 0, in"
    )
    assert "; RAID 4 199 MB/s (66 %) cannot be told from it; less give RAID 10 n2 150 MB/s (50 %)" in first
    assert "RAID 1 100 MB/s (33 %, article 32 %)" in first


def test_what_is_equal_for_reads_stands_beside_writes_in_no_average() -> None:
    def reads_alike(stage: Stage, trial: Trial) -> float:
        return by_level(stage, trial) if trial.rw == "write" else 300.0

    found = answered("levels-sequential", 4, reads_alike, axes=ALL_DISKS)
    assert found.sentences[0].startswith(
        "Sequential write, one stream: of what survives a failed disk RAID 5 is fastest"
    )
    assert all("of what survives a failed disk no setup can be told" in one for one in found.sentences[1:3])
    assert "average" not in " ".join(found.sentences)


def test_ranks_are_values_with_their_intervals() -> None:
    found = answered("levels-sequential", 4, by_level, axes=ALL_DISKS)
    ranks = [one for one in found.conclusions if one.kind == "rank" and one.subject == "RAID 1"]
    assert ranks[0].verdict == "different" and ranks[0].certainty == "interval"
    assert ranks[0].low and ranks[0].high and ranks[0].low < 0.5 < ranks[0].high
