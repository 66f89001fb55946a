"""The stretches of a run at which blows are aimed, told by its journal; and the moments of the whole test. Pure.

A window opens and closes with events. How long it lasts is measured on a run that is not disturbed; the blows at one
window fall at evenly spread shares of most of that.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from raidtui.core.run import events
from raidtui.core.run.events import Event

Seen = events.AnyEvent | events.Unknown
Way = Literal["run", "resume", "clean"]
When = Callable[[Seen], bool]
_SPREAD = 0.6  # of a window's length: programs that ran before start faster than in the undisturbed run, the first
UNKNOWN_S = 0.3  # of a window that the undisturbed run does not have


class Window(msgspec.Struct, frozen=True):
    """From the first event that `opens` to the end of the last one that `closes` (None: the same) in a row.

    `way` is the command of whose worker this is a part. `clearing`: of what an earlier worker left, before this one
    does anything else; None where it may be of either.
    """

    opens: When
    closes: When | None = None
    way: Way = "resume"
    clearing: bool | None = None


class Blow(msgspec.Struct, frozen=True):
    """One moment: `share` of its window's length after the window opened."""

    window: str
    share: float


def _step(words: str, *, undoing: bool = False) -> When:
    return lambda event: (
        isinstance(event, events.StepStarted) and event.undoing == undoing and event.line.startswith(words)
    )


def _trial(*, baseline: bool) -> When:
    return lambda event: isinstance(event, events.TrialStarted) and event.trial.startswith("s1-") == baseline


def _begun(event: Seen) -> bool:
    return isinstance(event, events.WorkerStarted)


def _cache(kind: type[events.SettingChanged | events.SettingRestored]) -> When:
    return lambda event: isinstance(event, kind) and event.path.endswith("/cache_type")


_STOP, _ZERO = _step("mdadm --stop", undoing=True), _step("mdadm --zero-superblock", undoing=True)
_WIPE = _step("wipefs --all /dev/sd", undoing=True)
WINDOWS = {
    "beginning": Window(_begun),
    "caches off": Window(_cache(events.SettingChanged)),
    "baseline": Window(_trial(baseline=True)),
    "caches back": Window(_cache(events.SettingRestored)),
    "create": Window(_step("mdadm --create")),
    "first sync": Window(_step("mdadm --wait")),
    "stripe cache": Window(_step("echo 512 ")),
    "mkfs": Window(_step("mkfs.ext4")),
    "mount": Window(_step("mount")),
    "fill": Window(_step("fio --output-format=json --output=fio/fill")),
    "trial": Window(_trial(baseline=False)),
    "unmount": Window(_step("umount", undoing=True)),
    "wipe array": Window(_step("wipefs --all /dev/md", undoing=True)),
    "stop to zero": Window(_STOP, _ZERO, clearing=False),
    "clearing: stop to zero": Window(_STOP, _ZERO, clearing=True),
    "wipe members": Window(_WIPE),
    "clearing: wipe members": Window(_WIPE, clearing=True),
    "blank check": Window(_step("check_members_blank", undoing=True)),
    "clean: begun": Window(_begun, way="clean"),
    "clean: stop to zero": Window(_STOP, _ZERO, way="clean", clearing=True),
}
# Of each run its kind (see `runs.KINDS`), and the windows of its blows in their order. It goes on after each with the
# command of the next one's window; after the last one it is resumed, and left in peace.
RUNS = (
    ("two arrays", ("beginning", "create", "create", "mkfs", "stop to zero")),
    ("one setup", ("baseline", "mkfs", "clearing: stop to zero", "create", "unmount")),
    ("one array for two", ("caches off", "create", "mkfs", "clean: stop to zero", "trial")),
    ("one setup", ("beginning", "mkfs", "clearing: stop to zero", "stop to zero", "beginning")),
    ("two arrays", ("caches back", "first sync", "create", "fill", "blank check")),
    ("one setup", ("create", "stripe cache", "clearing: wipe members", "mkfs", "stop to zero")),
    ("one array for two", ("baseline", "mount", "clean: begun", "wipe array", "clearing: stop to zero")),
    ("one setup", ("create", "first sync", "mkfs", "clean: stop to zero", "stop to zero")),
    ("two arrays", ("caches off", "trial", "clearing: stop to zero", "create", "wipe members")),
    ("one setup", ("mkfs", "caches off", "fill", "wipe array", "stop to zero")),
    ("separate disks", ("mkfs", "mkfs", "trial", "clearing: wipe members", "mkfs")),
)
# Where the machine goes down, and how many seconds after the window opened: a run, boot after boot.
REBOOTS = (("create", 0.3), ("mkfs", 0.2), ("trial", 1.0), ("stop to zero", 0.6))


def blows() -> list[tuple[str, list[Blow]]]:
    """The runs with shares for their windows: the blows at one window are spread evenly over most of it."""
    number = Counter(window for _, windows in RUNS for window in windows)
    come: Counter[str] = Counter()
    found: list[tuple[str, list[Blow]]] = []
    for kind, windows in RUNS:
        found.append((kind, []))
        for window in windows:
            found[-1][1].append(Blow(window, _SPREAD * (come[window] + 0.5) / number[window]))
            come[window] += 1
    return found


class Watcher:
    """Tells from a worker's events, in order, when a window has opened. `busy`: something else than clearing began."""

    def __init__(self) -> None:
        self._busy = False

    def opens(self, window: Window, event: Seen) -> bool:
        if isinstance(event, events.WorkerStarted):
            self._busy = False
        self._busy |= isinstance(event, events.StepStarted) and not event.undoing
        return window.opens(event) and window.clearing in (None, not self._busy)


def length_s(window: Window, journal: Iterable[Seen]) -> float:
    """How long the window lasted where it first came; UNKNOWN_S where it did not."""
    closes = window.closes or window.opens
    began_s = ended_s = None
    closing = False
    for event in journal:
        if began_s is None and window.opens(event):
            began_s = event.at_s
        if began_s is None or isinstance(event, events.SyncProgress):
            continue
        if closes(event):
            closing = True
        elif closing:
            ended_s, closing = event.at_s, False
        elif ended_s is not None and isinstance(event, events.StepStarted):
            break
    return UNKNOWN_S if began_s is None or ended_s is None else ended_s - began_s


def where(journal: Sequence[Seen], at_s: float | None) -> str:
    """What the run's last worker was at, and for how long, at this time (None: not known); its journal ends there."""
    for event in reversed(journal):
        match event:
            case events.StepStarted():
                return f"{'clearing away: ' * event.undoing}{event.what}{_since(event, at_s)}"
            case events.StepEnded():
                return f"after: {event.what}{_since(event, at_s)}"
            case events.RunEnded():
                return f"its run has ended{_since(event, at_s)}"
            case events.WorkerStarted():
                return f"its worker has begun{_since(event, at_s)}"
    return "before its first event"


def _since(event: Event, at_s: float | None) -> str:
    return "" if at_s is None else f", {max(0.0, at_s - event.at_s) * 1000:.0f} ms since"
