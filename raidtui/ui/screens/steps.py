"""The steps of the wizard: one list, from which come the order, the line on top, and the screen of each step.

A step is added with a screen of its own and a row here. Each screen is imported when it is first wanted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from raidtui.core.raid.levels import level
from raidtui.ui.draft import Draft
from raidtui.ui.screens.base import BaseScreen

ScreenClass = type[BaseScreen[Any]]


def _always(_: Draft) -> bool:
    return True


def _builds_what_is_chosen(draft: Draft) -> bool:
    return draft.builds == "chosen"


def _keeps_what_is_chosen(draft: Draft) -> bool:
    return draft.builds == "chosen" and draft.after == "keep"


def _has_layout(draft: Draft) -> bool:
    row = level(draft.level_or_suggested)
    return draft.builds == "chosen" and bool(row.layouts or row.has_chunk or row.has_bitmap)


@dataclass(frozen=True)
class Step:
    """`name` is what the screen's STEP says. `load` gives its class; None of a run's screens, made with their run.

    `is_open`: does a draft leave anything to choose there? A step that does not is passed over.
    """

    name: str
    load: Callable[[], ScreenClass] | None = None
    is_open: Callable[[Draft], bool] = _always


def _question() -> ScreenClass:
    from raidtui.ui.screens.question import QuestionScreen

    return QuestionScreen


def _disks() -> ScreenClass:
    from raidtui.ui.screens.disks import DisksScreen

    return DisksScreen


def _use() -> ScreenClass:
    from raidtui.ui.screens.use import UseScreen

    return UseScreen


def _level() -> ScreenClass:
    from raidtui.ui.screens.level import LevelScreen

    return LevelScreen


def _layout() -> ScreenClass:
    from raidtui.ui.screens.layout import LayoutScreen

    return LayoutScreen


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
    Step("Question", _question),
    Step("Disks", _disks),
    Step("Use", _use, _keeps_what_is_chosen),
    Step("Level", _level, _builds_what_is_chosen),
    Step("Layout", _layout, _has_layout),
    Step("File system", _filesystem, _builds_what_is_chosen),
    Step("Measure", _measure),
    Step("Review", _review),
    Step("Live"),
    Step("Results"),
)


def names() -> tuple[str, ...]:
    """All steps, in order."""
    return tuple(step.name for step in STEPS)


def open_names(draft: Draft) -> tuple[str, ...]:
    """The steps that `draft` leaves to be walked, in order, the run's own included."""
    if draft.given is not None:  # answers that are whole: all that is left is whether they shall be carried out
        return tuple(step.name for step in STEPS if step.load in (None, _question, _review))
    return tuple(step.name for step in STEPS if step.is_open(draft))


def of_the_choosing() -> tuple[str, ...]:
    """The steps before a run is started."""
    return tuple(step.name for step in STEPS if step.load)


def position(name: str) -> int:
    """Where a step stands among all. ValueError for one that there is not."""
    if name not in names():
        raise ValueError(f"There is no step {name!r}; the steps are {', '.join(names())}.")
    return names().index(name)


def screen_of(name: str) -> BaseScreen[Any]:
    """The screen of a step of the choosing. ValueError for one that there is not, or that is made with its run."""
    step = STEPS[position(name)]
    if step.load is None:
        raise ValueError(f"The screen of step {name!r} is made with its run.")
    return step.load()()


def screen_after(name: str, draft: Draft) -> BaseScreen[Any]:
    """The screen of the next step at which `draft` leaves something to choose. ValueError after the last one."""
    for step in STEPS[position(name) + 1 :]:
        if step.load and step.is_open(draft):
            return step.load()()
    raise ValueError(f"{name!r} is the last step of the choosing.")
