"""One axis at a time: over all pairs that differ in nothing else, and only of setups that have it."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import alone, answered


def threaded(stage: Stage, trial: Trial) -> float:
    """Eight threads double random writes with parity; nothing else changes anything."""
    if stage.setup is None:
        return alone(trial, 400.0)
    return 400.0 * (2.0 if stage.setup.group_thread_cnt == 8 and trial.rw == "randwrite" else 1.0)


def test_each_setting_is_told_by_the_setups_that_have_it() -> None:
    found = answered("nvme-array", 4, threaded)
    assert found.question == "What do md's threads, its stripe cache and the chunk give?"
    told = " ".join(found.sentences)
    assert "Md's threads matters: 8 threads instead of 0 threads gives +100 % in random 4K write" in told
    assert "The stripe cache: no matter, every setup is equal within 3 %." in told
    assert {one.base for one in found.conclusions if one.kind == "effect"} >= {"0 threads", "stripe cache 256"}


def test_an_axis_that_does_another_thing_to_each_level_is_told_level_by_level() -> None:
    rate = {("10", 0): 268.0, ("10", 2000): 200.0, ("5", 0): 126.0, ("5", 2000): 100.0}

    def throttled(stage: Stage, trial: Trial) -> float:
        setup = stage.setup
        return rate[setup.level, setup.wbt_lat_usec] if setup and trial.rw == "randwrite" else 300.0  # type: ignore[index]

    axes = tuple(
        Axes(level=(level,), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(0, 2000)) for level in ("10", "5")
    )
    found = answered("levels-random-4k", 6, throttled, axes=axes)
    assert any(
        one.startswith(
            "Write throttling (wbt) matters: wbt 2 ms instead of wbt off gives -25 to -21 % in random 4K write on 2 of"
        )
        for one in found.sentences
    )
    table = next(one for one in found.tables if one.title.startswith("Wbt 2 ms instead of wbt off. "))
    assert table.lines == (
        ("RAID 10 n2", "200 instead of 268 (-25 %)"),
        ("RAID 5", "100 instead of 126 (-21 %)"),
    )
