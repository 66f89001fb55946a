"""What a step is called changes nothing that is done: the same plan in other words leaves the same journal."""

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan, confirmation_code, encode
from raidtui.core.plan.validate import decode
from raidtui.core.script.render import script
from raidtui.runs import directory, launch, planning
from raidtui.runs.follow import Follower
from raidtui.runs.progress import watch
from raidtui.system.discovery import read_machine

RACK = dict(disks=3, size_mib=320, mbps=94)
# What differs from one run to the next of the very same plan, in a journal's events.
TIMED = {"at_s", "duration_s", "written_bytes", "pid", "start_ticks", "run", "measurement", "free_bytes", "output"}
TEXTS = {"what", "title"}


def planned() -> Plan:
    """Create, first sync, a file system filled and measured, and the teardown of all that."""
    disks = [disk.id for disk in disks_of(read_machine()) if disk.verdict.standing is Usability.OK]
    brief = {"runtime": "1s", "rate": "8m"}
    jobs = ("seq_write", "rand_read")
    quick: Any = dict.fromkeys(jobs, brief)
    setup = Setup(level="5", filesystem="ext4", first_sync="wait", stripe_cache_size=512)
    whole = planning.plan_here(Answers(disks=tuple(disks), setup=setup, jobs=jobs, job=quick))
    array_alone = replace(whole, stages=whole.stages[-1:])  # without what one disk does
    return replace(array_alone, code=confirmation_code(array_alone))


def reworded(plan: Plan) -> Plan:
    """Every text of a step, a trial and a stage is another; the code is made anew."""
    count = 0

    def walk(value: Any) -> Any:
        nonlocal count
        if isinstance(value, list):
            return [walk(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        for key in TEXTS & set(value):
            count += 1
            value[key] = f"words {count}"
        return {key: walk(inner) for key, inner in value.items()}

    raw = json.loads(encode(plan))
    raw["stages"] = walk(raw["stages"])
    other = decode(json.dumps(raw).encode())
    assert count > 20
    return replace(other, code=confirmation_code(other))


def done_by(plan: Plan) -> list[dict[str, Any]]:
    """The journal of a run of the plan, without its texts and what no two runs have in common."""
    path = launch.start(plan, directory.runs_root())
    view = watch(Follower(path), print)
    assert view.state.outcome == "finished", (view.state.reason, view.state.left)
    events = [json.loads(line) for line in (path / directory.JOURNAL).read_bytes().splitlines()]
    return [_bare(event, path.name) for event in events if event["event"] != "sync-progress"]


def _bare(event: dict[str, Any], run: str) -> dict[str, Any]:
    kept = {key: value for key, value in event.items() if key not in TIMED | TEXTS}
    text = re.sub(
        r"[0-9a-f]{8}([-:][0-9a-f]{4,12}){3,4}|raidtui-[0-9a-f]+", "MADE", json.dumps(kept).replace(run, "RUN")
    )
    bare: dict[str, Any] = json.loads(text)
    return bare


def test_other_words_leave_the_same_journal() -> None:
    plan = planned()
    other = reworded(plan)
    assert other.stages != plan.stages
    assert done_by(other) == done_by(plan)


def test_other_words_are_the_same_script() -> None:
    plan = planned()

    def bare(text: str, made: Plan) -> list[str]:
        lines = text.replace(made.code, "CODE").splitlines()
        return [line for line in lines if not line.startswith((": ", "#")) and "title" not in line]

    other = reworded(plan)
    assert bare(script(other), other) == bare(script(plan), plan)


@pytest.mark.parametrize("field", sorted(TEXTS))
def test_there_are_such_texts(field: str) -> None:
    assert f'"{field}":' in encode(planned()).decode()
