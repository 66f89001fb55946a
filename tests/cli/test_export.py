"""`raidtui export`: figures with host, run and date; seconds; Prometheus."""

import csv
import io
import json
from pathlib import Path

from tests.cli.conftest import Command
from tests.schemas import errors_in


def test_a_runs_figures_with_run_and_date(command: Command, recorded_run: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(command("export")[1])))
    assert len(rows) == 4 and {row["run"] for row in rows} == {recorded_run.name}
    assert {row["date"][:10] for row in rows} == {"2026-11-21"} and all(float(row["value"]) > 0 for row in rows)


def test_its_seconds_in_both_forms_are_the_same(command: Command, recorded_run: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(command("export", "--samples", "csv")[1])))
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
