"""What the live screen says around the disks: the rate now, the array's graph, time left, trials done. Pure.

Every device's second as `iostat -x` writes it: requests, bytes, latency, queue depth. Pure.
"""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from raidtui.core.fio.job import kind
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.plan import summary
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.estimate import Part, Times
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.results.grid import names
from raidtui.core.run import progress
from raidtui.core.run.samples import DeviceTimes
from raidtui.core.run.state import RunState
from raidtui.core.units import MINUS, Units, format_bytes, format_duration, format_iops, format_rate, shown_in
from raidtui.ui.render.axis import AxisPiece
from raidtui.ui.render.cells import Line, Piece, fit, fit_right
from raidtui.ui.render.live_disks import mega, unit_of
from raidtui.ui.render.parts import bar, big, join

_SETUPS = 5  # cells of a line of setups
_BOTH = 0.08  # of both directions: one below it is not named
_HIGH_FIGURE, _WIDE_FIGURE, _MOST_BYTES = 6, 21, 1e10  # lines, cells; a second in MB/s
_SHORT_S = 3.0  # what is estimated to take less has no bar
_ROUNDING_S, _ABOUT = 2.0, 0.1  # that an estimate may be off, and nothing is said
_MOVED: dict[Part, str] = {"trial": "tests", "sync": "resync", "build": "steps", "person": "waited for you"}
_STILL_S = 4.0  # without a byte while a test is measured, and it is said
_NAME = 50  # cells of a test's name at least
_LESS = 0.85  # of the bytes that were assumed before the run, and it is said


def title_pieces(plan: Plan, state: RunState) -> list[Piece]:
    """What is done now, then of what: the less a part matters, the later it stands."""
    if state.ended:
        return [(f"Run {state.outcome}", "*strong"), (f"  {state.reason}", "")]
    cells = [(_doing(plan, state), "*accent")]
    block = plan.stages[state.stage].block if 0 <= state.stage < len(plan.stages) else 0
    built = [n for n, stage in enumerate(plan.stages) if stage.setup is not None and stage.block in (0, block)]
    if len({plan.stages[number].setup for number in built}) > 1:
        number = sum(stage <= state.stage for stage in built)
        full = round(number / len(built) * _SETUPS)
        cells.append((f"   {'▰' * full}{'▱' * (_SETUPS - full)} {number} of {len(built)}", ""))
    return [*cells, (f"   {plan.title}", "*strong"), (f"   {summary.experiment(plan)}", "dim")]


def left_words(plan: Plan, expected: Sequence[Times], state: RunState, now_s: float) -> tuple[str, str]:
    """Time that is over, and what is left by all that was seen until now."""
    run_s = max(0.0, now_s - state.started_at_s - state.idle_s) if state.started_at_s else 0.0
    left_s = progress.left_s(plan, expected, state, now_s) if state.worker else plan.estimate_s
    words = _LEFT[progress.basis(plan, state, now_s)].format(format_duration(round(left_s)))
    return format_duration(round(run_s)), words


def status_pieces(
    plan: Plan, expected: Sequence[Times], state: RunState, now_s: float, units: Units, still_s: float = 0.0
) -> list[Piece]:
    """The present step in figures, then the run's. `still_s`: since a disk moved a byte."""
    if state.ended:
        return []
    cells = [*_detail(state, plan, now_s, units)]
    if state.trial is not None and still_s >= _STILL_S:
        words = f"no I/O for {format_duration(round(still_s))}: fio starts or ends, slowly on a busy machine"
        cells.append((words, "warn"))
    if state.stopping:
        cells.insert(0, ("stopping: removing the array", "warn"))
    left_s = progress.left_s(plan, expected, state, now_s) if state.worker else plan.estimate_s
    if (moved := progress.moved(plan, state, left_s, now_s)) and moved[1] in _MOVED:
        later_s, part = moved
        why = f"{_MOVED[part]} {'slower' if later_s > 0 else 'faster'}" if part != "person" else _MOVED[part]
        cells.append((f"{'+' if later_s > 0 else MINUS}{format_duration(round(abs(later_s)))}: {why}", "strong"))
    cells += [(text, "dim") for text in (_written(plan, state, units), _wear(plan, state)) if text]
    said: list[Piece] = []
    for text, look in cells:
        said += [(" · ", "dim")] if said and not said[-1][0].endswith(" ") else []
        said.append((text, look))
    return said


