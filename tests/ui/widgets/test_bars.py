"""The top line: the way, and what stands at its right end."""

import pytest

from raidtui.ui.draft import Draft
from raidtui.ui.screens import steps
from raidtui.ui.widgets.bars import way

STEPS = steps.open_names(Draft())


@pytest.mark.parametrize(
    "right, width, badge, whole, shown",
    [
        ("rack7 · 6 disks", 120, "", True, "rack7 · 6 disks"),
        ("rack7 · 6 disks", 111, "", False, "rack7 · 6 disks"),
        ("removing vms 12 s · Unmount", 120, "", True, "removing vms 12 s"),
        ("removing vms 12 s · Unmount", 120, "PRACTICE", False, "removing vms 12 s · Unmount"),
        ("removing vms 12 s · Unmount", 80, "PRACTICE", False, "removing vms 12 s · Unmount"),
    ],
)
def test_what_is_removed_is_named_on_each_width(right: str, width: int, badge: str, whole: bool, shown: str) -> None:
    line = "".join(text for text, _ in way(STEPS, "Results", right, width, badge))
    assert len(line) == width and line.endswith(f" {shown} ") and ("✓Start" in line) is whole
