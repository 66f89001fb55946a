"""What the live screen says around the panes: totals, the present step and its time left, trials done. Pure."""

from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len

from raidtui.core.fio.job import kind
from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.plan import summary
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.estimate import Times
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.results.grid import names
from raidtui.core.run import progress
from raidtui.core.run.state import RunState
from raidtui.core.units import Units, format_bytes, format_duration, format_iops, format_rate, shown_in
from raidtui.ui.render.cells import Line, fit
from raidtui.ui.render.glyphs import Glyphs, bar, history_rows, round_top
from raidtui.ui.render.pane_lines import mega

_BAR = 30
_SHORT_S = 3.0  # what is estimated to take less has no bar
_ROUNDING_S, _ABOUT = 2.0, 0.1  # that an estimate may be off, and nothing is said
_STILL_S = 4.0  # without a byte while a test is measured, and it is said
_NAME = 50  # cells of a test's name at least
_LESS = 0.85  # of the bytes that were assumed before the run, and it is said
_TOTAL_LEFT = 37  # cells before the strips of the totals


def total_lines(
    label: str, history: Sequence[DiskRates | None], shape: tuple[int, int], units: Units, glyphs: Glyphs
) -> tuple[Line, ...]:
    """Reads and writes of the array (or all disks) with their history; `shape`: (width, lines of each strip)."""
    width, high = shape
    latest = history[-1] if history else None
    strip = max(0, width - 38)
    recent = list(history)[-strip:] if strip else []
    reads = [rate.read_bytes_per_s if rate else None for rate in recent]
    writes = [rate.write_bytes_per_s if rate else None for rate in recent]
    top = round_top(max([1.0, *(value for value in [*reads, *writes] if value)]))
    read_words = format_rate(latest.read_bytes_per_s, units) if latest else "-"
    write = format_rate(latest.write_bytes_per_s, units) if latest else "-"
    drawn_reads, drawn_writes = (history_rows(values, strip, top, high, glyphs) for values in (reads, writes))
    scale = f"top {format_rate(top, units)}" if top > 1 else ""
    return (
        *(((" " * _TOTAL_LEFT, ""), (line, "read")) for line in drawn_reads[:-1]),
        (
            (" " + fit(label, 17), "strong"),
            ("read  ", "dim"),
            (fit(read_words, 12, right=True) + " ", "read"),
            (drawn_reads[-1], "read"),
        ),
        *(((" " * _TOTAL_LEFT, ""), (line, "write")) for line in drawn_writes[:-1]),
        (
            (" " + fit(scale, 17), "dim"),
            ("write ", "dim"),
            (fit(write, 12, right=True) + " ", "write"),
            (drawn_writes[-1], "write"),
        ),
    )


def progress_lines(
    plan: Plan,
    expected: Sequence[Times],
    state: RunState,
    now_s: float,
    units: Units,
    glyphs: Glyphs,
    still_s: float = 0.0,
) -> tuple[Line, Line, Line]:
    """Progress, current step, time left. `expected`: seconds of each stage; `still_s`: since a disk moved a byte."""
    if state.ended:
        return (
            ((f" Run {state.outcome}", "strong"),),
            ((f" {state.reason}", ""),),
            (),
        )
    totals = _total_lines(plan, expected, state, now_s, units)
    if state.stopping:
        totals = (("stopping: removing the array", "warn"),)
    doing, detail = _present(plan, state, now_s, units, glyphs)
    if state.trial is not None and still_s >= _STILL_S:
        duration = format_duration(round(still_s))
        detail = (
            *detail,
            (f"; no I/O for {duration}: fio starts or ends, slowly on a busy machine", "warn"),
        )
    return (
        (
            (" Run  ", "dim"),
            *totals,
            (_wear(plan, state), ""),
            (f"   {summary.experiment(plan)}", "dim"),
        ),
        ((" Now  ", "dim"), (doing, "strong")),
        detail,
    )


