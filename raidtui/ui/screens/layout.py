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
from raidtui.ui.render.drawing import drawing_lines
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.option_list import OptionPick


class LayoutScreen(StepScreen):
    """A list each; Tab and arrow keys move between them."""

    STEP = "Layout"
    QUESTION = "How shall data lie on the disks? The defaults suit most. tab: more lists"
    HELP = (
        "The arrow keys choose: what is highlighted is taken. Layout: where copies or parity stand. Chunk: how much"
        " goes to one disk before the next one's turn, in KiB and MiB (2^10 and 2^20 bytes). The drawing below shows"
        " both. Of RAID 5 and 6 no array needs another layout than the default: the others are for one that has to be"
        " like an array made elsewhere (ddf as RAID controllers store it, -6 while a RAID 5 is made a RAID 6), and to"
        " be measured. After a crash: a bitmap notes which parts were being written, so that not all is synced anew."
        " Write hole: a crash while a disk is missing can spoil data beside what was being written, of RAID 4, 5 and"
        " 6. It takes both at once; power that does not fail, and a failed disk replaced soon, make it rare. The"
        " partial parity log of RAID 5 closes it. So does a journal on the last disk, or the last before the spares"
        " (Measure asks for them), of an array that stays: all is written there first, parity too, so that the array's"
        " data is written slower than that disk writes, and nothing once it fails until you give it another. Fast"
        " flash that keeps what it has when its power goes is right for it."
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
            return "Expected speeds, here and later, are without this log: writes are slower.", "dim"
        if level(self.draft.level_or_suggested).key == "10" and all(disk.rotational is False for disk in self.members):
            return "These disks are flash, which near, offset and far read and write alike.", "dim"
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
