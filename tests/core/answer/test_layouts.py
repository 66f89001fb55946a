"""Separate disks or RAID 0 by file system, with the article's ratio beside; the best, and the tail."""

import msgspec
import pytest

from raidtui.core.answer.answer import answer
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import TrialState
from tests.builders import sweeps
from tests.builders.answers import alone, answered
from tests.recordings.reports import kept


def as_published(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return 30_000.0 if trial.target == "member" else 120_000.0
    return {"jbod": 66370.0, "0": 46461.0, "10": 30000.0}.get(stage.setup.level, 25000.0)


def test_the_verdict_stands_in_the_first_sentence_and_the_figures_in_a_table() -> None:
    found = answered("jbod-vs-raid0", 4, as_published, flash=True)
    assert found.sentences[0] == (
        "Separate disks or RAID 0: separate disks are faster, +43 % (a failed disk takes its own files"
        " with it, of RAID 0 all files); file systems: equal within 3 %; instead of RAID 0"
        " RAID 10 n2 gives -35 %."
    )
    assert found.sentences[1] == "The article (JBOD vs RAID, Al Tobey, 2014) has about the same."
    (table,) = found.tables
    assert dict((line[0], line[1]) for line in table.lines)["xfs"] == "46.5k and 32.5k (+43 %)"


def longest_waits(most_ms: dict[str, float]) -> tuple[str, ...]:
    """The sentences of a run in which the longest request on each level took so long, on others 100 ms."""
    made = sweeps.plan("jbod-vs-raid0", 4, flash=True)
    state = sweeps.state(made, as_published)
    level = {trial.id: stage.setup.level for stage in made.stages if stage.setup for trial in stage.trials}

    def late(one: TrialState) -> TrialState:
        told = one.measurement
        if told is None or told.read is None:
            return one
        read = msgspec.structs.replace(told.read, lat_max_ns=1e6 * most_ms.get(level.get(one.trial, ""), 100.0))
        return msgspec.structs.replace(one, measurement=msgspec.structs.replace(told, read=read))

    told = msgspec.structs.replace(state, trials=tuple(map(late, state.trials)))
    return answer(made, told, compare(made, told)).sentences


def test_the_tail_is_the_longest_wait_layout_by_layout() -> None:
    told = " ".join(longest_waits({"jbod": 771.0, "0": 1270.0, "10": 335.0}))
    assert (
        "The longest wait of each layout: btrfs single 100 ms (mean 5.12 ms), btrfs RAID 10 100 ms (mean 5.12 ms),"
        " RAID 10 n2 ext4 335 ms (mean " in told
    )


def test_shares_are_of_the_medians_and_a_longest_wait_stands_beside_its_own_mean() -> None:
    """Of RAID 0 ext4 waits longest, and xfs has the longer mean."""
    plan, state = kept.load("jbod-vs-raid0")
    _, _, first, tail, *_ = answer(plan, state, compare(plan, state)).sentences
    assert "file systems: no difference can be told (at most +9 %, xfs over ext4 on RAID 10 n2)" in first
    assert tail.endswith(
        "RAID 0 ext4 1.27 s (mean 120 ms) (each in random 4K, half reads (writes)); what is not to be relied on is left"
        " out."
    )
    conclusions = answer(plan, state, compare(plan, state)).conclusions
    (effect,) = [one for one in conclusions if (one.subject, one.base, one.where) == ("xfs", "ext4", "RAID 10 n2")]
    assert effect.share == pytest.approx(464.4 / 427.7, rel=1e-3)


def test_equal_layouts_are_no_winner_and_the_article_is_not_confirmed() -> None:
    found = answered("jbod-vs-raid0", 4, lambda stage, trial: 1000.0 if stage.setup else alone(trial, 1000), flash=True)
    assert found.sentences[0].startswith("Separate disks or RAID 0: equal within 3 % (a failed disk")
    assert "The article (JBOD vs RAID, Al Tobey, 2014) has random 4K, half reads (" in " ".join(found.sentences)
    assert " +43.6 % (separate disks instead of RAID 0), here +0 %; all 4 that are compared differ." in " ".join(
        found.sentences
    )


def test_one_file_system_for_and_one_against_is_said() -> None:
    def mixed(stage: Stage, trial: Trial) -> float:
        ahead = stage.setup and stage.setup.level == "jbod" and stage.setup.filesystem == "xfs"
        return (2000.0 if ahead else 1000.0) if stage.setup else alone(trial, 1000)

    assert "that depends on the file system" in answered("jbod-vs-raid0", 4, mixed, flash=True).sentences[0]


def test_the_file_systems_furthest_apart_stand_in_the_first_sentence() -> None:
    def slower(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return alone(trial, 1000)
        return 800.0 if (stage.setup.level, stage.setup.filesystem) == ("jbod", "ext4") else 1000.0

    (first, *_) = answered("jbod-vs-raid0", 4, slower, flash=True).sentences
    assert "; file systems: at most +25 %, " in first and " over ext4 on JBOD, random 4K, half reads (" in first
