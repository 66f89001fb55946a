"""What was chosen is written where the program was started, never over a file, and read again as it was."""

import tomllib
from pathlib import Path

from raidtui.core.plan.answers import Answers, Setup, parse
from raidtui.ui.last_time import write_answers

CHOSEN = Answers(disks=("wwn-1", "wwn-2"), setup=Setup(level="1"))


def test_it_is_read_again_as_it_was_chosen(tmp_path: Path) -> None:
    said = write_answers(CHOSEN, tmp_path)
    assert parse(tomllib.loads((tmp_path / "answers.toml").read_text())) == CHOSEN
    assert "`raidtui plan answers.toml`" in said


def test_a_file_or_a_broken_link_of_that_name_stays(tmp_path: Path) -> None:
    (tmp_path / "answers.toml").write_text("mine")
    (tmp_path / "answers-2.toml").symlink_to(tmp_path / "nowhere")
    write_answers(CHOSEN, tmp_path)
    assert (tmp_path / "answers.toml").read_text() == "mine" and not (tmp_path / "nowhere").exists()
    assert parse(tomllib.loads((tmp_path / "answers-3.toml").read_text())) == CHOSEN


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    assert write_answers(CHOSEN, tmp_path / "none").startswith("Not written: ")
