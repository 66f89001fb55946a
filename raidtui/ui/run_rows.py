"""The rows of the list of runs: how each stands, when it began, what it is about. Pure."""

import time
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len

from raidtui.core.units import format_duration
from raidtui.runs.status import RunStatus
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit

_SIGNS = {"finished": ("✓", "ok"), "failed": ("✗", "bad")}
_BEGUN, _ID, _TIME_LEFT = 14, 24, 16
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
    """Those that go on first, then those to be seen to, each with the newest first."""
    newest = sorted(runs, key=lambda run: (run.begun_s, run.name), reverse=True)
    return tuple(sorted(newest, key=lambda run: 0 if _goes_on(run) else 1 if run.unsettled else 2))


def _goes_on(run: RunStatus) -> bool:
    return run.alive or run.word == "starting"


def offered(runs: Sequence[RunStatus]) -> tuple[RunStatus, ...]:
    """Those that a person is asked about first: going on, to be seen to, or the newest of all if it can be gone on
    with. What is older was left behind on purpose."""
    newest = max((run for run in runs), key=lambda run: (run.begun_s, run.name), default=None)
    return tuple(run for run in runs if _goes_on(run) or run.unsettled or (run is newest and run.resumable))


def tally(runs: Sequence[RunStatus]) -> str:
    """How many of each state: `1 running, 2 kept, 3 finished`."""
    states = [state_of(run) for run in runs]
    return ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))


def run_sheet(runs: Sequence[RunStatus], marked: Sequence[Path], width: int) -> Sheet:
    """One line a run; marked ones carry the letter that their comparison calls them by.

    What a run is about stands whole before the time left and its id have columns of their own.
    """
    longest = max((len(state_of(run)) for run in runs), default=0), max((len(_tests(run)) for run in runs), default=0)
    widths = 2 + max(longest[0], len("state")), 2 + max(longest[1], len("tests"))
    room = width - 4 - _BEGUN - sum(widths)
    wide = room - _ID - _TIME_LEFT >= max((cell_len(about(run)) for run in runs), default=0)
    about_width = max(10, room - (_ID + _TIME_LEFT if wide else 0))
    heading: list[Piece] = [
        (fit("", 4), ""),
        (fit("state", widths[0]), "dim"),
        (fit("begun", _BEGUN), "dim"),
        (fit("tests", widths[1]), "dim"),
    ]
    if wide:
        heading += [(fit("time left", _TIME_LEFT), "dim"), (fit("id (UTC)", _ID), "dim")]
    heading.append(("what", "dim"))
    return Sheet(tuple(heading), tuple(Row((_line(run, marked, widths, wide, about_width),)) for run in runs))


def _line(run: RunStatus, marked: Sequence[Path], widths: tuple[int, int], wide: bool, about_width: int) -> Line:
    letter = "AB"[marked.index(run.path)] if run.path in marked else " "
    state = state_of(run)
    cells: list[Piece] = [
        (f"  {letter} ", "accent"),
        (fit(state, widths[0]), _LOOKS.get(state, "")),
        (fit(begun(run), _BEGUN), ""),
        (fit(_tests(run), widths[1]), ""),
    ]
    if wide:
        left_words = "" if run.left_s is None else f"about {format_duration(round(run.left_s))}"
        cells += [(fit(left_words, _TIME_LEFT), ""), (fit(run.name, _ID), "dim")]
    cells.append((fit(about(run), about_width), "strong"))
    return tuple(cells)


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


def recent_lines(runs: Sequence[RunStatus] | None, last: str, width: int, high: bool) -> list[Line]:
    """What runs, the last answers (`last`, "" without), and what ran, newest first; None: not looked up yet."""
    running, ended = [run for run in runs or () if run.alive], [run for run in order(runs or ()) if not run.alive]
    lines: list[Line] = [_recent(run, width) for run in running]
    if last:
        lines.append((*_key(".", "as last time"), (last, "strong"), ("   straight to Review", "dim")))
    practice = (("terms of each screen; ", "dim"), ("raidtui practice", ""), (": all on virtual disks", "dim"))
    lines.append((*_key("?", "new to RAID"), *practice))
    if ended and high:
        lines += [(), (("Runs", "head"), ("   R: all", "dim"))]
    if not runs and runs is not None:
        lines.append((("No runs yet.", "dim"),))
    return lines + [_recent(run, width) for run in ended]


def _recent(run: RunStatus, width: int) -> Line:
    sign, look = ("●", "accent") if run.alive else _SIGNS.get(run.word, ("!", "warn"))
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
