"""Keys of a screen, a row each."""

from textual.binding import Binding, BindingType


def bindings(*rows: Binding) -> list[BindingType]:
    return [*rows]


def bound(
    pressed: str,
    action: str,
    does: str = "",
    id: str | None = None,
    tooltip: str = "",
    *,
    show: bool = True,
    key_display: str | None = None,
    priority: bool = False,
) -> Binding:
    """`does`: what it is called; without a name it stands in no key bar."""
    shown = show and bool(does)
    return Binding(
        pressed, action, does, show=shown, key_display=key_display, priority=priority, tooltip=tooltip, id=id
    )
