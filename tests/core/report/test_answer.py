"""How a report begins, how wide its tables are, and its charts as pictures."""

import re

import pytest

from raidtui import recipes
from raidtui.core.plan.answers import Setup
from raidtui.core.report.markdown import markdown, whole, with_files
from raidtui.demo.recording import load
from tests.builders import sweeps
from tests.builders.answers import alone, repeated
from tests.builders.tables import tables_of
from tests.replay import RUNS
from tests.seeds import cases

BUILDING = [name for name in recipes.names() if name != "existing"]
WIDEST = 100


def report_of(name: str) -> str:
    setup = Setup() if recipes.load(name).axes else Setup(level="5")
    made = sweeps.plan(name, 6, repeat=1 if recipes.load(name).rounds or name == "proof" else 3, setup=setup)
    return markdown(made, sweeps.state(made, repeated(lambda stage, trial: 100.0 + len(stage.title))))


def wide(text: str) -> list[str]:
    outside = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", text)
    return [line for line in outside.splitlines() if line.startswith("|") and len(line) > WIDEST]


@pytest.mark.parametrize("name", BUILDING[:: cases(1, few=3)])
def test_a_report_begins_with_its_answer_and_no_table_is_wider_than_100(name: str) -> None:
    text = report_of(name)
    heading, bullets = text.split("\n\n")[1:3]
    lines = bullets.splitlines()
    assert heading.startswith("## ") and all(line.startswith("- ") for line in lines)
    assert len(lines) >= 2 and lines[-1].startswith("- Next: ")
    assert wide(text) == []


@pytest.mark.parametrize("name", ["rack-of-24", "raid5-of-3", "raid5-twice"])
def test_the_recorded_reports_have_no_table_wider_than_100(name: str) -> None:
    assert wide((RUNS / name / "report.md").read_text()) == []


def test_setups_are_ranked_with_the_verdict_against_the_best() -> None:
    made = sweeps.plan("levels-random-4k", 6, repeat=3)
    rate = {"0": 600.0, "10": 300.0, "5": 150.0, "6": 20.0}
    state = sweeps.state(
        made, repeated(lambda stage, trial: rate[stage.setup.level] if stage.setup else alone(trial, disks=6))
    )
    (found, *_) = tables_of(whole(made, state).split("## Setups ranked\n")[1])
    figures = ["Random 4K write, IOPS", "Random 4K read, IOPS"]
    assert found[0] == ["Rank", "Setup", "Mean against the best", *figures, "May fail, disks", "Usable, %"]
    verdicts = {row[1].rpartition(" ")[0]: row[2] for row in reversed(found[2:])}
    assert (
        found[2][2] == "best"
        and verdicts["RAID 5"] == "\N{MINUS SIGN}75 %"
        and verdicts["RAID 6"] == "\N{MINUS SIGN}97 %"
    )
    assert sum(row[2].startswith("equal (") for row in found[2:]) == 8


def test_charts_become_pictures_that_the_text_names() -> None:
    recording = load(RUNS / "raid5-of-3")
    text, files = with_files(recording.plan, recording.view().state, "r-files")
    named = re.findall(r"!\[.*?\]\(r-files/(.*?)\)", text)
    pictures = {name: content for name, content in files.items() if name.endswith(".svg")}
    assert named == list(pictures) == ["sequential-throughput-mb-s.svg", "random-operations-iops.svg"]
    assert all(picture.startswith("<svg ") for picture in pictures.values())
    assert "```text\nSequential" not in text
