"""What SMART counted of a run's disks: which counts changed from its first answer to its last, and which for worse."""

from raidtui.core.run.events import UNITS_WRITTEN
from raidtui.core.run.state import RunState

_NO_SIGN = frozenset({"power-on hours", "temperature, °C", UNITS_WRITTEN})  # counts that change in any disk
_WEAR, _SPARE = "used, %", "spare, %"  # what is written wears in any case; of spare blocks fewer are worse
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


def worsened(state: RunState, member: str) -> dict[str, tuple[Count, Count]]:
    """As `changed`, of what tells that the disk fails: more errors, fewer spare blocks, a verdict that is not good."""
    return {
        name: (before, after)
        for name, (before, after) in changed(state, member).items()
        if name != _WEAR and _is_worse(name, before, after)
    }


def _is_worse(name: str, before: Count, after: Count) -> bool:
    if isinstance(before, str) or isinstance(after, str):
        return after != "passed"
    return after < before if name == _SPARE else after > before
