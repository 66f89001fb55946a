"""What SMART counted of a run's disks: which counts changed between its first answer and its last."""

from raidtui.core.run.events import UNITS_WRITTEN
from raidtui.core.run.state import RunState

_NO_SIGN = frozenset({"power-on hours", "temperature, °C", UNITS_WRITTEN})  # counts that change in any disk
Count = float | str


def changed(state: RunState, member: str) -> dict[str, tuple[Count, Count]]:
    """Of one disk each count that tells of its health and is another than before: name -> before and after."""
    if not state.healths:
        return {}
    first, last = (told.disks.get(member, {}) for told in (state.healths[0], state.healths[-1]))
    return {
        name: (count, last[name])
        for name, count in first.items()
        if name in last and last[name] != count and name not in _NO_SIGN
    }
