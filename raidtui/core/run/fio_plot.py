"""fio's results in fio-plot's layout: a folder per chart, a file per test. fio-plot identifies a file in a folder by
rw, iodepth, numjobs only, so folders follow bench-fio: place, test, block size, repetition. Values are fio's; only
options left to fio's defaults are added. No charts over time: a run keeps no fio logs.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from raidtui.core.fio import text as fio_text
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.run.state import RunState

_DEFAULTS = {"rw": "read", "bs": "4k", "iodepth": "1", "numjobs": "1"}  # fio's
_ITS_OWN = {"iodepth", "numjobs", "bs"}  # what a series or its folders may vary in

# By whether there are several depths, and several numbers of jobs.
_CHARTS = {
    (True, True): ("--bargraph3d", "--type", "iops"),
    (True, False): ("--bargraph2d-qd",),
    (False, True): ("--bargraph2d_nj",),
    (False, False): ("--histogram",),
}


class PlotFolder(msgspec.Struct, frozen=True, kw_only=True):
    """`title` for a chart; `files`: content by name."""

    folder: str
    title: str
    rw: str
    iodepths: tuple[int, ...]
    numjobs: tuple[int, ...]
    files: dict[str, bytes]

    @property
    def options(self) -> tuple[str, ...]:
        chart = _CHARTS[len(self.iodepths) > 1, len(self.numjobs) > 1]
        depths, jobs = map(str, self.iodepths), map(str, self.numjobs)
        return ("--title", self.title, "--rw", self.rw, *chart, "--iodepth", *depths, "--numjobs", *jobs)


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """`left_out`: a sentence per test that cannot be drawn."""

    folders: tuple[PlotFolder, ...]
    left_out: tuple[str, ...]


def layout(plan: Plan, state: RunState, outputs: Mapping[str, str]) -> Layout:
    """`outputs`: fio's output by trial. Incomplete tests are left out."""
    statuses = {trial.trial: trial.measurement.status for trial in state.trials if trial.measurement}
    series: dict[tuple[str, str, str], dict[tuple[int, int], bytes]] = {}
    left_out = []
    for number, stage in enumerate(plan.stages):
        for trial in stage.trials:
            if trial.id not in statuses:
                continue
            documents = fio_text.read(outputs.get(trial.id, "")).documents
            if statuses[trial.id] != "ok" or not documents:
                reason = "fio's result is not there" if statuses[trial.id] == "ok" else f"it is {statuses[trial.id]}"
                left_out.append(f"{trial.id}: {reason}")
                continue
            document, options = _completed(documents[-1])
            if not (options["iodepth"].isdecimal() and options["numjobs"].isdecimal()):
                left_out.append(
                    f"{trial.id}: iodepth {options['iodepth']}, numjobs {options['numjobs']} are no numbers"
                )
                continue
            folder = "/".join((f"{number + 1:02}-{_name(stage.title)}", *_folders(trial, options["bs"])))
            place = int(options["iodepth"]), int(options["numjobs"])
            content = msgspec.json.format(msgspec.json.encode(document), indent=2)
            series.setdefault((folder, f"{stage.title}: {trial.target}", _name(options["rw"])), {})[place] = content
    return Layout(folders=tuple(_series(*key, files) for key, files in series.items()), left_out=tuple(left_out))


def _series(folder: str, title: str, rw: str, files: Mapping[tuple[int, int], bytes]) -> PlotFolder:
    return PlotFolder(
        folder=folder,
        title=title,
        rw=rw,
        iodepths=tuple(sorted({depth for depth, _ in files})),
        numjobs=tuple(sorted({jobs for _, jobs in files})),
        files={f"{rw}-{depth}-{jobs}.json": content for (depth, jobs), content in sorted(files.items())},
    )


def _folders(trial: Trial, block: str) -> tuple[str, ...]:
    """Below the stage's. Families that vary only depth, jobs and block size share one."""
    place = f"member{trial.member}" if trial.member is not None else trial.target
    test = trial.family if trial.family and set(trial.varied) <= _ITS_OWN else trial.job
    repetition = (f"run-{trial.repetition}",) if trial.repetition > 1 else ()
    return (place, _name(test), _name(block), *repetition)


def _completed(document: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """With all options that fio-plot needs; the options of its first job."""
    common = {**document["global options"]} if isinstance(document.get("global options"), dict) else {}
    jobs = [
        {**job, "job options": {**_DEFAULTS, **common, **job.get("job options", {})}}
        for job in document.get("jobs", ())
        if isinstance(job, dict)
    ]
    completed = {**document, "jobs": jobs}
    completed.pop("global options", None)  # they would lie over a job's own, which fio has the other way round
    first = {name: str(value) for name, value in (jobs[0]["job options"] if jobs else _DEFAULTS).items()}
    return completed, first


def _name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-.").lower()[:80] or "-"
