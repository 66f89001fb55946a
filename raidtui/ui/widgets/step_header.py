"""The top line: steps, the current one marked."""

from raidtui.ui.paths import in_practice
from raidtui.ui.render.cells import ParsedSetup
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.widgets.lines import Lines


class StepHeader(Lines):
    """With a badge for emulated disks."""

    def __init__(self, steps: tuple[str, ...], step: str) -> None:
        super().__init__()
        self._steps = steps
        self._step = step

    def present(self, steps: tuple[str, ...]) -> None:
        self._steps = steps
        self._fill()

    def on_mount(self) -> None:
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def _fill(self) -> None:
        step_here = self._steps.index(self._step)
        first: ParsedSetup = ("PRACTICE ", "warn") if in_practice() else (" ", "")
        width = self.size.width or self.app.size.width  # before the first layout
        room = width - 1 - len(first[0]) - sum(map(len, self._steps))  # the last column stays empty
        glyph = of_terminal().step
        gaps = (f" {glyph} ", f"{glyph} ", glyph)
        separator = next((gap for gap in gaps if len(gap) * (len(self._steps) - 1) <= room), glyph)
        cells: list[ParsedSetup] = [first]
        for index, step in enumerate(self._steps):
            if index:
                cells.append((separator, "dim"))
            cells.append((step, "head" if index == step_here else "" if index < step_here else "dim"))
        self.show([tuple(cells)])
