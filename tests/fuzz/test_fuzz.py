"""A few hundred documents that are well-formed and wrong, of those that `python -m tests.fuzz` takes; what once failed."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fuzz import changes, forms
from tests.fuzz.cases import Case, Failure, case, outcome, patient, shrunk, told
from tests.fuzz.changes import Change, Places, applied
from tests.fuzz.subjects import BY_NAME, SUBJECTS, TURN
from tests.fuzz.tree import Twin

CASES, SEED = 280, 0
PERCENTILES = (6, "measurement", "write", "lat_percentiles_ns", "90")


def setups_of(tree: Any) -> int:
    return next(number for number, stage in enumerate(tree["stages"]) if stage.get("setup"))


# What ended in a traceback, a wait or a sign that a terminal obeys: document, its number, the change, how it ends now.
KNOWN = (
    ("answers", 0, Change(("disk_iops",), "set", -150.5), "refused"),
    ("answers", 0, Change(("disk_iops",), "set", float("nan")), "refused"),
    ("answers", 0, Change(("disks",), "lengthen", 0), "refused"),
    ("answers", 0, Change(("setup", "level"), "set", "5\x9b"), "refused"),
    ("recipe", 0, Change(("title",), "set", "a\x1b]0;x\x07"), "refused"),
    ("recipe", 0, Change(("summary",), "set", "a\u202eb"), "refused"),
    ("recipe", 0, Change(("job", 0, "fio", "runtime"), "set", -1e308), "refused"),
    ("recipe", 0, Change(("job", 0, "fio", "rw"), "set", "A" * 5000), "refused"),
    ("plan", 0, Change(("stages", 0, "steps", 0, "what"), "set", "x\x7f"), "refused"),
    ("plan", 0, Change(("recipe_title",), "set", "\u202ex"), "refused"),
    ("plan", 2, Change(("stages", 1), "drop"), "read"),
    ("journal", 0, Change(("stage",), "set", 10**6), "read"),
    ("journal", 0, Change(("percentile",), "rename", "schema"), "read"),
    ("journal", 0, Change(("targets",), "set", "\x1b]8;;http://x\x1b\\"), "read"),
    ("journal", 0, Change(("targets",), "set", "\u202e"), "read"),
    ("fio", 0, Change(("fio version",), "set", "\ud800"), "read"),
    ("fio", 0, Change(("fio version",), "set", "\x1b[2J"), "read"),
)
