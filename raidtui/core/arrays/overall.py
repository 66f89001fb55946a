"""All arrays and pools of a machine, as `raidtui status --json` prints them."""

import msgspec

from raidtui.core.arrays.array import Array, Grade
from raidtui.core.arrays.monitor import Monitor
from raidtui.core.arrays.pools import Pool

SCHEMA = 1


class ArraysStatus(msgspec.Struct, frozen=True, kw_only=True):
    """At `at_s` (UTC), with the worst grade."""

    schema: int = SCHEMA
    host: str = ""
    at_s: float = 0.0
    grade: Grade = Grade.GOOD
    arrays: tuple[Array, ...] = ()
    pools: tuple[Pool, ...] = ()
    monitor: Monitor = Monitor()
    not_read: tuple[str, ...] = ()
