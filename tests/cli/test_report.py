"""`report` and `compare`: of runs, of fio's files, of folders."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from raidtui.cli.app import program
from raidtui.core.run import events
from raidtui.runs import directory
from tests.builders import sweeps
from tests.builders.journals import started
from tests.builders.tables import csv_rows
from tests.replay import RUNS
from tests.runs.rig import plan_permanent, run_in

app = program()


def fio_json(iops: float, job: str, rw: str = "randread", iodepth: int = 32) -> str:
    way = {"iops": iops, "bw_bytes": iops * 4096, "io_bytes": int(iops * 4096 * 60), "total_ios": int(iops * 60)}
    options = {"rw": rw, "bs": "4k", "iodepth": str(iodepth), "numjobs": "1"}
    read = {**way, "runtime": 60000, "clat_ns": {"mean": 1e6, "N": 5}}
    entry = {"jobname": job, "groupid": 0, "error": 0, "job options": options, "read": read, "write": {"io_bytes": 0}}
    return json.dumps({"fio version": "fio-3.33", "jobs": [entry]})


def test_the_command_on_files_and_folders(tmp_path: Path) -> None:
    for folder, factor in (("raid0", 1.0), ("jbod", 66370 / 46461)):
        (tmp_path / folder).mkdir()
        for name, iops in (("xfs", 46461), ("ext4", 45994)):
            (tmp_path / folder / f"{name}.json").write_text(fio_json(iops * factor, name))
    run = CliRunner().invoke
    files = [str(tmp_path / "raid0" / "xfs.json"), str(tmp_path / "jbod" / "xfs.json")]
    assert "+43 %" in run(app, ["compare", *files]).stdout
    assert "\N{MINUS SIGN}30 %" in run(app, ["compare", *files, "--base", files[1]]).stdout
    folders = run(app, ["compare", str(tmp_path / "raid0"), str(tmp_path / "jbod"), "--json"])
    found = json.loads(folders.stdout)["compared"]
    assert [round(100 * one["entries"][1]["over_base"]["share"], 1) for one in found] == [42.9, 42.9]
    (one,) = json.loads(run(app, ["compare", str(tmp_path / "raid0"), "--json"]).stdout)["compared"]
    assert [entry["series"] for entry in one["entries"]] == ["ext4", "xfs"]
    (tmp_path / "empty").mkdir()
    for wrong in (["compare", str(tmp_path / "empty")], ["compare", *files, "--base", "x"]):
        assert isinstance(run(app, wrong).exception, ValueError)


def test_a_runs_report_begins_with_its_answer_in_text_and_in_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run, source = CliRunner().invoke, f"{RUNS / 'raid5-of-3'}/"
    assert run(app, ["report", source]).stdout.split("\n\n")[1] == "## Answer · EMULATED (scsi_debug)"
    found = json.loads(run(app, ["report", source, "--json"]).stdout)
    assert list(found) == ["answer", "measurements"] and len(found["measurements"]) == 12
    assert found["answer"]["next"]["command"].startswith("raidtui explain ")
    assert [one["kind"] for one in found["answer"]["findings"]] == ["gains", "usable", "model"]


def test_attachments_and_charts_are_files_beside_the_report_and_never_over_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run, source = CliRunner().invoke, f"{RUNS / 'raid5-of-3'}/"
    text = run(app, ["report", source, "--files"]).stdout
    (folder,) = tmp_path.iterdir()
    assert all(f"({folder.name}/{one.name})" in text for one in folder.iterdir())
    assert "exists already" in str(run(app, ["report", source, "--files"]).exception)
    (tmp_path / "fio.json").write_text(fio_json(100, "x"))
    for option in ("files", "sign", "disks"):
        assert "not for fio files" in str(run(app, ["report", "fio.json", f"--{option}"]).exception)
    assert {row["disk"] for row in csv_rows(run(app, ["report", source, "--disks"]).stdout)} == {"1", "2", "3", ""}


def test_a_signed_folder_is_whole_and_checks_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = RUNS / "raid5-of-3"
    text = CliRunner().invoke(app, ["report", f"{source}/", "--sign"]).stdout
    (folder,) = tmp_path.iterdir()
    sums = (folder / "SHA256SUMS").read_bytes()
    subprocess.run(("sha256sum", "--check", "--strict", "SHA256SUMS"), cwd=folder, check=True, capture_output=True)
    named = {line.split("  ")[1] for line in sums.decode().splitlines()}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert there == named | {"SHA256SUMS"}
    assert {"report.md", "disks.md", *directory.raw_files(source)} <= named
    assert all((folder / name).read_bytes() == (source / name).read_bytes() for name in directory.raw_files(source))
    own = (folder / "report.md").read_text()
    links = re.findall(r"\]\(([^)#]+)\)", own)
    assert len(links) > 3 and all((folder / link).is_file() for link in links if "://" not in link)
    assert f"`{hashlib.sha256(sums).hexdigest()}`" in text and "## Signature" not in own
    assert text.index("## Summary") < text.index("## Signature") < text.index("## What was asked")


def test_a_link_in_a_run_is_no_raw_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(RUNS / "raid5-of-3", run := tmp_path / "runs" / "one")
    (run / "fio").mkdir(exist_ok=True)
    (run / "fio" / "x.json").symlink_to("/etc/passwd")
    assert "x.json: no plain file" in str(CliRunner().invoke(app, ["report", f"{run}/", "--sign"]).exception)
    assert not (tmp_path / "one-files" / "fio" / "x.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can stand behind sudo")
@pytest.mark.parametrize("option", ["--files", "--sign"])
def test_behind_sudo_the_folder_is_the_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    (home := tmp_path / "home").mkdir()
    os.chown(home, 1234, 1234)
    monkeypatch.chdir(home)
    for name in ("SUDO_UID", "SUDO_GID"):
        monkeypatch.setenv(name, "1234")
    assert CliRunner().invoke(app, ["report", f"{RUNS / 'raid5-of-3'}/", option]).exit_code == 0
    found = [*home.rglob("*")]
    assert len(found) > 3 and {path.stat().st_uid for path in found} == {1234}


def test_a_folder_of_depths_is_a_grid_and_one_of_folders_these_beside_each_other(tmp_path: Path) -> None:
    for folder, iops in (("raid10", 200), ("raid5", 100)):
        (tmp_path / folder).mkdir()
        for depth in (1, 2, 16):
            (tmp_path / folder / f"qd{depth}.json").write_text(fio_json(iops * depth, "t", iodepth=depth))
    run = CliRunner().invoke
    grid = run(app, ["compare", str(tmp_path / "raid5")]).stdout
    assert "by queue depth and jobs, IOPS" in grid and "nothing to compare" not in grid
    depths = [line.split()[1] for line in grid.splitlines() if line.startswith("| ") and line.split()[1].isdecimal()]
    assert depths[:3] == ["1", "2", "16"]
    (told,) = json.loads(run(app, ["compare", str(tmp_path / "raid5"), "--json"]).stdout)["grids"]
    assert [one["figure"]["value"] for one in told["cells"]] == [100, 200, 1600]
    beside = run(app, ["compare", str(tmp_path)]).stdout
    headings = [line for line in beside.splitlines() if line.startswith("## ")]
    assert headings == [f"## Random 4 KiB reads, queue depth {depth}, 1 job" for depth in (1, 2, 16)]
    assert "Over raid5" in beside  # 5 comes before 10
    assert "Over raid10" in run(app, ["compare", str(tmp_path), "--base", "raid10"]).stdout
    assert isinstance(run(app, ["compare", str(tmp_path), "--base", "raid"]).exception, ValueError)


def test_runs_over_each_other(tmp_path: Path) -> None:
    recorded = Path(__file__).parents[1] / "recordings" / "runs"
    one = str(recorded / "raid5-twice")
    told = CliRunner().invoke(app, ["compare", one, one + "/"]).stdout
    assert ": one disk" in told and ": all disks at once" in told


def test_what_is_handed_over_is_of_a_run_that_keeps_its_array(tmp_path: Path) -> None:
    run = run_in(
        tmp_path,
        directory.drawn(sweeps.linked(plan_permanent())),
        "the-run",
        started("the-run"),
        events.RunEnded(at_s=2, outcome="finished", kept=True),
    )
    call = CliRunner().invoke
    assert call(app, ["commissioning", f"{run}/"]).stdout.startswith("# RAID 1 of 3 disks: raidtui-")
    assert call(app, ["commissioning", f"{run}/", "--script"]).stdout.startswith("#!/bin/bash\n")
    assert "keeps no array" in str(call(app, ["commissioning", f"{RUNS / 'raid5-of-3'}/"]).exception)