def _written(plan: Plan, state: RunState, units: Units) -> str:
    if not plan.written_bytes:
        return ""
    writing = progress.writing(plan, state)
    whole = f"{'assumed' if writing.is_assumed else 'about'} {format_bytes(writing.whole_bytes, units)}"
    written = format_bytes(state.written_bytes, units)  # told once a test has ended
    words = f"wrote {written} of {whole}" if state.written_bytes else f"total writes {whole}"
    if not writing.is_assumed and writing.whole_bytes < _LESS * plan.written_bytes:
        words += f" (estimate {format_bytes(plan.written_bytes, units)})"
    return words


def _wear(plan: Plan, state: RunState) -> str:
    """How many times over the disks were written, where disks wear; nothing before a test has told."""
    if state.stopping or not state.written_bytes or not any(member.rotational is False for member in plan.members):
        return ""
    return f"{state.written_bytes / sum(member.size_bytes for member in plan.members):.2f} times over"


def without_what_is_cut(line: Sequence[Piece], width: int) -> Line:
    """The line without the last pieces that would be cut: the less a piece matters, the later it stands."""
    pieces = list(line)
    while len(pieces) > 1 and (sum(cell_len(text) for text, _ in pieces) > width or not pieces[-1][0].strip(" ·")):
        pieces.pop()
    return join(pieces)


_LEFT: dict[progress.Basis, str] = {"assumed": "≈ {} left (assumed)", "measured": "≈ {} left", "at least": "≥ {} left"}


def _doing(plan: Plan, state: RunState) -> str:
    if state.trial is not None:
        trial = plan.trial(state.trial.trial)
        number = sum(state.is_final(trial.id) for trial in plan.trials) + 1
        title = f"{trial.title}{_on(plan, trial)}" if trial else state.trial.trial
        pass_words = f", pass {trial.block} of {plan.blocks}" if trial and plan.blocks else ""
        return f"Test {number} of {len(plan.trials)}{pass_words}: {title}"
    if state.sync is not None and state.sync.total_bytes:
        return f"{_sync(plan, state)} (md: {state.sync.action})"
    if state.step is not None:
        return ("Removing: " if state.step.undoing else "") + state.step.what
    return "Starting the worker" if state.worker is None else "Pause: disks settle"


def _sync(plan: Plan, state: RunState) -> str:
    if state.step and state.step.role == "check-ended":
        return "Check of all copies and parity"
    if any(step.role == "add" for step in state.steps if step.stage == state.stage):
        return "Rebuild"
    setup = plan.stages[state.stage].setup
    return "Initial resync" if setup and not setup.failed else "Sync"


def _detail(state: RunState, plan: Plan, now_s: float, units: Units) -> tuple[Piece, ...]:
    if state.trial is not None:
        return (("this test ", "dim"), *_times(now_s - state.trial.started_at_s, state.trial.expected_s))
    if state.sync is not None and state.sync.total_bytes:
        sync = state.sync
        share = sync.done_bytes / sync.total_bytes
        left_s = (sync.total_bytes - sync.done_bytes) / sync.bytes_per_s if sync.bytes_per_s else None
        left = f"{format_duration(left_s)} left" if left_s is not None else "ending" if share == 1 else "waiting for md"
        is_whole = any(sync.total_bytes > member.size_bytes for member in plan.members)  # RAID 10 counts the array's
        of_what = f"of {format_bytes(sync.total_bytes, units)} {'of the array' if is_whole else 'per disk'}"
        return ((f"{share * 100:.1f} %, {left}", "strong"), (of_what, ""), (format_rate(sync.bytes_per_s, units), ""))
    if state.step is not None:
        return _times(now_s - state.step.started_at_s, state.step.estimate_s or 0.0)
    return ()


def _times(passed_s: float, expected_s: float) -> tuple[Piece, ...]:
    """How much of the estimated time is over; an estimate is about: it is exceeded when a little more is over."""
    passed_s = max(0.0, passed_s)
    passed, expected = format_duration(round(passed_s)), format_duration(round(expected_s))
    if expected_s < _SHORT_S:
        return ((f"for {passed}", ""),)
    left_s = expected_s - passed_s
    left = f"{format_duration(round(left_s))} left" if left_s >= 1 else "ending"
    is_longer = -left_s > max(_ROUNDING_S, _ABOUT * expected_s)
    return (
        (
            f"{passed}, longer than the {expected} estimated" if is_longer else f"{passed} of about {expected}, {left}",
            "",
        ),
    )


