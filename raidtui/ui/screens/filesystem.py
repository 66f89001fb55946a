"""File system, with its stripe geometry."""

from textual.app import ComposeResult

from raidtui.core.raid import filesystems
from raidtui.core.raid.levels import level
from raidtui.core.raid.space import story, story_lines
from raidtui.core.units import Units, format_bytes
from raidtui.ui.preview import preview
from raidtui.ui.render.choice_rows import Option
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.option_list import OptionPick


class FilesystemScreen(StepScreen):
    STEP = "File system"
    QUESTION = "Which file system on the array? It is told the array's stripes where it can be."
    HELP = (
        "The arrow keys choose: the highlighted one is taken. A file system that knows the stripes of the array"
        " writes whole ones. What mkfs is told of the array follows from chunk and disks, and is read back afterwards."
        " xfs is proposed for an array that stays: it is told the stripes, and takes large files and many writers"
        " well. ext4 is told them, too, and can shrink. btrfs notices damaged data, which md alone does not by itself,"
        " though it has no second copy here to mend it. md compares copies and parity in a check, which most systems"
        " start each week or month by themselves, and `raidtui scrub` at any time: it mends what a disk cannot read,"
        " and counts what differs: which of it is right a copy elsewhere tells. none leaves the bare array: for LVM by"
        " hand, or for a single virtual machine as its disk; the disks of many lie as files on xfs. su is the chunk,"
        " sw how many disks hold data in a stripe, on Review the su behind -l that of xfs' own log, 32 KiB where the"
        " chunk is larger than 256 KiB."
    )
    TERMS = ("stripe", "su, sw", "journal", "md")

    def body(self) -> ComposeResult:
        yield OptionPick("File system", self._options, self.draft.filesystem_or_default, id="filesystem")

    def below(self) -> ComposeResult:
        yield Lines(id="space")

    def refill(self) -> None:
        super().refill()
        holds = preview(self.draft, self.members, self.speed).capacity
        if holds is not None:
            sizes = [disk.size_bytes for disk in self.members]
            key = self.draft.level_or_suggested
            separate = level(key).md_name is None
            account = story(sizes, holds, self.draft.filesystem_or_default, separate, level_key=key)
            sentences = story_lines(account)
            self.query_one("#space", Lines).show([((f" {text}", ""),) for text in sentences])

    def on_mount(self) -> None:
        self.query_one(OptionPick).focus()

    def on_option_pick_taken(self, pick_taken: OptionPick.Taken) -> None:
        self.change(filesystem=pick_taken.key)

    def detail(self) -> tuple[str, str]:
        return geometry_words(
            self.draft.filesystem_or_default,
            filesystems.geometry(
                self.draft.level_or_suggested,
                disks=self.draft.array_disks,
                chunk_bytes=self.draft.chunk_bytes,
                layout=self.draft.layout_or_default,
            ),
        ), "dim"

    def _options(self) -> list[Option]:
        offered = [row for row in filesystems.FILE_SYSTEMS if row.wizard_place]
        return [Option(row.key, row.key, row.summary) for row in sorted(offered, key=lambda row: row.wizard_place)]


def geometry_words(kind: str, geometry: filesystems.Geometry) -> str:
    """In the file system's own terms."""
    row = filesystems.filesystem(kind)
    if row.program is None:
        return "No file system: the array itself is measured."
    if not geometry.stride_blocks:
        return f"{row.program}: blocks of {geometry.block_bytes} B; this array has no stripes to tell it of."
    share = f"a disk's share {format_bytes(geometry.su_bytes, Units.BINARY)}, {geometry.sw_disks} disks of data"
    return f"{row.program}: {row.geometry_words(geometry)} ({share})."
