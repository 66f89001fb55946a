"""Words that hang on what the machine is like."""

import pytest

from raidtui.core.arrays.monitor import Monitor
from raidtui.ui.render.words import BOOT_HINTS, mail_hint

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
    assert mail_hint(monitor).startswith(hint)
    assert BOOT_HINTS["mount_mode"].startswith("0755: ")
    assert all(len(shown) <= ROOM for shown in (*BOOT_HINTS.values(), mail_hint(monitor)))
