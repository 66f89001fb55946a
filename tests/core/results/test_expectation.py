"""What a job should have given, and Little's law."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from raidtui.core.disks.extents import Extent
from raidtui.core.disks.machine import Bus
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.steps import Command
from raidtui.core.raid import theory
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.confidence import Confidence
from raidtui.core.raid.depth_curve import CurveSource
from raidtui.core.results import expectation
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.expectation import Assumed, Outside
from raidtui.core.run.events import FilePlaced
from raidtui.core.units import MIB
from tests.builders import handmade, sweeps
from tests.builders.compared import row

PLAN = handmade.plan()


def test_each_limit_and_each_assumption_has_its_words() -> None:
    assert {*expectation._LIMITS} == {*Limit} - {Limit.DISKS}
    assert {*expectation._ASSUMED} == {*Assumed}


def test_what_no_hardware_has_confirmed_is_called_an_upper_limit() -> None:
    """RAID 5 of rotating disks: streams are confirmed; of disks without seeks, small writes are not."""
    state = handmade.state(PLAN)
    said = "expected is an upper limit, not confirmed on hardware"
    reads = row(compare(PLAN, state), "seq_read").expected
    writes = row(compare(PLAN, state, flash=True), "rand_write").expected
    assert reads.confidence is Confidence.CONFIRMED and said not in reads.words
    assert writes.confidence is Confidence.UPPER and said in writes.words


def test_disks_without_seeks_have_a_theory_of_their_own() -> None:
    state = handmade.state(PLAN)
    assert row(compare(PLAN, state), "seq_read").predicted == pytest.approx(2 * 94.5e6)
    assert row(compare(PLAN, state, flash=True), "seq_read").predicted == pytest.approx(3 * 94.5e6)


def test_a_mix_is_predicted_as_a_whole_and_shown_by_direction() -> None:
    plan = asked("mix", "--direct=1", "--rwmixread=70")
    comparison = compare(plan, handmade.state(plan))
    reads, writes = row(comparison, "mix", "read"), row(comparison, "mix", "write")
    model = theory.predict("5", 3, 0, 100, read_share=0.7)
    assert reads.predicted and writes.predicted and model.rand_mixed_iops
    both = reads.predicted + writes.predicted
    assert 0.95 * model.rand_mixed_iops < both <= model.rand_mixed_iops  # a queue of 128 keeps 3 disks busy
    assert reads.predicted == pytest.approx(0.7 * both)


@pytest.mark.parametrize("words, share", [((), 0.5), (("--rwmixread=65",), 0.65), (("--rwmixwrite=30",), 0.7)])
def test_a_mix_is_divided_as_it_was_asked_for_not_as_it_was_drawn(words: tuple[str, ...], share: float) -> None:
    """What fio drew in a short test is another share on every setup, of the same disks."""
    plan = asked("mix", "--direct=1", *words)
    comparison = compare(plan, handmade.state(plan))
    reads, writes = (row(comparison, "mix", way).predicted or 0.0 for way in ("read", "write"))
    assert reads / (reads + writes) == pytest.approx(share)


def test_littles_law_is_of_the_rate_that_setups_are_compared_by() -> None:
    """fio counts the last stragglers of a slow test, the kernel does not: the rate that is shown is not refuted."""
    trial = PLAN.trial("filesystem-rand_read")
    assert trial
    read = handmade.measurement(trial, 300, latency=1.2).read
    assert read
    for counted, off in ((None, True), (250.0, False)):
        changed = replace(read, counted_iops=counted)
        measured = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_read={"read": changed})), "rand_read")
        assert measured.little_off is off
        assert measured.little_ns == pytest.approx(128e9 / (measured.array.value or 0.0))


def test_requests_in_flight_at_either_end_of_a_short_test_are_no_excuse() -> None:
    """A wait of 0.55 s in a test of 5 s: its ends alone may make 11 %, and the figure is known no better for that."""
    for latency, off in ((1.09, False), (1.105, True)):
        trial = PLAN.trial("filesystem-rand_read")
        assert trial
        slow = handmade.measurement(trial, 256, latency=latency)
        found = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_read={"read": slow.read})), "rand_read")
        assert found.little_off is off
        assert found.by_latency == pytest.approx(1 / latency, rel=0.01) and 8 < (found.waits or 0) < 10


def test_littles_law_is_checked() -> None:
    assert not row(compare(PLAN, handmade.state(PLAN)), "rand_read").little_off
    off = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_read=of_latency(0.5))), "rand_read")
    assert off.little_off and off.queue == 128


def of_latency(factor: float) -> dict[str, object]:
    trial = PLAN.trial("filesystem-rand_read")
    assert trial
    return {"read": handmade.measurement(trial, 300, latency=factor).read}


X = 97.5  # IOPS of the throttled disks of a test kernel
# Measured on six of them, 4 KiB direct on the bare array, no bitmap, write-back throttling off.
MEASURED_AT_4 = {("0", "read"): 302, ("0", "write"): 296, ("5", "read"): 288, ("5", "write"): 85, ("6", "write"): 92,
                 ("10", "read"): 343, ("10", "write"): 212}  # fmt: skip


def test_a_short_queue_gives_what_was_measured_with_it() -> None:
    made = sweeps.plan("levels-random-4k", 6, flash=True, axes=Axes(chunk=("64KiB",)))
    rows = compare(made, sweeps.state(made, lambda stage, trial: X)).rows
    told: dict[tuple[str, str], ResultRow] = {(row.cell.level, row.direction): row for row in rows if row.cell}
    for (key, direction), measured in MEASURED_AT_4.items():
        found = told[key, direction].expected
        assert found.figure == pytest.approx(measured, rel=0.11), (key, direction)  # n·x is off by 500 %
        assert found.queue == 4 and found.error_share and found.error_share < 0.04


def test_from_a_queue_of_64_on_the_figure_joins_the_full_queues_row_without_a_step() -> None:
    figures = []
    for depth in (16, 17, 64, 1024, 10**6):  # of 4 jobs
        plan = with_depth(PLAN, "rand_write", depth)
        figures.append(row(compare(plan, handmade.state(plan)), "rand_write").expected)
    rates = [one.figure or 0.0 for one in figures]
    assert all(sooner * (1 - 1e-9) <= later <= 1.1 * sooner for sooner, later in pairwise(rates))
    assert rates[1] <= 1.02 * rates[0]
    assert rates[-1] == pytest.approx(figures[-1].ceiling or 0.0, rel=1e-3)


def with_depth(plan: Plan, job: str, depth: int) -> Plan:
    def deeper(stage: Stage) -> Stage:
        trials = tuple(replace(t, iodepth=depth) if t.job == job else t for t in stage.trials)
        return replace(stage, trials=trials)

    return replace(plan, stages=tuple(map(deeper, plan.stages)))


def test_what_a_disk_does_with_fewer_requests_is_assumed_by_its_kind_and_said() -> None:
    found = row(compare(PLAN, handmade.state(PLAN)), "rand_read").expected
    assert found.kind is CurveSource.ASSUMED_HDD and found.measured_depths == (128,)
    assert Assumed.DEPTHS in found.assumed and found.mark == "~"
    assert any("expected uses usual rotating disks" in text for text in found.words)


def test_depths_that_were_measured_are_taken_from_the_baseline() -> None:
    first = PLAN.stages[0]
    other = handmade.trial("member", ("rand_read-at1", "Random 4K read", "randread", 4096, 1, 1), 0)
    plan = replace(PLAN, stages=(replace(first, trials=(*first.trials, other)), *PLAN.stages[1:]))
    plan = with_queue_of_one(plan)
    handmade_rates = {("member", "rand_read-at1"): 55.0}
    with pytest.MonkeyPatch.context() as patch:
        for key, rate in handmade_rates.items():
            patch.setitem(handmade.RATES, key, rate)
        found = row(compare(plan, handmade.state(plan)), "rand_read").expected
    assert found.measured_depths == (1, 128) and found.kind is None and found.mark == ""
    assert found.figure == pytest.approx(55, rel=1e-3)  # one request in the array: one at one disk


def with_queue_of_one(plan: Plan) -> Plan:
    stage = plan.stages[1]
    trials = tuple(replace(t, iodepth=1, numjobs=1) if t.job == "rand_read" else t for t in stage.trials)
    return replace(plan, stages=(plan.stages[0], replace(stage, trials=trials)))


def asked(job: str, *words: str, **setup: object) -> Plan:
    """The plan whose array's job has these of fio's options, and another setup."""
    stage = PLAN.stages[1]
    step = Command(what="m", role="measure", argv=("fio", *words), trial=f"filesystem-{job}")
    cell = replace(stage.setup or Setup(), **setup)
    changed = replace(stage, steps=(step, *stage.steps), setup=cell)
    return replace(PLAN, stages=(PLAN.stages[0], changed))


@pytest.mark.parametrize(
    "job, words, setup, why",
    [
        ("rand_write", ("--direct=0",), {}, Outside.PAGE_CACHE),
        ("rand_write", ("--direct=1", "--rate_iops=100"), {}, Outside.PACED),
        ("seq_read", ("--direct=1", "--rate=10m"), {}, Outside.PACED),
        ("rand_read", ("--direct=1", "--random_distribution=zipf:1.1"), {}, Outside.UNEVEN),
        ("rand_read", ("--direct=1", "--bssplit=4k/50:8k/50"), {}, Outside.SIZES),
        ("rand_write", ("--direct=1",), {"filesystem": "btrfs"}, Outside.COPY_ON_WRITE),
        ("seq_write", ("--direct=1",), {"filesystem": "btrfs"}, None),
        ("rand_write", ("--direct=1",), {"level": "btrfs-raid10"}, Outside.OWN_RAID),
        ("seq_read", ("--direct=1",), {"filesystem": "xfs", "between": "luks"}, Outside.ENCRYPTED),
        ("rand_write", ("--direct=1",), {}, None),
    ],
)
def test_what_the_model_does_not_speak_of_has_no_figure_and_says_why(
    job: str, words: tuple[str, ...], setup: dict[str, object], why: Outside | None
) -> None:
    plan = asked(job, *words, **setup)
    found = row(compare(plan, handmade.state(plan)), job)
    assert found.expected.outside is why and (found.predicted is None) is (why is not None)
    assert any("no expected value" in flag for flag in found.flags) is (why is not None)


def test_a_synchronous_engine_has_one_request_a_job() -> None:
    plan = asked("rand_write", "--direct=1", "--ioengine=psync")
    assert row(compare(plan, handmade.state(plan)), "rand_write").expected.queue == 4


def test_a_start_off_the_4_kib_grid_costs_parity_writes_what_was_measured() -> None:
    """Partial pages read their own rest: 98 IOPS from a start on the grid, 40 from sector 63 (4 disks, 8 KiB)."""
    figures = {}
    for start in (63, 64):
        plan = asked("rand_write", partition_start_sectors=start)
        figures[start] = row(compare(plan, handmade.state(plan)), "rand_write").predicted or 0.0
    assert figures[63] < 0.8 * figures[64]


@pytest.mark.parametrize(
    "cpu, limit, assumed",
    [
        ({"fio": 0.9}, Limit.CPU, False),
        ({"md127_raid5": 0.8}, Limit.MD_THREAD, False),
        ({"fio": 0.2, "md127_raid5": 0.1}, Limit.DISKS, False),
    ],
)
def test_a_processor_that_was_busy_ends_the_figure_and_is_named(
    cpu: dict[str, float], limit: Limit, assumed: bool
) -> None:
    trial = PLAN.trial("filesystem-rand_write")
    assert trial
    slow = handmade.measurement(trial, 40, cpu=cpu)
    odd = {"write": slow.write, "cpu": cpu}
    found = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_write=odd)), "rand_write").expected
    assert found.limited_by is limit and (Assumed.HOST in found.assumed) is assumed
    assert found.disks_figure == pytest.approx(100, rel=0.03)
    if limit is not Limit.DISKS:
        assert found.figure == pytest.approx(40 / max(cpu.values()))
        assert any("disks and queue alone give" in text for text in found.words)
        assert found.confidence is Confidence.CONFIRMED  # measured here


def test_a_narrow_link_ends_a_stream_and_is_named() -> None:
    bus = Bus(kind="sata", name="ata1", speed="1.5 Gbps")  # 150 MB/s
    members = tuple(replace(one, buses=(bus,)) for one in PLAN.members)
    plan = replace(PLAN, members=members)
    found = row(compare(plan, handmade.state(plan)), "seq_read").expected
    assert found.limited_by is Limit.LINK and found.figure == pytest.approx(150e6)
    assert row(compare(PLAN, handmade.state(PLAN)), "seq_read").expected.limited_by is Limit.DISKS


# Without any run: what no array does.


def test_raid_0_of_4_writes_at_a_queue_of_1_what_one_disk_writes() -> None:
    assert theory.predict("0", 4, 0, X, queue_depth=1).rand_write_iops == pytest.approx(X, rel=1e-3)


def test_four_nvme_of_10_us_at_a_queue_of_32_do_not_read_3_7_million() -> None:
    found = theory.predict("0", 4, 0, 1e6, queue_depth=32, flash=True)
    assert found.rand_read_iops < 1e6 and found.limited_by["rand_read_iops"] is Limit.CPU


def test_raid_5_of_8_nvme_does_not_write_2_million_through_one_thread() -> None:
    found = theory.predict("5", 8, 0, 1e6, flash=True)
    assert found.rand_write_iops <= 2e5 and found.limited_by["rand_write_iops"] is Limit.MD_THREAD


def test_an_array_without_a_disk_has_no_figure() -> None:
    made = sweeps.plan("degraded", 4, axes=(Axes(level=("5",), first_sync=("skip",), failed=(0, 1)),))
    whole, without = (
        [one for one in compare(made, sweeps.state(made)).rows if one.cell and one.cell.failed == n] for n in (0, 1)
    )
    assert all(one.predicted for one in whole)
    assert {one.expected.outside for one in without} == {Outside.DISK_FAILED}
    assert all("no expected value: the model covers healthy arrays only" in one.flags for one in without)


@pytest.mark.parametrize("start_bytes, off_grid", [(0, False), (4096, True)])
def test_a_file_whose_place_is_known_is_taken_for_what_it_is(start_bytes: int, off_grid: bool) -> None:
    """Half a request off the grid each one lies on two chunks of its own size."""
    axes = Axes(level=("0",), chunk=("8KiB",), filesystem=("ext4",), allocation_unit=("4KiB",),
                partition_start_sectors=(128,))  # fmt: skip
    made = sweeps.plan("stripe-x-allocation-unit-x-offset", 4, axes=axes)
    state = sweeps.state(made, lambda stage, trial: X)
    (number,) = (at for at, stage in enumerate(made.stages) if stage.filesystem)
    lies = FilePlaced(at_s=1.0, path="mnt/test", extents=(Extent(0, 64 * MIB + start_bytes, 256 * MIB),))
    (unknown, *_) = (one.expected for one in compare(made, state).rows if one.direction == "read")
    placed = replace(state, placed={number: (lies,)})
    (known, *_) = (one.expected for one in compare(made, placed).rows if one.direction == "read")
    assert Assumed.FILE_START in unknown.assumed and Assumed.FILE_START not in known.assumed
    assert unknown.figure and known.figure
    assert (known.figure < 0.8 * unknown.figure) is off_grid
    if not off_grid:
        assert known.figure == unknown.figure


def test_a_depth_by_disk_is_the_same_in_the_mean_and_its_short_queue_is_no_limit() -> None:
    made = sweeps.plan("quick", 4, level="0")
    rows = {one.job: one for one in compare(made, sweeps.state(made)).rows}
    found = rows["rand_read"].expected
    assert found.queue == 16 and found.limited_by is Limit.DISKS and found.mark == "~"
    assert found.words == ("one disk was measured at QD4; for lower depths expected uses usual rotating disks",)
    deep = sweeps.plan("quick", 4, level="0", job=sweeps.SATURATED)
    (other,) = [one for one in compare(deep, sweeps.state(deep)).rows if one.job == "rand_read"]
    assert other.expected.queue == 128 and "each disk of the array has fewer" in other.expected.words[0]


def test_flushes_after_writes_are_in_no_model() -> None:
    made = sweeps.plan("sync-writes", 4, level="0")
    rows = compare(made, sweeps.state(made)).rows
    assert {(one.expected.outside, one.predicted) for one in rows} == {(Outside.FLUSHED, None)}


def test_without_a_block_size_requests_are_of_a_page() -> None:
    def of_size(size: int | None) -> Plan:
        stages = [
            replace(stage, trials=tuple(replace(trial, bs_bytes=size) for trial in stage.trials))
            for stage in PLAN.stages
        ]
        return replace(PLAN, stages=tuple(stages))

    found = [row(compare(of_size(size), handmade.state(PLAN)), "seq_read").expected.figure for size in (None, 4096)]
    assert found[0] and found[0] == found[1]
