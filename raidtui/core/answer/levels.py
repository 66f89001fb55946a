"""Which level, where a disk may fail: test by test, for reads and writes have little in common."""

import msgspec

from raidtui.core.answer.axis import axes
from raidtui.core.answer.best import best, one_a_level, setup_orders
from raidtui.core.answer.facts import AnswerFacts, AnswerPart
from raidtui.core.answer.lead import lead
from raidtui.core.answer.penalty import penalties

_NOT_MEASURED = "small random requests were not measured"
_SETTINGS = ("wbt_lat_usec", "group_thread_cnt", "stripe_cache_size", "chunk")


def levels(facts: AnswerFacts) -> list[AnswerPart]:
    """Of what survives a failed disk the best of each level, over what survives nothing; then what settings change."""
    safe = [ranked for ranked in facts.ranked if ranked.survives]
    bare = [ranked for ranked in facts.ranked if not ranked.survives]
    parts = best(facts, safe, "survives a failed disk", bare) if safe else best(facts, facts.ranked)
    if parts and all(grid.kind == "sequential" for grid in facts.ranking.tests):
        parts[0] = msgspec.structs.replace(parts[0], sentence=f"{parts[0].sentence}; {_NOT_MEASURED}")
    if parts and safe:
        setups = one_a_level(facts, safe, next(iter(bare), None))
        parts[0] = lead(facts, setup_orders(facts, setups), setups, parts[0])
    return [*parts, *axes(facts, _SETTINGS), *penalties(facts)]
