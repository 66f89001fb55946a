"""`raidtui export`: figures with host, run and date; seconds; Prometheus; fio-plot."""

import json
import shutil
from pathlib import Path

from tests.builders.tables import csv_rows
from tests.cli.conftest import RECORDED, Command
from tests.schemas import errors_in


def test_a_runs_figures_with_run_and_date(command: Command, recorded_run: Path) -> None:
    rows = csv_rows(command("export")[1])
    assert len(rows) == 4 and {row["run"] for row in rows} == {recorded_run.name}
    assert {row["date"][:10] for row in rows} == {"2026-11-21"} and all(float(row["value"]) > 0 for row in rows)


def test_its_seconds_in_both_forms_are_the_same(command: Command, recorded_run: Path) -> None:
    rows = csv_rows(command("export", "--samples", "csv")[1])
    lines = [json.loads(line) for line in command("export", "--samples", "jsonl")[1].splitlines()]
    assert len(rows) == len(lines) > 100 and errors_in("second", lines[0]) == []
    assert [float(row["read_bytes_per_s"]) for row in rows] == [line["read_bytes_per_s"] for line in lines]
    assert {line["device"] for line in lines} > {"array"} and any(line["trial"] for line in lines)


def test_its_standing_and_results_for_prometheus(command: Command, recorded_run: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.prom"
    assert command("export", "--prometheus", str(file))[0] == 0
    assert "raidtui_run_finished{" in file.read_text() and "raidtui_run_test_gain_ratio{" in file.read_text()
    code, _, error = command("export", "--prometheus", str(tmp_path / "run.txt"))
    assert code == 2 and "end in .prom" in error


def test_fios_results_for_fio_plot(command: Command, tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "charts of it"
    shutil.copytree(RECORDED / "runs" / "queue-by-jobs", run)
    run.chmod(0o700)
    code, out, error = command("export", str(run), "--fio-plot", str(folder))
    assert code == 0 and len(out.splitlines()) == 6 and len(list(folder.rglob("*.json"))) == 12
    assert all(line.startswith(f"fio-plot --input-directory '{folder}/0") for line in out.splitlines())
    assert "left out: s1-members-mix: fio's result is not there" in error
    code, _, error = command("export", str(run), "--fio-plot", str(folder))
    assert code == 2 and "exists already" in error
    shutil.rmtree(run / "fio")
    code, _, error = command("export", str(run), "--fio-plot", str(tmp_path / "none"))
    assert code == 2 and "no complete fio result" in error and not (tmp_path / "none").exists()
    assert command("export", str(run), "--fio-plot", "x", "--samples", "csv")[0] == 2
