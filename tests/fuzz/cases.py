"""A case: a good document, what is changed in it, and whether the program stood it. The same for the same numbers."""

import random
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.broken.parsers import is_clean
from tests.fuzz.changes import Change, applied, drawn, smaller
from tests.fuzz.subjects import TURN, Subject
from tests.fuzz.walks import sentence

MOST_S = 2.0  # of CPU for reading a document, and for each thing that is made of it


class Case(NamedTuple):
    """`seed` is the number of the subject's good document."""

    subject: Subject
    number: int
    seed: int
    changes: tuple[Change, ...]

    @property
    def data(self) -> bytes:
        """The file. What writes it may go deeper than the program that reads it."""
        most = sys.getrecursionlimit()
        sys.setrecursionlimit(10 * most)
        try:
            return self.subject.encode(self.tree)
        finally:
            sys.setrecursionlimit(most)

    @property
    def tree(self) -> Any:
        """The document."""
        return applied(self.subject.known[self.seed].tree, self.changes)


class Failure(NamedTuple):
    """`what` went wrong, and `where` in the program: what tells one defect from another."""

    what: str
    where: str
    said: str


class TooLong(BaseException):
    """No `except Exception` of the program's may take it for its own."""


def case(seed: int, number: int) -> Case:
    """The case of these numbers."""
    subject = TURN[number % len(TURN)]
    chance = random.Random(f"{subject.name}/{seed}/{number}")
    which = chance.randrange(len(subject.known))
    return Case(subject, number, which, drawn(subject.known[which], chance))


def outcome(one: Case) -> str | Failure:
    """ "read", "refused" (in a sentence), or what failed."""
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    what = "reading"
    try:
        for what, text in one.subject.walk(one.data, one.number):
            if not all(map(is_clean, text.split("\n"))):
                return Failure("control characters", what, _unclean(text))
            text.encode()
            signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
        return "read"
    except one.subject.errors as error:
        if what != "reading":
            return _failed(error, what)
        try:
            refused = sentence(error)
        except AssertionError as wrong:
            return Failure("no sentence", one.subject.name, str(wrong))
        return "refused" if is_clean(refused) else Failure("control characters", one.subject.name, repr(refused))
    except (Exception, TooLong) as error:
        return _failed(error, what)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _unclean(text: str) -> str:
    return repr(next(line for line in text.split("\n") if not is_clean(line))[:300])


def _failed(error: BaseException, what: str) -> Failure:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/raidtui/" in frame.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    kind = "too long" if isinstance(error, TooLong) else type(error).__name__
    where = "" if isinstance(error, TooLong) else f" {Path(last.filename).name}:{last.lineno} in {last.name}"
    return Failure(kind, f"{what}{where}", f"{str(error)[:300]} {last.filename}:{last.lineno}")


def shrunk(one: Case, failure: Failure) -> Case:
    """The case with as few changes as still fail in the same way."""
    for fewer in smaller(one.changes):
        less = one._replace(changes=fewer)
        again = outcome(less)
        if isinstance(again, Failure) and again[:2] == failure[:2]:
            return shrunk(less, failure)
    return one


def told(seed: int, one: Case, failure: Failure) -> str:
    """A failure for a person, with all that it takes to have it again."""
    lines: Sequence[str] = (
        f"{one.subject.name}, case {one.number} of seed {seed}: {failure.what}, {failure.where}",
        f"    {failure.said}",
        *(f"    change in document {one.seed}: {change}" for change in one.changes),
    )
    return "\n".join(lines)
