"""The top line: which step this is, what came before and what comes."""

from raidtui.ui.paths import in_practice
from raidtui.ui.render.cells import Cell
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.widgets.lines import Lines


class StepHeader(Lines):
    """The steps in a row, the present one marked; before them that the disks are no real ones."""

    def __init__(self, steps: tuple[str, ...], step: str) -> None:
        super().__init__()
        self._steps = steps
        self._step = step

    def present(self, steps: tuple[str, ...]) -> None:
        """Other steps are to be walked now."""
        self._steps = steps
        self._fill()

    def on_mount(self) -> None:
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def _fill(self) -> None:
        step_here = self._steps.index(self._step)
        first: Cell = ("PRACTICE ", "warn") if in_practice() else (" ", "")
        width = self.size.width or self.app.size.width  # before the first layout
        room = width - 1 - len(first[0]) - sum(map(len, self._steps))  # the last column stays empty
        glyph = of_terminal().step
        gaps = (f" {glyph} ", f"{glyph} ", glyph)
        separator = next((gap for gap in gaps if len(gap) * (len(self._steps) - 1) <= room), glyph)
        cells: list[Cell] = [first]
        for index, step in enumerate(self._steps):
            if index:
                cells.append((separator, "dim"))
            cells.append((step, "head" if index == step_here else "" if index < step_here else "dim"))
        self.show([tuple(cells)])
