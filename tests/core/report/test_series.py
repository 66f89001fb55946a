"""Tests that belong together in a report: queue depths, places, loads, rounds, rebuilds."""

from typing import Any

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.page.markdown import markdown as rendered
from raidtui.core.plan.answers import PlanRefused, Setup
from raidtui.core.plan.trials import options_of
from raidtui.core.report.markdown import markdown
from raidtui.core.report.series import depth_blocks, load_blocks, rebuild_blocks, round_blocks
from raidtui.core.results.analysis import compare
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.numerics import steady
from raidtui.core.results.rounds import Rounds
from raidtui.core.results.series import Loads, OfferedRate, RebuildRate, place_words
from raidtui.core.run.events import TrialEnded
from raidtui.core.run.state import fold
from raidtui.core.units import GB, MB, MIB
from tests.builders import sweeps

DEPTHS = (1, 2, 4, 8, 16, 32, 64)
RAID0 = Setup(level="0", chunk="64KiB")


def test_the_shipped_grid_has_every_depth_with_every_number_of_jobs() -> None:
    made = sweeps.plan("qd-x-jobs", 4, setup=RAID0)
    assert [(trial.iodepth, trial.numjobs) for trial in made.trials] == [(d, n) for d in DEPTHS for n in DEPTHS]
    assert {trial.family for trial in made.trials} == {"rand"}
    told = options_of(made.stages[-1], "s1-rand-iodepth16-numjobs4")
    assert (told["iodepth"], told["numjobs"], told["rw"]) == ("16", "4", "randread")
    writes = sweeps.plan("qd-x-jobs", 4, setup=RAID0, variant="writes")
    assert {trial.rw for trial in writes.trials} == {"randwrite"}


def test_a_part_of_the_jobs_may_be_asked_for() -> None:
    some = ("rand-iodepth1-numjobs1", "rand-iodepth64-numjobs2")
    made = sweeps.plan("qd-x-jobs", 4, setup=RAID0, jobs=some, fio={"runtime": "1s"})
    assert tuple(trial.job for trial in made.trials) == some
    assert "of its jobs rand-iodepth1-numjobs1" in markdown(made, sweeps.state(made, lambda *_: 1.0))
    assert len(sweeps.plan("qd-x-jobs", 4, setup=RAID0, jobs=("rand",)).trials) == 49
    with pytest.raises(PlanRefused, match="jobs: nothing is no job"):
        sweeps.plan("qd-x-jobs", 4, setup=RAID0, jobs=("nothing",))


def whole() -> tuple[Any, Any]:
    made = sweeps.plan("qd-x-jobs", 4, setup=RAID0)
    return made, sweeps.state(made, lambda _, trial: 100.0 * min(8, (trial.iodepth or 1) * (trial.numjobs or 1)))


def test_the_report_is_a_table_of_seven_by_seven() -> None:
    made, state = whole()
    text = markdown(made, state)
    lines = text.split("### IOPS\n\n")[1].split("\n\n")[0].splitlines()
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == [
        "Depth", "1 job", *(f"{n} jobs" for n in DEPTHS[1:]),
    ]  # fmt: skip
    assert [line.strip("|").split("|")[0].strip() for line in lines[2:]] == [str(d) for d in DEPTHS]
    cells = [[cell.strip() for cell in line.strip("|").split("|")[1:]] for line in lines[2:]]
    assert cells[0] == ["100.0", "200.0", "400.0", *["800.0"] * 4] and cells[6] == ["800.0"] * 7
    assert "Random operations" not in text  # no second table of 49 lines


def test_a_cell_that_failed_stays_visible_and_can_be_measured_again() -> None:
    made, state = whole()
    lost = Measurement(name="s1-rand-iodepth2-numjobs4", status="failed", error="fio: no room", rw="randread")
    state = fold(state, TrialEnded(at_s=state.now_s, trial=lost.name, measurement=lost))
    text = markdown(made, state)
    assert "depth 2, 4 jobs: FAILED: fio: no room" in text.replace("\\", "")
    assert "raidtui again r s1-rand-iodepth2-numjobs4 > again.toml" in text
    assert "FAILED" in text.split("### IOPS\n\n")[1].split("\n\n")[0]


def test_littles_law_names_the_cells_that_break_it() -> None:
    made, state = whole()
    told = rendered(depth_blocks(compare(made, state)))
    assert "Little's law: in" in told and "of 49 cells" in told


