"""The chunk, level by level: equal, different with the two chunks named, or nobody can tell."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered

PENALTY = {"0": 1, "10": 2, "5": 4, "6": 6}


def by_the_model(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return 100.0
    return 600.0 / (PENALTY[stage.setup.level] if trial.rw == "randwrite" else 1)


def test_chunks_that_do_the_same_do_not_matter() -> None:
    found = answered("levels-random-4k", 6, by_the_model)
    assert found.sentences[0] == "The chunk does not matter: at every level all chunks are equal within 3 %."
    gains = {(one.subject, one.test): one.ratio for one in found.conclusions if one.kind == "gain"}
    levels = ("RAID 0", "RAID 10 n2", "RAID 5", "RAID 6")
    assert [round(gains[level, "Random 4K write"] or 0.0, 1) for level in levels] == [6.0, 3.0, 1.5, 1.0]


def test_a_chunk_that_matters_is_named_with_its_level() -> None:
    def one_slow(stage: Stage, trial: Trial) -> float:
        slow = stage.setup and stage.setup.level == "5" and stage.setup.chunk == "4KiB" and trial.rw == "randread"
        return by_the_model(stage, trial) * (0.5 if slow else 1.0)

    (first, *_) = answered("levels-random-4k", 6, one_slow).sentences
    assert first.startswith("The chunk matters for random 4K read on RAID 5 (chunk ") and "over 4KiB: +10" in first
    assert "in 7 of 8 cases no difference can be told" in first


def test_one_chunk_alone_is_another_question() -> None:
    assert answered("levels-random-4k", 6, by_the_model, axes=Axes(chunk=("64KiB",))).kind == "levels"


def test_the_articles_share_names_the_level_that_it_is_of() -> None:
    chunks = ("4KiB", "64KiB")
    axes = tuple(Axes(level=(level,), chunk=chunks, first_sync=("skip",), filesystem=("xfs",)) for level in ("10", "5"))
    told = " ".join(answered("levels-random-4k", 6, by_the_model, axes=axes).sentences)
    assert "RAID 5 150 IOPS (1.5 times one disk, 50 % of RAID 10 n2, in the article 50 %)" in told
    assert "of RAID 0" not in told
    assert "with 4 in flight, too few to keep 6 disks busy, the median of all chunks" in told
