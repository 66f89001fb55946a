"""RAID levels with their results on these disks; impossible ones with the reason."""

import msgspec
from textual.app import ComposeResult

from raidtui.core.advice import wording
from raidtui.core.advice.preview import LevelPreview, preview_level
from raidtui.core.advice.proposals import Advice
from raidtui.core.raid.levels import LEVELS, level
from raidtui.ui.draft import with_level, with_proposal
from raidtui.ui.preview import advice_of, preview
from raidtui.ui.render.cells import Sheet
from raidtui.ui.render.drawing import drawing_lines
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.render.level_rows import LevelRow, level_sentences, level_sheet
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList


class LevelScreen(StepScreen):
    STEP = "Level"
    QUESTION = "Which level? The highlighted is taken. 3.0x: times one disk; small: 4K writes."
    HELP = (
        "The arrow keys choose: the highlighted level is taken, and Enter goes on with it. Each stands with what it"
        " would give of the chosen disks. Survives: so many disks may fail, whichever they are; behind it whether one"
        " more often may, or maybe: in how many cases stands below. Rebuild: of one failed disk, at best. Read, write:"
        " long streams, small: 4 KiB writes at random, each as many times what one disk does alone. Below, where data,"
        " copies and parity lie. A dim level is not possible with these disks; its line says what it takes."
        " No level is a backup: it outlives disks, and not what is deleted, overwritten, burnt or stolen."
    )
    TERMS = ("array", "JBOD", "chunk", "stripe", "parity", "degraded", "rebuild", "sequential", "IOPS")

    def body(self) -> ComposeResult:
        keys = [row.key for row in LEVELS]
        yield PickList(self._lay_out, cursor=keys.index(self.draft.level_or_suggested), id="levels")

    def below(self) -> ComposeResult:
        yield Lines(id="drawing")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self._choose(LEVELS[moved.index].key)

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self._choose(LEVELS[clicked.index].key)

    def _choose(self, key: str) -> None:
        """The proposed level brings its proposed layout, chunk and file system."""
        advice = self._advice
        if key == self.draft.level:
            self.refill()
        elif advice and advice.best.preview.key == key:
            self.take(with_proposal(self.draft, advice.best))
        else:
            self.take(with_level(self.draft, key))

    def refill(self) -> None:
        super().refill()
        drawing = self.query_one("#drawing", Lines)
        names = [disk.name for disk in self.members]
        view = preview(self.draft, self.members, self.speed)
        drawing.show(drawing_lines(view, names, drawing.size.width or 80, drawing.size.height))

    def blocker(self) -> str:
        view = self._view(LEVELS[self.query_one(PickList).cursor].key, self._advice)
        return level_sentences(view) if view.problem else ""

    def detail(self) -> tuple[str, str]:
        advice = self._advice
        view = self._view(self.draft.level_or_suggested, advice)
        sentences = level_sentences(view)
        if advice and advice.best.preview.key == view.key:
            sentences = f"{of_terminal().proposed} Proposed for {wording.USES[advice.wish.use][0]}. {sentences}"
        return sentences, "warn" if view.problem or view.advice else "dim"

    @property
    def _advice(self) -> Advice | None:
        """None without a workload or proposal."""
        advice = advice_of(self.draft, self.members, self.speed)
        return advice if isinstance(advice, Advice) else None

    def _view(self, key: str, advice: Advice | None) -> LevelPreview:
        if key == self.draft.level_or_suggested or (self.draft.after == "keep" and level(key).md_name is None):
            return preview(msgspec.structs.replace(self.draft, level=key), self.members, self.speed)
        if advice and advice.best.preview.key == key:
            return advice.best.preview
        return preview_level(key, level(key).default_layout, None, self.members, self.speed)

    def _lay_out(self, width: int) -> Sheet:
        advice, level_now = self._advice, self.draft.level_or_suggested
        proposed = advice.best.preview.key if advice else ""
        rows = [LevelRow(self._view(row.key, advice), row.key == level_now, row.key == proposed) for row in LEVELS]
        return level_sheet(rows, width)
