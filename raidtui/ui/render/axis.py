"""The time axis of a run: a piece for each test and each build, its columns and the moments between them. Pure."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from raidtui.core.fio.job import directions, is_sequential
from raidtui.core.plan import estimate
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.proof.pattern import ProofState
from raidtui.core.run.state import RunState, TrialState
from raidtui.core.units import format_duration
from raidtui.ui.render.cells import Line
from raidtui.ui.render.cells import Piece as TextPiece
from raidtui.ui.render.parts import join

_TEST_COLUMNS = 3  # of a test at least; where there is less, one setup is shown at a time
_BUILD_COLUMNS, _BUILD_NARROW, _NARROW = 5, 3, 100
_HOURS_S = 3600.0  # a sync that takes longer has the axis alone
_OVER, _MORE = 1.15, 1.02  # of its estimate a piece is long; with so much of it over it is drawn out
_TICKS_S = (60, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800)


class AxisPiece(msgspec.Struct, frozen=True):
    """A test, or all that is done before the tests of a setup. `began_s` 0: it is ahead; `ended_s` 0: not over;
    `fault`: why it has no result. `labels`: the longest first.
    """

    name: str
    group: str
    labels: tuple[str, ...]
    expected_s: float
    rw: str = ""  # "" of a build
    on_array: bool = False
    of_one: bool = False  # disk alone
    began_s: float = 0.0
    ended_s: float = 0.0
    fault: str = ""
    present: bool = False
    of_state: int = 0  # number of a proof's, from 1

    @property
    def is_random(self) -> bool:
        return bool(self.rw) and not is_sequential(self.rw)

    def edges_s(self, columns: int, now_s: float) -> list[float]:
        """Moments between its columns, with both ends. While it runs they seldom move."""
        length_s = self.ended_s - self.began_s
        if not self.ended_s:
            length_s = max(1.0, self.expected_s * _OVER)
            while (now_s - self.began_s) * _MORE > length_s:
                length_s *= 2
        return [self.began_s + length_s * number / columns for number in range(columns + 1)]


def pieces_of(plan: Plan, state: RunState, width: int) -> tuple[AxisPiece, ...]:
    """As many as have room: all of them, else those of the present setup, else of its present tests. A sync of hours
    has the axis alone.
    """
    stages = list(enumerate(plan.stages))
    most = max(1, width // _TEST_COLUMNS)
    if sum(len(stage.trials) + 2 for stage in plan.stages) > most:
        stages = stages[max(0, state.stage) :][:1]
    newest = {trial.trial: trial for trial in state.trials}
    pieces = [piece for number, stage in stages for piece in _of_stage(plan, number, stage, state, newest)]
    at = next((number for number, piece in enumerate(pieces) if piece.present), 0)
    if not pieces:
        return ()
    here = pieces[at]
    if here.present and not here.rw and state.sync and max(here.expected_s, state.now_s - here.began_s) > _HOURS_S:
        return (here,)
    return tuple(pieces[at // most * most :][:most])


def _of_stage(
    plan: Plan, number: int, stage: Stage, state: RunState, newest: dict[str, TrialState]
) -> Iterator[AxisPiece]:
    first = next((newest[trial.id].started_at_s for trial in stage.trials if trial.id in newest), 0.0)
    here = number == state.stage and state.worker is not None
    if stage.setup is not None or stage.care is not None:
        begun = [step.started_at_s for step in state.steps if step.stage == number and not step.undoing]
        began_s = min(begun, default=state.stage_since_s if here else 0.0)
        times = estimate.stages(plan)[number]
        expected_s = sum(times[part] for part in ("build", "sync", "filesystem", "mount", "fill", "look", "setting"))
        labels = ("build" if stage.array else "prep", "+")
        yield AxisPiece(
            f"build-{number}",
            "build",
            labels,
            max(5.0, expected_s),
            began_s=began_s,
            ended_s=first,
            present=here and not first,
        )
    for trial in stage.trials:
        yield _of_trial(plan, stage, trial, newest.get(trial.id), state)


def _of_trial(plan: Plan, stage: Stage, trial: Trial, done: TrialState | None, state: RunState) -> AxisPiece:
    kind = stage.filesystem.kind if stage.filesystem else ""
    group = {
        "member": "one disk alone",
        "members": f"all {len(plan.members)} at once",
        "array": "array",
        "filesystem": "file" if trial.file_test else f"array with {kind}",
        "existing": "as it is",
    }[trial.target]
    fault = ""
    if done and done.measurement is not None and done.measurement.status == "failed":
        fault = done.measurement.error or "no reason given"
    labels = state_labels(stage.proof.states[trial.state - 1]) if stage.proof and trial.state else labels_of(trial)
    return AxisPiece(
        trial.id, group, labels, trial.expected_s, trial.rw, trial.target not in ("member", "members"),
        trial.target == "member",
        done.started_at_s if done else 0.0, (done.ended_at_s or 0.0) if done else 0.0, fault,
        state.trial is not None and state.trial.trial == trial.id, trial.state,
    )  # fmt: skip


def labels_of(trial: Trial) -> tuple[str, ...]:
    """From "sequential write" to "seqW" and "sW"."""
    block = "seq" if is_sequential(trial.rw) else f"{(trial.bs_bytes or 4096) // 1024}K"
    both = directions(trial.rw)
    word = both[0] if len(both) == 1 else "mix"
    sign = "mix" if word == "mix" else word[0].upper()
    queue = f" QD{(trial.iodepth or 1) * (trial.numjobs or 1)}" if trial.varied else ""
    kind = "sequential" if block == "seq" else f"random {block}"
    short = "mix" if sign == "mix" else f"{block}{sign}"
    least = f"{block[0]}{sign}" if block == "seq" else short
    return (
        f"{kind} {word}{queue}", f"{block} {word}{queue}", f"{short}{queue}", queue.strip(), short, least,
    )  # fmt: skip


def state_labels(state: ProofState) -> tuple[str, ...]:
    """Of a proof, in which all tests read: from "1 disk out" to "1"."""
    words, out = state.words.split(), len(state.out)
    return (state.words, *((f"{out} out", f"{out}") if out else (words[0], words[-1], words[0][:1])))


def laid_out(pieces: Sequence[AxisPiece], width: int, screen: int) -> tuple[tuple[int, int], ...]:
    """(first column, columns) of each piece; a gap of one before another group."""
    build = _BUILD_COLUMNS if screen >= _NARROW else _BUILD_NARROW
    tests = sum(bool(piece.rw) for piece in pieces)
    if not tests:
        return ((0, width),) * len(pieces)
    gaps = len(list(groupby(pieces, key=lambda piece: piece.group))) - 1
    each = max(2.0, (width - gaps - build * (len(pieces) - tests)) / tests)
    found: list[tuple[int, int]] = []
    reach, group = 0.0, pieces[0].group
    for piece in pieces:
        if piece.group != group:
            reach, group = round(reach) + 1, piece.group
        end = min(float(width), reach + (each if piece.rw else build))
        found.append((round(reach), max(1, round(end) - round(reach))))
        reach = end
    return tuple(found)


def names_line(pieces: Sequence[AxisPiece], places: Sequence[tuple[int, int]], now_s: float) -> Line:
    """Below the graph: the present one reversed, a failed one with ✗. A piece alone has hours."""
    if len(pieces) == 1 and not pieces[0].rw:
        return _hours(pieces[0], places[0][1], now_s)
    if not places:
        return ()
    cells: list[TextPiece] = []
    used = 0
    joined = [list(same) for _, same in groupby(zip(pieces, places, strict=True), key=_named_once)]
    named = [(same[0][0], (same[0][1][0], sum(same[-1][1]) - same[0][1][0])) for same in joined]
    starts = [place[0] for _, place in named[1:]] + [sum(places[-1]) + 1]
    rooms = [
        min(columns, end - first - 1) - bool(piece.fault)  # a blank before the next one
        for (piece, (first, columns)), end in zip(named, starts, strict=True)
    ]
    tests = [(piece.labels, room) for (piece, _), room in zip(named, rooms, strict=True) if piece.rw]
    one = [] if any(piece.of_state for piece in pieces) else [*zip(*(labels for labels, _ in tests), strict=True)]
    fit_all = (
        at for at, names in enumerate(one) if all(0 < len(n) <= r for n, (_, r) in zip(names, tests, strict=True))
    )
    level = next(fit_all, None)  # a test has one name on an axis
    for (piece, (first, columns)), room in zip(named, rooms, strict=True):
        label = next((label for label in piece.labels if label and len(label) <= room), piece.labels[-1])
        if piece.rw and level is not None:
            label = piece.labels[level]
        text = (f"✗{label}" if piece.fault else label)[:columns]
        look = "bad" if piece.fault else "dim" if piece.ended_s else "lost"
        if piece.present:
            text, look = text.center(columns), "!*accent"
        cells += [(" " * (first - used), ""), (text.ljust(columns), look)]
        used = first + columns
    return join(cells)


def _named_once(pair: tuple[AxisPiece, tuple[int, int]]) -> tuple[object, ...]:
    """Parts of one state of a proof have one name, but for the present one and those that failed."""
    piece, place = pair
    return (piece.labels, bool(piece.ended_s), "" if piece.of_state and not (piece.present or piece.fault) else place)


def _hours(piece: AxisPiece, columns: int, now_s: float) -> Line:
    edges = piece.edges_s(columns, now_s)
    length_s = edges[-1] - edges[0]
    every_s = next((tick for tick in _TICKS_S if tick * 8 >= length_s), _TICKS_S[-1])
    marks = [" "] * columns
    for number in range(int(length_s / every_s) + 1):
        first = int(number * every_s / length_s * columns)
        text = format_duration(number * every_s).removesuffix(" 00 min").removesuffix(" 00 s") if number else "0"
        if first + len(text) <= columns:
            marks[first : first + len(text)] = text
    return (("".join(marks), "dim"),)


def groups_line(pieces: Sequence[AxisPiece], places: Sequence[tuple[int, int]]) -> Line:
    """Below the names: what is measured, each over its pieces."""
    cells: list[TextPiece] = []
    used = 0
    for group, members in groupby(zip(pieces, places, strict=True), key=lambda pair: pair[0].group):
        own = list(members)
        first, end = own[0][1][0], sum(own[-1][1])
        word = f" {group} " if end - first >= len(group) + 2 else ""
        look = "*accent" if any(piece.present for piece, _ in own) else "dim" if own[0][0].began_s else "lost"
        line = word.center(end - first, "─") if own[0][0].rw else " " * (end - first)
        cells += [(" " * (first - used), ""), (line, look)]
        used = end
    return join(cells)
