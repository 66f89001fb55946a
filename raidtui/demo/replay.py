"""A recorded run as a feed for the screens, as far as a clock has come."""

from collections.abc import Callable, Sequence

from raidtui.core.run.samples import Sample, first_at
from raidtui.demo.recording import Recording
from raidtui.runs.follow import View

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
