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
    QUESTION = "File system (aligned to the array by mkfs)"
    HELP = (
        "Arrow keys select. mkfs gets the stripe geometry; it is read back afterwards. xfs (default for a kept array):"
        " aligned, large files, many writers. ext4: aligned, can shrink. btrfs: detects damaged data, but has no second"
        " copy here to repair it. md compares copies and parity only in a check (weekly or monthly on most systems, or"
        " `raidtui scrub`): it repairs unreadable sectors and counts mismatches; only a backup shows which copy is"
        " right. none: bare array, for LVM by hand or as one virtual machine's disk; disks of many VMs: files on xfs."
        " su: chunk; sw: data disks; su after -l (Review): the xfs log's, 32 KiB for chunks over 256 KiB."
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
        return "No file system: tests run on the array itself."
    if not geometry.stride_blocks:
        return f"{row.program}: {geometry.block_bytes} B blocks; the array has no stripes."
    share = f"{format_bytes(geometry.su_bytes, Units.BINARY)} per disk, {geometry.sw_disks} data disks"
    return f"{row.program}: {row.geometry_words(geometry)} ({share})."
