"""Textual's private names: every one that the screens use (listed in tests/ui/private_names.py, with what for).

A private name may change with any release. What is built on one here has a public name for the rest of the program,
and does without it where Textual has it no more.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from textual import command, events
from textual.app import App
from textual.command import CommandList, CommandPalette
from textual.css.query import NoMatches
from textual.css.stylesheet import Stylesheet
from textual.drivers import linux_driver
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, OptionList
from textual.worker import WorkerFailed

if TYPE_CHECKING:
    from textual._compositor import ChopsUpdate, Compositor
else:
    Compositor = type(getattr(Screen(), "_compositor", object()))  # its module is private too

Result = TypeVar("Result")


def _is_painted(widget: Widget) -> None:
    """What is due on it is not painted again."""
    if forget := getattr(widget, "_exchange_repaint_regions", None):
        forget()


class SparingCompositor(Compositor):
    """Draws the widgets in which something is due. Textual draws all within a rectangle around what is due, and drops
    of them what is not.
    """

    _due: tuple[Region, ...] = ()

    def render_partial_update(self) -> "ChopsUpdate | None":
        self._due = tuple(getattr(self, "_dirty_regions", ()))
        try:
            return super().render_partial_update()
        finally:
            self._due = ()

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if not self._due:
            yield from super()._get_renders(crop)
            return
        due = [one.corners for one in self._due]
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            left, top, right, bottom = seen.corners
            if seen and any(x1 < right and left < x2 and y1 < bottom and top < y2 for x1, y1, x2, y2 in due):
                yield region, clip, widget.render_lines(seen.translate(-region.offset))


class PaintedOnceScreen(Screen[Result]):
    """A screen that is laid out and painted once when it is first shown, where Textual does it two or three times, and
    that hears nothing more once it is gone.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)  # both widgets paint it, not the whole window

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._compositor = SparingCompositor()

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """The first layout paints everything."""
        first = self.outer_size != self.app.size
        if first and self.is_mounted:
            self.fit_window()
        if textuals_own := getattr(super(), "_on_screen_resume", None):
            event.prevent_default()  # it is called from here
            textuals_own(event)
            if first and self.is_current:
                self._repaint_required = False
                _is_painted(self)

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """What it moves or resizes it paints: what was to be painted there before it, and because of it, has been."""
        before = self._where_painted()
        super()._refresh_layout(size, scroll)
        for widget, place in self._where_painted().items():
            if before.get(widget) != place:
                _is_painted(widget)

    def _where_painted(self) -> dict[Widget, Any]:
        """Where each widget is; nothing where that cannot be known."""
        return getattr(getattr(self, "_compositor", None), "visible_widgets", {})

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> "PaintedOnceScreen[Result]":
        """A layout paints what it moves. Textual asks with it for the whole window, after each mount and removal."""
        return super().refresh(*regions, repaint=repaint and not layout, layout=layout, recompose=recompose)

    def fit_window(self) -> None:
        """Fill the widgets for the window's size: before the first layout, and after each change."""

    def on_resize(self) -> None:
        """Textual's own handler comes after this one, and lays all out before it has the classes of the new size."""
        before = self.classes
        self.know_size()
        if self.classes != before:
            self.update_node_styles(animate=False)
        self.fit_window()

    async def _dispatch_message(self, message: Message) -> None:
        """What the program tells a screen that is gone is for nobody: its widgets went before it."""
        if self.is_attached or not self.is_mounted or not type(message).__module__.startswith("raidtui."):
            await super()._dispatch_message(message)

    def know_size(self) -> None:
        """Has the classes of the present size before the first layout, so that it is not painted twice.

        The styles are brought up to date by Textual's own handler of ScreenResume, before that layout.
        """
        width, height = self.app.size
        for size, breakpoints in ((width, self.HORIZONTAL_BREAKPOINTS), (height, self.VERTICAL_BREAKPOINTS)):
            now = {name for _, name in sorted(one for one in breakpoints or [] if one[0] <= size)[-1:]}
            self.remove_class(*(name for _, name in breakpoints or [] if name not in now), update=False)
            self.add_class(*now, update=False)


