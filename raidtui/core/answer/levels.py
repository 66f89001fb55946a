"""Which level, where a disk may fail: test by test, for reads and writes have little in common."""

from raidtui.core.answer.axis import axis
from raidtui.core.answer.best import by_test
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.penalty import penalties

_SETTINGS = ("wbt_lat_usec", "group_thread_cnt", "stripe_cache_size", "chunk")


def levels(facts: Known) -> list[Part]:
    """Of what survives a failed disk the best of each level, over what survives nothing; then what settings change."""
    safe = [one for one in facts.ranked if one.survives]
    if not safe:
        return by_test(facts, facts.ranked)
    bare = [one for one in facts.ranked if not one.survives]
    parts = by_test(facts, safe, "survives a failed disk", bare)
    return [*parts, *(part for field in _SETTINGS if (part := axis(facts, field))), *penalties(facts)]
