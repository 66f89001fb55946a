"""What all disks at once make of the one that was measured alone."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import Plan
from raidtui.core.raid.ceilings import HostLimits
from raidtui.core.report.results import about_theory
from raidtui.core.results import expectation
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.expectation import Expectation
from raidtui.core.run.state import RunState
from raidtui.core.units import format_rate
from tests.builders import handmade

SLOW = {1: 0.7}


def row(plan: Plan, state: RunState, job: str) -> ResultRow:
    return next(row for row in compare(plan, state).rows if row.job == job)


def expected(job: str, slow: dict[int, float], *, each: bool = False, level: str = "5") -> Expectation:
    plan = handmade.plan(each=each, level=level)
    return row(plan, handmade.state(plan, slow), job).expected


@pytest.mark.parametrize("job, each", [("seq_write", 2 * 94e6), ("seq_read", 2 * 94.5e6)])
def test_an_array_is_expected_to_be_as_fast_as_its_typical_disk_and_the_slowest_is_named(job: str, each: float) -> None:
    equal, uneven = expected(job, {}), expected(job, SLOW)
    assert equal.slowest is None and equal.figure == pytest.approx(each)
    assert uneven.shares is None and uneven.figure == pytest.approx(each)
    slowest = uneven.slowest
    assert slowest and slowest.index == 1 and slowest.share == pytest.approx(0.7)
    assert slowest.figure == pytest.approx(0.7 * each)
    assert f"with the slowest disk, number 2 (0.70× the typical one): {format_rate(slowest.figure)}" in uneven.words


def test_disks_of_two_models_are_limited_by_the_slower_model() -> None:
    """Its typical disk: two of the other model are fast."""
    plan = handmade.plan(members=4)
    other = tuple(replace(one, model="other" if at > 1 else one.model) for at, one in enumerate(plan.members))
    mixed = replace(plan, members=other)
    state = handmade.state(plan, {2: 0.7, 3: 0.7})
    found = row(mixed, state, "seq_read").expected
    assert found.shares and found.shares.disk in (3, 4) and found.shares.share == pytest.approx(0.7)
    assert found.figure == pytest.approx(0.7 * (row(plan, handmade.state(plan, {}), "seq_read").predicted or 0.0))
    assert found.slowest is None


@pytest.mark.parametrize("job", ["rand_read", "rand_write"])
def test_random_tests_too_at_every_depth(job: str) -> None:
    found = expected(job, {1: 0.5})
    assert found.figure and found.slowest and found.slowest.figure / found.figure == pytest.approx(0.5, rel=0.01)


def test_a_limit_that_was_passed_limits_the_slowest_disk_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """An assumed host of 10 requests a second, of which 300 were measured."""
    monkeypatch.setattr(expectation, "host_limits", lambda *_: HostLimits(fio_s_per_operation=0.1))
    found = expected("rand_read", {1: 0.5})
    assert found.figure and found.figure > 100
    assert found.slowest and found.slowest.figure / found.figure == pytest.approx(0.5, rel=0.01)


def test_disks_that_do_not_wait_for_each_other_count_by_their_mean() -> None:
    uneven = expected("seq_read", {1: 0.4}, level="linear")
    assert uneven.shares and uneven.shares.disk is None and uneven.shares.share == pytest.approx(0.8)


@pytest.mark.parametrize("slow", [{1: 0.9}, {0: 0.9}])
def test_what_one_run_makes_of_equal_disks_corrects_nothing(slow: dict[int, float]) -> None:
    found = expected("seq_read", slow)
    assert found.shares is None and found.slowest is None


def test_a_few_requests_correct_nothing() -> None:
    plan = handmade.plan()
    short = handmade.state(plan, SLOW, members_rand_read={"runtime_ms": 500})
    found = row(plan, short, "rand_read").expected
    assert found.shares is None and found.slowest is None


def test_a_mix_and_disks_that_all_were_measured_alone_stay() -> None:
    for found in (expected("mix", {1: 0.3}), expected("seq_read", SLOW, each=True)):
        assert found.shares is None and found.slowest is None


def test_uncounted_disks_correct_nothing() -> None:
    plan = handmade.plan()
    state = handmade.state(plan, SLOW, members_seq_read={"disks": {}})
    found = row(plan, state, "seq_read").expected
    assert found.shares is None and found.slowest is None


def test_the_report_names_where_expected_values_come_from() -> None:
    plan = handmade.plan()
    rows = compare(plan, handmade.state(plan, {0: 0.7})).rows
    assert "alone, corrected by all disks at once where this is noted, and the model" in about_theory(rows, False)
    plain = [replace(one, expected=replace(one.expected, shares=None)) for one in rows]
    assert "corrected" not in about_theory(plain, False)
