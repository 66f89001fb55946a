"""A run's progress. Only views its directory: leaving stops nothing."""

import time
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Grid as GridContainer

from raidtui.core.plan import estimate
from raidtui.core.run import progress
from raidtui.core.run.samples import ARRAY
from raidtui.core.units import format_duration
from raidtui.ui.messages import RunFailed
from raidtui.ui.paths import in_practice, path_text
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.render.live_lines import progress_lines, total_lines, trial_lines, without_what_is_cut
from raidtui.ui.render.pane_lines import Grid, grid, grid_heading, pane_lines, titles_of
from raidtui.ui.render.rates import Track
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import Feed, RunView
from raidtui.ui.terminal import tick_s
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.sizes import HIGH

_FIXED_HEIGHT = 8  # header, two lines of totals, three of progress, heading of the panes, keys
_TRIALS_LOW, _TRIALS_HIGH = 4, 5  # lines kept free for what was measured
_GAPS_HIGH = 3
_TALL, _TOTALS_HIGH = 50, 4  # from that height on the strips of the totals are so many lines high
_READING_S = 0.05  # until the rest of a long journal is read: the first picture is painted meanwhile
_SILENT_S = 60.0  # without a word or a sample: a machine that goes on writes one a second
_PATIENCE = 10  # looks without a word from the worker before that is said
_LEAVING = (
    "The run is a separate process: leaving this screen or losing the connection does not stop it. `raidtui attach`"
    " shows it again."
)
_IN_PRACTICE = (
    "Leaving ends the practice machine and this run. Disk speed is limited outside the kernel: a disk at its limit may"
    " show low % busy."
)


