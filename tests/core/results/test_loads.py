"""Latency by offered rate: shares of what was done peak in this run, and the rate up to which p99 holds."""

import msgspec
import pytest

from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.steps import Command, shell
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.series import Loads, OfferedRate, loads
from tests.builders import sweeps

MADE = sweeps.plan("latency-at-load", 4, level="10", first_sync="skip")


def rate(_: Stage, trial: Trial) -> float:
    return 4000.0 if not trial.share_of else 40.0 * int(str(trial.varied["rate_iops"]).removesuffix("%"))


def test_the_plan_asks_for_shares_of_a_trial_of_the_same_stage() -> None:
    commands = [step for step in MADE.stages[-1].steps if isinstance(step, Command) and step.trial]
    rates = [word for step in commands for word in step.argv if word.startswith("--rate_iops")]
    assert rates[0] == "--rate_iops={rate:s1-read_flat_out:10:1}"
    assert rates[-1] == "--rate_iops={rate:s1-write_flat_out:100:1}" and len(rates) == 20
    assert '"$(rate fio/s1-read_flat_out.json 10 1)"' in shell(commands[1])
    assert [step.trial for step in commands][:2] == ["s1-read_flat_out", "s1-read_at_load-rate_iops10"]


def test_each_rate_stands_beside_what_came_of_it() -> None:
    state = sweeps.state(MADE, rate)
    reads, writes = loads(MADE, state, compare(MADE, state))
    assert (reads.direction, writes.direction, reads.flat_out.value) == ("read", "write", 4000.0)
    assert [load.percent for load in reads.loads] == list(range(10, 101, 10))
    assert [load.offered_iops for load in reads.loads][:2] == [pytest.approx(400), pytest.approx(800)]
    assert [load.measured.value for load in reads.loads][-1] == pytest.approx(4000)
    text = markdown(MADE, sweeps.state(MADE, rate))
    assert text.count("## Latency by load: ") == 2 and "by queue depth and jobs" not in text
    assert "| peak" in text


def test_the_offered_rate_is_what_fio_was_told_not_a_share_of_the_kernels_count() -> None:
    def odd(_: Stage, trial: Trial) -> float:
        return 1059.48 if not trial.share_of else 100.0

    state = sweeps.state(MADE, odd)
    reads, _ = loads(MADE, state, compare(MADE, state))
    assert [load.offered_iops for load in reads.loads][:2] == [105.0, 211.0]


def at(p50_ms: dict[int, float], p99_ms: dict[int, float]) -> Loads:
    """Rates with these percentiles, by their shares."""
    figure = Figure(standing="ok", value=100.0, runs=1)
    rates = tuple(
        OfferedRate(
            share,
            float(share),
            figure,
            Latency(
                percentiles_ns={point: ms[share] * 1e6 for point, ms in (("50", p50_ms), ("99", p99_ms)) if share in ms}
            ),
        )
        for share in sorted({*p50_ms, *p99_ms})
    )
    return Loads(
        title="Reads", setup="RAID 0", direction="read", flat_out=figure, flat_out_latency=Latency(), loads=rates
    )


STEADY = {10: 3.5, 20: 3.5, 30: 3.6, 40: 3.6, 50: 3.7, 60: 3.8}
NOISY = {10: 16.2, 20: 9.5, 30: 28.7, 40: 14.4, 50: 23.5, 60: 26.0}


@pytest.mark.parametrize(
    "p50_ms, p99_ms, held, by",
    [
        (STEADY, NOISY, 60, "50"),  # one p99 that is three times another tells nothing
        (STEADY | {60: 6.8}, NOISY, 50, "50"),
        (STEADY, {10: 9.0, 20: 9.1, 30: 9.2, 40: 9.3, 50: 30.0}, 40, "99"),
        ({}, {10: 9.0, 20: 30.0}, 10, "99"),
        (STEADY | {20: 9.0}, {}, 60, "50"),  # that falls again: it cannot
    ],
)
def test_requests_wait_where_the_median_rises_or_the_tail_by_more_than_chance(
    p50_ms: dict[int, float], p99_ms: dict[int, float], held: int, by: str
) -> None:
    knee = at(p50_ms, p99_ms).knee
    assert knee and (knee.held.percent, knee.by) == (held, by)


def test_of_a_single_rate_nothing_is_known() -> None:
    assert at({10: 3.5}, {}).knee is None


def test_writes_at_a_share_of_what_reads_do_are_set_against_nothing() -> None:
    comparison = compare(MADE, sweeps.state(MADE, rate))
    kept = [row for row in comparison.rows if row.job != "write_flat_out"]
    found = loads(MADE, sweeps.state(MADE, rate), msgspec.structs.replace(comparison, rows=kept))
    assert [one.direction for one in found] == ["read"]
