"""storcli's and perccli's JSON: several answers make a whole; broken and foreign ones are refused."""

from typing import Any

import pytest

from raidtui.core.hardware.controllers import Battery, Controller, ControllersError, amiss
from raidtui.core.hardware.pages import controller_page
from raidtui.core.hardware.storcli import parse
from tests.builders import controllers, smart
from tests.builders.controllers import said
from tests.builders.machines import CASES

WHOLE = tuple(map(said, (controllers.SHOW, controllers.VOLUMES, controllers.DRIVES, controllers.NO_DRIVE)))


@pytest.mark.parametrize("texts", [WHOLE, tuple(reversed(WHOLE))], ids=["in order", "reversed"])
def test_several_answers_make_a_whole(texts: tuple[str, ...]) -> None:
    (controller,) = parse(*texts)
    assert (controller.model, controller.serial, controller.firmware) == ("ACME RAID 9361", "CT-77", "24.21.0-0076")
    assert (controller.state, controller.pci, controller.has_battery) == ("Optimal", "0000:3b:00.0", True)
    assert controller.batteries == (Battery(model="CVPM02", state="Optimal", temperature_c=18),)
    assert controller.notes == ()
    (volume,) = controller.virtual_disks
    assert (volume.target, volume.name, volume.level, volume.state) == (0, "data", "RAID6", "optimal")
    assert (volume.strip_bytes, volume.write_policy, volume.read_policy) == (256 * 1024, "write-back", "read-ahead")
    assert (volume.is_cached, volume.access, volume.disk_cache) == (False, "read and write", "Disk's Default")
    assert (volume.wwn, volume.drives) == (controllers.WWN, 4)
    assert volume.places == ("252:0", "252:1", "252:2", "252:3")
    disk = controller.physical_disks[1]
    assert (disk.place, disk.device_id, disk.state, disk.model) == ("252:1", 9, "online", "ACME FLASH960")
    assert (disk.serial, disk.wwn, disk.firmware) == ("AF-1001", "500a075100000001", "F7")
    assert (disk.media_errors, disk.predictive_failures, disk.smart_alert, disk.temperature_c) == (0, 0, False, 21)


def test_what_fails_is_read_all_the_same() -> None:
    (controller,) = parse(said(controllers.FAILING))
    assert controller.notes == ("vendor program: Incomplete foreign configuration",)
    assert [volume.state for volume in controller.virtual_disks] == ["partially degraded", "optimal", "optimal"]
    assert [volume.write_policy for volume in controller.virtual_disks] == [
        "write-back", "write-back always", "write-through",
    ]  # fmt: skip
    assert [volume.read_policy for volume in controller.virtual_disks][1:] == ["no read-ahead", "no read-ahead"]
    assert {disk.place: disk.state for disk in controller.physical_disks} == {
        "252:0": "online", "252:1": "rebuilding", "252:2": "unconfigured, bad", "252:3": "foreign",
    }  # fmt: skip
    assert controller.physical_disks[1].media_errors is None  # of this slot no details were told


def test_no_controller_is_none() -> None:
    assert parse(said(controllers.NO_CONTROLLER)) == ()


def test_two_controllers_are_two() -> None:
    document: dict[str, Any] = {"Controllers": [*controllers.SHOW["Controllers"], *controllers.SHOW["Controllers"]]}
    second = document["Controllers"][1]
    document["Controllers"][1] = {**second, "Command Status": {**second["Command Status"], "Controller": 1}}
    assert [controller.number for controller in parse(said(document))] == [0, 1]


def test_the_form_of_show_without_all_is_read_too() -> None:
    flat = {
        "Controllers": [
            {
                "Command Status": {"Controller": 3, "Status": "Success"},
                "Response Data": {
                    "Product Name": "P",
                    "Serial Number": "S",
                    "FW Package Build": "F",
                    "PCI Address": "x",
                },
            }
        ]
    }
    (controller,) = parse(said(flat))
    assert (controller.number, controller.model, controller.serial, controller.firmware) == (3, "P", "S", "F")
    assert controller.pci == ""


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "storcli printed nothing"),
        ("syntax error, unexpected TOKEN_UNKNOWN", "not JSON"),
        (said(controllers.SHOW)[:300], "not JSON"),
        ("{}", "not storcli or perccli JSON"),
        ('{"Controllers": [1]}', "not storcli or perccli JSON"),
        (smart.said(smart.SATA), "not storcli or perccli JSON"),
        (controllers.ADAPTER, "not JSON"),
    ],
)
def test_what_is_broken_or_another_programs_is_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ControllersError, match=why) as refused:
        parse(WHOLE[0], text)
    assert len(str(refused.value)) < 400


def of_case(name: str) -> Controller:
    (controller,) = parse((CASES / name).read_text())
    return controller


def test_a_state_that_is_not_known_is_never_good() -> None:
    controller = of_case("c03_states.json")
    assert {volume.told_state for volume in controller.virtual_disks if volume.state == "unknown"} == {
        "Rbld", "Msng", "Frgn",
    }  # fmt: skip
    assert {disk.told_state for disk in controller.physical_disks if disk.state == "unknown"} == {
        "UGShld", "HSPShld", "CFShld", "Sntze", "Ready", "Conf", "UConf", "UConf(Shield)",
    }  # fmt: skip
    faults = "\n".join(amiss(controller))
    assert "virtual disk 5 is unknown (Rbld)" in faults
    assert "the disk at 252:12 (M) is unknown (UGShld)" in faults
    lines = list(controller_page(controller, {}))
    assert any("RAID1, 1 TB, unknown (Frgn)," in line for line in lines)


def test_a_state_that_is_not_told_is_said_to_be_that() -> None:
    answer = controllers.said({"Controllers": [{"Command Status": {"Controller": 0}, "Response Data": {
        "VD LIST": [{"DG/VD": "0/0", "TYPE": "RAID5"}]}}]})  # fmt: skip
    (controller,) = parse(answer)
    assert "    virtual disk 0  RAID5, state not told, strip not told" in "\n".join(controller_page(controller, {}))
    assert controller.virtual_disks[0].state == ""


def test_raid1_over_more_than_two_disks_is_striped_mirrors() -> None:
    (volume,) = of_case("c10_storcli_r1_8.json").virtual_disks
    assert (volume.level, volume.drives) == ("RAID10", 8)
    (pair,) = parse((CASES / "c10_storcli_r1_8.json").read_text(), said(_short_list()))[0].virtual_disks
    assert pair.level == "RAID10"  # whichever answer came last


def _short_list() -> dict[str, Any]:
    row = {"DG/VD": "0/0", "TYPE": "RAID1", "State": "Optl"}
    return {"Controllers": [{"Command Status": {"Controller": 0}, "Response Data": {"VD LIST": [row]}}]}
