"""The machine's disks as bays, and the total of the chosen ones."""

from collections.abc import Sequence

from raidtui.core.disks.disk import Disk, State
from raidtui.ui.render import disk_rows
from raidtui.ui.render.disk_rows import LevelSum
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.sizes import HIGH

_LINES_LOW, _LINES_HIGH = 3, 6  # of bays at most


class Shelf(Lines):
    def present(self, disks: Sequence[Disk], shown: Sequence[Disk], chosen: tuple[str, ...]) -> None:
        """`shown`: what is searched for, of all `disks`."""
        width, height = self.app.size
        low = height < HIGH
        most = _LINES_LOW if low else _LINES_HIGH
        bays = disk_rows.shelf_lines(shown or disks, chosen, width - (2 if low else 4), most)
        counts = {state: sum(disk.state is state for disk in disks) for state in State}
        self.entitle("Shelf  " + " · ".join(f"{count:,} {state}" for state, count in counts.items() if count))
        self.styles.height = len(bays) + (1 if low else 2)
        self.display = bool(bays)
        self.show(bays)


class DiskTotal(Lines):
    """`small`: two lines below the list."""

    def __init__(self, *, id: str, small: bool = False) -> None:
        super().__init__(id=id, classes="" if small else "panel")
        self._small = small
        self.entitle("Total")

    def present(self, disks: Sequence[Disk], levels: Sequence[LevelSum], width: int) -> None:
        raw_bytes = sum(disk.size_bytes for disk in disks)
        if not self._small:
            self.show(disk_rows.sum_lines(raw_bytes, len(disks), levels, width))
            return
        texts = disk_rows.packed(disk_rows.sum_words(raw_bytes, len(disks), levels), width, 2)
        self.show([((f" {text}", "" if at else "strong"),) for at, text in enumerate(texts)])
