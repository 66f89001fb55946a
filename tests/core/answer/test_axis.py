"""One axis at a time: over all pairs that differ in nothing else, and only of setups that have it."""

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
    assert "The number of md's threads changes most random 4K write, 8 over 0: +100 %." in told
    assert "The stripe cache does not matter: equal within 3 %." in told
    assert "The chunk does not matter: equal within 3 %." in told or len(found.sentences) == 5
    bases = {(one.where, one.base) for one in found.conclusions if one.kind == "effect"}
    assert ("Threads", "0") in bases and ("Stripe cache, pages", "256") in bases
