"""The recordings of the demo: shipped by name, read as they were recorded."""

import tomllib

import pytest

from raidtui.core.report.markdown import markdown
from raidtui.demo import recording
from tests.imports import ROOT


@pytest.mark.parametrize("name", recording.SHIPPED)
def test_a_recording_is_whole_and_of_emulated_disks(name: str) -> None:
    recorded = recording.load(recording.folder_of(name))
    view = recorded.view()
    assert view.state.outcome == "finished" and len(recorded.samples) > 100
    assert "EMULATED" in markdown(recorded.plan, view.state)


@pytest.mark.parametrize("name", recording.SHIPPED)
def test_the_wheel_has_all_files_of_a_recording(name: str) -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    packed = build["targets"]["wheel"]["force-include"]
    for file in ("plan.json", "journal.jsonl", "samples.bin", recording.MACHINE):
        source = recording.folder_of(name) / file
        assert packed[str(source.relative_to(ROOT))] == f"raidtui/demo/runs/{name}/{file}" and source.is_file()