def figure_lines(
    pair: tuple[float, float] | None, piece: AxisPiece | None, shape: tuple[int, int], units: Units
) -> tuple[Line, ...]:
    """The rate now of the array, or of all disks, large; `shape`: (width, lines)."""
    width, rows = shape
    read, write = pair or (0.0, 0.0)
    writes = write > read or (write == read and piece is not None and piece.rw in ("write", "randwrite"))
    value, word, other = (write, "write", read) if writes else (read, "read", write)
    number, unit = _number(value, piece, units) if pair else ("–", unit_of(piece, units))
    is_second = other > _BOTH * (read + write)
    other_word = "write" if word == "read" else "read"
    if rows < _HIGH_FIGURE or width < _WIDE_FIGURE:
        second = f"{other_word[0].upper()} {_number(other, piece, units)[0]}" if is_second else ""
        texts = [(number, f"*{word}"), (unit, word), (word, word), (second, "dim")]
        return ((),) * (rows - 4) + tuple(((fit(text, width - 1), look),) for text, look in texts[:rows])
    second = f"{' '.join(_number(other, piece, units))} {other_word}" if is_second else ""
    words: list[Line] = [((f"{unit} {word}", f"*{word}"),), ((second, "dim"),)]
    return ((),) * (rows - 6) + ((), *big(number, word), *words)


def now_pieces(pair: tuple[float, float], piece: AxisPiece | None, units: Units) -> list[Piece]:
    """The larger direction of a second, and how much of it."""
    word = "write" if pair[1] > pair[0] else "read"
    return [(" ".join((*_number(max(pair), piece, units), word)), f"*{word}")]


def _number(value: float, piece: AxisPiece | None, units: Units) -> tuple[str, str]:
    """At most four figures, the rest goes with the unit."""
    if piece is not None and piece.is_random:
        text = format_iops(value)
        return (text[:-1], f"{text[-1]} IOPS") if text[-1].isalpha() else (text, "IOPS")
    text = mega(value, units)
    if value >= _MOST_BYTES:
        number, _, unit = format_rate(value, units).partition(" ")
        return number, unit
    return (text if value < 100e6 else text.partition(".")[0]), shown_in("sequential", units)[0]


def scale_lines(
    tops: tuple[float, float], kinds: tuple[bool, bool], shape: tuple[int, int], units: Units
) -> tuple[Line, ...]:
    """What the top of the graph stands for: bytes, and requests of random tests; `shape`: (width, lines)."""
    width, rows = shape
    texts = [format_rate(tops[0], units)] if kinds[0] else []
    texts += [f"{format_iops(tops[1])} IOPS"] if kinds[1] else []
    if any(len(text) >= width for text in texts):
        texts = [word for text in texts for word in text.split()]
    lines: list[Line] = [((" top", "dim"),)] if texts and rows > len(texts) else []
    lines += [((f" {text}", "dim"),) for text in texts]
    return (*lines, *[()] * rows)[:rows]


def _on(plan: Plan, trial: Trial) -> str:
    if trial.target == "member" and trial.member is not None:
        return f" on {plan.members[trial.member].name} alone"
    built = [stage for stage in plan.stages if stage.setup]
    if trial.target == "array" and all(stage.setup and stage.setup.level == "jbod" for stage in built):
        return " on all disks at once"
    if len(built) > 1 and trial.target in ("array", "filesystem"):
        named_stages = zip(built, _names(tuple(stage.setup for stage in built if stage.setup)), strict=True)
        named = next((name for stage, name in named_stages if trial in stage.trials), "")
        if named:
            return f": {named}"
    return {
        "members": " on all disks at once",
        "array": " on the array",
        "filesystem": " on the file system",
        "existing": "",
    }[trial.target]


@lru_cache(maxsize=1)
def _names(cells: tuple[Setup, ...]) -> tuple[str, ...]:
    return names(cells)


