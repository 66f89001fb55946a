"""Board and host adapters as sysfs tells of them."""

from pathlib import Path

from raidtui.system.hardware.controllers import adapters


def _write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")


def _host(root: Path, number: int, address: str, files: dict[str, str]) -> None:
    folder = f"devices/pci0000:00/{address}/host{number}/scsi_host/host{number}"
    _write(root, {f"{folder}/{name}": content for name, content in files.items()})
    (root / "class/scsi_host").mkdir(parents=True, exist_ok=True)
    (root / f"class/scsi_host/host{number}").symlink_to(root / folder)


def test_each_adapter_is_told_once_with_what_its_driver_says(tmp_path: Path) -> None:
    told = {"board_name": "SAS9300-8i", "version_fw": "16.00.12.00", "proc_name": "mpt3sas", "can_queue": "9856"}
    _host(tmp_path, 0, "0000:03:00.0", told)
    _host(tmp_path, 1, "0000:00:17.0", {"proc_name": "ahci", "can_queue": "32"})
    _host(tmp_path, 2, "0000:00:17.0", {"proc_name": "ahci", "can_queue": "32"})
    _host(tmp_path, 3, "0000:00:14.0", {"proc_name": "usb-storage", "can_queue": "1"})
    _write(tmp_path, {"module/mpt3sas/version": "43.100.00.00"})
    assert adapters(tmp_path) == {
        "adapter 0000:03:00.0": "SAS9300-8i, firmware 16.00.12.00, driver mpt3sas 43.100.00.00, queue depth 9856",
        "adapter 0000:00:17.0": "driver ahci, queue depth 32",
    }


def test_the_board_is_told_by_its_maker(tmp_path: Path) -> None:
    dmi = {"bios_vendor": "Maker", "bios_version": "2.1", "bios_date": "01/02/2025", "product_name": "R1"}
    _write(tmp_path, {f"class/dmi/id/{name}": content for name, content in dmi.items()})
    _write(tmp_path, {"devices/platform/ipmi_bmc.0/firmware_revision": "1.23"})
    assert adapters(tmp_path) == {"BIOS": "Maker 2.1 01/02/2025", "server": "R1", "BMC": "firmware 1.23"}


def test_a_machine_without_any_of_it_tells_nothing(tmp_path: Path) -> None:
    assert adapters(tmp_path) == {}
