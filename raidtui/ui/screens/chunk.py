"""Layout, chunk and bitmap, as the level has them."""

import msgspec
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from raidtui.core.raid.after_crash import AFTER_CRASH, of_level
from raidtui.core.raid.levels import layout_summary, level, possible
from raidtui.core.units import parse_bytes
from raidtui.ui.draft import chunk_text
from raidtui.ui.preview import preview
from raidtui.ui.render import words
from raidtui.ui.render.choice_rows import Option
from raidtui.ui.render.walk.drawing import drawing_lines
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.option_list import OptionPick


class ChunkScreen(StepScreen):
    """A list each; Tab and arrow keys move between them."""

    STEP = "Chunk"
    QUESTION = "Data layout? Defaults suit most. tab: next list"
    HELP = (
        "Arrow keys select; the drawing shows the result. Layout: position of copies or parity. RAID 5, 6: keep the"
        " default; others match arrays made elsewhere (ddf: RAID controllers; -6: RAID 5 becoming RAID 6). Chunk:"
        " bytes per disk before the next. After a crash: a bitmap limits the resync to regions being written. Write"
        " hole (RAID 4, 5, 6): a crash with a disk missing can damage data beside the write; rare with stable power"
        " and quick replacement. RAID 5's partial parity log closes it. So does a kept array's journal, on the last"
        " disk (before spares): everything is written there first, so writes are slower than that disk, and stop if it"
        " fails until it is replaced. Use fast flash with power-loss protection."
    )
    TERMS = ("md", "chunk", "stripe", "parity", "near, far", "DDF", "bitmap", "write hole", "journal")

    def body(self) -> ComposeResult:
        row = level(self.draft.level_or_suggested)
        with VerticalScroll(id="form", can_focus=False):
            if row.has_chunk:
                chunk_taken = chunk_text(self.draft.chunk_bytes) if self.draft.chunk_bytes else ""
                yield OptionPick("Chunk", self._chunks, chunk_taken, id="chunk")
            if row.layouts:
                yield OptionPick("Layout", self._layouts, self.draft.layout_or_default or "", id="layout")
            if row.has_bitmap:
                yield OptionPick("After a crash", self._bitmaps, self.draft.bitmap_or_default, id="bitmap")

    def below(self) -> ComposeResult:
        yield Lines(id="drawing")

    def refill(self) -> None:
        super().refill()
        drawing = self.query_one("#drawing", Lines)
        names = [disk.name for disk in self.members]
        view = preview(self.draft, self.members, self.speed)
        drawing.show(drawing_lines(view, names, drawing.size.width or 80, drawing.size.height))

    def on_mount(self) -> None:
        self.query(OptionPick).first().focus()

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        self.change(**{pick_taken.pick.id or "": pick_taken.key})

    def blocker(self) -> str:
        draft = self.draft
        can, reason = possible(draft.level_or_suggested, draft.layout_or_default, draft.array_disks, draft.chunk_bytes)
        return "" if can else reason

    def detail(self) -> tuple[str, str]:
        if blocker := self.blocker():
            return blocker, "warn"
        if self.draft.bitmap == "ppl":
            return "Expected speeds ignore this log: writes are slower.", "dim"
        if level(self.draft.level_or_suggested).key == "10" and all(disk.rotational is False for disk in self.members):
            return "Flash: near, offset and far are equally fast.", "dim"
        return "", ""

    def _layouts(self) -> list[Option]:
        key = self.draft.level_or_suggested
        options = []
        for name in level(key).layouts:
            can, reason = possible(key, name, self.draft.array_disks, None)
            default = " (default)" if name == level(key).default_layout else ""
            options.append(Option(name, name + default, layout_summary(name), "" if can else reason))
        return options

    def _chunks(self) -> list[Option]:
        return [Option(chunk_text(parse_bytes(text)), text, explanation) for text, explanation in words.CHUNKS.items()]

    def _bitmaps(self) -> list[Option]:
        names = of_level(self.draft.level_or_suggested)
        if self.draft.after != "keep":
            names = [name for name in names if not AFTER_CRASH[name].disks]
        return [Option(name, *words.BITMAPS[name], self._problem(name)) for name in names]

    def _problem(self, bitmap: str) -> str:
        """Why this bitmap is impossible; a journal takes a disk."""
        disks = msgspec.structs.replace(self.draft, bitmap=bitmap).array_disks
        can, reason = possible(
            self.draft.level_or_suggested, self.draft.layout_or_default, disks, self.draft.chunk_bytes
        )
        return "" if can else reason
