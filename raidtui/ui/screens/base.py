"""What every screen has: keys for units and help, a bottom line of keys, and a least size, below which it says so."""

from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from raidtui.core.units import Units
from raidtui.ui.widgets import styles
from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.lines import Lines

if TYPE_CHECKING:
    from raidtui.ui.app import RaidtuiApp

MIN_WIDTH, MIN_HEIGHT = 80, 24
HIGH = 30  # from here on there is room for empty lines
_WIDTHS = [(0, "-small-width"), (MIN_WIDTH, "-narrow"), (100, "-wide")]
_HEIGHTS = [(0, "-small-height"), (MIN_HEIGHT, "-low"), (HIGH, "-high")]
Result = TypeVar("Result")

TOO_SMALL = (
    (("This window is too small.", "strong"),),
    ((f"raidtui needs {MIN_WIDTH} columns, {MIN_HEIGHT} lines.", ""),),
    (("Make it larger; nothing is lost.", "dim"),),
    (("ctrl+q leaves.", "dim"),),
)


class BaseScreen(Screen[Result]):
    """A screen whose content steps aside when the terminal is too small. `HELP` is what F1 says first."""

    COMPONENT_CLASSES: ClassVar[set[str]] = styles.CLASSES
    HELP: ClassVar[str] = ""
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "app.units", "units", show=True, id="units", tooltip="MB and TB, or MiB and TiB"),
        Binding("f1,question_mark", "app.help", "help", show=True, id="help", key_display="?"),
    ]

    def compose(self) -> ComposeResult:
        self._know_size()
        yield Lines(TOO_SMALL, id="too-small")
        yield from self.content()
        yield KeyBar()

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first layout paints everything: what was to be painted before it, and because of it, has been."""
        event.prevent_default()  # Textual's own handler is called from here
        first = self._size != self.app.size
        super()._on_screen_resume(event)
        if first and self.is_current:
            self._repaint_required = False
            for widget in self.walk_children(Widget, with_self=True):
                widget._exchange_repaint_regions()

    def _know_size(self) -> None:
        """Has the classes of the present size before the first layout, so that it is not painted twice."""
        width, height = self.app.size
        for size, breakpoints in ((width, self.HORIZONTAL_BREAKPOINTS), (height, self.VERTICAL_BREAKPOINTS)):
            for name in self._get_breakpoint_classes(size, breakpoints or []):
                self.add_class(name)

    def content(self) -> ComposeResult:
        """The widgets between the top of the window and the line of keys."""
        yield from ()

    @property
    def help_text(self) -> str:
        """What F1 says first."""
        return self.HELP

    @property
    def too_small(self) -> bool:
        """Is the window below the least size, and the content hidden?"""
        return self.app.size.width < MIN_WIDTH or self.app.size.height < MIN_HEIGHT

    def ask_before_leaving(self) -> bool:
        """Asks, where leaving the program costs something; False if it costs nothing."""
        return False

    def units_changed(self) -> None:
        """The person switched units: show every figure again."""

    @property
    def raidtui(self) -> "RaidtuiApp":
        """The app, as what it is."""
        from raidtui.ui.app import RaidtuiApp

        assert isinstance(self.app, RaidtuiApp)
        return self.app

    @property
    def units(self) -> Units:
        """The units that the whole program speaks now."""
        return self.raidtui.units
