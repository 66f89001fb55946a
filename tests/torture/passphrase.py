"""The passphrase of a run's LUKS container, as a person types it; a key takes little of a kernel of the lab."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.builders.keyboard import Keyboard
from tests.torture.attempt import Attempt
from tests.torture.stand import fakes, raidtui

_PASSPHRASE = "correct horse"
_LIGHT = '[ "$1" != luksFormat ] || set -- "$@" --pbkdf pbkdf2 --pbkdf-force-iterations 1000\nexec "$real" "$@"'


@contextmanager
def light() -> Iterator[None]:
    """cryptsetup derives keys in a moment."""
    with fakes(cryptsetup=_LIGHT):
        yield


def make(attempt: Attempt) -> None:
    """Awaited: a new one twice, and once to open what it made."""
    _answer(attempt, ("capital letters", "YES"), "Enter passphrase", "Verify passphrase", "Enter passphrase")


def enter(attempt: Attempt) -> None:
    """Awaited: once more, to open it."""
    _answer(attempt, "Enter passphrase")


def _answer(attempt: Attempt, *asked: str | tuple[str, str]) -> None:
    attempt.reach("passphrase")
    dialog = [(words, _PASSPHRASE) if isinstance(words, str) else words for words in asked]
    Keyboard(raidtui("passphrase", attempt.path.name)).answer(dialog).ended()
