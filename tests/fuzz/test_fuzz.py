"""A few hundred of the documents that `python -m tests.fuzz` takes: well-formed, and wrong. And what once failed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests import seeds
from tests.broken.outcomes import patient
from tests.fuzz import cases, forms
from tests.fuzz.cases import Case, Failure, TooLong, case, outcome, shrunk, told
from tests.fuzz.changes import Change, applied
from tests.fuzz.subjects import BY_NAME, SUBJECTS, TURN, Subject
from tests.fuzz.tree import Path, Twin, at, places, put

CASES, SEED = seeds.cases(4, few=1, many=200) * len(TURN), 0
# Document and its number, the last keys of the place that is changed (the first such place), what is done there, how
# it ends now.
# Each was a traceback, a wait of many seconds, or a sign that a terminal obeys, before it was mended.
KNOWN: tuple[tuple[str, int, tuple[str | int, ...], str, Any, str], ...] = (
    ("answers", 0, ("disk_iops",), "set", -150.5, "refused"),
    ("answers", 0, ("disk_iops",), "set", float("nan"), "refused"),
    ("answers", 0, ("disk_iops",), "set", 5e-324, "refused"),
    ("answers", 0, ("setup", "level"), "set", "磁" * 3000, "read"),
    ("answers", 0, ("disks", 2), "set", "磁" * 3000, "read"),
    ("answers", 0, ("setup", "chunk"), "set", "64KiB\x9b", "refused"),
    ("recipe", 0, ("title",), "set", "a\x1b]0;x\x07", "refused"),
    ("recipe", 0, ("summary",), "set", "a\u202eb", "refused"),
    ("recipe", 0, ("runtime",), "set", -1e308, "refused"),
    ("recipe", 0, ("fio", "rw"), "set", "A" * 5000, "refused"),
    ("plan", 0, ("what",), "set", "x\x7f", "refused"),
    ("plan", 0, ("recipe_title",), "set", "\u202ex", "refused"),
    ("plan", 0, ("trials", 0, "member"), "set", None, "refused"),
    ("plan", 2, ("published",), "set", {"serial": 0}, "refused"),
    ("plan", 2, ("stages", -1), "drop", None, "read"),
    ("journal", 0, ("stage",), "set", 10**6, "read"),
    ("journal", 0, (86, "measurement", "read", "lat_percentiles_ns", "99.9"), "rename", "schema", "read"),
    ("journal", 0, ("targets", 0), "set", "\x1b]8;;http://x\x1b\\", "read"),
    ("journal", 0, ("targets", 0), "set", "\u202e", "read"),
    ("journal", 0, ("outcome",), "set", "fina\rbished", "read"),
    ("machine", 1, ("devices", 5, "parent"), "swap", ("devices", 1, "parent"), "read"),
    ("fio", 0, ("fio version",), "set", "\ud800", "read"),
    ("fio", 0, ("fio version",), "set", "\x1b[2J", "read"),
)


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    with patient(TooLong):
        yield


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_what_is_right_is_read(subject: Subject) -> None:
    assert subject.known
    for seed in range(len(subject.known)):
        assert outcome(Case(subject, 0, seed, ())) == "read"


def test_what_is_wrong_is_read_or_refused() -> None:
    ended = [(one, outcome(one)) for one in (case(SEED, number) for number in range(CASES))]
    failed = [told(SEED, one, end) for one, end in ended if isinstance(end, Failure)]
    assert not failed, "\n".join(failed[:5])
    assert {one.subject for one, _ in ended} == set(TURN)
    assert {end for _, end in ended} == {"read", "refused"}


def place(tree: Any, last: Path) -> Path:
    """The first place that ends so; a last -1 is the last entry of a list."""
    if last[-1] == -1:
        holder = place(tree, last[:-1])
        return (*holder, len(at(tree, holder)) - 1)
    return next(path for path in places(tree) if path[-len(last) :] == last)


@pytest.mark.parametrize("name, seed, last, what, value, end", KNOWN, ids=lambda value: str(value)[:30])
def test_what_once_failed(name: str, seed: int, last: Path, what: str, value: object, end: str) -> None:
    subject = BY_NAME[name]
    change = Change(place(subject.known[seed].tree, last), what, value)
    for number in (0, 8, 9):  # a walk leaves some out by the case's number
        assert outcome(Case(subject, number, seed, (change,))) == end


def test_the_same_numbers_are_the_same_case() -> None:
    assert case(3, 77).data == case(3, 77).data
    assert len({case(seed, 77).data for seed in range(20)}) > 15


def test_a_change_leaves_the_document_that_it_was_made_from() -> None:
    tree = {"a": [1, {"b": 2}]}
    for change, expected in (
        (Change(("a", 1, "b"), "set", 3), {"a": [1, {"b": 3}]}),
        (Change(("a", 0), "drop"), {"a": [{"b": 2}]}),
        (Change(("a", 1, "b"), "rename", "c"), {"a": [1, {"c": 2}]}),
        (Change(("a", 1), "add", ("c", 4)), {"a": [1, {"b": 2, "c": 4}]}),
        (Change(("a", 0), "swap", ("a", 1, "b")), {"a": [2, {"b": 1}]}),
        (Change(("a",), "reverse", 0), {"a": [{"b": 2}, 1]}),
        (Change(("a", 7), "drop"), tree),
        (Change(("x", "y"), "set", 1), tree),
    ):
        assert applied(tree, [change]) == expected
        assert tree == {"a": [1, {"b": 2}]}


def test_a_doubled_key_is_written_twice() -> None:
    tree = applied({"a": 1}, [Change(("a",), "double key", float("nan"))])
    assert forms.as_json(tree) == b'{"a": 1, "a": NaN}'
    assert Twin("a") != Twin("a")


def test_a_failure_is_told_with_its_smallest_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that falls over one key falls with one change, whatever else was changed with it."""

    def walk(data: bytes, number: int) -> Iterator[tuple[str, str]]:
        yield "the look", "nothing" if b"bad" not in data else "\x1b"

    subject = Subject("shrinking", lambda: ({"a": 1, "b": [1, 2]},), forms.as_json, walk, (), 1)
    monkeypatch.setitem(BY_NAME, subject.name, subject)
    cause = Change(("a",), "set", "bad")
    one = Case(subject, 5, 0, (Change(("b",), "reverse", 1), cause, Change(("b", 0), "drop")))
    failure = outcome(one)
    assert isinstance(failure, Failure) and failure.what == "control characters"
    assert shrunk(one, failure).changes == (cause,)
    assert str(cause) in told(0, shrunk(one, failure), failure)


def test_what_takes_too_long_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def walk(data: bytes, number: int) -> Iterator[tuple[str, str]]:
        while True:
            put({"a": 1}, ("a",), 2)
        yield "", ""

    monkeypatch.setattr(cases, "MOST_S", 0.05)
    subject = Subject("waiting", lambda: ({},), forms.as_json, walk, ())
    monkeypatch.setitem(BY_NAME, subject.name, subject)
    failure = outcome(Case(subject, 0, 0, ()))
    assert isinstance(failure, Failure) and failure.what == "too long"
