"""Burn-in: all of every disk is written and verified, with what SMART counts before and after."""

import re

from raidtui.core.fio.job import FioOptions
from raidtui.core.plan.estimate import DiskSpeed, work_of
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Check, Command
from raidtui.core.report import health, markdown
from raidtui.core.run.events import HealthTold, RunEnded
from raidtui.core.run.state import RunState, fold_all
from raidtui.core.units import GB, MIB
from tests.builders import sweeps

MADE = sweeps.plan("burn-in", 3)


def told(plan: Plan, *answers: dict[str, float | str], why_not: str = "") -> RunState:
    """The state after as many looks as there are answers, each of the first disk."""
    first = plan.members[0].id
    return fold_all(
        [HealthTold(at_s=1.0, stage=0, disks={first: one} if one else {}, why_not=why_not) for one in answers]
    )


def test_every_disk_is_written_and_verified_at_once_between_two_looks_at_its_health() -> None:
    steps = MADE.stages[-1].steps
    (measure,) = [step for step in steps if isinstance(step, Command) and step.trial]
    said = set(measure.argv)
    assert {"--rw=write", "--verify=crc32c", "--do_verify=1", "--size=100%"} <= said
    assert {f"--filename={{member:{n}}}" for n in range(3)} <= said
    looks = [n for n, step in enumerate(steps) if isinstance(step, Check) and step.question == "health"]
    assert len(looks) == 2 and looks[0] < steps.index(measure) < looks[1]
    assert MADE.written_bytes == 3 * (1000 * GB - MIB)


def test_the_estimate_counts_reading_back() -> None:
    speed = DiskSpeed(bytes_per_s=100e6, iops=100)
    written: FioOptions = {"rw": "write", "bs": "1m"}
    once = work_of(written, None, 1, 10 * GB, speed).duration_s
    assert work_of({**written, "verify": "crc32c"}, None, 1, 10 * GB, speed).duration_s == 2 * once
    assert work_of({**written, "verify": "crc32c", "do_verify": False}, None, 1, 10 * GB, speed).duration_s == once


def test_what_changed_between_the_looks_is_marked_and_age_is_not() -> None:
    state = told(
        MADE,
        {"health": "passed", "reallocated sectors": 0, "power-on hours": 10},
        {"health": "passed", "reallocated sectors": 8, "power-on hours": 12},
    )
    table = "\n".join(health.health(MADE, state))
    assert re.search(r"SER0 +\| reallocated sectors \| +0 \| +8 \| CHANGED", table)
    assert "CHANGED" not in next(line for line in table.splitlines() if "power-on" in line)
    assert "No answer: SER1, SER2." in table


def test_a_disk_that_told_before_and_not_after_is_named() -> None:
    page = "\n".join(health.health(MADE, told(MADE, {"health": "passed"}, {})))
    assert "ANSWERED BEFORE, NOT AFTER: SER0." in page
    assert "NOT AFTER" not in "\n".join(health.health(MADE, told(MADE, {"health": "passed"})))


def test_without_smartctl_the_report_says_so() -> None:
    state = told(MADE, {}, {}, why_not="smartctl is not installed, so no disk was asked")
    assert health.health(MADE, state)[1:] == ["Smartctl is not installed, so no disk was asked."]
    assert health.health(MADE, RunState()) == []


def test_the_report_holds_it() -> None:
    whole = fold_all([RunEnded(at_s=2.0, outcome="finished")], told(MADE, {"health": "passed"}))
    assert "## SMART before and after" in markdown.markdown(MADE, whole)
