"""What every screen has: keys for units and help, a bottom line of keys, and a least size, below which it says so."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType

from raidtui.core.units import Units
from raidtui.ui.render.cells import Line, wrap
from raidtui.ui.sizes import HIGH, MIN_HEIGHT, MIN_WIDTH, WIDE
from raidtui.ui.textual_private import PaintedOnceScreen
from raidtui.ui.widgets import styles
from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.step_header import StepHeader
from raidtui.ui.wizard import Wizard

_WIDTHS = [(0, "-small-width"), (MIN_WIDTH, "-narrow"), (WIDE, "-wide")]
_HEIGHTS = [(0, "-small-height"), (MIN_HEIGHT, "-low"), (HIGH, "-high")]
Result = TypeVar("Result")

TOO_SMALL = (
    (("This window is too small.", "strong"),),
    ((f"raidtui needs {MIN_WIDTH} columns, {MIN_HEIGHT} lines.", ""),),
    (("Make it larger; nothing is lost.", "dim"),),
    (("ctrl+q leaves.", "dim"),),
)


HELP_KEY = Binding("f1,question_mark", "app.help", "help", show=True, id="help", key_display="?")


class BaseScreen(PaintedOnceScreen[Result]):
    """A screen whose content steps aside when the terminal is too small.

    `STEP` is its name in the line on top, of those that have one; `HELP` is what F1 says first, `TERMS` which
    words of the glossary are met on it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = styles.CLASSES
    STEP: ClassVar[str] = ""
    HELP: ClassVar[str] = ""
    TERMS: ClassVar[tuple[str, ...]] = ()
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "app.units", "units", show=True, id="units", tooltip="MB and TB, or MiB and TiB"),
        Binding("R", "app.runs", "runs", show=True, id="runs", tooltip="All runs: watch, open, compare, resume"),
        HELP_KEY,
    ]

    def compose(self) -> ComposeResult:
        self.know_size()
        yield Lines(TOO_SMALL, id="too-small")
        yield from self.content()
        yield KeyBar()

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """As Textual's; a screen that is taken away meanwhile has nothing left that could be shown."""
        return super().call_after_refresh(lambda: callback(*args, **kwargs) if self.display else None)

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """As Textual's; one that is gone already, as by a second escape, takes no other with it."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def content(self) -> ComposeResult:
        """The widgets between the top of the window and the line of keys."""
        yield from ()

    def header(self) -> StepHeader:
        """The line on top: the steps that there are to walk, this one marked."""
        return StepHeader(self.wizard.step_names, self.STEP)

    @property
    def help_text(self) -> str:
        """What F1 says first."""
        return self.HELP

    @property
    def too_small(self) -> bool:
        """Is the window below the least size, and the content hidden?"""
        return self.app.size.width < MIN_WIDTH or self.app.size.height < MIN_HEIGHT

    @property
    def listens(self) -> bool:
        """Is a key or click for this screen? Those that were on their way to it when another came are for none, nor are
        those that come before its widgets are there.
        """
        return self.is_active and self.is_mounted

    @property
    def last_words(self) -> tuple[int, str]:
        """The exit code, and what is said last, where the program is left from this screen."""
        return 0, ""

    def units_changed(self) -> None:
        """The person switched units: show every figure again."""

    def paragraph(self, text: str, look: str = "") -> list[Line]:
        """A text as lines of this window, broken at blanks."""
        return [((f" {line}", look),) for line in wrap(text, max(20, self.app.size.width - 3))]

    @property
    def wizard(self) -> Wizard:
        """The app, as far as a screen needs it."""
        return cast(Wizard, self.app)

    @property
    def units(self) -> Units:
        """The units that the whole program speaks now."""
        return self.wizard.units
