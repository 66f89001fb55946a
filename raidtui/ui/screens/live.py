"""A run's progress. Only views its directory: leaving stops nothing.

`iostat -x` of every device, newest second.
"""

import time
from pathlib import Path

from textual.app import ComposeResult, SuspendNotSupported
from textual.containers import Container, Vertical

from raidtui.core.plan import estimate
from raidtui.core.run import progress
from raidtui.core.run.samples import ARRAY, DeviceTimes, times
from raidtui.core.units import format_duration
from raidtui.ui.confirmation import Prompt
from raidtui.ui.messages import RunFailed
from raidtui.ui.paths import in_practice, path_text
from raidtui.ui.render import live_disks, live_lines
from raidtui.ui.render.axis import pieces_of
from raidtui.ui.render.cells import Line, Piece
from raidtui.ui.render.live_disks import DiskTitle, titles_of
from raidtui.ui.render.live_lines import (
    MEANINGS,
    idle_ways,
    meaning_lines,
    times_heading,
    times_lines,
    without_what_is_cut,
)
from raidtui.ui.render.parts import title_line
from raidtui.ui.render.rates import Track, Unlike
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.screens.dialogs import ask_typed
from raidtui.ui.services import Feed, RunView
from raidtui.ui.terminal import tick_s
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.run_axis import AxisSpace, RunAxis


class TimesScreen(BaseScreen[None]):
    """Are the disks alike now? A line per device, the array first."""

    STEP = "Live"
    HELP = MEANINGS
    TERMS = ("queue depth", "IOPS", "page cache")
    BINDINGS = bindings(
        bound("escape,i,left,q", "back", "back", "times.back", "Back to the panes", key_display="esc"),
    )

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._feed: Feed | None = None
        self._view: RunView | None = None
        self._track: Track | None = None
        self._idle: tuple[str, ...] = ()
        self._seen = Unlike(())

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(id="iostat", classes="panel")
        yield Lines(id="times-heading")
        yield Listing(self._lay_out, id="times")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
        self.set_interval(tick_s(), self.tick)
        self.call_after_refresh(self.tick)

    def fit_window(self) -> None:
        self._show()

    def tick(self) -> None:
        self._feed = self._feed or self.wizard.services.feed(self._path, live=True)
        try:
            view = self._feed.poll()
        except (OSError, ValueError) as error:
            self.lines("iostat").show([((f"{path_text(self._path)}: {error}", "bad"),)])
            return
        if view is not None:
            self._view = view
            if self._track is None or self._track.slots != view.slots:
                self._track = Track(view.slots)
            self._track.take(view.history)
            self._show()

    def _show(self) -> None:
        low, width = self.low, self.window_width
        box = self.lines("iostat")
        box.styles.height = 4 if low else 5
        ended = self._view is not None and self._view.state.ended
        box.entitle("Are the disks alike now?", "run ended: its last second; esc: Results" if ended else "iostat -x")
        if (view := self._view) and (track := self._track):
            self._idle = idle_ways(self._devices(view))
            room = width - (2 if low else 4)
            box.show([without_what_is_cut(line, room) for line in self._summary(view, track)])
        self.lines("times-heading").show([times_heading(width - 1, self.units, self._idle)])
        self.query_one(Listing).refill()

    def _summary(self, view: RunView, track: Track) -> list[Line]:
        """What is done and how fast; whether the disks are alike; what they do not do."""
        plan, state = view.plan, view.state
        titles = titles_of(plan, state)
        present = next((piece for piece in pieces_of(plan, state, self.window_width) if piece.present), None)
        self._seen = live_disks.seen_of(plan, state, track, present)
        names = [titles.get(slot, DiskTitle(slot)) for slot in track.members]
        verdict = live_disks.verdict_pieces(names, "", self._seen, present, self.units, track.has_rates)
        doing = (("   ", ""), *live_lines.title_pieces(plan, state))
        busy = [100 * found.util for slot in track.members if (found := track.latest(slot))]
        words = f"{min(busy):.0f} to {max(busy):.0f} % busy" if busy else ""
        idle = f"   no {', '.join(self._idle)}" if self._idle and busy else ""
        now = live_lines.now_pieces(track.now(present), present, self.units) if track.has_rates else []
        return [(*now, *doing), tuple(verdict), ((words, ""), (idle, "dim"))]

    def _devices(self, view: RunView) -> list[tuple[str, DeviceTimes | None]]:
        if len(view.history) < 2:
            return []
        found = dict(zip(view.slots, times(*view.history[-2:]), strict=True))
        disks = [(title.name, found[slot]) for slot, title in titles_of(view.plan, view.state).items()]
        array = [(view.state.array.node.removeprefix("/dev/"), found[ARRAY])] if view.state.array else []
        return [*array, *disks]

    def _lay_out(self, width: int) -> list[Line]:
        view = self._view
        if view is None or not (devices := self._devices(view)):
            return [((" No samples yet.", "dim"),)]
        off = {devices[at - len(self._seen.values)][0] for at in self._seen.off}  # the disks come last
        arrays = int(view.state.array is not None)
        lines = times_lines(devices, width, self.units, self._idle, off, arrays)
        means = [(), *meaning_lines(width, self.units, self._idle)]
        return lines + means if len(lines) + len(means) <= self.query_one(Listing).size.height else lines


