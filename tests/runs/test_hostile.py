"""What foreign files may bring: words that a terminal obeys, figures that are none, stages that are not there."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.fio.measurement import Measurement
from raidtui.core.fio.result import parse
from raidtui.core.plan import estimate
from raidtui.core.plan.summary import explain
from raidtui.core.report.context import RunContext
from raidtui.core.report.markdown import markdown
from raidtui.core.report.provenance import measurements_csv
from raidtui.core.run import progress
from raidtui.ui.render.results_lines import report_lines
from tests.builders import handmade

OBEYED = "\x1b[2J\x1b]0;owned\x07\x9b2J\u202e"


def test_csv_brings_nothing_that_a_terminal_obeys() -> None:
    odd = Measurement(name=f"a{OBEYED}", status="failed", error=f"b{OBEYED}", rw=f"read{OBEYED}", warnings=(OBEYED,))
    text = measurements_csv([odd])
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert text.splitlines()[1].startswith("a[2J]0;owned")


def test_a_recipe_brings_nothing_that_a_terminal_obeys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "own_folder", lambda: tmp_path)
    escaped = json.dumps(OBEYED)[1:-1].replace("\\u009b", "\\u009B")
    shipped = (Path(recipes.__file__).parent / "quick.toml").read_text()
    title = next(line for line in shipped.splitlines() if line.startswith("title"))
    (tmp_path / "odd.toml").write_text(shipped.replace(title, f'title = "Odd{escaped}"', 1))
    (tmp_path / "broken\x1b[2J.toml").write_text("x")
    library = recipes.library()
    assert library.recipes["odd"].title.startswith("Odd[2J")
    for text in (*explain("odd", library.recipes["odd"]), *library.broken):
        assert text.replace("\n", "").isprintable(), repr(text)


@pytest.mark.parametrize("runtime", ["5e-324", "1e-300", "0.5", "0"])
def test_a_runtime_that_is_no_time_gives_no_figure(runtime: str) -> None:
    entry = (
        '{"jobname":"j","job_runtime":1000,"error":0,"job options":{"rw":"read","bs":"4k","ramp_time":"1"},'
        '"read":{"io_bytes":409600,"bw":1,"iops":100.0,"runtime":' + runtime + ',"total_ios":100}}'
    )
    (found,) = parse('{"fio version":"fio-3.33","jobs":[' + entry + "]}", "x")
    assert found.read is None or found.status != "ok"
    markdown_of = measurements_csv([found])
    assert "inf" not in markdown_of and "nan" not in markdown_of


@pytest.mark.parametrize("stage", [1, 7, 2**40])
def test_a_stage_that_the_plan_has_not_is_no_traceback(stage: int) -> None:
    plan = handmade.plan()
    whole = handmade.state(plan)
    steps = tuple(replace(step, stage=stage) for step in whole.steps)
    for outcome in ("", "finished"):
        odd = replace(whole, stage=stage + len(plan.stages), steps=steps, outcome=outcome)
        progress.left_s(plan, estimate.stages(plan), odd, odd.now_s)
        assert markdown(plan, odd)
        assert report_lines(RunContext(plan, odd), "report.md", 100)
