"""One setup, or none: gains, what disks do at once, the queue that is enough, passes of a burn-in."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.answer.figures import _at_queue
from raidtui.core.answer.values import Expected, Gain, Gains, Limited, Model, Queues, SourceRatios, Usable, Verified
from raidtui.core.fio.measurement import BUSIEST, Direction, Flushes, Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.raid.purposes import Workload
from raidtui.core.results.analysis import compare
from raidtui.core.results.deviation import Cpu
from raidtui.core.units import GB, MIB
from tests.builders import sweeps
from tests.builders.answers import answered
from tests.core.answer.golden import answer_of, measured, of_kind, without


def fourfold(stage: Stage, trial: Trial) -> float:
    return 100.0 if trial.target == "member" else 400.0


def test_a_gain_is_over_one_disk_beside_the_sources() -> None:
    found = answered("raid0-gain", 4, fourfold)
    (gains,) = of_kind(found, Gains)
    assert [gain.unit for gain in gains.gains] == ["bytes/s", "bytes/s", "IOPS", "IOPS"]
    assert {gain.base for gain in gains.gains if isinstance(gain, Gain)} == {"one disk"}
    assert all(gain.share == pytest.approx(4.0, rel=0.01) and gain.runs == 3 for gain in gains.gains)  # type: ignore[union-attr]
    (source,) = of_kind(found, SourceRatios)
    assert source.refuted[0].test == "Sequential 4M read"
    assert source.refuted[0].published == pytest.approx(4644.3 / 205.0) and len(source.refuted) == 3
    assert found.table and [name for name, _ in found.table.columns][2:] == ["gain", "expected", "vs expected"]
    assert all(isinstance(row.cells[-1][0], Expected) for row in found.table.rows if row.cells[-1])


@pytest.mark.parametrize(
    "use, first, of_test, noted",
    [
        (None, Gains, "Sequential write", False),
        (Workload.BACKUP, Usable, "Sequential write", True),
        (Workload.MEDIA, Gains, "Sequential read", True),
        (Workload.DATABASES, Gains, "Random 4K write", True),
    ],
)
def test_what_counts_for_the_purpose_is_first(use: Workload | None, first: type, of_test: str, noted: bool) -> None:
    found = answered("quick", 4, fourfold, use=use, setup=Setup(level="5"))
    assert isinstance(found.findings[0], first) and len(of_kind(found, Usable)) == 1
    assert of_kind(found, Gains)[0].gains[0].test == of_test
    assert found.table and bool(found.table.note) is noted


def test_what_counts_is_not_promised_where_it_has_no_figure() -> None:
    made = sweeps.plan("quick", 4, use=Workload.DATABASES, level="5")
    state = sweeps.state(made, fourfold)
    found = answer_of((made, without(made, state, lambda trial: trial.rw == "randwrite")))
    assert found.table and not found.table.note
    assert "Random 4K read" in {gain.test for gain in of_kind(found, Gains)[0].gains}


@pytest.mark.parametrize("reads, busiest, limited", [(450.0, 0.3, 0.75), (450.0, 0.99, 0.75), (600.0, 0.99, None)])
def test_disks_that_share_something_are_told_by_the_test_that_shows_it(
    reads: float, busiest: float, limited: float | None
) -> None:
    made = sweeps.plan("disk-baseline", 6, repeat=3)
    at_once = {"read": reads}
    state = sweeps.state(made, lambda _, trial: 100.0 if trial.target == "member" else at_once.get(trial.rw, 600.0))
    state = measured(state, lambda *_: {"cpu": {BUSIEST: busiest}})
    found = answer_of((made, state))
    shares = {gain.test: gain.share for gain in of_kind(found, Gains)[0].gains if isinstance(gain, Gain)}
    assert of_kind(found, Gains)[0].together and shares["Sequential read"] == pytest.approx(reads / 600)
    assert all(share == pytest.approx(1.0) for test, share in shares.items() if test != "Sequential read")
    told = of_kind(found, Limited)
    assert [round(one.gain.ratio or 0.0, 2) for one in told] == ([limited] if limited else [])
    assert all(one.gain.test == "Sequential read" and one.gain.verdict == "different" for one in told)
    assert all(isinstance(one.cpu, Cpu) is (busiest > 0.9) for one in told)


def test_without_a_queue_one_request_is_under_way() -> None:
    made = sweeps.plan("qd-x-jobs", 3, setup=Setup(level="5"))
    row = compare(made, sweeps.state(made)).rows[0]
    for iodepth, numjobs, where, queue in ((None, None, "iodepth 1, numjobs 1", 1), (4, 2, "iodepth 4, numjobs 2", 8)):
        found = _at_queue(replace(row, iodepth=iodepth, numjobs=numjobs))
        assert (found.where, found.queue) == (where, queue)


def test_the_queue_that_is_enough_is_the_shortest_within_3_percent() -> None:
    def grows(stage: Stage, trial: Trial) -> float:
        queue = (trial.iodepth or 1) * (trial.numjobs or 1)
        return 10.0 * min(64, queue) * (1.02 if queue >= 1024 else 1.0)

    found = answered("qd-x-jobs", 4, grows, 1, setup=Setup(level="0"))
    for told in of_kind(found, Queues):
        assert told.enough.queue == 64 and told.enough.figure == pytest.approx(640, rel=0.01)
        assert told.fastest.queue and told.fastest.queue >= 1024 and told.enough.latency_ns
    assert of_kind(found, Queues)


ALL = 3 * 1000 * GB


@pytest.mark.parametrize(
    "read_bytes, given, passes, subject, whole, share",
    [
        (ALL - 3 * MIB, {}, (1, 1), "every disk", "each disk", 1 - MIB / (1000 * GB)),
        (ALL, {"repeat": 3}, (3, 3), "every disk", "each disk", 1.0),
        (600_000_000, {"setup": Setup(level="5", filesystem="xfs")}, (1, 1), "each test file", "the array", 3e-4),
        (0, {}, (0, 1), "", "", None),
    ],
)
def test_a_burn_in_says_how_many_passes_gave_back_what_was_written_and_of_how_much(
    read_bytes: int, given: dict[str, Any], passes: tuple[int, int], subject: str, whole: str, share: float | None
) -> None:
    made = sweeps.plan("burn-in", 3, **given)
    read = Direction(iops=1.0, bytes_per_s=1e6, io_bytes=read_bytes)  # in each pass
    state = measured(sweeps.state(made), lambda *_: {"read": read})
    (verified,) = of_kind(answer_of((made, state)), Verified)
    assert (verified.passed, verified.of, verified.subject, verified.whole) == (*passes, subject, whole)
    assert verified.share == (None if share is None else pytest.approx(share, rel=0.01))
    assert share != 1 - MIB / (1000 * GB) or (verified.share or 1.0) < 1
    excluded = answer(made, state, replace(compare(made, state), rows=()))
    assert of_kind(excluded, Verified) == [verified], "it stands though every figure is excluded"


def flushed(model: str = "DISK") -> Answer:
    """The flush takes nine tenths of a request; four disks make four times as many."""

    def flushes(_: str, taken: Measurement) -> dict[str, object]:
        assert taken.write
        whole_ns = 1e9 / taken.write.iops
        count, points = 10_000, {"99": 2 * whole_ns, "99.9": 3 * whole_ns}
        share = taken.write.operations / count
        return {
            "write": replace(taken.write, lat_mean_ns=0.1 * whole_ns),
            "flushes": Flushes(count=count, mean_ns=0.9 * whole_ns * share, percentiles_ns=points),
        }

    made = sweeps.plan("sync-writes", 4, level="10")
    members = tuple(replace(member, model=model) for member in made.members)
    made = replace(made, members=members)
    return answer_of((made, measured(sweeps.state(made, fourfold), flushes)))


def test_sync_writes_are_iops_and_the_tail_of_the_flush_of_one_disk_and_the_array() -> None:
    found = flushed()
    assert found.table and [name for name, _ in found.table.columns] == [
        "one disk", "array", "flush p99, one disk", "flush p99, array", "flush p99.9, one disk", "flush p99.9, array",
    ]  # fmt: skip
    for row in found.table.rows:
        assert [value.figure for (value,) in row.cells] == [100, 400, 20e6, 5e6, 30e6, 7.5e6]
    assert found.badge == "" and not of_kind(found, Model)  # flushes are in no model
    assert flushed("scsi_debug").badge == "EMULATED (scsi_debug: flush times too)"
