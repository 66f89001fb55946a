"""What LVM is told of an array, and what it tells: commands, the room that is left, rows of pvs as they were."""

import json

import pytest

from raidtui.core.raid import volumes
from raidtui.core.raid.filesystems import NO_STRIPES, geometry
from raidtui.core.raid.layers import align_bytes
from raidtui.core.units import KIB, MIB

UUID = "001122-3344-5566-7788-99aa-bbcc-ddeeff"
OF_FOUR = geometry("5", 4, 64 * KIB)  # a stripe of 192 KiB
# lvm2 2.03.16 on a RAID 5 of four disks: before and after vgcreate, with a volume.
SAID = """
  {
      "report": [
          {
              "pv": [
                  {"pv_name":"/dev/md127", "vg_name":"%s", "pv_count":"%s", "pe_start":"1179648", "lv_name":"%s"}
              ]
          }
      ]
  }
"""


def test_the_data_begin_at_a_whole_stripe_and_the_rest_is_whole_extents() -> None:
    assert (align_bytes(OF_FOUR), align_bytes(NO_STRIPES)) == (192 * KIB, MIB)
    assert volumes.pvcreate_argv("{array}", UUID, 192 * KIB)[-3:] == ("--dataalignment", "192k", "{array}")
    assert volumes.room_bytes(1_607_467_008, 192 * KIB) == 1_602_224_128  # as a kernel had them
    assert volumes.room_bytes(MIB, MIB) == volumes.room_bytes(0, 192 * KIB) == 0


def test_a_group_is_named_by_the_uuid_of_its_physical_volume() -> None:
    argv = volumes.of_group("vgchange", UUID, "--activate", "n")
    assert argv == ("vgchange", "--activate", "n", "--select", f"pv_uuid={UUID}")
    assert volumes.mapped("raidtui-00112233") == "raidtui--00112233-data"


@pytest.mark.parametrize(
    "said, found",
    [
        ('{"report": [{"pv": []}]}', None),
        (SAID % ("", "0", ""), volumes.PhysicalVolume("/dev/md127", "", 0, 1179648, frozenset())),
        (SAID % ("g", "1", ""), volumes.PhysicalVolume("/dev/md127", "g", 1, 1179648, frozenset())),
        (SAID % ("g", "2", "[data]"), volumes.PhysicalVolume("/dev/md127", "g", 2, 1179648, frozenset({"data"}))),
    ],
)
def test_what_pvs_tells(said: str, found: volumes.PhysicalVolume | None) -> None:
    assert volumes.parse_query(said) == found


def test_each_volume_has_a_row_of_its_own() -> None:
    rows = json.loads(SAID % ("g", "1", "data"))["report"][0]["pv"]
    rows += [rows[0] | {"lv_name": "more"}, rows[0] | {"lv_name": ""}]
    found = volumes.parse_query(json.dumps({"report": [{"pvseg": rows}]}))
    assert found and found.names == {"data", "more"}


@pytest.mark.parametrize("said", ["", "[]", "{}", '{"report": []}', '{"report": [{"pv": [{}]}]}', '{"report": [{}]}'])
def test_what_is_no_answer_of_pvs_is_said_to_be_none(said: str) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        volumes.parse_query(said)
