"""Levels and chunks of a sweep as boxes to tick: read from a recipe's axes, written as the answers' own. Pure.

A box is a level's key, or a chunk in bytes.
"""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from raidtui.core.plan import estimate
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan
from raidtui.core.plan.parsed_setup import chunk_bytes
from raidtui.core.plan.recipe import Recipe
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, LEVELS, POOLS, level
from raidtui.core.units import parse_bytes
from raidtui.ui.draft import Draft, chunk_text
from raidtui.ui.render import words

Box = str | int
_OF_ONE_SETUP = ("disks", "integrity", "queue", "places", "load", "proof", "standing", "steady")  # questions


class BoxCost(NamedTuple):
    """Of all setups with this level or chunk, over all passes; `written_bytes`: by tests."""

    tests: int
    seconds: float
    written_bytes: int


def can_vary(draft: Draft, recipe: Recipe) -> bool:
    """Not where one array is kept, or the question is of one setup; nor by axes that cannot be read."""
    if draft.is_kept or recipe.question in _OF_ONE_SETUP:
        return False
    try:
        return bool(ticked(draft, recipe))
    except ValueError:
        return False


def ticked(draft: Draft, recipe: Recipe) -> frozenset[Box]:
    """By the draft's axes, else the recipe's, else the one array that is chosen. ValueError for an unknown level."""
    chunk = (chunk_text(draft.chunk_bytes),) if draft.chunk_bytes else ()
    tables = draft.axes or recipe.sweeps or (Axes(level=(draft.level_or_suggested,), chunk=chunk),)
    boxes: set[Box] = {key for table in tables for key in table.level}
    boxes |= {parse_bytes(text) for table in tables for text in table.chunk}
    unsaid = any(level(key).has_chunk for table in tables if not table.chunk for key in table.level)
    return frozenset(boxes | {DEFAULT_CHUNK_BYTES} if unsaid else boxes)


def offered(draft: Draft, recipe: Recipe) -> dict[str, tuple[Box, ...]]:
    """Levels and chunks: the usual ones, and what the recipe or the draft has beside them."""
    own = ticked(draft, recipe) | ticked(draft.having(axes=()), recipe)
    levels = (*(row.key for row in LEVELS), *(row.key for row in POOLS if row.key in own))
    chunks = {parse_bytes(text) for text in words.CHUNKS} | {box for box in own if isinstance(box, int)}
    return {"levels": levels, "chunks": tuple(sorted(chunks))}


def toggled(draft: Draft, recipe: Recipe, box: Box) -> Draft:
    """With this box ticked, or no longer; `draft` itself where no level were left, no chunk for one, or none has it."""
    boxes, plain = ticked(draft, recipe) ^ {box}, draft.having(axes=())
    if boxes == ticked(plain, recipe):
        return plain
    swept = draft.having(axes=_axes(recipe, boxes))
    shown = ticked(swept, recipe)
    return swept if shown <= boxes and (box in shown) == (box in boxes) else draft


def _axes(recipe: Recipe, boxes: frozenset[Box]) -> tuple[Axes, ...]:
    """The recipe's tables with these levels and chunks; further levels as its first table, but for the layout."""
    chunks = tuple(chunk_text(size) for size in sorted(box for box in boxes if isinstance(box, int)))
    tables = recipe.sweeps or (Axes(),)
    named = {key for table in tables for key in table.level}
    of_tables = [(table, tuple(key for key in table.level if key in boxes)) for table in tables]
    more = tuple(row.key for row in LEVELS if row.key in boxes - named)
    return tuple(
        msgspec.structs.replace(table, level=keys, chunk=chunks if any(level(key).has_chunk for key in keys) else ())
        for table, keys in (*of_tables, (msgspec.structs.replace(tables[0], layout=()), more))
        if keys
    )


def costs(plan: Plan) -> Mapping[Box, BoxCost]:
    """Of each level and chunk that the plan builds; 0: of the levels without chunks."""
    sums: dict[Box, BoxCost] = {}
    for stage, times in zip(plan.stages, estimate.stages(plan), strict=True):
        by_tests = sum(trial.written_bytes for trial in stage.trials)
        for box in (stage.setup.level, chunk_bytes(stage.setup) or 0) if stage.setup else ():
            tests, seconds, written_bytes = sums.get(box, (0, 0.0, 0))
            sums[box] = BoxCost(tests + len(stage.trials), seconds + sum(times.values()), written_bytes + by_tests)
    return sums