_SIDE_FROM, _SIDE = 160, 56  # columns
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
_IN_DEMO = "A recorded run, replayed 20 times as fast; its times are the recorded ones."
_REPLAY_TICK_S = 0.25

_WITH_KEY = 110  # columns from which the key of brightness is above the disks


class LiveScreen(BaseScreen[None]):
    """The array on one time axis, every disk below on the same one, results."""

    STEP = "Live"
    HELP = (
        "Top: the array, before the build all disks, on one time axis with a piece for each test; both scales at the"
        " right. seqW or sW: sequential write; 4KR: random 4K read. Below: every disk on the same axis, the stronger"
        " its tone, the faster. Each test has its own scale; a failed one is hatched. ▼ or ▲: more than 25 % off the"
        " median of this second. A test that stalls (a second below 50 % of the others) is rerun once, marked 2nd time;"
        " the rerun counts. So is a pass"
        " whose baseline differs from the other passes. Tests by size, in rounds or during a rebuild are only marked."
        " Times over: bytes written / capacity, by finished steps. Freeze stops the display, not the run. Stop keeps"
        " the results and removes the array."
    )
    TERMS = ("queue depth", "IOPS", "initial resync", "times over")
    BINDINGS = bindings(
        bound("s", "stop", "stop", "live.stop", "Stop the run; asks first"),
        bound("q,d", "detach", "detach", "live.detach", "Leave; the run continues", key_display="q"),
        bound(
            "q",
            "end_practice",
            "end practice",
            "live.end-practice",
            "End the practice machine and this run; asks first",
        ),
        bound("escape", "back", "runs", "live.back", "List of runs; this one is not running"),
        bound("escape", "see_runs", "runs", "live.runs", "List of runs; this one continues", show=False),
        bound("up,k", "disk(-1)", "disk", "live.disk-back", "Model, serial, rates", key_display="↑↓"),
        bound("down,j", "disk(1)", "disk", "live.disk-on", "Model, serial, rates", show=False),
        bound("g", "form", "rows, graphs, tiles", "live.form", "How the disks are drawn"),
        bound("pagedown", "disks(1)", "next disks", "live.disks-on", "If not all fit", key_display="pgdn"),
        bound("pageup", "disks(-1)", "previous disks", "live.disks-back", "If not all fit", show=False),
        bound("p", "passphrase", "enter passphrase", "live.passphrase", "The run waits for it; cryptsetup reads it"),
        bound("i", "times", "iostat", "live.times", "Latency and queue per disk"),
        bound("f,space", "freeze", "freeze", "live.freeze", "Freeze the display; again: continue"),
    )

    def __init__(self, path: Path, feed: Feed) -> None:
        super().__init__()
        self.path = path
        self._feed = feed
        self._view: RunView | None = None
        self._expected: tuple[estimate.Times, ...] = ()  # what each stage may take
        self._track: Track | None = None
        self._frozen = False
        self._waited = 0
        self._live, self._run, self._axis = Container(id="live"), Vertical(id="run"), RunAxis(feed.at)
        self._title, self._done = Lines(id="hero-title"), Lines(id="trials")

    @property
    def help_text(self) -> str:
        return f"{_IN_DEMO if self.is_demo else _IN_PRACTICE if self.in_practice else _LEAVING} {self.HELP}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        shown_if = {
            "detach": not self.in_practice,
            "end_practice": self.in_practice,
            "back": self._is_dead,
            "see_runs": not self._is_dead,
            "stop": not self._not_here and not (self._view is not None and self._view.state.stopping),
            "passphrase": self._waits,
            "disks": self._axis.has_pages,
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
        """With the first look at the run, so that it is painted once."""
        self._poll()
        self._show()
        yield self.header()
        with self._live:
            with self._run:
                yield self._title
                yield self._axis
            yield self._done

    def on_mount(self) -> None:
        self._ticks = self.set_interval(_REPLAY_TICK_S if self.is_demo else tick_s(), self.tick)
        self.call_after_refresh(self._ended)
        if self._view is not None and not self._view.whole:
            self.set_timer(_READING_S, self.tick)

    def fit_window(self) -> None:
        self._show()

    def on_screen_resume(self) -> None:
        self._ended()

    def tick(self) -> None:
        """If the run's files have grown."""
        before = (self._is_dead, self._waits)
        if not self._poll():
            return
        if (self._is_dead, self._waits) != before:
            self.refresh_bindings()
        if not self._ended() and not self._frozen:
            self._show()

    def _poll(self) -> bool:
        """Has it anything new?"""
        try:
            view = self._feed.poll()
        except (OSError, ValueError) as error:
            self._axis.status.show([((f" {path_text(self.path)}: {error}", "bad"),)])
            return False
        if view is None:
            self._wait_for_worker()
            return False
        self._view = view
        if self._track is None or self._track.slots != view.slots:
            self._track = Track(view.slots)
            self._axis.forget()
        self._track.take(view.history)
        return True

    def on_run_failed(self, failed: RunFailed) -> None:
        self.notify(failed.sentence, severity="error", markup=False)

    def action_disks(self, pages: int) -> None:
        self._axis.turn(pages)
        self._show()

    def action_disk(self, by: int) -> None:
        self._axis.move(by)
        self._show()

    def action_form(self) -> None:
        self._axis.change_form()
        self._show()

    def action_freeze(self) -> None:
        self._frozen = not self._frozen
        right = f"FROZEN, f: continue · {self.place}" if self._frozen else self.place
        self.query_one(StepHeader).present(self.wizard.step_names, right)
        if not self._ended():
            self._show()
            self.tick()

    def action_times(self) -> None:

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
        measures_existing = self._view is not None and self._view.plan.existing is not None
        left_words = "its test file is removed" if measures_existing else "its array is removed"
        ask_typed(self.app, Prompt(f"Stop the run? Its results are kept, {left_words}.", "stop"), self._stop)

    def _stop(self) -> None:
        if not (self._view and self._view.state.ended):  # it may have ended while that was typed
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

    @property
    def _side(self) -> int:
        return _SIDE if self.window_width >= _SIDE_FROM else 0

    @property
    def _inner(self) -> int:
        return self.window_width - self._side - (2 if self.low else 4)

    def _show(self) -> None:
        view, track = self._view, self._track
        if view is None or track is None or self.too_small:
            return
        window, had_pages = (self.window_width, self.window_height), self._axis.has_pages
        lines = window[1] - 3 - (0 if self._side else 1)  # but for top line, title, keys, a line of results
        space = AxisSpace(window, self._inner, lines, self.low, bool(self._side))
        self._axis.show(view.plan, view.state, track, space, self.units)
        self._live.set_class(bool(self._side), "-side")
        self._done.styles.width = self._side or "1fr"
        self._run.styles.height = self._axis.height + 1
        if had_pages != self._axis.has_pages:
            self.refresh_bindings()
        self._show_titles(view, track)
        if not view.whole and self.is_mounted:
            self.set_timer(_READING_S, self.tick)

    def _show_titles(self, view: RunView, track: Track) -> None:
        plan, state, width = view.plan, view.state, self.window_width - self._side
        now_s = max(track.wall_s, state.now_s)
        self._expected = self._expected or estimate.stages(plan)
        over, left = live_lines.left_words(plan, self._expected, state, now_s)
        title = live_lines.title_pieces(plan, state) if view.whole else [(plan.title, "*strong")]
        if self._frozen:
            title.insert(0, (" FROZEN ", "!*warn"))
        words = without_what_is_cut(title, width - (3 if self.low else 6))
        self._title.show([title_line(words, width, self.low)])
        gone = f"{over} gone" if len(over) + len(" gone") < self._axis.form.label else over
        beside = max(len(over), len(left)) < self._axis.form.label  # else with the status
        self._axis.show_times((gone, left) if beside and view.whole else ("", ""), now_s)
        status: list[Piece] = [] if beside else [(f"{over}, ", "dim"), (left, "*strong"), (" · ", "dim")]
        status += live_lines.status_pieces(plan, self._expected, state, now_s, self.units, track.still_s)
        status = self._notice(view, now_s) or status
        if not view.whole:
            status = [(" Reading the run's journal…", "dim")]
        self._axis.status.show([without_what_is_cut(status, self._inner)])
        shown = (self._axis.titles, self._axis.shown, self._axis.seen, self._axis.present)
        verdict = live_disks.verdict_pieces(*shown, self.units, track.has_rates)
        array = plan.stages[state.stage].array if 0 <= state.stage < len(plan.stages) else None
        by_group = [group.members for group in array.groups] if array and track.has_rates else []
        verdict[2:2] = live_disks.group_pieces(by_group, *shown[2:], self.units)
        verdict += [live_disks.KEY] if self._inner >= _WITH_KEY and len(self._axis.titles) > 1 else []
        heading = without_what_is_cut(verdict, self._inner - 3)
        self._axis.heading.show([title_line(heading, self._inner, low=True)])
        self._done.show(self._done_lines(view, track) if view.whole else [])

    def _done_lines(self, view: RunView, track: Track) -> list[Line]:
        """What was measured; above it the disk under the cursor."""
        width = self._side or self.window_width
        lines: list[Line] = []
        if 0 <= (number := self._axis.cursor) < len(self._axis.titles):
            cells = live_disks.disk_pieces(self._axis.titles[number], track, track.members[number], self.units)
            lines = [without_what_is_cut(cells, width)]
        room = self.window_height - 2 - (0 if self._side else self._axis.height + 1) - len(lines)
        if room == 1:
            return [*lines, live_lines.done_line(view.plan, view.state, width, self.units)]
        return [*lines, *live_lines.trial_lines(view.plan, view.state, (width, room), self.units)]

    def _notice(self, view: RunView, now_s: float) -> list[Piece]:
        """What is wrong, or waited for."""
        if view.state.worker is None:
            if self._waited >= _PATIENCE:
                return [(f" The worker did not start; see {path_text(self.path / 'worker.log')}", "bad")]
        elif view.not_here:
            if (silent_s := time.time() - now_s) > _SILENT_S:
                silent = f"no samples for {format_duration(round(silent_s))}"
                return [(" On another practice machine, probably ended. Esc: back. ", "warn"), (silent, "warn")]
            return [(" On another practice machine: state unknown here.", "warn")]
        elif self._waits:
            return [(" p: enter the LUKS passphrase. ", "warn"), ("The run waits for it.", "strong")]
        elif self._is_dead:
            hint = "Results are kept. Esc: resume, or remove the array."
            return [(" The worker died. ", "bad"), (hint, "warn")]
        return []
