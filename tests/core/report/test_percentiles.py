"""Each disk by itself: latencies of a test of all at once, and temperatures."""

from msgspec.structs import replace

from raidtui.core.fio.measurement import OfTarget, Temperature
from raidtui.core.report.markdown import with_attachments
from raidtui.core.run.state import RunState
from tests.recordings.reports import kept

_MS = 1e6


def test_a_disk_with_a_long_tail_stands_out_by_the_median_of_all() -> None:
    plan, state = kept.load("raid0-gain")
    trial = next(trial for trial in plan.trials if trial.target == "members")
    latencies = {member.id: {"50": _MS, "99": 2 * _MS, "99.9": 4 * _MS, "100": 9 * _MS} for member in plan.members}
    latencies[plan.members[5].id] = {"50": _MS, "99": 2 * _MS, "99.9": 50 * _MS, "100": 90 * _MS}
    each = {disk: OfTarget(read_bytes=10_000 * 4096, percentiles_ns=points) for disk, points in latencies.items()}
    page = with_attachments(plan, _with(state, trial.id, each=each))[1]["disks.md"]
    rows = [line.split() for line in page.splitlines() if line.startswith("| ") and line.rstrip(" |").endswith("×")]
    assert [row[-2] for row in rows] == ["1.0×"] * 5 + ["12.5×"] + ["1.0×"] * 18
    assert rows[5][3] == plan.members[5].serial
    few = {disk: replace(one, read_bytes=9_999 * 4096) for disk, one in each.items()}
    page = with_attachments(plan, _with(state, trial.id, each=few))[1]["disks.md"]
    assert "50.0" not in page.partition("Latency of each disk")[2].partition("\n## ")[0]


def test_temperatures_are_the_lowest_and_the_highest_of_all_tests() -> None:
    plan, state = kept.load("raid0-gain")
    first, second = plan.trials[:2]
    disk = plan.members[0]
    state = _with(state, first.id, temperatures={disk.id: Temperature(30.0, 41.0, 60.0)})
    state = _with(state, second.id, temperatures={disk.id: Temperature(38.0, None)})
    page = with_attachments(plan, state)[1]["disks.md"].partition("## Temperatures over the run")[2]
    (row,) = [line.split() for line in page.splitlines() if line.startswith("| 1 ")]
    assert row[5::2] == ["30", "41", "60"]


def _with(state: RunState, trial: str, **changes: object) -> RunState:
    trials = tuple(
        replace(one, measurement=replace(one.measurement, **changes)) if one.trial == trial and one.measurement else one
        for one in state.trials
    )
    return replace(state, trials=trials)
