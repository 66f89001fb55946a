"""What all disks at once make of the one that was measured alone."""

import msgspec
import pytest

from raidtui.core.plan.model import Plan
from raidtui.core.report.results import about_theory
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.expectation import Expectation
from raidtui.core.run.state import RunState
from tests.builders import handmade

SLOW = {1: 0.7}


def row(plan: Plan, state: RunState, job: str) -> ResultRow:
    return next(row for row in compare(plan, state).rows if row.job == job)


def expected(job: str, slow: dict[int, float], *, each: bool = False, level: str = "5") -> Expectation:
    plan = handmade.plan(each=each, level=level)
    return row(plan, handmade.state(plan, slow), job).expected


@pytest.mark.parametrize(("job", "each"), [("seq_write", 2 * 94e6), ("seq_read", 2 * 94.5e6)])
def test_an_array_is_expected_to_be_as_fast_as_its_weakest_disk_at_once(job: str, each: float) -> None:
    equal, uneven = expected(job, {}), expected(job, SLOW)
    assert equal.shares is None and equal.figure == pytest.approx(each)
    assert uneven.shares and uneven.figure == pytest.approx(0.7 * each)
    assert (uneven.shares.weakest, uneven.shares.disks, uneven.shares.alone) == (2, 3, 1)
    assert "expected uses the weakest of 3 disks, disk 2 (0.70× disk 1, all at once)" in uneven.words


@pytest.mark.parametrize("job", ["rand_read", "rand_write"])
def test_random_tests_too_at_every_depth(job: str) -> None:
    equal, uneven = expected(job, {}).figure, expected(job, {1: 0.5}).figure
    assert equal and uneven and uneven / equal == pytest.approx(0.5, rel=0.01)


def test_disks_that_do_not_wait_for_each_other_count_by_their_mean() -> None:
    uneven = expected("seq_read", {1: 0.4}, level="linear")
    assert uneven.shares and uneven.shares.weakest is None and uneven.shares.share == pytest.approx(0.8)


@pytest.mark.parametrize("slow", [{1: 0.9}, {0: 0.9}])
def test_what_one_run_makes_of_equal_disks_corrects_nothing(slow: dict[int, float]) -> None:
    assert expected("seq_read", slow).shares is None


def test_a_few_requests_correct_nothing() -> None:
    plan = handmade.plan()
    short = handmade.state(plan, SLOW, members_rand_read={"runtime_ms": 500})
    assert row(plan, short, "rand_read").expected.shares is None


def test_a_mix_and_disks_that_all_were_measured_alone_stay() -> None:
    assert expected("mix", {1: 0.3}).shares is None
    assert expected("seq_read", SLOW, each=True).shares is None


def test_uncounted_disks_correct_nothing() -> None:
    plan = handmade.plan()
    state = handmade.state(plan, SLOW, members_seq_read={"disks": {}})
    assert row(plan, state, "seq_read").expected.shares is None


def test_the_report_names_where_expected_values_come_from() -> None:
    plan = handmade.plan()
    rows = compare(plan, handmade.state(plan, SLOW)).rows
    assert "alone, corrected by all disks at once where this is noted, and the model" in about_theory(rows, False)
    plain = [msgspec.structs.replace(one, expected=msgspec.structs.replace(one.expected, shares=None)) for one in rows]
    assert "corrected" not in about_theory(plain, False)
