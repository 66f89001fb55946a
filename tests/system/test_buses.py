"""Links read along a device's path. The trees are made by hand after the kernel's ABI documents, not recorded."""

from pathlib import Path

import pytest

from raidtui.core.disks.machine import Bus
from raidtui.system.buses import Buses

ROOT = "devices/pci0000:00/0000:00:01.0"
PORT = {"current_link_speed": "8.0 GT/s PCIe", "current_link_width": "8", "max_link_speed": "16.0 GT/s PCIe",
        "max_link_width": "16"}  # fmt: skip
HBA = {"current_link_speed": "8.0 GT/s PCIe", "current_link_width": "8", "max_link_speed": "8.0 GT/s PCIe",
       "max_link_width": "8"}  # fmt: skip


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")
    return folder


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    put(tmp_path / ROOT, **PORT)
    return tmp_path


def above(sysfs: Path, device: str) -> list[tuple[str, str, str, int]]:
    (sysfs / device).mkdir(parents=True, exist_ok=True)
    return [(bus.kind, bus.name, bus.speed, bus.width) for bus in Buses(sysfs).above(f"/{device}")]


def test_a_disk_behind_a_sas_expander_has_its_port_the_controllers_wide_port_and_two_pcie_links(sysfs: Path) -> None:
    host = put(sysfs / f"{ROOT}/0000:03:00.0", **HBA) / "host0"
    for number in range(4):
        put(
            host / f"phy-0:{number}/sas_phy/phy-0:{number}",
            negotiated_linkrate="12.0 Gbit",
            maximum_linkrate="12.0 Gbit",
        )
        put(host / "port-0:0")
        (host / f"port-0:0/phy-0:{number}").symlink_to(f"../phy-0:{number}")
    expander = host / "port-0:0/expander-0:0"
    put(expander / "phy-0:0:9/sas_phy/phy-0:0:9", negotiated_linkrate="6.0 Gbit", maximum_linkrate_hw="12.0 Gbit")
    put(expander / "port-0:0:9")
    (expander / "port-0:0:9/phy-0:0:9").symlink_to("../phy-0:0:9")
    device = (
        f"{ROOT}/0000:03:00.0/host0/port-0:0/expander-0:0/port-0:0:9/end_device-0:0:9/target0:0:9/0:0:9:0/block/sda"
    )
    assert above(sysfs, device) == [
        ("sas", "port-0:0:9", "6.0 Gbit", 1),
        ("sas", "port-0:0", "12.0 Gbit", 4),
        ("pcie", "0000:03:00.0", "8.0 GT/s PCIe", 8),
        ("pcie", "0000:00:01.0", "8.0 GT/s PCIe", 8),
    ]
    assert Buses(sysfs).above(f"/{device}")[0].best_speed == "12.0 Gbit"


def test_a_sata_port_on_a_controller_of_the_chip_itself(sysfs: Path) -> None:
    controller = put(sysfs / "devices/pci0000:00/0000:00:17.0", vendor="0x8086")
    put(controller / "ata3/link3/ata_link/link3", sata_spd="3.0 Gbps", hw_sata_spd_limit="6.0 Gbps")
    device = "devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sdb"
    (bus,) = Buses(sysfs).above(f"/{put(sysfs / device).relative_to(sysfs)}")
    assert bus == Bus(kind="sata", name="ata3", speed="3.0 Gbps", best_speed="6.0 Gbps")


def test_an_nvme_disk_of_the_kernels_multipath_hangs_on_its_first_controllers_link(sysfs: Path) -> None:
    controller = put(sysfs / f"{ROOT}/0000:3d:00.0", **HBA | {"current_link_width": "4"}) / "nvme/nvme0"
    put(controller)
    subsystem = put(sysfs / "devices/virtual/nvme-subsystem/nvme-subsys0")
    (subsystem / "nvme0").symlink_to(controller)
    found = above(sysfs, "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1")
    assert [one[1:] for one in found] == [("0000:3d:00.0", "8.0 GT/s PCIe", 4), ("0000:00:01.0", "8.0 GT/s PCIe", 8)]


def test_a_usb_disk(sysfs: Path) -> None:
    put(sysfs / f"{ROOT}/usb2", speed="5000")
    put(sysfs / f"{ROOT}/usb2/2-1", speed="480")
    found = above(sysfs, f"{ROOT}/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdc")
    assert [one[:3] for one in found[:2]] == [("usb", "2-1", "480"), ("usb", "usb2", "5000")]


def test_virtual_disks_have_none(sysfs: Path) -> None:
    put(sysfs / "devices/pci0000:00/0000:00:02.0", current_link_speed="Unknown", current_link_width="0")
    assert above(sysfs, "devices/pci0000:00/0000:00:02.0/virtio1/block/vda") == []
    assert above(sysfs, "devices/pseudo_0/adapter0/host0/target0:0:0/0:0:0:0/block/sdd") == []
    assert Buses(sysfs).above("") == ()
