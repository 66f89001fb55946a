"""Members that hold the others back, and from where on one is slow."""

from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.results.analysis import compare
from raidtui.core.results.outliers import slow_margin
from tests.builders import handmade

PLAN = handmade.plan()


def test_a_slow_disk_shows_when_all_run_at_once() -> None:
    comparison = compare(PLAN, handmade.state(PLAN, {1: 0.8}))
    assert {one.member for one in comparison.slow_members} == {1}
    assert comparison.slow_members[0].serial == "WD-1"
    assert not compare(PLAN, handmade.state(PLAN, {1: 0.98})).slow_members


def test_a_member_is_judged_by_the_median_of_its_repetitions() -> None:
    """One slow repetition of three makes no slow disk; two of three do."""
    plan = handmade.plan(each=True, repeat=3)
    names = ["member2-seq_read", "member2-seq_read-2", "member2-seq_read-3"]
    odd = {}
    for slow in (1, 2):
        trial = plan.trial(names[slow - 1])
        assert trial
        odd[trial.id.replace("-", "_")] = {"read": handmade.measurement(trial, 70).read}
        found = compare(plan, handmade.state(plan, **odd)).slow_members
        assert [(one.serial, one.direction) for one in found] == [("WD-2", "read")] * (slow - 1)


def test_a_member_below_by_three_deviations_is_named_before_it_is_below_by_15_percent() -> None:
    plan = handmade.plan(members=5, each=True)
    odd = {}
    for member, rate in enumerate((100.0, 101.0, 100.5, 99.5, 90.0)):
        trial = plan.trial(f"member{member}-seq_read")
        assert trial
        odd[trial.id.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read}
    found = compare(plan, handmade.state(plan, **odd)).slow_members
    assert [(one.serial, one.job) for one in found] == [("WD-4", "Sequential read")]


@given(st.lists(st.floats(1, 1e9), min_size=1, max_size=30))
def test_the_margin_of_slow_is_between_8_and_15_percent(rates: list[float]) -> None:
    ordered = sorted(rates)
    middle = (ordered[(len(rates) - 1) // 2] + ordered[len(rates) // 2]) / 2
    assert 0.0799 * middle <= slow_margin(rates) <= 0.1501 * middle