class LiveScreen(BaseScreen[None]):
    """A pane per disk, totals, current step, results."""

    STEP = "Live"
    HELP = (
        "Top: all disks together, then the array (/dev/md…). One pane per disk, from kernel counters; busy: iostat's"
        " %util. A test that stalls (a second below 50 % of the others) is rerun once, marked 2nd time; the rerun"
        " counts. So is a pass whose baseline differs from the other passes. Tests by size, in rounds or during a"
        " rebuild are only marked. Times over: bytes written / capacity, by finished steps. i: latency and queue as in"
        " iostat -x. Freeze stops the display, not the run. Stop keeps the results and removes the array."
    )
    TERMS = ("queue depth", "IOPS", "initial resync", "times over")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "stop", id="live.stop", tooltip="Stop the run; asks first"),
        Binding("q,d", "detach", "detach", id="live.detach", key_display="q", tooltip="Leave; the run continues"),
        Binding(
            "q",
            "end_practice",
            "end practice",
            id="live.end-practice",
            tooltip="End the practice machine and this run; asks first",
        ),
        Binding("escape", "back", "runs", id="live.back", tooltip="List of runs; this one is not running"),
        Binding("escape", "see_runs", "runs", show=False, id="live.runs", tooltip="List of runs; this one continues"),
        Binding("pagedown", "disks(1)", "next disks", id="live.disks-on", key_display="pgdn", tooltip="If not all fit"),
        Binding("pageup", "disks(-1)", "previous disks", show=False, id="live.disks-back", tooltip="If not all fit"),
        Binding(
            "p",
            "passphrase",
            "enter passphrase",
            id="live.passphrase",
            tooltip="The run waits for it; cryptsetup reads it",
        ),
        Binding("i", "times", "iostat", id="live.times", tooltip="Latency and queue per disk"),
        Binding("f,space", "freeze", "freeze", id="live.freeze", tooltip="Freeze the display; again: continue"),
    ]

    def __init__(self, path: Path, feed: Feed) -> None:
        super().__init__()
        self.path = path
        self._feed = feed
        self._view: RunView | None = None
        self._expected: tuple[estimate.Times, ...] = ()  # what each stage may take
        self._track: Track | None = None
        self._frozen = False
        self._waited = 0
        self._grid = Grid(1, 1, 1)
        self._first_disk = 0  # of those that are shown
        self._panes: dict[str, Lines] = {}
        self._glyphs = of_terminal()

    @property
    def help_text(self) -> str:
        return f"{_IN_PRACTICE if in_practice() else _LEAVING} {self.HELP}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        shown_if = {
            "detach": not in_practice(),
            "end_practice": in_practice(),
            "back": self._is_dead,
            "see_runs": not self._is_dead,
            "stop": not self._not_here and not (self._view is not None and self._view.state.stopping),
            "passphrase": self._waits,
            "disks": self._track is not None and len(self._track.members) > self._grid.panes,
        }
        return shown_if.get(action, True)

    @property
    def _is_dead(self) -> bool:
        view = self._view
        return view is not None and view.state.worker is not None and not view.alive and not view.state.ended

    @property
    def _not_here(self) -> bool:
        return self._view is not None and self._view.not_here

    @property
    def _waits(self) -> bool:
        view = self._view
        return view is not None and view.alive and progress.manual_step(view.plan, view.state) is not None

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(id="totals")
        yield Lines(id="progress")
        yield Lines(id="panes-heading")
        yield GridContainer(id="panes")
        yield Lines(id="trials")

    def on_mount(self) -> None:
        self._ticks = self.set_interval(tick_s(), self.tick)
        self.call_after_refresh(self.tick)

    def on_resize(self) -> None:
        self._arrange()
        self.call_after_refresh(self._show)

    def on_screen_resume(self) -> None:
        self._ended()

    def units_changed(self) -> None:
        self._show()

    def tick(self) -> None:
        """If the run's files have grown."""
        try:
            view = self._feed.poll()
        except (OSError, ValueError) as error:
            self.query_one("#progress", Lines).show([((f" {path_text(self.path)}: {error}", "bad"),)])
            return
        if view is None:
            self._wait_for_worker()
            return
        before, first, self._view = (self._is_dead, self._waits), self._view is None, view
        if (self._is_dead, self._waits) != before:
            self.refresh_bindings()
        if self._track is None or self._track.slots != view.slots:
            self._track = Track(view.slots)
            self._arrange()
        self._track.take(view.history)
        if self._ended():
            return
        if first:
            self.call_after_refresh(self._show)
        elif not self._frozen:
            self._show()

    def on_run_failed(self, failed: RunFailed) -> None:
        self.notify(failed.sentence, severity="error", markup=False)

    def action_disks(self, pages: int) -> None:
        first_disk = self._first_disk + pages * self._grid.panes
        if self._track is not None and 0 <= first_disk < len(self._track.members):
            self._first_disk = first_disk
            self._arrange()
            self._show()

    def action_freeze(self) -> None:
        self._frozen = not self._frozen
        if not self._ended():
            self._show()
            self.tick()

    def action_times(self) -> None:
        from raidtui.ui.screens.times import TimesScreen

        self.app.push_screen(TimesScreen(self.path))

    def action_back(self) -> None:
        self.wizard.show_runs()

    def action_see_runs(self) -> None:
        self.wizard.show_runs()

    @property
    def last_words(self) -> tuple[int, str]:
        if in_practice():
            return 0, f"Results so far: {path_text(self.path)}"
        return 0, f"The run continues; `raidtui attach {self.path.name}` shows it."

    async def action_detach(self) -> None:
        await self.app.run_action("app.leave")

    async def action_end_practice(self) -> None:
        await self.app.run_action("app.leave")

    def action_passphrase(self) -> None:
        try:
            with self.app.suspend():
                self.wizard.services.type_passphrase(self.path)
        except SuspendNotSupported:
            self.notify(
                f"Not possible in this terminal: {progress.manual_step_hint(self.path.name)}",
                severity="error",
                markup=False,
            )

    def action_stop(self) -> None:
        from raidtui.ui.screens.typed import TypedScreen

        measures_existing = self._view is not None and self._view.plan.existing is not None
        left_words = "its test file is removed" if measures_existing else "its array is removed"
        self.app.push_screen(TypedScreen(f"Stop the run? Its results are kept, {left_words}.", "stop"), self._stop)

    def _stop(self, agreed: bool | None) -> None:
        if agreed and not (self._view and self._view.state.ended):  # it may have ended while that was typed
            self.wizard.stop_run(self, self.path)

    def _ended(self) -> bool:
        """Opens Results after the run; not while frozen or covered."""
        if self._view is None or not self._view.state.ended or self._frozen or self.app.screen is not self:
            return False
        self._ticks.stop()
        self.wizard.show_results(self.path, self._view)
        return True

    def _wait_for_worker(self) -> None:
        """Ends the wait for a worker that never wrote a line."""
        self._waited += 1
        if self._view is not None and self._view.state.worker is None and self._waited == _PATIENCE:
            self._show()

    # --- what is shown ----------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        """As many panes as disks, as tall as fits; else pages."""
        if self._track is None or not self.size.width:
            return
        members = self._track.members
        rows_taken = self._fixed + (_TRIALS_LOW if self.size.height < HIGH else _TRIALS_HIGH + _GAPS_HIGH)
        room = max(1, self.size.height - rows_taken)
        self._grid = grid(max(1, len(members)), self.size.width - 1, room).within(room)
        at_once = self._grid.panes
        self._first_disk = max(0, min(self._first_disk, len(members) - 1)) // at_once * at_once
        members = members[self._first_disk :][:at_once]
        self.query_one("#totals", Lines).styles.height = 2 * self._total_rows
        holder = self.query_one("#panes", GridContainer)
        holder.styles.grid_size_columns = self._grid.columns
        holder.styles.grid_size_rows = self._grid.rows
        holder.styles.grid_rows = str(self._grid.lines)
        holder.styles.height = self._grid.height
        if tuple(self._panes) != members:
            holder.remove_children()
            self._panes = {slot: Lines(classes="pane") for slot in members}
            holder.mount_all(self._panes.values())
        for pane in self._panes.values():
            pane.styles.height = self._grid.lines

    def _show(self) -> None:
        view, track = self._view, self._track
        if view is None or track is None:
            return
        self._show_panes(view, track)
        if not view.whole:
            self.query_one("#progress", Lines).show([((" Reading the run's journal…", "dim"),)])
            self.set_timer(_READING_S, self.tick)
            return
        self._show_totals(view, track)
        self._show_progress(view, track)
        self.query_one("#trials", Lines).show(
            trial_lines(view.plan, view.state, (self.size.width, self._room), self.units)
        )

    @property
    def _total_rows(self) -> int:
        """Lines per strip."""
        return _TOTALS_HIGH if self.size.height >= _TALL else 1

    @property
    def _fixed(self) -> int:
        """Lines of neither panes nor trials."""
        return _FIXED_HEIGHT + 2 * (self._total_rows - 1)

    @property
    def _room(self) -> int:
        """Lines left for results; computed, as before the first layout no widget has a height."""
        return self.size.height - self._fixed - self._grid.height - (0 if self.size.height < HIGH else _GAPS_HIGH)

    def _show_totals(self, view: RunView, track: Track) -> None:
        built = view.state.array
        label, rates = (built.node, track.of(ARRAY)) if built else ("All disks", track.sums)
        shape = (self.size.width, self._total_rows)
        self.query_one("#totals", Lines).show(total_lines(label, list(rates), shape, self.units, self._glyphs))

    def _show_progress(self, view: RunView, track: Track) -> None:
        now_s = max(track.wall_s, view.state.now_s)
        self._expected = self._expected or estimate.stages(view.plan)
        expected, glyphs = self._expected, self._glyphs
        run, present, how_far = progress_lines(
            view.plan, expected, view.state, now_s, self.units, glyphs, track.still_s
        )
        if view.state.worker is None:
            if self._waited >= _PATIENCE:
                how_far = ((f" The worker did not start; see {path_text(self.path / 'worker.log')}", "bad"),)
        elif view.not_here:
            how_far = ((" On another practice machine: state unknown here.", "warn"),)
            if (silent_s := time.time() - now_s) > _SILENT_S:
                run = (run[0], (f"no samples for {format_duration(round(silent_s))}", "warn"), run[-1])
                how_far = ((" On another practice machine, probably ended. Esc: back.", "warn"),)
        elif self._waits:
            how_far = ((" p: enter the LUKS passphrase. ", "warn"), ("The run waits for it.", "strong"))
        elif self._is_dead:
            hint = "Results are kept. Esc: resume, or remove the array."
            how_far = ((" The worker died. ", "bad"), (hint, "warn"))
        cut = partial(without_what_is_cut, width=self.size.width)
        if self._frozen:
            run = ((" FROZEN (f: continue) ", "warn"), *run[1:])
        self.query_one("#progress", Lines).show((cut(run), present, cut(how_far)))

    def _show_panes(self, view: RunView, track: Track) -> None:
        grid_form, glyphs = self._grid, self._glyphs
        top = track.top(of_sum=grid_form.lines == 1)
        all_disks, shown = len(track.members), ""
        if len(self._panes) < all_disks:
            first, last = self._first_disk + 1, self._first_disk + len(self._panes)
            shown = f"disks {first:,} to {last:,} of {all_disks:,}"
        heading = grid_heading(grid_form.lines, track.cell_s, top, self.units, self.size.width - 1, shown)
        self.query_one("#panes-heading", Lines).show([heading])
        titles = titles_of(view.plan, view.state)
        # alike for all panes, though some are a column wider: known before the layout, and strips are equally long
        shape = (grid_form.lines, (self.size.width - 1) // grid_form.columns)
        for slot, pane in self._panes.items():
            pane.show(pane_lines(titles[slot], track.latest(slot), track.history(slot), top, shape, self.units, glyphs))
