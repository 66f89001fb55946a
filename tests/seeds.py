"""How many cases a simulation or a table of everything takes: few in `make check`, many in `make nightly`."""

import os

HOW = "RAIDTUI_CASES"  # the variable, "few" or "many"; without it as many as `make test` takes


def cases(usual: int, *, few: int, many: int = 0) -> int:
    """Of a test's cases, or the step from one to the next; `many`: as `usual` where it is left out."""
    return {"few": few, "many": many or usual}.get(os.environ.get(HOW, ""), usual)
