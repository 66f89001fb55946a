"""Jobs of one family: queue depths, places on a disk or offered rates; others are shown like any jobs."""

from collections.abc import Mapping
from typing import Literal

FamilyKind = Literal["", "depths", "zones", "loads"]


_KINDS: dict[str, FamilyKind] = {"offset": "zones", "rate_iops": "loads"}


def kind_of(family: str, varied: Mapping[str, int | str]) -> FamilyKind:
    """Of a job: "" where it has no family, or one without a table of its own."""
    if not family:
        return ""
    if set(varied) <= {"iodepth", "numjobs"}:
        return "depths"
    return next((kind for option, kind in _KINDS.items() if set(varied) == {option}), "")
