"""Disk selection. Refused disks show the reason; removal of a kept array is awaited."""

from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from raidtui.core.disks.disk import Disk, Usability
from raidtui.ui.disk_view import DiskView, alike, free, level_sums
from raidtui.ui.draft import all_toggled, toggled, with_disks
from raidtui.ui.messages import RunFailed
from raidtui.ui.render import disk_rows
from raidtui.ui.render.cells import Line, Sheet, wrapped
from raidtui.ui.render.disk_rows import DiskEntry, DiskFacts, kind_of
from raidtui.ui.run_rows import about, begun, order
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.panels import StepScreen
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.named_field import SearchField
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.shelf import DiskTotal, Shelf

_LOOKING = "Scanning the disks…"
_DETAIL_LINES = 3
_SIDE = 46  # columns


class DisksScreen(StepScreen):
    STEP = "Disks"
    QUESTION = "Which disks? All data on them will be erased."
    HELP = (
        "Select the array's disks; none is selected beforehand. Free: alike ones are one row, → unfolds it. Not"
        " checked: not all of it was read, it may hold data. Such a disk, or one with data or a warning: selectable,"
        " confirmed at the end. In use: not selectable; its row and the line below the list give reason and remedy."
        " Selection order is the array's order: RAID 10 mirrors neighbours; spares and a journal come last. / filters"
        " by name, size, model, serial or ok (all words must match). Nothing is written before Review."
    )
    TERMS = ("array", "SMART", "parity", "overhead", "IOPS")
    BINDINGS = bindings(
        bound("space", "choose", "select", "disks.choose", "Select the highlighted row, or not"),
        bound("a", "alike", "all alike", "disks.alike", "Select free disks of this model and size; again: none"),
        bound("A", "all", "all free", "disks.all", "Select all listed free disks; again: none"),
        bound("right", "fold(True)", "unfold", "disks.unfold", "Alike disks one by one"),
        bound("left", "fold(False)", "fold", "disks.fold", "Alike disks as one row; else back", show=False),
        bound("slash", "search", "search", "disks.search", "Filter the list", key_display="/"),
        bound("s", "sort", "sort", "disks.sort", "Sort by the next column"),
        bound("d", "details", "details", "disks.details", "This disk: link, slot, SMART, results"),
        bound("r", "rescan", "rescan", "disks.rescan", "Scan the machine again"),
        bound("o", "open", "open its run", "disks.open", "The run that uses this disk or keeps its array"),
        bound("D", "take_down", "remove array", "disks.take-down", "Remove the kept array; asks first"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._looking = False
        self._view = DiskView()
        self._asking = False  # the drives
        self._unfolded: frozenset[tuple[str, int]] = frozenset()
        self._details: DetailsScreen | None = None

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines([((f" {self.QUESTION}", "strong"),)], id="question")
        yield Shelf(id="shelf", classes="panel")
        with Horizontal(id="middle"):
            with Vertical(id="body"):
                yield PickList(self._lay_out, id="disks")
                yield SearchField(id="search")
                yield Lines(id="detail")
            with Vertical(id="side"):
                yield DiskTotal(id="sum")
                yield Lines(id="facts", classes="panel")
        yield DiskTotal(id="sum-line", small=True)

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self.call_after_refresh(self._ask_where_seen)

    def on_screen_resume(self) -> None:
        """Scans again if the selection restarted."""
        if not self.wizard.scanned:
            self._look()

    def _look(self) -> None:
        if not self._looking:
            self._looking = True
            self.wizard.rescan(self, self._looked)

    def _looked(self) -> None:
        """Removes vanished and used disks from the selection."""
        self._looking = False
        free_ids = {disk.id for disk in self._disks if disk.verdict.standing is not Usability.REFUSE}
        self.take(with_disks(self.draft, tuple(identity for identity in self.draft.disks if identity in free_ids)))
        self.refresh_bindings()
        self._ask_where_seen()

    def blocker(self) -> str:
        if self._looking:
            return _LOOKING  # what is chosen may change, and later steps would stand on it
        if not self.draft.disks:
            return "No disk selected: arrow keys, then space."
        recipe = dict(self.wizard.recipes).get(self.draft.recipe)
        missing = recipe.min_disks - len(self.draft.disks) if recipe else 0
        return (
            f"“{recipe.title}” needs {recipe.min_disks} disks: select {missing} more" if recipe and missing > 0 else ""
        )

    def show_detail(self, text: str, look: str = "") -> None:
        """Refusals may be longer than the reserved lines."""
        lines = self.lines("detail")
        width = max(20, (lines.size.width or self.window_width) - 2)
        lines.show_whole(wrapped(text, width, look, " "), least=_DETAIL_LINES)

    def detail(self) -> tuple[str, str]:
        if self.wizard.scan_problem:
            return self.wizard.scan_problem, "bad"
        if not self.wizard.scanned:
            return _LOOKING, "dim"
        if not self._disks:
            return (
                "No disks on this machine. Attach one and press r, or try `raidtui practice`.",
                "warn",
            )
        disk = self._here
        if disk is None:
            return f"None of the {len(self._disks)} disks matches; esc: show all", "warn"
        text, look = disk_rows.group_detail(self._group) if len(self._group) > 1 else self._about(disk)
        none_free = all(disk.verdict.standing is Usability.REFUSE for disk in self._disks)
        return (f"No free disk here. {text}" if none_free else text), look

    def _about(self, disk: Disk) -> tuple[str, str]:
        run = self._keeper_of(disk)
        return disk_rows.kept_detail(disk, run.name) if run else disk_rows.disk_detail(disk)

    def _keeper_of(self, disk: Disk | None) -> Path | None:
        """Run that keeps its array, unless a run uses it now."""
        return self.wizard.scan.kept.get(disk.id) if disk and not disk.run else None

    @property
    def _run_here(self) -> Path | None:
        """Run that uses the disk under the cursor, or keeps its array."""
        at_work = self.wizard.scan.at_work
        return at_work.get(self._here.id) or self._keeper_of(self._here) if self._here else None

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self.refresh_bindings()
        self._show_facts()

    # --- all of one disk ----------------------------------------------------------------------------------------

    def refill(self) -> None:
        self.query_one(PickList).refill()
        self.query_one(Shelf).present(self._disks, self._shown, self.draft.disks)
        levels = level_sums(self.draft, self.members, self.speed)
        for total in self.query(DiskTotal):
            total.present(self.members, levels, (_SIDE - 4) if total.id == "sum" else self.window_width - 2)
        self._show_facts()
        self.show_detail(*self.detail())

    def fit_window(self) -> None:
        super().fit_window()
        self._ask_where_seen()

    @property
    def _has_room(self) -> bool:
        return self.has_class("-wide") and self.has_class("-high")

    def _ask_where_seen(self) -> None:
        if self._has_room:
            self._ask()

    def _ask(self) -> None:
        """Queries drives once per scan."""
        if self._disks and self.wizard.drives_seen is None and not self._asking:
            self._asking = True
            self.wizard.look_at_drives(self, self._asked_drives)

    def _asked_drives(self) -> None:
        self._asking = False
        self._show_facts()
        if self._details:
            self._details.refill()

    def _show_facts(self) -> None:
        if self._has_room:
            facts, here = self.lines("facts"), self._group
            lines = self._facts(here[0], _SIDE - 4) if here else []
            room = facts.size.height
            if len(lines) > room > 0:
                lines = [*lines[: room - 1], (("d: more", "dim"),)]
            facts.entitle(f"{len(here)} alike, the first" if len(here) > 1 else "Disk")
            facts.show(lines)

    def action_details(self) -> None:
        disk = self._here
        if disk:
            self._ask()
            self._details = DetailsScreen(partial(self._facts, disk))
            self.app.push_screen(self._details)

    def _facts(self, disk: Disk, width: int) -> list[Line]:
        drives = self.wizard.drives_seen
        if drives is None:
            return disk_rows.disk_lines(disk, None, width)
        health = drives.health.lines.get(disk.id) or (drives.health.why_nothing or "no SMART data",)
        runs = [run for run in order(drives.runs) if disk.id in run.members and not run.not_here]
        run_lines = tuple(f"{begun(run)}  {about(run)}: {run.sentence}" for run in runs)
        return disk_rows.disk_lines(disk, DiskFacts(health, run_lines), width)

    # --- what becomes of a kept array ---------------------------------------------------------------------------

    def on_runs_changed(self) -> None:
        self.action_rescan()

    def on_run_failed(self, failed: RunFailed) -> None:
        self.show_detail(failed.sentence, "bad")

    def on_pick_list_clicked(self) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        """One disk; of a row of alike ones, which are all free, all. Never a refused one."""
        group = self._group
        if len(group) > 1:
            self.take(all_toggled(self.draft, free(group)))
            return
        disk = self._here
        if disk is None:
            return
        if disk.verdict.standing is Usability.REFUSE:
            self.show_detail(*self._about(disk))
            self.app.bell()
        else:
            self.take(toggled(self.draft, disk))

    def action_all(self) -> None:
        self.take(all_toggled(self.draft, free(self._shown)))
        if not self.draft.disks:
            self.show_detail("None selected; A selects all free disks.", "warn")

    def action_alike(self) -> None:
        """Those like the one here if it is free, else like the first free one."""
        free_ids = free(self._shown)
        here = self._here
        if here is None or here.id not in free_ids:
            here = next((disk for disk in self._shown if disk.id in free_ids), None)
        if here:
            self.take(all_toggled(self.draft, free(alike(here, self._shown))))

    def action_fold(self, unfold: bool) -> None:
        here, group = self._here, self._group
        if here is None or not (len(group) > 1 or kind_of(here) in self._unfolded):
            if not unfold:
                self.action_back()
            return
        at = self.query_one(PickList).cursor
        while not unfold and not self._entries[at].is_group and at:
            at -= 1
        self._unfolded = self._unfolded | {kind_of(here)} if unfold else self._unfolded - {kind_of(here)}
        self.refill()
        self.query_one(PickList).move_to(at)

    def action_sort(self) -> None:
        self._see(self._view.next_column())
        self.call_after_refresh(self.show_detail, f"Sorted by {self._view.column}.", "dim")

    def action_search(self) -> None:
        self.query_one(SearchField).open()

    def on_input_changed(self, changed: Input.Changed) -> None:
        self._see(self._view.searching(changed.value))

    def action_back(self) -> None:
        if self._view.search:
            self.query_one(SearchField).close()
        else:
            super().action_back()

    def _see(self, view: DiskView) -> None:
        """The cursor stays on its disk, if visible."""
        here, self._view = self._group, view
        self.refill()
        rows = self._entries
        same = [at for at, row in enumerate(rows) if here and row.disks == here]
        at = next(iter(same or [at for at, row in enumerate(rows) if here and here[0] in row.disks]), None)
        if at is not None:
            self.query_one(PickList).move_to(at)
        self.show_detail(*self.detail())
        self.refresh_bindings()

    def action_open(self) -> None:
        if run := self._run_here:
            self.wizard.show_live(run)

    def action_take_down(self) -> None:
        if run := self._keeper_of(self._here):
            self.wizard.remove_run(self, run)

    def action_rescan(self) -> None:
        self.show_detail(_LOOKING, "dim")
        self._look()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "open":
            return bool(self.is_mounted and self._run_here)
        if action == "take_down":
            return bool(self.is_mounted and self._keeper_of(self._here))
        if action in ("alike", "all"):
            return bool(self.is_mounted and free(self._shown))
        if action == "back" and self._view.search:
            return True
        return super().check_action(action, parameters)

    @property
    def _disks(self) -> tuple[Disk, ...]:
        return self.wizard.scan.disks

    @property
    def _shown(self) -> tuple[Disk, ...]:
        return self._view.filtered(self._disks)

    @property
    def _entries(self) -> list[DiskEntry]:
        return disk_rows.entries(self._shown, self._unfolded, one_by_one=bool(self._view.search))

    @property
    def _group(self) -> tuple[Disk, ...]:
        """The disks of the row under the cursor."""
        rows, cursor = self._entries, self.query_one(PickList).cursor
        return rows[min(cursor, len(rows) - 1)].disks if rows else ()

    @property
    def _here(self) -> Disk | None:
        return next(iter(self._group), None)

    def _lay_out(self, width: int) -> Sheet:
        return disk_rows.disk_sheet(self._entries, self.draft.disks, width, self.units, self._view.column)
