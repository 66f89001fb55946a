"""The page of a permanent array: the next check, and of each disk what it does with a bad sector."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.monitor import Monitor, NextCheck, Watch
from raidtui.core.boot.distributions import place
from raidtui.core.disks.drive import Recovery
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.handover import commissioning
from raidtui.core.page.markdown import markdown
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Edit
from raidtui.core.run import events
from raidtui.core.run.state import RunState, StepState
from raidtui.core.units import GB
from raidtui.runs import directory
from tests.builders.machines import device, machine
from tests.builders.plans import planned

DISKS = {"sda": "supported", "sdb": "none", "sdc": "not applicable", "sdd": "none"}


def plan() -> Plan:
    found = machine(
        *(
            device(
                name,
                attributes={"size": str(100 * GB // 512)},
                told={"erc": erc},
                properties={"ID_WWN": ""} if name == "sdd" else {},
            )
            for name, erc in DISKS.items()
        )
    )
    disks = disks_of(found)
    where = place("ID=debian", lambda path: False, lambda program: True, systemd=True, udev_rules=True)
    return directory.drawn(planned(disks, Setup(level="5"), where, repeat=1, after="keep", permanent=True))


def shown(**fields: Any) -> str:
    """The page's part; `undone`: its rules were taken back."""
    of_run, undone, watch = plan(), fields.pop("undone", False), Watch(**fields)
    edits = {
        step.path: events.FileEdited(at_s=1, path=step.path, lines=step.lines, mark="m")
        for step in of_run.stages[-1].steps
        if isinstance(step, Edit)
    }
    state = RunState(watch=watch, edits={} if undone else edits)
    stage = of_run.stages[of_run.kept_stage or 0]
    return markdown(commissioning.blocks(of_run, state, stage))


SEEN = dict(
    zip(
        (member.id for member in plan().members),
        (
            Recovery(erc="on", read_s=7, write_s=7, timeout_s=30),
            Recovery(erc="none", timeout_s=180),
            Recovery(erc="not applicable", timeout_s=30),
        ),
        strict=False,
    )
)


def test_each_disk_has_its_state_and_what_is_set_at_boot() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")][1:]
        for line in shown(recoveries=SEEN).splitlines()
        if line.startswith("| Z")
    ]
    assert rows == [
        ["7 s read, 7 s write", "30 s", "ERC 7 s", "not checked"],
        ["no ERC", "180 s", "time-out 180 s", "not checked"],
        ["not applicable", "30 s", "nothing", "not checked"],
        ["not checked", "not checked", "no rule (no WWN)", "not checked"],
    ]
    undone = [line for line in shown(recoveries=SEEN, undone=True).splitlines() if line.startswith("| Z")]
    assert all("nothing" in line for line in undone[:3])


@pytest.mark.parametrize(
    "check, words",
    [
        (NextCheck(), "None is scheduled. By hand: `raidtui scrub raidtui-"),
        (NextCheck(by="/etc/cron.d/mdadm"), "/etc/cron.d/mdadm begins them; the next date was not read."),
        (
            NextCheck(by="mdcheck_start.timer", at_s=1796518800.0),
            "The next begins on 2026-12-06 01:00 UTC (mdcheck_start.timer).",
        ),
    ],
)
def test_the_next_check_has_its_date_or_the_way_by_hand(check: NextCheck, words: str) -> None:
    assert words in shown(next_check=check).replace("\\", "")


@pytest.mark.parametrize(
    "running, words",
    [
        (True, "smartd runs."),
        (False, "smartd does not run; `systemctl enable --now smartd` starts it"),
        (None, "smartd: not checked."),
    ],
)
def test_whether_smartd_runs_is_told(running: bool | None, words: str) -> None:
    identity = plan().members[0].id
    page = shown(smartd_running=running, smartd={identity: "by DEVICESCAN"})
    assert words in page and "by DEVICESCAN" in page


def test_a_test_mail_was_handed_over_and_no_more_is_known() -> None:
    of_run = plan()
    stage = of_run.stages[of_run.kept_stage or 0]
    step = StepState(3, "test-mail", "Send a test mail of the array", "mdadm", 1.0, ended_at_s=1_700_000_000.0)
    told = RunState(watch=Watch(), monitor=Monitor(running=True, mailaddr="ops@example.org"), steps=(step,))
    sentence = "Test mail: handed to sendmail for ops@example.org on 2023-11-14 22:13 UTC; its arrival was not checked."
    assert sentence in markdown(commissioning.blocks(of_run, told, stage))
    for other in (replace(step, error="failed"), replace(step, ended_at_s=None)):
        assert "Test mail" not in markdown(commissioning.blocks(of_run, replace(told, steps=(other,)), stage))


def test_what_nobody_looked_at_is_left_out() -> None:
    of_run = plan()
    stage = of_run.stages[of_run.kept_stage or 0]
    assert list(commissioning.blocks(of_run, RunState(), stage)) == []
    without = replace(stage, array=None)
    assert list(commissioning.blocks(of_run, RunState(watch=Watch()), without)) == []
