"""Which disks smartd.conf(5) names."""

import pytest

from raidtui.core.arrays.monitor import Smartd, watched

NODES = {"sda": {"/dev/sda", "/dev/disk/by-id/wwn-0x1"}, "sdb": {"/dev/sdb"}}


@pytest.mark.parametrize(
    "conf, sda, sdb",
    [
        ("", "not named", "not named"),
        ("# /dev/sda\nDEVICESCANNER\n", "not named", "not named"),
        ("DEVICESCAN -d removable -n standby -m root\n", "by DEVICESCAN", "by DEVICESCAN"),
        ("DEFAULT -m root\n/dev/sda -a\n", "by name", "not named"),
        ("/dev/disk/by-id/wwn-0x1 \\\n  -a\n  /dev/sdb # here\n", "by name", "by name"),
        ("/dev/sda -d ignore\nDEVICESCAN\n/dev/sdb -d ignore\n", "ignored", "by DEVICESCAN"),  # the last has no effect
        ("DEFAULT /dev/sda\n", "not named", "not named"),
    ],
)
def test_a_disk_is_named_by_node_or_link_or_by_devicescan(conf: str, sda: Smartd, sdb: Smartd) -> None:
    assert watched(conf, NODES) == {"sda": sda, "sdb": sdb}
