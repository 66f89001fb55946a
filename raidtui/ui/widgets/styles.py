"""Looks of cells by theme: `[*_!]role[/ground]`, with * bold, _ underlined, ! reversed; "" is the widget's own.
"on/r4": the text that stands out on that tone.
"""

from functools import cached_property

from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.widget import Widget

from raidtui.core.text import in_ascii
from raidtui.ui.render import roles
from raidtui.ui.render.cells import ASCII, of_terminal

SAME = {"good": "ok", "head": "*accent", "usable": "data", "metadata": "dim", "util": "one", "theory": "expected",
        "unequal": "bad"}  # fmt: skip
_MARKS = "*_!"
_BOLD = ("strong", "accent")  # without colours they are told by weight


def style_of(widget: Widget, look: str) -> Style:
    """On the widget's background. Without colours a ground that matters (the cursor's) is reversed."""
    base = widget.rich_style
    if not look:
        return base
    look = SAME.get(look, look)
    rest = look.lstrip(_MARKS)
    marks = look[: len(look) - len(rest)]
    role, _, ground = rest.partition("/")
    bold = "*" in marks or role == "strong"
    if widget.app.no_color:
        reverse = "!" in marks or ground == "cursor"
        return base + Style(bold=bold or role in _BOLD or None, underline="_" in marks or None, reverse=reverse or None)
    colours = roles.of(widget.app.current_theme)
    back = colours[ground] if ground else None
    front = roles.text_on(back) if role == "on" and back else colours[role or "text"]
    return base + Style(
        color=Color.parse(front).rich_color,
        bgcolor=Color.parse(back).rich_color if back else None,
        bold=bold or None,
        underline="_" in marks or None,
        reverse="!" in marks or None,
    )


class CellWidget(Widget):
    """A widget of cells: their looks in its theme, made once, and the titles of its edge.

    The second base of a class: Textual takes default styles from the first.
    """

    _titles = ("", "", "")

    def entitle(self, title: str, beside: str = "", below: str = "") -> None:
        """`beside` is quiet, `below` on the lower edge. Equal ones are not sent again: a title repaints the widget."""
        titles = (title, beside, below)
        if self._titles != titles:
            self._titles = titles
            if of_terminal() is ASCII:
                title, beside, below = map(in_ascii, titles)
            self.border_title = Content.assemble(title, *([(f"  {beside}", "$muted")] if beside else []))
            self.border_subtitle = Content(below)

    def style_of(self, look: str) -> Style:
        style = self._looks.get(look)
        if style is None:
            style = self._looks[look] = style_of(self, look)
        return style

    @cached_property
    def _looks(self) -> dict[str, Style]:
        return {}

    def notify_style_update(self) -> None:
        self._looks.clear()
        super().notify_style_update()


def cursor(widget: Widget, has_focus: bool) -> Style:
    """Of a list that has the keyboard or not, over the looks, which keep their colours."""
    if widget.app.no_color:
        return Style(reverse=True) if has_focus else Style(underline=True)
    colours = roles.of(widget.app.current_theme)
    back = colours["cursor" if has_focus else "surface"]
    return Style(bgcolor=Color.parse(back).rich_color, underline=(not has_focus and back == "ansi_default") or None)