def _wear(plan: Plan, state: RunState) -> str:
    """How many times over the disks were written, where disks wear; nothing before a test has told."""
    if state.stopping or not state.written_bytes or not any(member.rotational is False for member in plan.members):
        return ""
    return f", {state.written_bytes / sum(member.size_bytes for member in plan.members):.2f} times over"


def without_what_is_cut(line: Line, width: int) -> Line:
    """The line without the last cells that would be cut, but for two: the less a cell matters, the later it stands."""
    while len(line) > 2 and sum(cell_len(text) for text, _ in line) > width:
        line = line[:-1]
    return line


def _total_lines(plan: Plan, expected: Sequence[Times], state: RunState, now_s: float, units: Units) -> Line:
    """Time that is over and what is left by all that was seen until now; bytes written, by what was seen as well."""
    run_s = max(0.0, now_s - state.started_at_s - state.idle_s) if state.started_at_s else 0.0
    left_s = progress.left_s(plan, expected, state, now_s) if state.worker else plan.estimate_s
    left_words = _LEFT[progress.basis(plan, state, now_s)].format(format_duration(round(left_s)))
    cells = [(f"{format_duration(round(run_s))}, {left_words}", "")]
    if progress.is_slower(plan, state, left_s, now_s):
        cells.append((", slower than estimated", ""))
    if plan.written_bytes:
        writing = progress.writing(plan, state)
        whole_words = format_bytes(writing.whole_bytes, units)
        whole = f"{'assumed' if writing.is_assumed else 'about'} {whole_words}"
        written = format_bytes(state.written_bytes, units)  # told once a test has ended
        cells.append((f"; wrote {written} of {whole}" if state.written_bytes else f"; total writes {whole}", ""))
        if not writing.is_assumed and writing.whole_bytes < _LESS * plan.written_bytes:
            cells.append((f" (estimate {format_bytes(plan.written_bytes, units)})", ""))
    return tuple(cells)


_LEFT: dict[progress.Basis, str] = {
    "assumed": "{} left (assumed)",
    "measured": "about {} left",
    "at least": "at least {} left",
}


def _present(plan: Plan, state: RunState, now_s: float, units: Units, glyphs: Glyphs) -> tuple[str, Line]:
    if state.trial is not None:
        trial = plan.trial(state.trial.trial)
        number = sum(state.is_final(trial.id) for trial in plan.trials) + 1
        title = f"{trial.title}{_on(plan, trial)}" if trial else state.trial.trial
        pass_words = f", pass {trial.block} of {plan.blocks}" if trial and plan.blocks else ""
        sentence = f"Test {number} of {len(plan.trials)}{pass_words}: {title}"
        return sentence, _bar(now_s - state.trial.started_at_s, state.trial.expected_s, glyphs)
    if state.sync is not None and state.sync.total_bytes:
        sync = state.sync
        share = sync.done_bytes / sync.total_bytes
        left_s = (sync.total_bytes - sync.done_bytes) / sync.bytes_per_s if sync.bytes_per_s else None
        left_words = (
            f"{format_duration(left_s)} left" if left_s is not None else "ending" if share == 1 else "waiting for md"
        )
        is_whole = any(sync.total_bytes > member.size_bytes for member in plan.members)  # RAID 10 counts the array's
        of_what = " of the array" if is_whole else " per disk"
        setup = plan.stages[state.stage].setup
        title = "Initial resync" if setup and not setup.failed else "Sync"
        return f"{title} (md: {sync.action})", (
            ("      ", ""),
            (bar(share, _BAR, glyphs), "util"),
            (f" {share * 100:.1f} %, {left_words}", ""),
            (f", of {format_bytes(sync.total_bytes, units)}{of_what}", ""),
            (f", {format_rate(sync.bytes_per_s, units)}", ""),
        )
    if state.step is not None:
        undoing = "Removing: " if state.step.undoing else ""
        return undoing + state.step.what, _bar(now_s - state.step.started_at_s, state.step.estimate_s or 0.0, glyphs)
    return (
        "Starting the worker" if state.worker is None else "Pause: disks settle",
        (),
    )


