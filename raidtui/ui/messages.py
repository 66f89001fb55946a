"""What is told of runs, to whoever shows them, or to the app where the screen that asked is gone: handled as
`on_run_started` ... `RunStarted` and `NotRemembered` are the app's own: a run that is there is shown, whichever screen
is left of those that led to it. An answer to one screen is none of these (`Jobs.ask`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message


@dataclass(eq=False)
class RunsChanged(Message, bubble=False):
    """A run does not stand any more as a list of runs may show it."""


@dataclass(eq=False)
class RunStarted(Message, bubble=False):
    """The worker was started; its run directory."""

    path: Path


@dataclass(eq=False)
class NotRemembered(Message, bubble=False):
    """What was chosen could not be kept for next time: why."""

    sentence: str


@dataclass(eq=False)
class NameAsked(Message, bubble=False):
    """A run is not resumed until the `name` of what it built is typed: the reason in one sentence. `go` resumes it."""

    sentence: str
    name: str
    go: Callable[[], None]


@dataclass(eq=False)
class RunFailed(Message, bubble=False):
    """A run could not be started, stopped or cleared away: one sentence."""

    sentence: str
