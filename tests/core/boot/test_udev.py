"""Lines of udev rules: what they match, what they set, what cannot get into them."""

import pytest

from raidtui.core.boot import entries


@pytest.mark.parametrize(
    "identity, match",
    [
        ("wwn-0x5000c500a1b2c3d4", "ID_WWN_WITH_EXTENSION=0x5000c500a1b2c3d4"),
        ("wwn-eui.0025385b71b00d2c", "ID_WWN=eui.0025385b71b00d2c"),
        ("wwn-uuid.00000000-0000-0000-0000-000000000001", "ID_WWN=uuid.00000000-0000-0000-0000-000000000001"),
        ("serial-ST4000_Z1", ""),
        ("path-pci-0000:00:1f.2-ata-1", ""),
        ("wwn-0x5000*", ""),
        ("serial-0x5000c500a1b2c3d4", ""),
        ('wwn-0x5000", RUN+="sh', ""),
        ("wwn-0x50|0x60", ""),
        ("wwn-", ""),
    ],
)
def test_a_disk_is_found_by_its_wwn_and_by_nothing_else(identity: str, match: str) -> None:
    assert entries.match_of(identity) == match


def test_a_rule_is_for_the_whole_disk_or_the_array_and_sets_attributes_alone() -> None:
    match = entries.match_of("wwn-0x5000c500a1b2c3d4")
    assert entries.of_disk(match, {"device/timeout": "180"}) == (
        'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk",'
        ' ENV{ID_WWN_WITH_EXTENSION}=="0x5000c500a1b2c3d4", ATTR{device/timeout}="180"'
    )
    assert entries.of_array("a:b:c:d", {"md/stripe_cache_size": "4096"}) == (
        'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", KERNEL=="md*",'
        ' ENV{MD_UUID}=="a:b:c:d", ATTR{md/stripe_cache_size}="4096"'
    )
    assert entries.starts_unit(match, "raidtui-00112233").endswith(
        ', ENV{SYSTEMD_WANTS}+="raidtui-00112233-erc@%k.service"'
    )


def test_the_files_are_the_arrays_own_and_come_after_mds_rules() -> None:
    assert entries.rules_file("raidtui-00112233") == "/etc/udev/rules.d/65-raidtui-00112233.rules"
    assert entries.rules_file("x").rpartition("/")[2] > "63-md-raid-arrays.rules"
    assert entries.unit_file("raidtui-00112233") == "/etc/systemd/system/raidtui-00112233-erc@.service"


def test_the_unit_has_ten_seconds_a_disk() -> None:
    assert entries.erc_unit(70) == (
        "[Unit]", "Description=Error recovery limit of /dev/%I, a disk of an array that raidtui built", "",
        "[Service]", "Type=oneshot", "ExecStart=smartctl --log=scterc,70,70 /dev/%I", "TimeoutStartSec=10s",
    )  # fmt: skip
