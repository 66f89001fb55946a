"""Latency by offered rate: shares of what was done flat out in this run, and the rate up to which p99 holds."""

import pytest

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.steps import Command, shell
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from raidtui.core.results.series.loads import loads
from tests.builders import sweeps

MADE = sweeps.plan("latency-at-load", 4, setup=Setup(level="10", first_sync="skip"))


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
    reads, writes = loads(compare(MADE, sweeps.state(MADE, rate)))
    assert (reads.way, writes.way, reads.flat_out.value) == ("read", "write", 4000.0)
    assert [load.percent for load in reads.loads] == list(range(10, 101, 10))
    assert [load.offered_iops for load in reads.loads][:2] == [pytest.approx(400), pytest.approx(800)]
    assert [load.measured.value for load in reads.loads][-1] == pytest.approx(4000)
    text = markdown(MADE, sweeps.state(MADE, rate))
    assert text.count("## Latency by load: ") == 2 and "by queue depth and jobs" not in text
    assert "| flat out" in text
