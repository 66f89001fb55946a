"""Looks of cells by theme: `[*_!]role[/ground]`, with * bold, _ underlined, ! reversed; "" is the widget's own.
"on/r4": the text that stands out on that tone.
"""

from rich.style import Style
from textual.color import Color
from textual.widget import Widget

from raidtui.ui.render import roles

_SAME = {"good": "ok", "head": "*accent", "usable": "data", "metadata": "dim", "util": "read", "theory": "expected",
         "unequal": "bad"}  # fmt: skip
_MARKS = "*_!"
_BOLD = ("strong", "accent")  # without colours they are told by weight


def style_of(widget: Widget, look: str) -> Style:
    """On the widget's background. Without colours a ground that matters (the cursor's) is reversed."""
    base = widget.rich_style
    if not look:
        return base
    look = _SAME.get(look, look)
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


def cursor(widget: Widget, which: str) -> Style:
    """Of a list that has the keyboard ("cursor") or not ("cursor-far"), over the looks, which keep their colours."""
    if widget.app.no_color:
        return Style(reverse=True) if which == "cursor" else Style(underline=True)
    colours = roles.of(widget.app.current_theme)
    back = colours["cursor" if which == "cursor" else "surface"]
    return Style(bgcolor=Color.parse(back).rich_color, underline=(which != "cursor" and back == "ansi_default") or None)
