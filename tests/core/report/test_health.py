"""What SMART counted before and after: changes marked, what is missing named."""

import re

from raidtui.core.page.blocks import Text
from raidtui.core.page.markdown import markdown as rendered
from raidtui.core.plan.model import Plan
from raidtui.core.report import disks, markdown
from raidtui.core.report.context import RunContext
from raidtui.core.run.events import UNITS_WRITTEN, HealthRead, RunEnded
from raidtui.core.run.state import RunState, fold_all
from tests.builders import sweeps
from tests.core.answer import golden

MADE = sweeps.plan("burn-in", 3)


def told(plan: Plan, *answers: dict[str, float | str], why_not: str = "") -> RunState:
    """The state after as many looks as there are answers, each of the first disk."""
    first = plan.members[0].id
    return fold_all(
        [HealthRead(at_s=1.0, stage=0, disks={first: one} if one else {}, why_not=why_not) for one in answers]
    )


def page(plan: Plan, state: RunState) -> str:
    return rendered(disks.health(RunContext(plan, state)))


def test_what_changed_between_the_looks_is_marked_and_age_is_not() -> None:
    state = told(
        MADE,
        {"health": "passed", "reallocated sectors": 0, "power-on hours": 10},
        {"health": "passed", "reallocated sectors": 8, "power-on hours": 12},
    )
    table = page(MADE, state)
    assert re.search(r"SER0 +\| reallocated sectors \| +0 \| +8 \| CHANGED", table)
    assert "CHANGED" not in next(line for line in table.splitlines() if "power-on" in line)
    assert "No answer: SER1, SER2." in table


def test_a_disk_that_told_before_and_not_after_is_named() -> None:
    text = page(MADE, told(MADE, {"health": "passed"}, {}))
    assert "ANSWERED BEFORE, NOT AFTER: SER0." in text
    assert "NOT AFTER" not in page(MADE, told(MADE, {"health": "passed"}))


def test_without_smartctl_the_report_says_so() -> None:
    state = told(MADE, {}, {}, why_not="smartctl is not installed: no SMART data")
    assert list(disks.health(RunContext(MADE, state)))[-1] == Text("Smartctl is not installed: no SMART data.")
    assert page(MADE, RunState()).strip() == ""


def test_the_report_holds_it() -> None:
    whole = fold_all([RunEnded(at_s=2.0, outcome="finished")], told(MADE, {"health": "passed"}))
    assert "## SMART before and after" in markdown.whole(MADE, whole)


def test_each_disk_of_a_burn_in_has_a_verdict_and_both_self_tests() -> None:
    made, state = golden.MADE_UP["made-up: burn-in"]()
    table = page(made, state).splitlines()
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in table if line.startswith("|")]
    assert rows[2:5] == [
        ["SER0", "passed", "passed", "passed", "passed", "none"],
        ["SER1", "no self-test", "no self-test", "passed", "no self-test", "none"],
        ["SER2", "FAILED", "passed", "passed", "FAILED", "pending sectors"],
    ]
    heads = [line for line in table if line.startswith("## The disks")]
    assert heads == [f"## The disks' own self-tests {when} (long)" for when in ("before", "after")]


def test_what_hosts_wrote_stands_beside_what_users_did() -> None:
    made = sweeps.plan("burn-in", 1)
    looks = [
        HealthRead(at_s=at, stage=0, disks={made.members[0].id: {UNITS_WRITTEN: units}})
        for at, units in ((1, 100), (2, 2100))
    ]
    state = fold_all(looks, sweeps.state(made))
    text = page(made, state)
    assert "own counters: 1.02 GB" in text and "times the user writes" in text and "CHANGED" not in text
    assert "hosts wrote" not in page(made, fold_all(looks[:1]))