class SizedFirstView(ScrollView):
    """Scrolling lines, laid out for a new width before they are painted in it. `columns`: 0 before the first."""

    columns = 0

    def fill(self) -> None:
        """Lay out for so many columns."""

    @property
    def line_count(self) -> int:
        raise NotImplementedError

    def stretch(self) -> None:
        """To the present lines. Textual paints all of them anew for that; this, the scrollbar alone."""
        size = Size(self.columns, self.line_count)
        if scrollbar := getattr(self, "_scroll_update", None):
            if size != self.virtual_size:
                self.set_reactive(ScrollView.virtual_size, size)
                scrollbar(size)
        else:
            self.virtual_size = size

    def sized(self) -> None:
        """Its size is another one, and it is laid out for it."""

    def on_resize(self) -> None:
        if self._fill_for(self.outer_size.width):  # Textual said nothing of it before
            self.virtual_size = Size(self.columns, self.line_count)
        self.sized()

    def _fill_for(self, width: int) -> bool:
        """For this width, unless it was."""
        columns = max(0, width - self.gutter.width - self.scrollbar_size_vertical)  # which is kept free, always
        if columns in (0, self.columns):
            return False
        self.columns = columns
        self.fill()
        return True

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        if self._fill_for(size.width):
            self.set_reactive(ScrollView.virtual_size, Size(self.columns, self.line_count))
        return super()._size_updated(size, virtual_size, container_size, layout)


class ParsedOnce(Stylesheet):
    """A stylesheet that keeps what it parsed. At each start Textual parses all of it twice, with the same variables."""

    def reparse(self) -> None:
        self.parse()  # new variables have emptied what was kept


class FoundCommands(CommandList):
    """The palette's list, in which a click on what it no longer has is none: what is seen is older than the list."""

    def on_click(self, event: events.Click) -> None:
        if event.style.meta.get("option", -1) >= self.option_count:
            event.prevent_default()


command.CommandList = FoundCommands  # type: ignore[misc]  # the palette makes it by this name, and by no other way


class Palette(CommandPalette):
    """A palette whose list is moved in once it is laid out: what is typed comes quicker."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        is_there = any(found.size.height for found in self.query(CommandList))
        return (is_there or action not in ("command_list", "cursor_down")) and super().check_action(action, parameters)

    async def _dispatch_message(self, message: Message) -> None:
        """What was chosen is done once: a second Enter finds the palette left, and nothing below it to go back to."""
        if self.is_current or not isinstance(message, Input.Submitted | OptionList.OptionSelected):
            await super()._dispatch_message(message)

    def on_click(self, event: events.Click) -> None:
        """A click where the window has no place any more is none, nor is a second one beside it."""
        if not (self.is_active and self.region.contains_point(event.screen_offset)):
            event.prevent_default()


_LATE = re.compile(r"\x1b\]11;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[\?[\d;]*c")


def leave_out_late_answers() -> None:
    """What a terminal says of its background and of itself after nobody waits for it any more is no key."""
    plain: Any = getattr(linux_driver, "XTermParser", None)  # the driver makes it by this name

    def made(*settings: Any) -> Any:
        parser = plain(*settings)
        feed = parser.feed

        def fed(data: str) -> Iterable[Message]:
            left = _LATE.sub("", data)
            return feed(left) if left or not data else ()  # an empty text is the end of all input

        parser.feed = fed
        return parser

    if plain:
        linux_driver.XTermParser = made  # type: ignore[assignment, attr-defined]


class FaultApp(App[int]):
    """An app that says itself how a fault of the program ends. In a test the fault is raised.

    `left`: it is being left. A screen that was just opened gets no widgets any more then, and looks for them in vain.
    """

    left = False

    def end_by_fault(self, error: Exception) -> None:
        """Leave because of a fault of the program."""
        raise error

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette())  # without Textual's id: one that was just left may still be going

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """None below a screen that covers all: Textual names the next one, and paints both for each."""
        return [] if isinstance(self.screen, PaintedOnceScreen) else super()._background_screens

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh())  # the window was another program's

    def on_resize(self) -> None:
        """A new size is taken by a timer of 8 ms, and a timer that finds them over when it begins ends without a word:
        that one stalled moment lost every size from then on.
        """
        if check := getattr(self, "_check_resize", None):
            self.call_later(check)

    def _handle_exception(self, error: Exception) -> None:
        if self.left and isinstance(error.error if isinstance(error, WorkerFailed) else error, NoMatches):
            return
        if self.is_headless:
            super()._handle_exception(error)
        else:
            self.end_by_fault(error)
