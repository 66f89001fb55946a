"""Steps of the wizard: order, top line, screens (imported on first use). New steps: a screen and a row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from raidtui.ui.draft import Draft
from raidtui.ui.screens.base import BaseScreen

ScreenClass = type[BaseScreen[Any]]


def _always(_: Draft) -> bool:
    return True


def _builds_what_is_chosen(draft: Draft) -> bool:
    return draft.builds == "chosen" and not draft.axes


def _has_filesystem(draft: Draft) -> bool:
    return draft.builds == "chosen"


def _has_chunk(draft: Draft) -> bool:
    return _builds_what_is_chosen(draft) and draft.raid.has_chunk


@dataclass(frozen=True)
class Step:
    """`name`: the screen's STEP. `load`: its class, None for screens of a run. `is_open`: the draft leaves a choice;
    else skipped.
    """

    name: str
    load: Callable[[], ScreenClass] | None = None
    is_open: Callable[[Draft], bool] = _always


def _start() -> ScreenClass:
    from raidtui.ui.screens.start import StartScreen

    return StartScreen


def _disks() -> ScreenClass:
    from raidtui.ui.screens.disks import DisksScreen

    return DisksScreen


def _level() -> ScreenClass:
    from raidtui.ui.screens.level import LevelScreen

    return LevelScreen


def _chunk() -> ScreenClass:
    from raidtui.ui.screens.chunk import ChunkScreen

    return ChunkScreen


def _filesystem() -> ScreenClass:
    from raidtui.ui.screens.filesystem import FilesystemScreen

    return FilesystemScreen


def _measure() -> ScreenClass:
    from raidtui.ui.screens.measure import MeasureScreen

    return MeasureScreen


def _review() -> ScreenClass:
    from raidtui.ui.screens.review import ReviewScreen

    return ReviewScreen


STEPS: tuple[Step, ...] = (
    Step("Start", _start),
    Step("Disks", _disks),
    Step("Level", _level, _builds_what_is_chosen),
    Step("Chunk", _chunk, _has_chunk),
    Step("File system", _filesystem, _has_filesystem),
    Step("Tests", _measure),
    Step("Review", _review),
    Step("Live"),
    Step("Results"),
)


def names() -> tuple[str, ...]:
    return tuple(step.name for step in STEPS)


def open_names(draft: Draft) -> tuple[str, ...]:
    """The run's own included."""
    if draft.given is not None:  # answers that are whole: all that is left is whether they shall be carried out
        return tuple(step.name for step in STEPS if step.load in (None, _start, _review))
    return tuple(step.name for step in STEPS if step.is_open(draft))


def of_the_choosing() -> tuple[str, ...]:
    return tuple(step.name for step in STEPS if step.load)


def position(name: str) -> int:
    """ValueError if unknown."""
    if name not in names():
        raise ValueError(f"There is no step {name!r}; the steps are {', '.join(names())}.")
    return names().index(name)


def screen_of(name: str) -> BaseScreen[Any]:
    """ValueError if unknown, or a run's."""
    step = STEPS[position(name)]
    if step.load is None:
        raise ValueError(f"The screen of step {name!r} is made with its run.")
    return step.load()()


def screen_after(name: str, draft: Draft) -> BaseScreen[Any]:
    """ValueError after the last one."""
    for step in STEPS[position(name) + 1 :]:
        if step.load and step.is_open(draft):
            return step.load()()
    raise ValueError(f"{name!r} is the last step of the choosing.")
