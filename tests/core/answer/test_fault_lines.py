"""Verdicts of a burn-in in lines: counts first, what failed by serial number, never more than fits."""

from raidtui.core.answer.faults import of_disks
from raidtui.core.answer.values import DisksJudged


def test_counts_then_what_failed() -> None:
    what = ("self-test after", "pending sectors 0 to 8")
    found = DisksJudged(4, {"no self-test": 1, "failed": 1, "passed": 2}, {"SER1": what})
    assert of_disks(found) == [
        "Disks: 2 passed, 1 failed, 1 no self-test (of 4)",
        "FAILED, SER1: self-test after, pending sectors 0 to 8",
    ]


def test_many_are_counted() -> None:
    what = ("self-test before", "write and read back", "self-test after", "link errors 0 to 8", "timeouts 0 to 1")
    shown = of_disks(DisksJudged(24, {"failed": 24}, {f"SER{n}": what for n in range(24)}))
    assert len(shown) == 8 and shown[-1] == "18 more disks failed (report)"
    assert shown[1] == "FAILED, SER0: self-test before, write and read back, self-test after and 2 more"
    assert all(len(line.split()) <= 20 for line in shown)