def done_line(plan: Plan, state: RunState, width: int, units: Units) -> Line:
    """In one line: how many tests have ended, why one failed, the newest figures."""
    cells: list[Piece] = [
        (f" Done: {sum(state.is_final(trial.id) for trial in plan.trials)} of {len(plan.trials)}", "head")
    ]
    ended = [trial_state for trial_state in state.trials if trial_state.measurement is not None]
    failed = [one for one in ended if one.measurement is not None and one.measurement.status == "failed"]
    if failed and (measured := failed[-1].measurement):
        words = f"   ✗ {len(failed)} failed: {(measured.error or 'no reason given').partition(' (')[0]}"
        cells.append((fit(words, width - len(cells[0][0])).rstrip(), "bad"))
    for trial_state in reversed(ended):
        trial, measured = plan.trial(trial_state.trial), trial_state.measurement
        if trial is None or measured is None or measured.status == "failed":
            continue
        sides = [side for side in (measured.read, measured.write) if side is not None]
        is_random = kind(trial.rw) == "random"
        rate = _iops(sides) + " IOPS" if is_random else format_rate(sum(side.bytes_per_s for side in sides), units)
        cells += [(f"   ✓ {trial.title}{_on(plan, trial)} ", ""), (rate, "strong")]
    kept, pairs = cells[: 1 + bool(failed)], cells[1 + bool(failed) :]
    for pair in zip(pairs[::2], pairs[1::2], strict=True):
        if sum(cell_len(text) for text, _ in (*kept, *pair)) > width:
            break
        kept += pair
    return join(kept)


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
    figures = max((sum(cell_len(text) for text, _ in line) for _, line in rows if len(line) > 1), default=0)
    name = min(width - figures, max(_NAME, *(cell_len(title) for title, _ in rows), 0))
    heading: Line = (
        (fit(f" Done: {sum(state.is_final(trial.id) for trial in plan.trials)} of {len(plan.trials)}", name), "head"),
        (fit_right(f"{unit}", 10) + fit_right("IOPS", 9), "dim"),
    )
    return (heading, *(((fit(title, name), ""), *_within(line, width - name)) for title, line in rows))


def _within(line: Line, room: int) -> Line:
    """The reason of a failed test in its row."""
    return ((fit(line[0][0], room).rstrip(), line[0][1]),) if len(line) == 1 else line


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
        (fit_right(mega(rate, units), 10), look),
        (fit_right(_iops(sides), 9), look),
        (status, "warn"),
    )


def _iops(sides: Sequence[Direction]) -> str:
    """Of whole seconds where they were counted, as Results has them."""
    return format_iops(sum(side.steady_iops for side in sides)) if sides else "-"


def _count(per_s: float | None) -> str:
    return "-" if per_s is None else f"{per_s:.0f}"


def _ms(value: float | None) -> str:
    """Three digits of it, as far as there are."""
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


class _Column(NamedTuple):
    """As iostat names it, with {} for MB or MiB; `way`: what leaves it empty where there is none of it."""

    name: str
    means: str
    way: str
    value: Callable[[DeviceTimes], float | None]
    text: Callable[[float | None], str]

    @property
    def look(self) -> str:
        return {"reads": "read", "writes": "write"}.get(self.way, "util" if self.name == "%util" else "")


_NAME_TIMES_LINES, _FIGURE, _WIDE = 9, 8, 96  # cells; from so many on discards and flushes have room
_BARS, _LEAST_BAR, _MOST_BAR = 3, 8, 20  # how many of them beside figures, cells of each
_TIMES = (
    _Column("r/s", "reads completed per second", "reads", lambda one: one.rates.reads_per_s, _count),
    _Column("w/s", "writes completed per second", "writes", lambda one: one.rates.writes_per_s, _count),
    _Column("r{}", "read per second", "reads", lambda one: one.rates.read_bytes_per_s, _count),
    _Column("w{}", "written per second", "writes", lambda one: one.rates.write_bytes_per_s, _count),
    _Column("r_await", "mean latency of a read, ms", "reads", lambda one: one.read_await_ms, _ms),
    _Column("w_await", "mean latency of a write, ms", "writes", lambda one: one.write_await_ms, _ms),
    _Column("aqu-sz", "mean queue depth", "", lambda one: one.queue, _ms),
    _Column("%util", "time with any request outstanding; SSDs may do more at 100", "",
            lambda one: 100 * one.rates.util, _count),
    _Column("d/s", "discards per second", "discards", lambda one: one.discards_per_s, _count),
    _Column("f/s", "flushes per second", "flushes", lambda one: one.flushes_per_s, _count),
)  # fmt: skip
_OF_ALL = " -: none, or not counted. An array's values are of its own requests."
_EACH = "; ".join(f"{one.name.format('MB/s')}: {one.means}" for one in _TIMES)
MEANINGS = f"As `iostat -x 1`. {_EACH}.{_OF_ALL}"
Devices = Sequence[tuple[str, DeviceTimes | None]]


