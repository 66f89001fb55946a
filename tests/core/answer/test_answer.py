"""All answers as they are read: the golden file, its limits, the same answer from its JSON, one for every recipe."""

import re
from statistics import median
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.answer import answer_lines, faults
from raidtui.core.answer.answer import QUESTIONS, Answer, words_of
from raidtui.core.answer.values import FaultName, Finding
from raidtui.core.plan.answers import Setup
from tests.builders import sweeps
from tests.builders.answers import answered, of
from tests.core.answer import golden
from tests.seeds import cases, paired

MOST_WORDS, MEDIAN_WORDS = 120, 90  # of an answer: its title and its lines
MOST_IN_LINE, MEDIAN_IN_LINE = 20, 14
BANNED = re.compile(
    r"may be chance|can be told|nobody can tell|would not show|as far as|hardly|relied on|bears out|theory|in flight"
)
# How many words those lines have that are longer all the same: the list only shrinks.
TOO_LONG = {"made-up: disk-baseline, a slow disk": [25], "made-up: disk-baseline, broken": [25, 29]}


def words(text: str) -> int:
    return len(text.split())


def test_answers_stay_as_they_are() -> None:
    """Where they are changed on purpose: `python -m tests.core.answer.golden`."""
    assert golden.text() == golden.FILE.read_text()


def test_the_file_has_all_kinds_of_findings_and_of_faults() -> None:
    answers = golden.answers().values()
    kinds = {type(finding) for found in answers for finding in found.findings}
    assert set(get_args(Finding)) - kinds == set()
    assert set(get_args(FaultName)) - {fault.name for found in answers for fault in found.faults} == set()


def test_an_answer_fits_its_limits() -> None:
    read = {name: (found.title, *found.lines) for name, found in golden.answers().items()}
    lengths = {name: sum(map(words, lines)) for name, lines in read.items()}
    assert max(lengths.values()) <= MOST_WORDS and median(lengths.values()) <= MEDIAN_WORDS
    counts = {name: sorted(map(words, (*read[name], *found.more))) for name, found in golden.answers().items()}
    long = {name: [count for count in of_run if count > MOST_IN_LINE] for name, of_run in counts.items()}
    assert {name: of_run for name, of_run in long.items() if of_run} == TOO_LONG
    every = [line for name, found in golden.answers().items() for line in (*read[name], *found.more)]
    assert median(map(words, every)) <= MEDIAN_IN_LINE
    assert [line for line in every if BANNED.search(line)] == []


def test_a_program_reads_the_same_answer() -> None:
    answers = golden.answers()
    read = {name: msgspec.json.decode(msgspec.json.encode(found), type=Answer) for name, found in answers.items()}
    assert read == answers != {}


@pytest.mark.parametrize(
    "name, repeat", paired([name for name in recipes.names() if name != "existing"][:: cases(1, few=3)], [1, 3])
)
def test_every_recipe_is_answered_by_its_question(name: str, repeat: int) -> None:
    recipe = recipes.load(name)
    setup = Setup() if recipe.axes else Setup(level="5")
    repeat = 1 if recipe.rounds or name == "proof" else repeat
    found = answered(name, 6, lambda stage, trial: 100.0 * (1 if trial.target == "member" else 3), repeat, setup=setup)
    assert (found.kind, found.question) == (recipe.question, QUESTIONS[found.kind].words)
    assert found.findings and found.lines[-1] == words_of(found.next)
    assert found.method.runs in (repeat, 5) if found.method else name == "proof"
    every = (found.title, *found.lines, *found.more)
    assert sum(map(words, (found.title, *found.lines))) <= MOST_WORDS
    assert [line for line in every if re.search(r"None|nan|inf|\.\.|  |\.$", line) or BANNED.search(line)] == []
    assert msgspec.json.decode(msgspec.json.encode(found), type=Answer) == found


@pytest.mark.parametrize("emulated", [0, 2, 4])
def test_what_emulates_the_disks_is_a_badge_in_the_title(emulated: int) -> None:
    made = sweeps.plan("quick", 4, level="0")
    qemu = tuple(replace(one, model="QEMU NVMe Ctrl") for one in made.members[:emulated])
    made = replace(made, members=(*qemu, *made.members[emulated:]))
    found = of(made, lambda stage, trial: 100.0)
    assert found.emulated == ("QEMU" if emulated else "") and ("QEMU" in found.title) is bool(emulated)


def test_lines_that_have_no_room_are_further_findings() -> None:
    """Each finding's first line goes before all others; the caveat, the method and the next step are always there."""
    assert golden.answers()
    for name, found in golden.answers().items():
        every = [text for finding in found.findings for text in answer_lines.lines(finding)]
        assert [text for text in every if text not in (*found.lines, *found.more)] == [], name
        own = [text for text in found.lines if text in every]
        assert own == [text for text in every if text in own], "in the order of the findings"
        caveat, how = faults.caveat(found.faults), faults.method_line(found.method) if found.method else ""
        assert found.lines[-2:] == (*([how] if how else found.lines[-2:-1]), words_of(found.next))
        assert not caveat or caveat in found.lines
