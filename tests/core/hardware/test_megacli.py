"""MegaCli's text of two generations; broken and foreign ones are refused."""

import pytest

from raidtui.core.hardware.controllers import Battery, ControllersError, amiss
from raidtui.core.hardware.megacli import parse
from tests.builders import controllers, smart


def test_several_answers_make_a_whole() -> None:
    (controller,) = parse(
        controllers.ADAPTER, controllers.PCI, controllers.BATTERY, controllers.VOLUME, controllers.SLOTS
    )
    assert (controller.model, controller.serial, controller.firmware) == ("ACME H730", "CT-88", "25.5.9.0001")
    assert (controller.pci, controller.has_battery) == ("0000:3b:00.0", True)
    assert controller.batteries == (Battery(model="BBU", state="Optimal", temperature_c=42),)
    (volume,) = controller.virtual_disks
    assert (volume.target, volume.name, volume.level, volume.state) == (0, "data", "RAID10", "optimal")
    assert (volume.strip_bytes, volume.write_policy, volume.read_policy) == (65536, "write-through", "no read-ahead")
    assert (volume.is_cached, volume.access, volume.disk_cache) == (False, "read/write", "Disabled")
    assert volume.places == ("32:0", "32:1", "32:2", "32:3") and volume.drives == 4
    assert {disk.place: disk.state for disk in controller.physical_disks} == {
        "32:0": "online", "32:1": "online", "32:2": "online", "32:3": "online", "32:4": "foreign", "32:5": "failed",
    }  # fmt: skip
    disk = controller.physical_disks[5]
    assert (disk.device_id, disk.wwn, disk.media_errors, disk.other_errors) == (5, "5000c5004d296835", 9, 2)
    assert (disk.size, disk.interface, disk.medium, disk.firmware) == ("558.911 GB", "SAS", "HDD", "S003")
    assert (disk.temperature_c, disk.smart_alert, disk.predictive_failures) == (30, False, 0)


def test_an_older_one_has_other_words_for_the_same() -> None:
    (controller,) = parse(controllers.OLD_VOLUME)
    (volume,) = controller.virtual_disks
    assert (volume.target, volume.level, volume.state, volume.drives) == (1, "RAID5", "degraded", 3)
    assert (volume.strip_bytes, volume.write_policy, volume.read_policy) == (131072, "write-back always", "read-ahead")
    assert (volume.is_cached, volume.access, volume.places) == (True, "read/write", ())


def test_without_a_list_of_slots_the_members_are_all_that_is_known() -> None:
    (controller,) = parse(controllers.VOLUME)
    assert [disk.place for disk in controller.physical_disks] == ["32:0", "32:1", "32:2", "32:3"]


@pytest.mark.parametrize(
    "change, state",
    [
        (("Battery Pack Missing                    : No", "Battery Pack Missing                    : Yes"), "missing"),
        (("Battery Replacement required            : No", "Battery Replacement required : Yes"), "to be replaced"),
        (("Battery State: Optimal\n", ""), ""),
    ],
)
def test_what_a_battery_lacks(change: tuple[str, str], state: str) -> None:
    (controller,) = parse(controllers.BATTERY.replace(*change))
    assert controller.batteries[0].state == state


@pytest.mark.parametrize("text", ["", "ls: cannot access", controllers.said(controllers.SHOW), smart.said(smart.SATA)])
def test_what_names_no_adapter_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ControllersError, match=r"no answer of MegaCli's: it names no adapter") as refused:
        parse(controllers.ADAPTER, text)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "told, state",
    [
        ("Online, Spun Up", "online"),
        ("Unconfigured(good), Spun down", "unconfigured"),
        ("Unconfigured(bad)", "unconfigured, bad"),
        ("Unconfigured(Shielded)", "unknown"),
        ("Sanitizing", "unknown"),
    ],
)
def test_a_state_of_a_disk_that_is_not_known_is_unknown(told: str, state: str) -> None:
    (controller,) = parse(
        f"Adapter #0\nEnclosure Device ID: 32\nSlot Number: 1\nFirmware state: {told}\nInquiry Data: X\n"
    )
    (disk,) = controller.physical_disks
    assert disk.state == state
    assert any("is unknown" in fault for fault in amiss(controller)) is (state == "unknown")


def test_raid1_over_more_than_two_disks_is_striped_mirrors() -> None:
    text = (
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\n"
        "RAID Level : Primary-1, Secondary-0, RAID Level Qualifier-0\nState : Resynching\n"
        "Number Of Drives : {}\nSpan Depth : 1\n"
    )
    volumes = [parse(text.format(drives))[0].virtual_disks[0] for drives in (2, 6)]
    assert [volume.level for volume in volumes] == ["RAID1", "RAID10"]
    assert {volume.state for volume in volumes} == {"unknown"}
