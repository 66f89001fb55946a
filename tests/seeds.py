"""How many cases a simulation or a table of everything takes: few in `make check`, many in `make nightly`."""

import itertools
import os
from collections.abc import Sequence
from typing import Any

HOW = "RAIDTUI_CASES"  # the variable, "few" or "many"; without it as many as `make test` takes


def cases(usual: int, *, few: int, many: int = 0) -> int:
    """Of a test's cases, or the step from one to the next; `many`: as `usual` where it is left out."""
    return {"few": few, "many": many or usual}.get(os.environ.get(HOW, ""), usual)


def paired(*tables: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Each value of each table, in as few cases as that takes; where cases are many all with all."""
    if cases(0, few=0, many=1):
        return list(itertools.product(*tables))
    return [tuple(table[number % len(table)] for table in tables) for number in range(max(map(len, tables)))]