def idle_ways(devices: Devices) -> tuple[str, ...]:
    """Of reads, writes, discards and flushes those that no device did; while nothing moves only the last two."""
    busy = {one.way for _, found in devices if found for one in _TIMES if one.way and one.value(found)}
    still = () if busy & {"reads", "writes"} else ("reads", "writes")
    return tuple(way for way in ("reads", "writes", "discards", "flushes") if way not in busy and way not in still)


def _shown(width: int, idle: Sequence[str]) -> list[_Column]:
    kept = [one for one in _TIMES if one.way not in idle]
    return [one for one in kept if width >= _WIDE or one.way not in ("discards", "flushes")]


def _bars(columns: Sequence[_Column], width: int) -> tuple[frozenset[str], int]:
    """Which columns have a bar each, and its cells: as many as have room, the busy share first."""
    spare = width - _NAME_TIMES_LINES - _FIGURE * len(columns) - 1
    wanted = [one.name for part in ("%util", "{}", "await") for one in columns if part in one.name][:_BARS]
    while wanted and spare // len(wanted) - 1 < _LEAST_BAR:
        wanted.pop()
    return frozenset(wanted), min(_MOST_BAR, spare // max(1, len(wanted)) - 1)


def times_heading(width: int, units: Units, idle: Sequence[str] | None = None) -> Line:
    columns = _shown(width, idle or ())
    barred, room = _bars(columns, width) if idle is not None else (frozenset(), 0)
    names = [(one, one.name.format(shown_in("sequential", units)[0])) for one in columns]
    cells = [fit_right(name, _FIGURE) + " " * (room + 1) * (one.name in barred) for one, name in names]
    return ((fit(" device", _NAME_TIMES_LINES) + "".join(cells), "dim"),)


def times_lines(
    devices: Devices, width: int, units: Units, idle: Sequence[str] | None = None, off: Collection[str] = (),
    arrays: int = 0,
) -> list[Line]:  # fmt: skip
    """Without what is `idle`, with bars where that is given; a device in `off` is marked. The full length of a bar is
    the largest of all disks, which come after the `arrays`.
    """
    columns = _shown(width, idle or ())
    barred, room = _bars(columns, width) if idle is not None else (frozenset(), 0)
    tops = {one.name: max((one.value(found) or 0.0 for _, found in devices[arrays:] if found), default=0.0)
            for one in columns} | {"%util": 100.0}  # fmt: skip
    lines: list[Line] = []
    for number, (name, found) in enumerate(devices):
        mark = name in off
        cells = [(fit(f"{'▼' if mark else ' '}{name}", _NAME_TIMES_LINES), "*warn" if mark else "strong")]
        for one in columns if found else ():
            value = one.value(found) if found else None
            is_rate = "{}" in one.name
            text = mega(value or 0.0, units) if is_rate else one.text(value)
            cells.append((fit_right(text, _FIGURE), "*warn" if mark and is_rate else one.look))
            if one.name in barred:
                is_drawn = number >= arrays or one.name == "%util"
                share = (value or 0.0) / (tops[one.name] or 1.0) if is_drawn else 0.0
                cells += [(" ", ""), *bar(share, room, "warn" if mark else one.look or "one")]
        lines.append(join(cells) if found else (*cells, (fit_right("gone", _FIGURE), "dim")))
    return lines


def meaning_lines(width: int, units: Units, idle: Sequence[str]) -> list[Line]:
    names = [(one.name.format(shown_in("sequential", units)[0]), one.means) for one in _shown(width, idle)]
    return [((f" {fit(name, _NAME_TIMES_LINES)}", "accent"), (means, "dim")) for name, means in names]
