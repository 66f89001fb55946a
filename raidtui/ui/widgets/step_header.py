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

    def on_mount(self) -> None:
        here = self._steps.index(self._step)
        first: Cell = ("PRACTICE ", "warn") if in_practice() else (" ", "")
        between = f"{'' if in_practice() else ' '}{of_terminal().step} "  # with the word it is 80 columns otherwise
        cells: list[Cell] = [first]
        for index, step in enumerate(self._steps):
            if index:
                cells.append((between, "dim"))
            cells.append((step, "head" if index == here else "" if index < here else "dim"))
        self.show([tuple(cells)])
