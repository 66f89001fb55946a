"""A run at a glance: verdicts by sign and word, the one sentence, suspects, which tests are cards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.answer import glance as glances
from raidtui.core.answer.glance import explained, main_rows, sentence, suspects
from raidtui.core.answer.mark import AtAGlance, Grade, glance, worst
from raidtui.core.report.context import RunContext
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.figure import NOT_RUN, Figure
from tests.recordings.reports import kept
from tests.replay import recorded


def row_of(name: str, job: str) -> ResultRow:
    return next(row for row in recorded(name).comparison.rows if row.job == job)


@pytest.mark.parametrize(
    "name, job, seen",
    [
        ("raid10-of-6", "seq_write", AtAGlance("✓", "as expected", "ok")),
        ("raid10-of-6", "rand_write", AtAGlance("▼", "46 % below expected", "warn")),
        ("rack-of-24", "rand_write", AtAGlance("✗", "slower than one disk", "bad")),
        ("existing-folder", "seq_read", AtAGlance("·", "no model", "dim")),
    ],
)
def test_the_verdict_of_a_recorded_test(name: str, job: str, seen: AtAGlance) -> None:
    assert glance(row_of(name, job)) == seen


def test_a_test_above_expected_and_one_without_a_result() -> None:
    run = RunContext(*kept.load("levels-random-4k"))
    assert glance(run.comparison.rows[0]) == AtAGlance("▲", "5 % above expected", "ok")
    row = row_of("raid10-of-6", "seq_read")
    assert glance(row, {(row.stage, row.job)}) == AtAGlance("!", "implausible", "warn")
    assert glance(replace(row, array=NOT_RUN)) == AtAGlance("·", "not run", "dim")
    failed = replace(row, array=Figure(standing="failed", error="no space"))
    assert glance(failed, {(row.stage, row.job)}) == AtAGlance("✗", "no result", "bad")


@pytest.mark.parametrize(
    "name, sign, words",
    [
        ("raid10-of-6", "▼", "Sequential speed as expected; random 4K write 46 % below, 4K read 35 % below"),
        ("raid5-of-3", "▼", "Random 4K write 91 % below, sequential write 23 % below, 4K read 13 % below"),
        ("rack-of-24", "✗", "Random 4K write slower than one disk, 4K read 56 % below, sequential write 14 % below"),
        ("raid5-twice", "✓", "All 2 results as expected"),
        ("existing-folder", "·", "Sequential read 282 MB/s, sequential write 78.3 MB/s, random 4K read 4401 IOPS"),
    ],
)
def test_the_sentence_of_a_recorded_run(name: str, sign: str, words: str) -> None:
    run = recorded(name)
    found = sentence(run.answer, run.comparison, run.ranking.doubted)
    assert (found.sign, found.words) == (sign, words)


@pytest.mark.parametrize("name", kept.names())
def test_the_sentence_of_a_recorded_report_has_at_most_20_words(name: str) -> None:
    run = RunContext(*kept.load(name))
    found = sentence(run.answer, run.comparison, run.ranking.doubted)
    assert len(found.words.split()) <= glances.MOST_WORDS and found.words == found.words.strip()
    assert not run.is_sweep or found.words == run.answer.lines[0]


def test_many_tests_that_differ_are_counted() -> None:
    run = recorded("raid5-of-3")
    off = next(row for row in run.comparison.rows if row.job == "rand_write")
    titles = (f"Random 4K write, at place {number} of the disk" for number in range(9))
    rows = tuple(replace(off, title=title) for title in titles)
    found = sentence(run.answer, replace(run.comparison, rows=rows))
    assert len(found.words.split()) <= glances.MOST_WORDS and found.words.endswith(" more")


@given(st.lists(st.sampled_from(["dim", "ok", "warn", "bad"])))
def test_the_worst_grade_wins(grades: list[Grade]) -> None:
    order = ["dim", "ok", "warn", "bad"]
    found = worst(AtAGlance("", "", grade) for grade in grades)
    assert order.index(found) == max(map(order.index, grades), default=0)


def test_suspects_are_spelled_out_with_their_tests_the_worst_first() -> None:
    rows = recorded("raid10-of-6").comparison.rows
    whole = "Suspect: writeback throttling (wbt) in random 4K write; cause: CPU in random 4K read"
    assert suspects(rows, 3) == whole
    assert suspects(rows, 1) == "Suspect: writeback throttling (wbt) in random 4K write; 1 more"
    assert suspects([row for row in rows if row.kind == "sequential"], 3) == ""
    assert suspects(recorded("queue-by-jobs").comparison.rows, 3) == "Cause unknown"


def test_what_explain_changes_is_named_and_an_abbreviation_spelled_out_once() -> None:
    run = recorded("raid10-of-6")
    changes = "measure random 4K write again: each disk by itself, without writeback throttling (wbt)"
    assert explained(run.plan, run.state, run.comparison).startswith(changes)
    said = explained(run.plan, run.state, run.comparison, suspects(run.comparison.rows, 3))
    assert said == "measure random 4K write again: each disk by itself, without wbt, without the bitmap"
    assert explained(run.plan, run.state, run.comparison, said, 1).endswith("again: each disk by itself, 2 more")
    bare = recorded("existing-folder")
    assert explained(bare.plan, bare.state, bare.comparison) == ""


def test_of_many_tests_those_of_the_question_are_the_cards() -> None:
    run = RunContext(*kept.load("latency-at-load"))
    rows = run.comparison.rows
    assert len(rows) > 4 and not any(row.share_of for row in main_rows(run.answer, rows, 2))
    queue = recorded("queue-by-jobs")
    chosen = main_rows(queue.answer, queue.comparison.rows, 4)
    assert len(chosen) == 4 and any(glance(row).grade == "warn" for row in chosen)
    failed = replace(queue.comparison.rows[-2], array=Figure(standing="failed"))
    rows = (*queue.comparison.rows[:-2], failed, queue.comparison.rows[-1])
    assert failed in main_rows(queue.answer, rows, 4)
    assert main_rows(queue.answer, rows[:3], 4) == rows[:3]
