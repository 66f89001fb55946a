"""A machine at work from a recorded run: its seconds come one a tick."""

from collections.abc import Sequence

from raidtui.core.run.at_work import Device
from raidtui.core.run.samples import ARRAY, Sample
from raidtui.demo.recording import Recording


class RecordedAtWork:
    """Its disks `sda`, … in an array `md127` of `level`. Begins `at_s` seconds into the run."""

    def __init__(self, recording: Recording, level: str = "raid6", at_s: int = 0, missing: int = 0) -> None:
        view = recording.view()
        self._history, slots = view.history[at_s:], view.slots
        names = [f"sd{chr(ord('a') + number)}" for number in range(len(slots) - 1)]
        self._at = {**dict(zip(names, range(len(names)), strict=True)), "md127": slots.index(ARRAY)}
        array = Device("md127", level, tuple(names), len(names), missing)
        self._devices = (*(Device(name, model="HUS728T8TAL", size_bytes=8 * 10**12) for name in names), array)
        self._now = 0

    def devices(self) -> tuple[Device, ...]:
        return self._devices

    def read(self, names: Sequence[str]) -> Sample:
        sample = self._history[min(self._now, len(self._history) - 1)]
        self._now += 1
        return Sample(sample.wall_ns, sample.monotonic_ns, tuple(sample.counters[self._at[name]] for name in names))
