"""One axis at a time: over all pairs that differ in nothing else, and only of setups that have it."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered


def threaded(stage: Stage, trial: Trial) -> float:
    """Eight threads double random writes with parity; nothing else changes anything."""
    if stage.setup is None:
        return 100.0
    return 400.0 * (2.0 if stage.setup.group_thread_cnt == 8 and trial.rw == "randwrite" else 1.0)


def test_each_setting_is_told_by_the_setups_that_have_it() -> None:
    found = answered("nvme-array", 4, threaded)
    assert found.question == "What do md's threads, its stripe cache and the chunk give?"
    told = " ".join(found.sentences)
    assert "The number of md's threads changes most random 4K write, 8 over 0: +100 %; p99 is then 1.92 s" in told
    assert "Most and least: random 4K read RAID 5 chunk 64KiB cache 256 threads 8 400 IOPS, and no other can be" in told
    assert "The stripe cache does not matter: equal within 3 %." in told
    assert "The chunk does not matter: equal within 3 %." in told or len(found.sentences) == 5
    bases = {(one.where, one.base) for one in found.conclusions if one.kind == "effect"}
    assert ("Threads", "0") in bases and ("Stripe cache, pages", "256") in bases


def test_an_axis_that_does_another_thing_to_each_level_is_told_level_by_level() -> None:
    rate = {("10", 0): 268.0, ("10", 2000): 200.0, ("5", 0): 126.0, ("5", 2000): 100.0}

    def throttled(stage: Stage, trial: Trial) -> float:
        setup = stage.setup
        return rate[setup.level, setup.wbt_lat_usec] if setup and trial.rw == "randwrite" else 300.0  # type: ignore[index]

    axes = tuple(
        Axes(level=(level,), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(0, 2000)) for level in ("10", "5")
    )
    told = " ".join(answered("levels-random-4k", 6, throttled, axes=axes).sentences)
    assert (
        "The write throttling (wbt_lat_usec) changes most random 4K write, 2000 over off:"
        " with RAID 10 n2 -25 %, with RAID 5 -21 %" in told
    )
