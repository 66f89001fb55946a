"""The rows of the list of runs: how each stands, when it began, what it is about. Pure."""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.core.units import Units, format_duration
from raidtui.runs.status import RunStatus
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, shortened, wrapped
from raidtui.ui.render.parts import join

if TYPE_CHECKING:
    from raidtui.core.answer.mark import Grade
    from raidtui.core.report.context import RunContext

_MOST_SIGNS = 12
_GROUPS = {"Running": "accent", "Interrupted": "warn", "Kept": "ok", "Finished": "accent", "Failed": "bad"}
_LEGEND: Line = (
    (" ✓", "ok"), (" as expected  ", "dim"), ("▲", "ok"), (" above  ", "dim"), ("▼", "warn"), (" below  ", "dim"),
    ("!", "warn"), (" implausible ", "dim"), ("✗", "bad"), (" slower, no result ", "dim"), ("· no model", "dim"),
)  # fmt: skip
_LOOKS = {
    "running": "good",
    "starting": "good",
    "stopping": "warn",
    "clearing": "warn",
    "interrupted": "warn",
    "elsewhere": "warn",
    "not begun": "warn",
    "failed": "bad",
    "unreadable": "bad",
    "kept": "accent",
}


def state_of(run: RunStatus) -> str:
    """Its state in a word; `kept` if it ended and keeps its array."""
    return "kept" if run.kept else run.label


def order(runs: Sequence[RunStatus]) -> tuple[RunStatus, ...]:
    """By group, each with the newest first."""
    newest = sorted(runs, key=lambda run: (run.begun_s, run.name), reverse=True)
    groups = list(_GROUPS)
    return tuple(sorted(newest, key=lambda run: groups.index(group_of(run))))


def group_of(run: RunStatus) -> str:
    if _goes_on(run):
        return "Running"
    if run.unsettled:
        return "Interrupted"
    if run.kept:
        return "Kept"
    return "Finished" if run.word == "finished" else "Failed"


def _goes_on(run: RunStatus) -> bool:
    return run.alive or run.word == "starting"


def offered(runs: Sequence[RunStatus]) -> tuple[RunStatus, ...]:
    """Those that a person is asked about first: going on, to be seen to, or the newest of all if it can be gone on
    with. What is older was left behind on purpose."""
    newest = max(runs, key=lambda run: (run.begun_s, run.name), default=None)
    return tuple(run for run in runs if _goes_on(run) or run.unsettled or (run is newest and run.resumable))


def tally(runs: Sequence[RunStatus]) -> str:
    """How many of each state: `1 running, 2 kept, 3 finished`."""
    states = [state_of(run) for run in runs]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))


def run_sheet(
    runs: Sequence[RunStatus], marked: Sequence[Path], judged: "Mapping[Path, RunContext]", width: int
) -> tuple[Sheet, tuple[RunStatus | None, ...]]:
    """Two lines a run below the heading of its group, and which run each row is of. Marked ones carry the letter that
    their comparison calls them by; `judged`: those whose results are known.
    """
    rows: list[Row] = []
    of_rows: list[RunStatus | None] = []
    last = ""
    for run in runs:
        group = group_of(run)
        if group != last:
            rows.append(Row(((), ((f" {group}", f"*{_GROUPS[group]}"),)), is_heading=True))
            of_rows.append(None)
        last = group
        rows.append(Row(_lines(run, marked, judged.get(run.path), width)))
        of_rows.append(run)
    return Sheet(_LEGEND if rows else (), tuple(rows)), tuple(of_rows)


def _lines(run: RunStatus, marked: Sequence[Path], known: "RunContext | None", width: int) -> tuple[Line, Line]:
    letter = "AB"[marked.index(run.path)] if run.path in marked else " "
    sign, look = mark(run, known)
    when = begun(run)
    first = (
        (f" {letter} ", "accent"),
        (f"{sign} ", f"*{look}"),
        (fit(shortened(about(run), width - 6 - len(when)), width - 6 - len(when)), "strong"),
        (f" {when}", "dim"),
    )
    left = f", about {format_duration(round(run.left_s))} left" if run.left_s is not None else ""
    state = f"     {state_of(run)}, {_tests(run)} tests{left}  "
    signs = list(_signs(known)) if known else []
    used = len(state) + sum(len(text) for text, _ in signs)
    name = run.name if width - used > len(run.name) else ""
    second = join([(state, "" if state_of(run) == "finished" else _LOOKS.get(state_of(run), "")), *signs,
                   (" " * max(0, width - used - len(name)), ""), (name, "dim")])  # fmt: skip
    return first, second