def _bar(passed_s: float, expected_s: float, glyphs: Glyphs) -> Line:
    """How much of the estimated time is over; an estimate is about: it is exceeded when a little more is over."""
    passed_s = max(0.0, passed_s)
    passed, expected = format_duration(round(passed_s)), format_duration(round(expected_s))
    if expected_s < _SHORT_S:
        return ((f"      for {passed}", "dim"),)
    left_s = expected_s - passed_s
    left = f"{format_duration(round(left_s))} left" if left_s >= 1 else "ending"
    is_longer = -left_s > max(_ROUNDING_S, _ABOUT * expected_s)
    times = f"{passed}, longer than the {expected} estimated" if is_longer else f"{passed} of about {expected}, {left}"
    return (("      ", ""), (bar(passed_s / expected_s, _BAR, glyphs), "util"), (f" {times}", ""))


def _on(plan: Plan, trial: Trial) -> str:
    if trial.target == "member" and trial.member is not None:
        return f" on {plan.members[trial.member].name} alone"
    built = [stage for stage in plan.stages if stage.setup]
    if trial.target == "array" and all(stage.setup and stage.setup.level == "jbod" for stage in built):
        return " on all disks at once"
    if len(built) > 1 and trial.target in ("array", "filesystem"):
        named_stages = zip(built, _names(tuple(stage.setup for stage in built if stage.setup)), strict=True)
        return next((f": {name}" for stage, name in named_stages if trial in stage.trials), "")
    return {
        "members": " on all disks at once",
        "array": " on the array",
        "filesystem": " on the file system",
        "existing": "",
    }[trial.target]


@lru_cache(maxsize=1)
def _names(cells: tuple[Setup, ...]) -> tuple[str, ...]:
    return names(cells)


def trial_lines(plan: Plan, state: RunState, shape: tuple[int, int], units: Units) -> tuple[Line, ...]:
    """Ended trials, newest last, as many as fit; `shape`: (width, lines)."""
    width, room = shape
    unit = shown_in("sequential", units)[0]
    trials_done = [trial_state for trial_state in state.trials if trial_state.measurement is not None]
    if room < 2:
        return ()
    rows: list[tuple[str, Line]] = []
    for trial_state in trials_done[-(room - 1) :]:
        trial = plan.trial(trial_state.trial)
        title = f" {trial.title}{_on(plan, trial)}" if trial else f" {trial_state.trial}"
        title += f", {_ordinal(trial_state.times_asked + 1)} time" if trial_state.times_asked else ""
        assert trial_state.measurement is not None
        is_random = trial is not None and kind(trial.rw) == "random"
        rows.append((title, _figures(trial_state.measurement, is_random, units)))
    figures = max((sum(cell_len(text) for text, _ in line) for _, line in rows), default=0)
    name = max(_NAME, min(width - figures, max((cell_len(title) for title, _ in rows), default=0)))
    heading: Line = (
        (fit(f" Done: {sum(state.is_final(trial.id) for trial in plan.trials)} of {len(plan.trials)}", name), "head"),
        (fit(f"{unit}", 10, right=True) + fit("IOPS", 9, right=True), "dim"),
    )
    return (heading, *(((fit(title, name), ""), *line) for title, line in rows))


def _ordinal(number: int) -> str:
    return {2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _figures(measured: Measurement, is_random: bool, units: Units) -> Line:
    """As Results compares them: of random tests, by their operations, the rate is that of these operations."""
    if measured.status == "failed":
        return ((f"  FAILED: {measured.error or 'no reason given'}", "bad"),)
    sides = [side for side in (measured.read, measured.write) if side is not None]
    rate = sum(side.steady_bytes_per_s if is_random else side.bytes_per_s for side in sides)
    look = "strong" if measured.status == "ok" else "warn"
    status = "" if measured.status == "ok" else f"  {measured.status}"
    return (
        (fit(mega(rate, units), 10, right=True), look),
        (fit(_iops(sides), 9, right=True), look),
        (status, "warn"),
    )


def _iops(sides: Sequence[Direction]) -> str:
    """Of whole seconds where they were counted, as Results has them."""
    return format_iops(sum(side.steady_iops for side in sides)) if sides else "-"
