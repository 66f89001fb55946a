"""The top line: the way, and at its right end which host and disks."""

from textual import events

from raidtui.ui.render.cells import Line, Piece
from raidtui.ui.render.parts import join
from raidtui.ui.widgets.lines import Lines

WHOLE_WAY = 112  # columns from which every step is named
_SHORT_BADGE = 10
_GAP: Piece = (" › ", "lost/panel")


def way(steps: tuple[str, ...], step: str, right: str, width: int, badge: str = "") -> Line:
    """Steps done, the one here, steps ahead; where they do not fit its number, the one before and the one after it. The
    last parts of `right` (" · " between) are left out first.
    """
    pieces: list[Piece] = [
        (" raidtui ", "!*accent"),
        *([(f" {badge} ", "!*warn")] if badge else []),
        (" ", "/panel"),
    ]
    at = steps.index(step) if step in steps else -1
    if at < 0:
        pieces.append((step, "*accent/panel"))
    elif width - (len(badge) if len(badge) > _SHORT_BADGE else 0) >= WHOLE_WAY:
        for number, name in enumerate(steps):
            pieces += [_GAP] if number else []
            pieces += _named(name, number - at)
    else:
        pieces.append((f"{at + 1}/{len(steps)} ", "dim/panel"))
        for number in range(max(0, at - 1), min(len(steps), at + 2)):
            pieces += [_GAP] if number > max(0, at - 1) else []
            pieces += _named(steps[number], number - at)
    used = sum(len(text) for text, _ in pieces)
    while used + len(right) + 2 > width and right:
        right = right.rpartition(" · ")[0]
    return join((*pieces, (" " * (width - used - len(right) - 1), "/panel"), (f"{right} ", "dim/panel")))


def _named(name: str, ahead: int) -> list[Piece]:
    if ahead < 0:
        return [("✓", "ok/panel"), (name, "text/panel")]
    return [(f"●{name}", "!*accent")] if ahead == 0 else [(name, "dim/panel")]


class StepHeader(Lines):
    """A click on a step that is done leads back to it."""

    def __init__(self, steps: tuple[str, ...], step: str, right: str = "", badge: str = "") -> None:
        super().__init__()
        self._steps, self._step, self._right = steps, step, right
        self._badge = badge

    def present(self, steps: tuple[str, ...], right: str | None = None) -> None:
        self._steps, self._right = steps, self._right if right is None else right
        self._fill()

    def on_mount(self) -> None:
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def on_click(self, event: events.Click) -> None:
        cell = 0
        for text, _ in self.lines[0]:
            if cell <= event.x < cell + len(text):
                name = text.strip("✓ ")
                if self._step in self._steps and name in self._steps[: self._steps.index(self._step)]:
                    self.app.simulate_key("escape")  # one step back at a time
                return
            cell += len(text)

    def _fill(self) -> None:
        width = self.size.width or self.app.size.width  # before the first layout
        self.show([way(self._steps, self._step, self._right, width, self._badge)])
