"""Recorded runs, read again: as they stood at a moment. Figures and times are the recorded ones.

A recorded run as a feed for the screens, as far as a clock has come.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from raidtui.core.plan import validate
from raidtui.core.plan.model import Plan
from raidtui.core.run import events, journal_lines, samples
from raidtui.core.run.events import AnyEvent
from raidtui.core.run.samples import Header, Sample, first_at
from raidtui.core.run.state import fold_all
from raidtui.runs.directory import JOURNAL, PLAN, SAMPLES
from raidtui.runs.follow import View

SHIPPED = ("raid6-of-6", "slow-of-24")
MACHINE = "machine.json"
_HISTORY_S = 300  # as a follower of a run reads back


class Recording(msgspec.Struct, frozen=True):
    """All of a run's directory that the screens are functions of."""

    plan: Plan
    events: tuple[AnyEvent, ...]
    header: Header
    samples: tuple[Sample, ...]

    def at_s(self, trial: str, share: float) -> float:
        """The moment at which `share` (0 to 1) of the trial had passed."""
        began = next(e.at_s for e in self.events if isinstance(e, events.TrialStarted) and e.trial == trial)
        ended = next(e.at_s for e in self.events if isinstance(e, events.TrialEnded) and e.trial == trial)
        return began + share * (ended - began)

    def view(self, at_s: float = float("inf")) -> View:
        """The run as a follower saw it at that moment."""
        past = tuple(sample for sample in self.samples if sample.wall_ns / 1e9 <= at_s)
        state = fold_all(event for event in self.events if event.at_s <= at_s)
        return View(self.plan, state, self.header.slots, past[-_HISTORY_S:], alive=not state.ended)


def load(folder: Path) -> Recording:
    """The recorded run in `folder`."""
    found, _ = journal_lines.read((folder / JOURNAL).read_bytes())
    data = (folder / SAMPLES).read_bytes()
    header, start = samples.decode_header(data)
    width = header.record_bytes
    records = tuple(samples.decode(data[i : i + width]) for i in range(start, len(data) - width + 1, width))
    known = tuple(event for event in found if not isinstance(event, events.Unknown | events.Damaged))
    return Recording(validate.decode((folder / PLAN).read_bytes()), known, header, records)


def folder_of(name: str) -> Path:
    """Of a shipped recording: in the installed program or the checkout. ValueError for another name."""
    if name not in SHIPPED:
        raise ValueError(f"--run {name}: no such recording; available: {', '.join(SHIPPED)}")
    package = Path(__file__).parent
    installed = package / "runs"
    return (installed if installed.is_dir() else package.parents[1] / "tests" / "recordings" / "runs") / name


Clock = Callable[[], float]


class Replay:
    """A feed of a recorded run as far as `moment`, UTC of the recording."""

    def __init__(self, recorded: Recording, moment: Clock) -> None:
        self._recorded, self._moment = recorded, moment
        self._view: View | None = None

    def poll(self) -> View | None:
        """None if nothing has come since."""
        view = self._recorded.view(self._moment())
        before, self._view = self._view, view
        is_same = before is not None and (view.state, view.history) == (before.state, before.history)
        return None if is_same else view

    def at(self, moments_s: Sequence[float]) -> Sequence[Sample | None]:
        return first_at(self._view.history if self._view else (), moments_s)
