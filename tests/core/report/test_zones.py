"""Places on the disks in a report: a sentence for each before the table, in words of tracks."""

import pytest

from raidtui.core.report.markdown import markdown
from raidtui.core.results.series.zones import place_words
from tests.builders import sweeps


def test_the_report_says_it_before_its_table_and_not_as_queue_depths() -> None:
    made = sweeps.plan("zones", 4)
    text = markdown(made, sweeps.state(made, lambda _, trial: {"0%": 200.0}.get(str(trial.varied["offset"]), 100.0)))
    part = text.split("## Places on the disks\n\n")[1].split("\n\n")
    assert part[0].startswith(
        "- Sequential read, middle (from 45%) over outer (from 0%), on 4 disks: 50 % of it (-50.0 %"
    )
    assert "Random 4K read, inner (from 90%), IOPS" in "".join(part[1:])
    assert "by queue depth and jobs" not in text


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("0%", "outer (from 0%)"),
        ("45%", "middle (from 45%)"),
        ("66%", "middle (from 66%)"),
        ("90%", "inner (from 90%)"),
    ],
)
def test_a_place_is_called_by_the_third_it_lies_in(place: str, words: str) -> None:
    assert place_words(place) == words
