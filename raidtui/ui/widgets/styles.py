"""Looks of cells by theme: "dim", "good", "head"; held once by the screen, as per widget they slow
the first picture.
"""

from rich.style import Style
from textual.widget import Widget

from raidtui.ui.render.cells import LOOKS

CLASSES = {f"look--{look}" for look in LOOKS}


def style_of(widget: Widget, look: str) -> Style:
    """On the widget's background; "": its own."""
    base = widget.rich_style
    if not look:
        return base
    styles = widget.screen.get_component_styles(f"look--{look}")
    if not styles.has_rule("color"):
        return base + styles.text_style
    _, background = widget.background_colors
    return base + styles.text_style + Style.from_color((background + styles.color).rich_color)
