"""Whether a check of md came to its end. md keeps no such record: ended by `idle` within the first sixteenth, or within
five minutes, a check looks complete. Only its end, seen, tells.
"""

import time

import msgspec

from raidtui.core.arrays.array import Sync
from raidtui.runs.context import StageContext

_FASTER = 1.5  # than ever measured, in the last look
_FEW_LOOKS = 5  # with which no rate is certain: the members' counters decide alone
_NOT_READ = 0.05  # of a member: bad blocks in md's lists, stripes that md had in memory
_PAGE_BYTES = 4096


class _Look(msgspec.Struct, frozen=True):
    at_s: float
    done_bytes: int


class CheckProgress:
    """Of one check, from look to look. `read_before`: of the members, when it began; empty: not known."""

    def __init__(self, context: StageContext, name: str) -> None:
        self._context, self._name = context, name
        self._before = context.read_before
        self._last: _Look | None = None
        self._looks, self._total_bytes, self._fastest = 0, 0, 0.0

    def look(self, sync: Sync) -> None:
        if not sync.total_bytes:  # it waits
            return
        fine = self._context.host.checked_bytes(self._name)
        now = _Look(time.monotonic(), max(sync.done_bytes, fine or 0))
        rate = sync.bytes_per_s
        if self._last and now.done_bytes > self._last.done_bytes:  # else it stood, or was begun again
            rate = max(rate, (now.done_bytes - self._last.done_bytes) / max(1e-3, now.at_s - self._last.at_s))
        self._fastest = max(self._fastest, rate)
        self._last, self._total_bytes, self._looks = now, sync.total_bytes, self._looks + 1

    def why_not_through(self) -> str:
        """Asked when it runs no more: "" if its end was seen, else what is known."""
        read = self._read_share()
        by_position = self._last is not None and self._reached_bytes() >= self._total_bytes  # within a look
        if read is None:
            through = by_position
        elif self._looks < _FEW_LOOKS:
            through = read >= 1
        else:  # others may have read from the members: both
            through = by_position and read >= 1
        if through:
            return ""
        position = self._last.done_bytes / self._total_bytes if self._last else None
        shares = [share for share in (position, read) if share is not None]
        return f"ended by somebody at {min(99, int(100 * min(shares)))} %" if shares else "ended unseen"

    def _reached_bytes(self) -> float:
        assert self._last
        return self._last.done_bytes + _FASTER * self._fastest * (time.monotonic() - self._last.at_s)

    def _read_share(self) -> float | None:
        """Of the least read member, to its end by and large; None if not known."""
        size = self._md("component_size")
        now = read_bytes(self._context, self._name)
        grown = [now[name] - before for name, before in self._before.items() if name in now]
        if not size.isdecimal() or len(grown) < len(now) or min(grown, default=0) <= 0:  # not counted, or anew
            return None
        stripes = self._md("stripe_cache_size")
        in_memory = int(stripes) * _PAGE_BYTES if stripes.isdecimal() else 0
        whole = int(size) * 1024
        return min(grown) / max(1.0, whole - max(whole * _NOT_READ, in_memory))

    def _md(self, file: str) -> str:
        return self._context.host.text(f"/sys/block/{self._name}/md/{file}")


def read_bytes(context: StageContext, name: str) -> dict[str, int]:
    """By member that works."""
    names = sorted(context.host.working(name))
    reader = context.host.counters()
    try:
        return {name: one.read_bytes for name, one in zip(names, reader.read(names), strict=True) if one}
    finally:
        reader.close()
