"""Words that hang on what the machine is like."""

import pytest

from raidtui.core.arrays.monitor import Monitor
from raidtui.ui.render.words import BOOT_NAMES, boot_hint

ROOM = 50  # cells of such a field beside its name, at 120 columns


@pytest.mark.parametrize(
    "monitor, hint",
    [
        (Monitor(), "as in mdadm.conf"),
        (Monitor(running=False), "nobody (mdadm.conf); or"),
        (Monitor(running=True, mailaddr="root"), "root (mdadm.conf); or"),
    ],
)
def test_whom_alarms_reach_as_it_is_now_stands_where_nothing_is_typed(monitor: Monitor, hint: str) -> None:
    assert boot_hint("mailaddr", monitor).startswith(hint)
    assert boot_hint("mount_mode", monitor).startswith("0755: ")
    assert all(len(boot_hint(key, monitor)) <= ROOM for key in BOOT_NAMES)
