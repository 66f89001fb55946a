"""All samples of a run that was recorded, a torn last one left out."""

import shutil
from pathlib import Path

import pytest

from raidtui.runs.directory import SAMPLES
from raidtui.runs.fleet.recorded import all_samples
from tests.replay import RUNS, load


def test_all_are_read_but_a_torn_one(tmp_path: Path) -> None:
    shutil.copy(RUNS / "raid5-of-3" / SAMPLES, tmp_path)
    with (tmp_path / SAMPLES).open("ab") as file:
        file.write(b"torn")
    known = load(RUNS / "raid5-of-3")
    assert all_samples(tmp_path) == (known.header, known.samples)


def test_a_run_without_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no samples yet"):
        all_samples(tmp_path)
