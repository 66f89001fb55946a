"""Chunk size, with the disks that requests use; layout and bitmap behind keys."""

from textual.app import ComposeResult

from raidtui.core.advice.proposals import proposed_chunk_bytes
from raidtui.core.raid.after_crash import AFTER_CRASH, of_level
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, layout_summary, level, possible
from raidtui.core.units import parse_bytes
from raidtui.ui.draft import chunk_text
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line, Sheet
from raidtui.ui.render.choice_rows import Option
from raidtui.ui.render.walk.chunk_rows import (
    ChunkRow,
    chunk_legend,
    chunk_row,
    chunk_sheet,
    chunk_verdict,
    stripe_line,
    why_chunk,
)
from raidtui.ui.render.walk.drawing import Drawn, chunk_words, drawing_lines, legend
from raidtui.ui.screens.panels import PanelStep
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import OptionPick, PickList


class ChunkScreen(PanelStep):
    """One list at a time; the others take its place for as long as they are chosen of."""

    STEP = "Chunk"
    QUESTION = "Which chunk size?"
    HELP = (
        "Up, down: chunk size, bytes per disk before the next; the tiles are the disks that one read uses, » in the"
        " drawing a read of 1 MiB. l: layout, the position of copies or parity. RAID 5, 6: keep the default; others"
        " match arrays made elsewhere (ddf: RAID controllers; -6: RAID 5 becoming RAID 6). b: after a crash a bitmap"
        " limits the resync to regions being written. Write hole (RAID 4, 5, 6): a crash with a disk missing can damage"
        " data beside the write; rare with stable power and quick replacement. RAID 5's partial parity log closes it."
        " So does a kept array's journal, on the last disk (before spares): everything is written there first, so"
        " writes are slower than that disk, and stop if it fails until it is replaced. Use fast flash with power-loss"
        " protection."
    )
    TERMS = ("md", "chunk", "stripe", "parity", "near, far", "DDF", "bitmap", "write hole", "journal")
    BINDINGS = bindings(
        bound("l", "turn_to('layout')", "layout", "chunk.layout", "Position of copies or parity"),
        bound("b", "turn_to('bitmap')", "bitmap", "chunk.bitmap", "After a crash: bitmap, log or journal"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._made: tuple[tuple[object, ...], tuple[ChunkRow, ...]] = ((), ())  # what for, and the rows

    def panels(self) -> ComposeResult:
        row = self.draft.raid
        lists: list[PickList] = []
        if row.has_chunk:
            at = self._sizes.index(self.draft.chunk_bytes or 0)
            lists.append(PickList(self._lay_out, cursor=at, id="chunk", classes="panel"))
            lists[0].styles.height = self.tall(len(self._sizes))
        if row.layouts:
            taken = self.draft.layout_or_default or ""
            lists.append(OptionPick("Layout", self._layouts, taken, id="layout", classes="panel"))
        if row.has_bitmap:
            taken = self.draft.bitmap_or_default
            lists.append(OptionPick("After a crash", self._bitmaps, taken, id="bitmap", classes="panel"))
        yield from self.turning(*lists)
        rows = len(self._sizes) if row.has_chunk else len(self._bitmaps())
        self.above = rows + (4 if self.low else 5) + self.detail_lines
        yield Lines([self._legend()], id="legend")
        yield Lines(id="detail")
        yield self.foot("drawing", self._drawing(), "Why", self._why())

    @property
    def _sizes(self) -> list[int]:
        """Those that are offered, and the one that is chosen."""
        sizes = {parse_bytes(text) for text in words.CHUNKS}
        return sorted(sizes | ({self.draft.chunk_bytes} if self.draft.chunk_bytes else set()))

    @property
    def _proposed(self) -> int:
        """By the purpose, where the level is one of those it proposes."""
        advice, key = self.advice, self.draft.level_or_suggested
        views = [one.preview for one in advice.ranked] if advice else []
        sizes = (view.chunk_bytes for view in views if (view.key, view.groups) == (key, self.draft.groups))
        usual = proposed_chunk_bytes(key, self.view.group_disks, self.view.rotating) if self.draft.groups > 1 else None
        return next(sizes, None) or usual or DEFAULT_CHUNK_BYTES

    @property
    def _chunk_rows(self) -> tuple[ChunkRow, ...]:
        """Made anew where they would be others."""
        view = self.view
        made_for = (view.key, view.layout, view.disks, view.groups, view.speed, tuple(self._sizes))
        if self._made[0] != made_for and view.capacity and view.chunk_bytes:
            self._made = made_for, tuple(chunk_row(view, size) for size in self._sizes)
        return self._made[1]

    def _lay_out(self, width: int) -> Sheet:
        self.query_one("#chunk", PickList).entitle(*chunk_verdict(self._chunk_rows, self._proposed))
        return chunk_sheet(self._chunk_rows, self.view, self._proposed, width)

    # --- lists ----------------------------------------------------------------------------------------------------

    def choose(self, index: int) -> None:
        if self._sizes[index] != self.draft.chunk_bytes:
            self.change(chunk=chunk_text(self._sizes[index]))

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        self.change(**{pick_taken.pick_list.id or "": pick_taken.key})

    # --- below ----------------------------------------------------------------------------------------------------

    def fill(self) -> None:
        self.lines("legend").show([self._legend()])
        self.lines("drawing").show(self._drawing())
        self.lines("why").show(self._why())

    def _legend(self) -> Line:
        return chunk_legend(self.view) if self._chunk_rows else ()

    def _drawing(self) -> list[Line]:
        view, names = self.view, [disk.name for disk in self.members]
        for drawing in self.query("#drawing").results(Lines):
            drawing.entitle(f"Placement: {view.named}{chunk_words(view)}")
        how, (width, height) = Drawn(addresses=bool(view.chunk_bytes)), self.room("#drawing")
        below: list[Line] = [line for line in (stripe_line(view), legend(view, how)) if line] if height > 5 else []
        return [*drawing_lines(view, names, width, height - len(below), how), *below]

    def _why(self) -> list[Line]:
        return why_chunk(self.view, self._chunk_rows, self._proposed, self.units, self.beside - self.edge)

    def blocker(self) -> str:
        return self.draft.impossible

    def detail(self) -> tuple[str, str]:
        if blocker := self.blocker():
            return blocker, "warn"
        draft, row = self.draft, self.draft.raid
        if draft.bitmap == "ppl":
            return "Expected speeds ignore this log: writes are slower.", "dim"
        layout = draft.layout_or_default or ""
        texts = [f"Layout {layout}: {layout_summary(layout)}"] if row.layouts else []
        if row.key == "10" and all(disk.rotational is False for disk in self.members):
            texts = ["Flash: near, offset and far are equally fast."]
        texts += [f"After a crash: {words.BITMAPS[draft.bitmap_or_default][0]}"] if row.has_bitmap else []
        return " · ".join(texts), "dim"

    def _layouts(self) -> list[Option]:
        key = self.draft.level_or_suggested
        options = []
        for name in level(key).layouts:
            can, reason = possible(key, name, self.draft.array_disks, None)
            default = " (default)" if name == level(key).default_layout else ""
            options.append(Option(name, name + default, layout_summary(name), "" if can else reason))
        return options

    def _bitmaps(self) -> list[Option]:
        names = of_level(self.draft.level_or_suggested)
        if not self.draft.is_kept:
            names = [name for name in names if not AFTER_CRASH[name].disks]
        return [Option(name, *words.BITMAPS[name], self._problem(name)) for name in names]

    def _problem(self, bitmap: str) -> str:
        """Why this bitmap is impossible; a journal takes a disk."""
        return self.draft.having(bitmap=bitmap, level=self.draft.level_or_suggested).impossible