def mark(run: RunStatus, known: "RunContext | None") -> tuple[str, str]:
    """The run's mark as sign and look; of a finished one whose results are not `known` yet none."""
    from raidtui.core.answer.mark import SIGNS, WORST  # the first picture is of no run

    if _goes_on(run):
        return "●", "accent"
    grade: Grade = "bad" if run.word in ("failed", "unreadable") else "warn"
    if run.word == "finished":
        grade = "ok" if run.cares else "dim"
    if known is not None:  # as it was when its results were computed
        grade = max(known.answer.mark.grade, grade, key=WORST.index)
    return SIGNS[grade], grade


def _signs(known: "RunContext") -> Iterator[Piece]:
    """One a test; of a sweep how many are as expected."""
    from raidtui.core.answer.mark import glance

    seen = [glance(row, known.ranking.doubted) for row in known.comparison.rows]
    if len(seen) <= _MOST_SIGNS:
        yield from ((one.sign, f"*{one.grade}") for one in seen)
        return
    grades = [one for one in seen if one.words != "no model"]
    good = sum(one.grade == "ok" for one in grades)
    yield (f"{good} of {len(grades)} as expected or above", "ok" if good == len(grades) else "warn")


def bars_beside(known: "RunContext", units: Units, width: int, height: int) -> list[Line]:
    """The results of a run in the room beside the list: bars of as many tests as fit; of a sweep its answer."""
    from raidtui.ui.render.card_lines import verdict_bars

    lines: list[Line] = []
    if known.is_sweep or not known.comparison.rows:
        for text in known.answer.lines[:-1]:
            lines += wrapped(text, width)
        return lines[:height]
    rows = known.comparison.rows
    for number, row in enumerate(rows):
        drawn = [*verdict_bars(row, units, width), ()]
        last = number == len(rows) - 1
        if len(lines) + len(drawn) + (-1 if last else 1) > height:
            return [*lines, ((f"{len(rows) - number} more tests", "dim"),)]
        lines += drawn
    return lines


def _tests(run: RunStatus) -> str:
    return f"{run.measured}/{run.trials}"


def about(run: RunStatus) -> str:
    """What it measures and builds; of a sweep the recipe is said already. A narrow column shows how it begins."""
    return run.setup if not run.recipe or run.setup.startswith(run.recipe) else f"{run.recipe}: {run.setup}"


def begun(run: RunStatus) -> str:
    """When it began, by this machine's clock and time zone."""
    return time.strftime("%d %b %H:%M", time.localtime(run.begun_s)) if run.begun_s else ""


def run_detail(run: RunStatus) -> str:
    """All of it in words: what a narrow list has no room for, too."""
    sentence = f"{about(run)}, begun {begun(run)}, {run.name}: {run.sentence}."
    if run.left_s is not None:
        sentence += f" About {format_duration(round(run.left_s))} left."
    if run.permanent:
        sentence += " Array in mdadm.conf/fstab; D removes these entries, then the array."
    elif run.kept:
        sentence += " Array kept; D removes it."
    elif run.cleared:
        sentence += " Array removed."
    return f"{sentence} {run.damage}." if run.damage else sentence


def recent_lines(
    runs: Sequence[RunStatus] | None,
    judged: "Mapping[Path, RunContext]",
    last: str,
    width: int,
    high: bool,
    *,
    practice: bool = True,
) -> list[Line]:
    """What runs, the last answers (`last`, "" without), and what ran, newest first; None: not looked up yet.
    `judged`: those whose results are known; `practice`: False where it is known to be impossible.
    """
    running, ended = [run for run in runs or () if run.alive], [run for run in order(runs or ()) if not run.alive]
    lines: list[Line] = [_recent(run, None, width) for run in running]
    if last:
        lines.append((*_key(".", "as last time"), (last, "strong"), ("   straight to Review", "dim")))
    command, does = ("practice", ": all on virtual disks") if practice else ("demo", ": a recorded run")
    new = (("terms of each screen; ", "dim"), (f"raidtui {command}", ""), (does, "dim"))
    lines.append((*_key("?", "new to RAID"), *new))
    if ended and high:
        lines += [(), (("Runs", "head"), ("   R: all", "dim"))]
    if not runs and runs is not None:
        lines.append((("No runs yet.", "dim"),))
    return lines + [_recent(run, judged.get(run.path), width) for run in ended]


def _recent(run: RunStatus, known: "RunContext | None", width: int) -> Line:
    sign, look = mark(run, known)
    left = "" if run.left_s is None else f"   {format_duration(round(run.left_s))} left"
    what = fit(about(run), max(20, width - 32 - len(left)))
    return (
        (fit(sign, 2), look),
        (fit(state_of(run), 14), ""),
        (fit(begun(run), 16), "dim"),
        (what, "strong"),
        (left, ""),
    )


def _key(key: str, name: str) -> tuple[Piece, Piece]:
    return (fit(key, 2), "*accent"), (fit(name, 14), "")
