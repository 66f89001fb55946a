"""A plan that was read from a file names no member, trial or level that is none, and no figure that cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest

from raidtui.core.plan.validate import decode
from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import RunState, fold_all

RUN = Path(__file__).parents[2] / "recordings" / "runs" / "raid5-of-3"
STEPS = json.loads((RUN / "plan.json").read_bytes())["stages"][1]["steps"]


def changed(place: str, value: Any) -> bytes:
    """The recorded plan with another value at a place, as stages.1.array.level."""
    document = json.loads((RUN / "plan.json").read_bytes())
    inner = document
    *way, last = (int(part) if part.isdigit() else part for part in place.split("."))
    for step in way:
        inner = inner[step]
    inner[last] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "place, value, says",
    [
        ("stages.1.array.level", "55", "'55' is not a RAID level"),
        ("stages.1.setup.level", "", "is not a RAID level"),
        ("stages.1.filesystem.kind", "fat", "is not a file system here"),
        ("stages.1.setup.chunk", "64 miles", "stages[1]: '64 miles' is not a size"),
        ("stages.1.setup.allocation_unit", "-4K", "stages[1]: '-4K' is not a size"),
        ("stages.1.setup.member_size", "much", "stages[1]: 'much' is not a size"),
        ("stages.1.setup.filesystem", "non", "is not a file system here"),
        ("stages.0.trials.0.member", 3, "a trial is of member 3, and there are 3"),
        ("stages.0.trials.0.expected_s", -1, "stages[0].trials[0].expected_s is -1"),
        ("stages.1.steps.1.argv", [], "no plan has ''"),
        ("stages.1.steps.1.argv.14", "/dev/sdx", "disks are members by their number"),
        ("stages.0.steps.1.argv.7", "--iodepth=a=b32", "no plan gives fio '--iodepth=a=b32'"),
        ("stages.0.steps.1.argv.8", "--numjobs=", "no plan gives fio '--numjobs='"),
        ("stages.0.steps.1.trial", "another", "its trial is none of its stage"),
        ("stages.1.steps.1.argv.13", "{member:3}", "names member:3, and there are 3 members"),
        ("stages.1.steps.1.argv.13", "{part:" + "9" * 5000 + ":1}", "a step names part:9"),
        ("stages.1.build", 1000, "takes 1000 steps"),
        ("members.0.size_bytes", 2**63, "members[0].size_bytes is 9223372036854775808"),
        ("members.0.size_bytes", -1, "members[0].size_bytes is -1"),
        ("estimate_s", 1e300, "estimate_s is 1e+300"),
        ("members", [], "it has no members"),
        ("answers.disks", {"count": 3}, "its answers choose disks by a rule"),
        ("stages", [], "nothing to do"),
    ],
)
def test_what_no_plan_says_is_refused_in_a_sentence(place: str, value: Any, says: str) -> None:
    with pytest.raises(ValueError) as refused:
        decode(changed(place, value))
    assert says in str(refused.value) and str(refused.value).startswith("not a plan: ")
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 400


def test_an_infinite_figure_is_none() -> None:
    with pytest.raises(ValueError, match="not a plan"):
        decode(changed("estimate_s", float("inf")))
    with pytest.raises(ValueError, match="not a plan"):
        decode(changed("estimate_s", 7).replace(b'"estimate_s": 7', b'"estimate_s": 1e999'))


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"stage-started","at_s":1.0,"stage":-1}',
        b'{"event":"stage-started","at_s":1e300,"stage":0}',
        b'{"event":"sync-progress","at_s":1.0,"action":"x","done_bytes":1,"total_bytes":-1,"bytes_per_s":1}',
        b'{"event":"trial-started","at_s":1.0,"trial":"t","expected_s":1e300}',
        b'{"event":"worker-started","at_s":1,"schema":1,"run":"r","boot_id":"b","pid":-1,"start_ticks":1}',
    ],
)
def test_an_event_with_a_figure_that_cannot_be_is_a_damaged_line(line: bytes) -> None:
    (event,), _ = journal_lines.read(line + b"\n")
    assert isinstance(event, events.Damaged)
    assert fold_all([event]) == RunState(damaged=1)


ENDED = b'{"event":"trial-ended","at_s":1,"trial":"t","measurement":{"name":"t","status":"ok","rw":"read",%s}}\n'
READ = b'"read":{"iops":1,"bytes_per_s":%s,"io_bytes":1}'


def test_that_a_trial_has_ended_is_read_whatever_figures_it_gave() -> None:
    """Else its result would be gone from the report, and a resumed run would measure it again."""
    ((event,), _) = journal_lines.read(ENDED % (READ % b"1e308"))
    measured = fold_all([event]).measured("t")
    assert measured and measured.status == "failed" and "read.bytes_per_s is 1e+308" in str(measured.error)


@pytest.mark.parametrize("celsius, kept", [(b"-3", True), (b"41.5", True), (b"-1e9", False), (b"1e300", False)])
def test_a_temperature_takes_no_result_with_it(celsius: bytes, kept: bool) -> None:
    ((event,), _) = journal_lines.read(
        ENDED % (READ % b"7" + b',"temperatures":{"wwn-1":{"before_c":null,"after_c":%s}}' % celsius)
    )
    state = fold_all([event])
    measured = state.measured("t")
    assert measured and measured.status == "ok" and measured.read and measured.read.bytes_per_s == 7
    assert bool(measured.temperatures) == kept and state.is_final("t")


def test_a_role_that_is_not_what_its_command_does_is_refused() -> None:
    wipe = next(at for at, step in enumerate(STEPS) if step.get("role") == "wipe")
    with pytest.raises(ValueError, match="no plan has 'wipefs --all"):
        decode(changed(f"stages.1.steps.{wipe}.role", "mount"))


def test_a_command_names_the_members_that_it_says() -> None:
    create = next(at for at, step in enumerate(STEPS) if step.get("role") == "create")
    with pytest.raises(ValueError, match="names other members than it says"):
        decode(changed(f"stages.1.steps.{create}.members", []))
