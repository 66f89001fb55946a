"""The top line: which step this is, what came before and what comes."""

from raidtui.ui.paths import in_practice
from raidtui.ui.render.cells import Cell
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.widgets.lines import Lines

STEPS = ("Disks", "Level", "Layout", "File system", "Measure", "Review", "Live", "Results")


class StepHeader(Lines):
    """The steps in a row, the present one marked; before them that the disks are no real ones."""

    def __init__(self, step: str) -> None:
        super().__init__()
        self._step = step

    def on_mount(self) -> None:
        here = STEPS.index(self._step)
        first: Cell = ("PRACTICE ", "warn") if in_practice() else (" ", "")
        between = f"{'' if in_practice() else ' '}{of_terminal().step} "  # with the word it is 80 columns otherwise
        cells: list[Cell] = [first]
        for index, step in enumerate(STEPS):
            if index:
                cells.append((between, "dim"))
            cells.append((step, "head" if index == here else "" if index < here else "dim"))
        self.show([tuple(cells)])
