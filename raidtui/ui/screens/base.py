"""Common to all screens: keys for units and help, key bar, minimum size."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete

from raidtui.core.units import Units
from raidtui.ui.paths import in_practice
from raidtui.ui.render.cells import ASCII, Line, of_terminal, wrapped
from raidtui.ui.textual_private import PaintedOnceScreen
from raidtui.ui.widgets.bars import KeyBar, StepHeader
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.sizes import HIGH, MIN_HEIGHT, MIN_WIDTH, WIDE
from raidtui.ui.wizard import Wizard

_WIDTHS = [(0, "-small-width"), (MIN_WIDTH, "-narrow"), (WIDE, "-wide")]
_HEIGHTS = [(0, "-small-height"), (MIN_HEIGHT, "-low"), (HIGH, "-high")]
Result = TypeVar("Result")
DEMO = "DEMO: nothing is touched"

TOO_SMALL = (
    (("This window is too small.", "strong"),),
    ((f"raidtui needs {MIN_WIDTH} columns, {MIN_HEIGHT} lines.", ""),),
    (("Make it larger; nothing is lost.", "dim"),),
    (("ctrl+q leaves.", "dim"),),
)


HELP_KEY = bound("f1,question_mark", "app.help", "help", "help", key_display="?")
QUIT_KEY = bound("q", "app.leave", "quit", "quit", "Quit; asks first if something is selected")


class BaseScreen(PaintedOnceScreen[Result]):
    """Content is hidden in too small terminals. `STEP`: name in the top line; `HELP`: start of F1; `TERMS`: glossary
    entries.
    """

    STEP: ClassVar[str] = ""
    HELP: ClassVar[str] = ""
    TERMS: ClassVar[tuple[str, ...]] = ()
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS
    BINDINGS = bindings(
        bound("u", "app.units", "units", "units", "MB and TB, or MiB and TiB"),
        bound("R", "app.runs", "runs", "runs", "All runs: watch, open, compare, resume"),
        bound("p", "app.picture", "picture", "picture", "Write an SVG picture of the screen", show=False),
        HELP_KEY,
    )

    def compose(self) -> ComposeResult:
        self.know_size()
        self.set_class(of_terminal() is ASCII, "-ascii")
        yield Lines(TOO_SMALL, id="too-small")
        yield from self.content()
        yield KeyBar(self._bar_badge)

    def call_after_refresh(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """As Textual's; nothing on a removed screen."""
        return super().call_after_refresh(lambda: callback(*args, **kwargs) if self.display else None)

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """As Textual's; once only, for a second Escape."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def content(self) -> ComposeResult:
        """Widgets between top line and key bar."""
        yield from ()

    def header(self, name: str = "") -> StepHeader:
        badge = " · ".join((DEMO, *filter(None, (self.badge,)))) if self.is_demo else self.badge
        return StepHeader(
            self.wizard.step_names, name or self.STEP, self.place, "PRACTICE" if self.in_practice else badge
        )

    @property
    def is_demo(self) -> bool:
        """Is a recording shown, and no machine touched?"""
        return bool(self.wizard.services.demo)

    @property
    def in_practice(self) -> bool:
        """Is it the practice machine's disks that are shown?"""
        return in_practice() and not self.is_demo

    @property
    def badge(self) -> str:
        """Of figures that are of no real disks."""
        return ""

    @property
    def place(self) -> str:
        """At the right end of the top line, so that open terminals are not confused."""
        if self.wizard.removing:
            return self.wizard.removing
        disks = self.wizard.scan.disks if self.wizard.scanned else ()
        return " · ".join((self.wizard.host, *([f"{len(disks)} disks"] if disks else [])))

    def show_place(self) -> None:
        """Again; on a screen without a top line what is being removed is in the key bar."""
        for header in self.query(StepHeader):
            header.present(self.wizard.step_names, self.place)
        for bar in self.query(KeyBar):
            bar.mark(self._bar_badge)

    @property
    def _bar_badge(self) -> str:
        return self.wizard.removing or (DEMO if self.is_demo else "")

    @property
    def help_text(self) -> str:
        return self.HELP

    @property
    def too_small(self) -> bool:
        return self.window_width < MIN_WIDTH or self.window_height < MIN_HEIGHT

    @property
    def listens(self) -> bool:
        """Keys and clicks are ignored while another screen is on top, or before its widgets exist."""
        return self.is_active and self.is_mounted

    @property
    def last_words(self) -> tuple[int, str]:
        """Exit code and last message, if the program ends here."""
        return 0, ""

    def units_changed(self) -> None:
        self.fit_window()

    def action_back(self) -> None:
        self.dismiss()

    @property
    def window_width(self) -> int:
        return self.app.size.width

    @property
    def window_height(self) -> int:
        return self.app.size.height

    @property
    def low(self) -> bool:
        return self.window_height < HIGH

    def lines(self, name: str) -> Lines:
        """Those of this id."""
        return self.query_one(f"#{name}", Lines)

    @property
    def picture_name(self) -> str:
        """Of its file, without its suffix."""
        return "-".join(("raidtui", *self.STEP.lower().split()))

    def paragraph(self, text: str, look: str = "") -> list[Line]:
        """Wrapped to the window."""
        return wrapped(text, max(20, self.window_width - 3), look, " ")

    @property
    def wizard(self) -> Wizard:
        return cast(Wizard, self.app)

    @property
    def units(self) -> Units:
        return self.wizard.units
