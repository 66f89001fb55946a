"""The values of recorded runs: every name of the tables has one or says why not, and they are the report's."""

import pytest

from raidtui.core import threshold
from raidtui.core.answer.acceptance import RunValues
from raidtui.core.run.state import RunState
from raidtui.core.threshold import OF_RUNS, OF_TESTS
from raidtui.demo.recording import load
from tests.replay import RUNS

RAID5 = load(RUNS / "raid5-of-3").view()


def values_of(run: RunValues, text: str) -> list[float | None]:
    return [value.value for value in run.values_of(threshold.parse(text))]


def test_every_name_of_the_tables_is_answered() -> None:
    run = RunValues(RAID5.plan, RAID5.state)
    every_value = list(run.every_value())
    assert [name for name, _, value in every_value if not value.of] == list(OF_RUNS)
    assert {name.rpartition(".")[2] for name, _, value in every_value if value.of} == set(OF_TESTS)
    assert all((value.value is None) is bool(value.why_not) for _, _, value in every_value)


@pytest.mark.parametrize("bs", [4096, 1 << 20])
def test_rates_are_the_rows_own_in_either_unit(bs: int) -> None:
    run = RunValues(RAID5.plan, RAID5.state)
    row = next(row for row in run.comparison.rows if row.bs_bytes == bs)
    (iops,), (mbps,) = (values_of(run, f"{row.job}.{name} < 1") for name in ("iops", "mbps"))
    assert iops and mbps and mbps == pytest.approx(iops * bs / 1e6)
    assert row.array.value in (iops, pytest.approx(mbps * 1e6))
    assert values_of(run, f"{row.job}.gain < 1") == [row.gain]


def test_a_run_that_measured_nothing_tells_no_zero() -> None:
    run = RunValues(RAID5.plan, RunState())
    assert values_of(run, "missing_tests > 0") == [len(RAID5.plan.trials)]
    assert values_of(run, "slow_disks > 0") == [None]  # nobody looked
    assert set(values_of(run, "*.gain < 1")) == {None}
    assert {value.why_not for value in run.values_of(threshold.parse("*.iops < 1"))} == {"this test was not measured"}


def test_what_a_screen_of_few_disks_cannot_see_is_said() -> None:
    (slow,) = RunValues(RAID5.plan, RAID5.state).values_of(threshold.parse("slow_disks > 0"))
    assert slow.value == 0 and "Of 3 disks" in slow.note
