"""`report` and `compare`: of runs, of fio's files, of folders."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from raidtui.cli.app import app
from tests.replay import RUNS


def fio_json(iops: float, job: str, rw: str = "randread") -> str:
    way = {"iops": iops, "bw_bytes": iops * 4096, "io_bytes": int(iops * 4096 * 60), "total_ios": int(iops * 60)}
    options = {"rw": rw, "bs": "4k", "iodepth": "32", "numjobs": "1"}
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
    assert "+42.9 %" in run(app, ["compare", *files]).stdout
    assert "-30.0 %" in run(app, ["compare", *files, "--base", files[1]]).stdout
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
    assert run(app, ["report", source]).stdout.split("\n\n")[1].endswith("where do the bytes go?")
    found = json.loads(run(app, ["report", source, "--json"]).stdout)
    assert list(found) == ["answer", "measurements"] and len(found["measurements"]) == 12
    assert found["answer"]["next"]["command"].startswith("raidtui explain ")
    assert {"gain", "theory", "limit"} <= {one["kind"] for one in found["answer"]["conclusions"]}


def test_charts_are_files_beside_the_report_and_never_over_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run, source = CliRunner().invoke, f"{RUNS / 'raid5-of-3'}/"
    text = run(app, ["report", source, "--charts"]).stdout
    (folder,) = tmp_path.iterdir()
    assert all(f"({folder.name}/{one.name})" in text for one in folder.iterdir())
    assert "is there already" in str(run(app, ["report", source, "--charts"]).exception)
    (tmp_path / "fio.json").write_text(fio_json(100, "x"))
    assert "no charts" in str(run(app, ["report", "fio.json", "--charts"]).exception)
