"""Separate disks or RAID 0 by file system, with the article's ratio beside; the best, and the tail."""

from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered


def as_published(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return 30_000.0 if trial.target == "member" else 120_000.0
    return {"jbod": 66370.0, "0": 46461.0, "10": 30000.0}.get(stage.setup.level, 25000.0)


def test_the_verdict_and_its_ratio_stand_in_the_first_sentence() -> None:
    found = answered("jbod-vs-raid0", 4, as_published, flash=True)
    assert found.sentences[0].startswith("Separate disks or RAID 0: separate disks are faster; ")
    assert found.sentences[0].count("reads +43 % (article +4") == found.sentences[0].count("writes +43 % (article") == 2
    assert found.sentences[1].startswith("Most of all gives JBOD ")
    assert "of what survives a failed disk RAID 10 n2 " in found.sentences[1]
    assert "RAID 10 n2 ext4: random 4K, half reads 21.0k IOPS reads and 9000 IOPS writes" in found.sentences[1]


def test_equal_layouts_are_no_winner() -> None:
    found = answered("jbod-vs-raid0", 4, lambda stage, trial: 1000.0, 1, flash=True)
    assert "neither is faster, as far as these runs can tell" in found.sentences[0]


def test_one_file_system_for_and_one_against_is_said() -> None:
    def mixed(stage: Stage, trial: Trial) -> float:
        ahead = stage.setup and stage.setup.level == "jbod" and stage.setup.filesystem == "xfs"
        return 2000.0 if ahead else 1000.0

    assert "that depends on the file system" in answered("jbod-vs-raid0", 4, mixed, flash=True).sentences[0]
