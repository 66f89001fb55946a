"""The chunk, level by level: equal, different with the two chunks named, or nobody can tell."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import alone, answered

PENALTY = {"0": 1, "10": 2, "5": 4, "6": 6}


def by_the_model(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return alone(trial, disks=6)
    return 600.0 / (PENALTY[stage.setup.level] if trial.rw == "randwrite" else 1)


def test_chunks_that_do_the_same_do_not_matter() -> None:
    found = answered("levels-random-4k", 6, by_the_model)
    assert found.sentences[0] == "The chunk does not matter: at every level all chunks are equal within 3 %."
    (table,) = found.tables
    assert table.title == "What each level gives, the median of all chunks; shares are of RAID 0."
    writes = {line[0]: line[1] for line in table.lines}
    assert writes == {"one disk": "100", "RAID 0": "600", "RAID 10 n2": "300 (50 %)", "RAID 5": "150 (25 %)",
                      "RAID 6": "100 (17 %)"}  # fmt: skip


def test_a_chunk_that_matters_is_named_with_its_level() -> None:
    def one_slow(stage: Stage, trial: Trial) -> float:
        slow = stage.setup and stage.setup.level == "5" and stage.setup.chunk == "4KiB" and trial.rw == "randread"
        return by_the_model(stage, trial) * (0.5 if slow else 1.0)

    (first, *_) = answered("levels-random-4k", 6, one_slow).sentences
    assert (
        first.startswith("The chunk matters for random 4K read on RAID 5 (chunk ")
        and "over 4KiB: 600 instead of 300 IOPS (+100 %)" in first
    )
    assert "in 7 of 8 cases no difference can be told" in first


def test_one_chunk_alone_is_another_question() -> None:
    assert answered("levels-random-4k", 6, by_the_model, axes=Axes(chunk=("64KiB",))).kind == "levels"


def test_shares_are_of_the_first_level_and_of_a_short_queue_without_the_article() -> None:
    chunks = ("4KiB", "64KiB")
    axes = tuple(Axes(level=(level,), chunk=chunks, first_sync=("skip",), filesystem=("xfs",)) for level in ("10", "5"))
    found = answered("levels-random-4k", 6, by_the_model, axes=axes)
    (table,) = found.tables
    assert table.title.endswith("shares are of RAID 10 n2.") and ("RAID 5", "150 (50 %)", "600 (100 %)") in table.lines
    assert "article" not in " ".join(found.sentences)
    assert "4 requests in flight are too few to keep 6 disks busy" in " ".join(found.sentences)
    assert "has them do" not in " ".join(found.sentences)


def test_of_a_long_queue_the_articles_share_stands_beside() -> None:
    axes = tuple(Axes(level=(level,), chunk=("4KiB", "64KiB"), first_sync=("skip",)) for level in ("0", "6"))
    (table,) = answered("levels-random-4k", 6, by_the_model, variant="fair", axes=axes).tables
    assert ("RAID 6", "100 (17 %, article 17 %)", "600 (100 %, article 100 %)") in table.lines
