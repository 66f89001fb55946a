"""Which depths one disk is measured at besides a job's own."""

import pytest

from raidtui import recipes
from raidtui.core.fio.job import Job
from raidtui.core.plan.baseline import depths_below, shallower_jobs
from tests.builders import sweeps


@pytest.mark.parametrize(
    "queue, depths", [(1, ()), (2, (1,)), (4, (1, 2)), (16, (1, 4)), (64, (1, 4, 16)), (512, (1, 8, 64))]
)
def test_depths_lie_at_even_ratios(queue: int, depths: tuple[int, ...]) -> None:
    assert depths_below(queue) == depths


def job(name: str, rw: str, iodepth: int, **more: str | int) -> Job:
    return Job(name=name, title=name.title(), fio={"rw": rw, "bs": "4k", "iodepth": iodepth, **more})


def test_random_jobs_alone_get_depths_and_none_twice() -> None:
    jobs = (job("w", "randwrite", 2, numjobs=2), job("seq", "read", 32), job("w1", "randwrite", 1))
    found = shallower_jobs(jobs)
    assert [(one.name, one.family, one.fio["iodepth"], one.fio["numjobs"]) for one in found] == [("w-at2", "w", 2, 1)]


def test_a_long_test_is_cut_short_and_batches_are_left_out() -> None:
    (found, *_) = shallower_jobs((job("w", "randrw", 32, runtime="600s", iodepth_batch_complete=16),))
    assert found.fio["runtime"] == "60s" and "iodepth_batch_complete" not in found.fio
    (short, *_) = shallower_jobs((job("w", "randrw", 32, runtime="6s"),))
    assert short.fio["runtime"] == "6s"


def test_the_first_member_alone_is_measured_at_them_once() -> None:
    plan = sweeps.plan("levels-random-4k", 6, repeat=2)
    found = [trial for trial in plan.trials if trial.family and trial.target == "member"]
    assert [(trial.job, trial.member, trial.iodepth, trial.repetition) for trial in found] == [
        (f"rand_{way}-at{depth}", 0, depth, 1) for way in ("write", "read") for depth in (1, 2)
    ]
    assert not recipes.load("quick").baseline_depths  # it keeps its twelve tests
