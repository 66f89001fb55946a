"""A recipe that varies options makes one job of each combination; their report is a table of depth by jobs."""

from typing import Any

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.page import markdown as page
from raidtui.core.plan.answers import PlanRefused, Setup
from raidtui.core.plan.trials import options_of
from raidtui.core.report import markdown, series
from raidtui.core.results.analysis import compare
from raidtui.core.run.events import TrialEnded
from raidtui.core.run.state import fold
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
    assert "of its jobs rand-iodepth1-numjobs1" in markdown.markdown(made, sweeps.state(made, lambda *_: 1.0))
    assert len(sweeps.plan("qd-x-jobs", 4, setup=RAID0, jobs=("rand",)).trials) == 49
    with pytest.raises(PlanRefused, match="jobs: nothing is no job"):
        sweeps.plan("qd-x-jobs", 4, setup=RAID0, jobs=("nothing",))


def whole() -> tuple[Any, Any]:
    made = sweeps.plan("qd-x-jobs", 4, setup=RAID0)
    return made, sweeps.state(made, lambda _, trial: 100.0 * min(8, (trial.iodepth or 1) * (trial.numjobs or 1)))


def test_the_report_is_a_table_of_seven_by_seven() -> None:
    made, state = whole()
    text = markdown.markdown(made, state)
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
    text = markdown.markdown(made, state)
    assert "depth 2, 4 jobs: FAILED: fio: no room" in text.replace("\\", "")
    assert "raidtui again r s1-rand-iodepth2-numjobs4 > again.toml" in text
    assert "FAILED" in text.split("### IOPS\n\n")[1].split("\n\n")[0]


def test_littles_law_names_the_cells_that_break_it() -> None:
    made, state = whole()
    told = page.markdown(series.depth_blocks(compare(made, state)))
    assert "Little's check: in" in told and "of 49 cells" in told
