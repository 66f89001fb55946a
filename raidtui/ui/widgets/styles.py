"""The looks of cells as the theme has them: "dim", "good", "head" and so on.

The screen holds them, once. As a widget's own they would be matched against every rule of style for each widget: of
24 panes that alone took longer than all the rest of their first picture.
"""

from rich.style import Style
from textual.widget import Widget

from raidtui.ui.render.cells import LOOKS

CLASSES = {f"look--{look}" for look in LOOKS}


def style_of(widget: Widget, look: str) -> Style:
    """The style of a look on this widget's background; "" is the widget's own."""
    base = widget.rich_style
    if not look:
        return base
    styles = widget.screen.get_component_styles(f"look--{look}")
    if not styles.has_rule("color"):
        return base + styles.text_style
    _, background = widget.background_colors
    return base + styles.text_style + Style.from_color((background + styles.color).rich_color)
