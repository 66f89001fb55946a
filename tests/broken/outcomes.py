"""What became of one input: read, refused in a sentence, or wrong. An input that takes too long is wrong, too."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.broken.parsers import Parser, is_clean

MOST_S = 3.0  # of CPU for one input, however nasty


@contextmanager
def patient(error: type[BaseException] = TimeoutError) -> Iterator[None]:
    """So that an input that takes too long is a failure, and the next one has its turn."""

    def too_long(*_: object) -> None:
        raise error("too long: not done in the seconds that one input is given")

    before = signal.signal(signal.SIGVTALRM, too_long)
    try:
        yield
    finally:
        signal.signal(signal.SIGVTALRM, before)


def outcome(parser: Parser, data: bytes) -> str:
    """ "read" or "refused"; AssertionError where the answer is not right."""
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        found = parser.read(data)
    except parser.errors as error:
        assert type(error) in parser.errors, f"{type(error).__name__} is no error that it documents: {error}"
        sentence = str(error)
        assert sentence and is_clean(sentence) and len(sentence) < 1500, repr(sentence)
        return "refused"
    else:
        parser.check(found)
        return "read"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
