"""Figures over the model's: how close, and the limit of those that differ by the counters alone."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer.expected import model
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.values import Expected, Model
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.results.analysis import compare
from raidtui.core.results.deviation import BusyDisk, Cause, Shared
from raidtui.demo.recording import load
from tests.builders.answers import answered
from tests.core.answer.golden import measured, of_kind
from tests.replay import RUNS

RECORDED = load(RUNS / "raid5-of-3")


ONCE = [(0.8, 1, "below"), (0.87, 1, "n.s."), (1.0, 1, "n.s.")]
REPEATED = [(0.8, 5, "below"), (1.0, 5, "as expected"), (1.25, 5, "above")]


@pytest.mark.parametrize("share, repeat, closeness", [*ONCE, *REPEATED])
def test_a_single_run_is_never_surely_as_expected_and_differs_from_15_percent_on(
    share: float, repeat: int, closeness: str
) -> None:
    rate = {"member": 100.0, "members": 300.0 * max(1.0, share), "array": 300 * share}
    (found,) = of_kind(answered("raid0-gain", 3, lambda stage, trial: rate[trial.target], repeat), Model)
    sequential = [value for value in found.figures if value.test.startswith("Sequential")]
    assert {value.closeness for value in sequential} == {closeness} and not found.setups
    for value in sequential:
        assert value.base == "expected"
        assert value.ratio == pytest.approx(share, rel=0.01) and value.base_figure == pytest.approx(300e6, rel=0.01)
    assert all(
        (value.test in {off.test for off in found.off}) is (closeness in ("below", "above")) for value in sequential
    )


def recorded(cause: Cause | None = None, slow_disk: bool = False) -> Expected:
    """What limits random writes of the recorded RAID 5: with another cause, or with a disk at its limit."""
    plan, state = RECORDED.plan, RECORDED.view().state
    if slow_disk:
        slow = plan.disks[1].id
        busy = DiskRates(4096.0, 4096.0, util=1.0)
        state = measured(state, lambda _, taken: {"disks": taken.disks | ({slow: busy} if slow in taken.disks else {})})
    comparison = compare(plan, state)
    rows = tuple(
        replace(row, causes=replace(row.causes, evident=(cause,))) if cause and row.job == "rand_write" else row
        for row in comparison.rows
    )
    found = model(AnswerFacts(plan, state, replace(comparison, rows=rows)))
    assert found
    return next(value for value in found.off if value.test == "Random 4K write")


def test_disks_that_idle_are_not_the_limit_but_for_a_disk_that_all_wait_for() -> None:
    plain, waiting, shared = recorded(), recorded(BusyDisk("WD-0", 0.98, 0.4, 0.5)), recorded(Shared(0.87))
    assert plain.closeness == "below" and plain.limits == ()
    for idle in (plain, shared):
        assert idle.idle == pytest.approx(0.10, abs=0.01)
    assert plain.above == shared.above == ("file system", "md", "CPU")
    assert waiting.above == () and waiting.idle is None  # a disk at its limit is not idle
    assert (waiting.limits, shared.limits) == ((BusyDisk("WD-0", 0.98, 0.4, 0.5),), (Shared(0.87),))
    slow = recorded(slow_disk=True)  # it does what it can, and the others wait for it
    assert slow.idle is None and slow.above == ()


@pytest.mark.parametrize(
    "intervals, noise",
    [([(0.8, 0.8 * 1.21)], (1.1, 1.1)), ([(0.9, 0.91), (1.0, 1.44)], (1.05, 1.2)), ([(None, None)], (1.05, 1.05))],
)
def test_noise_is_5_percent_or_half_the_interval_of_each_result(
    intervals: list[tuple[float | None, float | None]], noise: tuple[float, float]
) -> None:
    found = Model(tuple(Expected(low=low, high=high, ratio=1.0) for low, high in intervals))
    assert found.noise == pytest.approx(noise)
