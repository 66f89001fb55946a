"""fio's results laid out for fio-plot: a folder a series, a file a test, figures untouched, nothing doubtful drawn.

That fio-plot itself draws them is shown by tests/packages.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import Status
from raidtui.core.plan.model import Plan
from raidtui.core.run.fio_plot import Layout, layout
from raidtui.core.run.state import RunState, fold_all
from raidtui.demo.recording import load
from tests.replay import RUNS

RECORDED = RUNS / "queue-by-jobs"
BUILT = "02-raid-0-of-3-disks-chunk-512-kib-no-file-system/array"
FILES = {
    f"{place}/{name}"
    for place in ("01-baseline/member0", BUILT)
    for name in (
        *(f"rand/4k/randread-{depth}-{jobs}.json" for depth in (1, 8) for jobs in (1, 2)),
        "mix/8k/randrw-4-2.json",
        "stream/1m/read-1-1.json",
    )
}


@pytest.fixture(scope="module")
def run() -> tuple[Plan, RunState, dict[str, str]]:
    recording = load(RECORDED)
    outputs = {path.stem: path.read_text() for path in (RECORDED / "fio").glob("*.json")}
    return recording.plan, fold_all(recording.events), outputs


def contents(laid_out: Layout) -> dict[str, Any]:
    return {f"{row.folder}/{name}": json.loads(file) for row in laid_out.folders for name, file in row.files.items()}


def test_a_folder_a_series_and_figures_untouched(run: tuple[Plan, RunState, dict[str, str]]) -> None:
    laid_out = contents(layout(*run))
    assert set(laid_out) == FILES
    own = json.loads(run[2]["s2-rand-iodepth8-numjobs2"])["jobs"][0]
    shown = laid_out[f"{BUILT}/rand/4k/randread-8-2.json"]["jobs"][0]
    assert {**own, "job options": {}} == {**shown, "job options": {}} and own["read"]["iops"] > 0


def test_options_left_to_fios_defaults_are_written_out(run: tuple[Plan, RunState, dict[str, str]]) -> None:
    stream = contents(layout(*run))[f"{BUILT}/stream/1m/read-1-1.json"]
    assert "global options" not in stream  # they would win over a job's own there
    options = stream["jobs"][0]["job options"]
    assert (options["rw"], options["bs"], options["iodepth"], options["numjobs"]) == ("read", "1m", "1", "1")


def test_what_is_asked_of_fio_plot(run: tuple[Plan, RunState, dict[str, str]]) -> None:
    asked = {row.folder: row.options for row in layout(*run).folders}
    title = ("--title", "RAID 0 of 3 disks, chunk 512 KiB, no file system: array")
    depths_by_jobs = ("--bargraph3d", "--type", "iops", "--iodepth", "1", "8", "--numjobs", "1", "2")
    assert asked[f"{BUILT}/rand/4k"] == (*title, "--rw", "randread", *depths_by_jobs)
    assert asked[f"{BUILT}/mix/8k"] == (*title, "--rw", "randrw", "--histogram", "--iodepth", "4", "--numjobs", "2")


def test_repetitions_lie_apart(run: tuple[Plan, RunState, dict[str, str]]) -> None:
    plan, state, outputs = run
    again = outputs | {"s4-stream.2": outputs["s2-stream"]}
    assert f"04-{BUILT[3:]}/stream/1m/run-2/read-1-1.json" in contents(layout(plan, state, again))


@pytest.mark.parametrize("status", ["failed", "incomplete", "interrupted"])
def test_what_was_not_measured_whole_is_left_out_and_named(
    run: tuple[Plan, RunState, dict[str, str]], status: Status
) -> None:
    plan, state, outputs = run
    trials = [
        replace(trial, measurement=replace(trial.measurement, status=status))
        if trial.trial == "s2-mix" and trial.measurement
        else trial
        for trial in state.trials
    ]
    laid_out = layout(plan, replace(state, trials=tuple(trials)), outputs)
    assert set(contents(laid_out)) == FILES - {f"{BUILT}/mix/8k/randrw-4-2.json"}
    assert f"s2-mix: it is {status}" in laid_out.left_out


@pytest.mark.parametrize(
    "changed, reason",
    [
        ("", "fio's result is not there"),
        ('{"fio version": "fio-3.33", "jobs', "fio's result is not there"),
        ('{"fio version": "fio-3.33", "jobs": [{"job options": {"iodepth": "../.."}}]}', "no numbers"),
    ],
)
def test_no_result_is_left_out_and_named(run: tuple[Plan, RunState, dict[str, str]], changed: str, reason: str) -> None:
    plan, state, outputs = run
    laid_out = layout(plan, state, outputs | {"s2-mix": changed})
    assert set(contents(laid_out)) == FILES - {f"{BUILT}/mix/8k/randrw-4-2.json"}
    assert any(sentence.startswith("s2-mix: ") and reason in sentence for sentence in laid_out.left_out)


def test_no_name_leads_out_of_the_folder(run: tuple[Plan, RunState, dict[str, str]]) -> None:
    plan, state, outputs = run
    options = {"iodepth": "1", "numjobs": "1", "rw": "../../x", "bs": "../../../etc"}
    document = {"fio version": "fio-3.33", "jobs": [{"job options": options}]}
    laid_out = layout(plan, state, outputs | {"s2-mix": json.dumps(document)})
    assert f"{BUILT}/mix/etc/x-1-1.json" in contents(laid_out)
    assert not any(".." in Path(name).parts for name in contents(laid_out))
