"""Page 1 of a report: never longer than 60 lines, and what stands behind the answer."""

import re

import pytest
from msgspec.structs import replace

from raidtui.core.report.context import RunContext
from raidtui.core.report.markdown import markdown, with_attachments
from raidtui.core.run import events
from tests.recordings.reports import kept

_MOST_LINES = 60
_MOST_OF_A_SWEEP, _MOST_TABLES = 150, 6


@pytest.mark.parametrize("name", kept.names())
def test_page_1_of_every_kept_report_has_at_most_60_lines(name: str) -> None:
    lines = markdown(*kept.load(name)).splitlines()
    of_page = ("## Answer", "## Summary")
    ends = [at for at, line in enumerate(lines) if line.startswith("## ") and not line.startswith(of_page)]
    headings = [line.partition(" \u00b7")[0] for line in lines[: ends[0]] if line.startswith("#")]
    assert headings[1:] == list(of_page) and ends[0] <= _MOST_LINES


def test_a_sweep_has_few_lines_and_tables_and_what_is_attached_is_not_on_it() -> None:
    runs = [RunContext(*kept.load(name)) for name in kept.names()]
    sweeps = [run for run in runs if run.is_sweep]
    assert len(sweeps) == 11
    for run in sweeps:
        text = markdown(run.plan, run.state)
        tables = len(re.findall(r"^\| -", text, re.MULTILINE))
        assert len(text.splitlines()) <= _MOST_OF_A_SWEEP and tables <= _MOST_TABLES, run.plan.title
        assert text.count("## Setups ranked") <= 1 and "## Results" not in text and "](attachments/setups.md)" in text


def test_attachments_are_linked_and_have_what_the_report_left_out() -> None:
    plan, state = kept.load("nvme-array")
    text, files = markdown(plan, state), with_attachments(plan, state)[1]
    assert list(files) == ["setups.md", "how.md", "disks.md", "pairs.md", "percentiles.md", "commands.md"]
    assert all(f"](attachments/{name})" in text for name in files)
    assert "mdadm --create" in files["commands.md"] and "mdadm --create" not in text
    assert "|   p99 |" in files["percentiles.md"]


def test_an_error_count_that_grew_is_on_page_1() -> None:
    plan, state = kept.load("raid0-gain")
    told = [
        events.HealthRead(at_s=1.0, stage=0, disks={member.id: {"pending sectors": count} for member in plan.members})
        for count in (0, 8)
    ]
    only_first = replace(state, healths=(told[0],))
    assert "24 of 24 disks read, before the run only" in markdown(plan, only_first)
    same = replace(state, healths=(told[0], told[0]))
    assert "24 of 24 disks read before and after: no error count grew" in markdown(plan, same)
    grown = replace(state, healths=tuple(told))
    page = markdown(plan, grown)
    assert "WORSE: 2000: pending sectors 0 → 8;" in page and "; 20 disks more" in page
