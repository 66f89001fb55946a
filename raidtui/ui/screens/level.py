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
    QUESTION = "Which level? 3.0x: times one disk; small: 4K writes"
    HELP = (
        'Arrow keys select a level, Enter continues. Survives: guaranteed disk failures; "often 2" = a second failure'
        ' usually survives, "maybe 2" = sometimes (cases below). Rebuild: minimum for one failed disk. Read, write:'
        " sequential; small: random 4 KiB writes, as multiples of one disk. The drawing shows data, copies and parity."
        " A dim level is impossible with these disks; its line says why. No level is a backup: it survives failed"
        " disks, not deletion, overwriting, fire or theft."
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