def test_the_report_says_it_before_its_table_and_not_as_queue_depths() -> None:
    made = sweeps.plan("zones", 4)
    text = markdown(made, sweeps.state(made, lambda _, trial: {"0%": 200.0}.get(str(trial.varied["offset"]), 100.0)))
    part = text.split("## Places on the disks\n\n")[1].split("\n\n")
    assert part[0].startswith(
        "- Sequential read, middle (from 45%) over outer (from 0%), on 4 disks: \N{MINUS SIGN}50 % ("
    )
    assert "Random 4K read, inner (from 90%), IOPS" in "".join(part[1:])
    assert "by queue depth and jobs" not in text


@pytest.mark.parametrize(
    "place, words",
    [
        ("0%", "outer (from 0%)"),
        ("45%", "middle (from 45%)"),
        ("66%", "middle (from 66%)"),
        ("90%", "inner (from 90%)"),
    ],
)
def test_a_place_is_called_by_the_third_it_lies_in(place: str, words: str) -> None:
    assert place_words(place) == words


def loads_told(*p99_ms: float | None) -> str:
    """Rates of 10 %, 20 % …, with these p99."""
    figure = Figure(standing="ok", value=100.0, runs=1)
    latencies = [Latency(percentiles_ns={"99": ms * 1e6} if ms else {}) for ms in p99_ms]
    rates = tuple(OfferedRate(10 * n, 10.0 * n, figure, late) for n, late in enumerate(latencies, 1))
    whole = Loads(
        title="Reads", setup="RAID 0", direction="read", flat_out=figure, flat_out_latency=Latency(), loads=rates
    )
    return rendered(load_blocks([whole]))


@pytest.mark.parametrize(
    "p99_ms, sentence",
    [
        (
            (1, 1.5, 1.9),
            "Up to 30 % of the peak latency is flat: p50 is below 1.5 times p50 at 10 %",
        ),
        ((1, 1.5, 3), "Up to 20 % of the peak latency is flat"),
        ((1, 5), "Up to 10 % of the peak"),
    ],
)
def test_the_rate_up_to_which_p99_holds(p99_ms: tuple[float, ...], sentence: str) -> None:
    assert sentence in loads_told(*p99_ms)


def test_without_percentiles_nothing_is_said_of_them() -> None:
    text = loads_told(None, None)
    assert "is flat" not in text and "by offered rate" not in text and "| peak" in text


def rounds_told(*figures: float | None) -> str:
    end = steady([one for one in figures if one is not None])
    found = Rounds(
        title="Writes", setup="RAID 0", kind="random", figures=figures, most_rounds=25, steady=end, ended=False
    )
    return rendered(round_blocks([found]))


def test_each_round_has_a_bar_and_one_without_a_figure_says_so() -> None:
    text = rounds_told(100.0, None, 50.0)
    assert "round 1" in text and "50.0 IOPS" in text and "no figure" in text
    assert "3 of at most 25 rounds: too few rounds for a steady state." in text


def test_the_last_five_decide() -> None:
    assert "in steady state: the last 5 rounds range over 0 %" in rounds_told(900.0, *[100.0] * 5)
    assert "NOT in steady state" in rounds_told(*[100.0] * 4, 200.0)
    assert list(round_blocks([])) == []


def test_the_time_of_a_whole_disk_is_said_as_scaled_and_of_a_standstill_none() -> None:
    fast = RebuildRate(stage=1, setup="RAID 5", beside="", rebuilt_bytes=GB, took_s=10.0, whole_bytes=1000 * GB)
    still = RebuildRate(stage=1, setup="RAID 5", beside="Reads", rebuilt_bytes=0, took_s=10.0, whole_bytes=1000 * MB)
    text = rendered(rebuild_blocks([fast, still], {}))
    assert "| RAID 5 | not" in text and "2 h 46 min" in text and "not rebuilt" in text
    assert (
        "Rebuilt, MB/s of the disk" in text
        and "Whole disk, extrapolated" in text
        and "extrapolated from the pace" in text
    )
    assert "| RAID 5 min 1 | not" in rendered(rebuild_blocks([fast], {1: "RAID 5 min 1"}))
    assert list(rebuild_blocks([], {})) == []


def test_a_few_megabytes_have_no_time() -> None:
    """4 MB of 510 MiB say little of a disk; 5 % of it do, and so does a gigabyte of any."""
    few, enough = (
        RebuildRate(stage=1, setup="RAID 10", beside="Writes", rebuilt_bytes=size, took_s=6.0, whole_bytes=510 * MIB)
        for size in (4 * MB, 40 * MB)
    )
    assert not few.scales and few.whole_s is None and enough.scales and enough.whole_s
    text = rendered(rebuild_blocks([few], {}))
    assert "13 min" not in text and " † |" in text
    assert "† |" not in rendered(rebuild_blocks([enough], {}))
