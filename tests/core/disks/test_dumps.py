"""What other tools print becomes a machine; what is none is refused with one sentence."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import Machine, encode
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import MACHINES

DUMPS = ("in-use.json", "in-use.lsblk.json", "in-use.udevadm.txt")


@pytest.mark.parametrize(("name", "origin"), zip(DUMPS, ("live", "lsblk", "udevadm"), strict=True))
def test_dumps_are_told_apart_by_content(name: str, origin: str) -> None:
    machine = read((MACHINES / name).read_bytes(), name)
    assert machine.origin == origin
    assert {"sda", "sdb", "sdb2", "md7"} <= {device.name for device in machine.devices}
    partition = machine.device("sdb2")
    assert partition and (partition.kind, partition.parent) == ("partition", "sdb")
    assert [signature.kind for signature in partition.signatures or ()] == ["ext4"]


def test_what_a_dump_does_not_hold_is_named() -> None:
    assert read((MACHINES / "in-use.udevadm.txt").read_bytes()).not_read == (
        "mounts",
        "swaps",
        "holders",
        "sizes",
        "signatures",
    )
    assert read((MACHINES / "in-use.lsblk.json").read_bytes()).not_read == ("signatures",)


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\r"])
def test_a_label_cannot_speak_for_its_disk(separator: str) -> None:
    """What `str` takes for the end of a line is none to udevadm: no property may follow it."""
    said = f"P: /x\nE: SUBSYSTEM=block\nE: DEVPATH=/block/sda\nE: ID_FS_LABEL=a{separator}E: ID_WWN=0xbad\n"
    assert disks_of(read(said.encode()))[0].wwn == ""


def test_lsblk_of_an_older_version_writes_text_and_one_mount_point() -> None:
    row = {"name": "sda1", "type": "part", "size": "1048576", "ro": "0", "mountpoint": "/srv", "pkname": "sda"}
    disk = {"name": "sda", "type": "disk", "size": "2097152", "ro": "1", "rota": "1", "children": [row]}
    machine = read(msgspec.json.encode({"blockdevices": [disk]}))
    assert machine.mounts[0].mountpoint == "/srv"
    assert disks_of(machine)[0].verdict.reason == "sda1 is mounted at /srv"
    assert (disks_of(machine)[0].size_bytes, disks_of(machine)[0].rotational) == (2097152, True)


def test_lsblk_lists_an_array_below_each_of_its_members() -> None:
    array = {"name": "md0", "kname": "md0", "type": "raid1", "size": 1}
    rows = [{"name": name, "type": "disk", "size": 1, "children": [array]} for name in ("sda", "sdb")]
    md = read(msgspec.json.encode({"blockdevices": rows})).device("md0")
    assert md and md.slaves == ("sda", "sdb")


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"{", "it is not complete JSON"),
        (b'{"a": 1}', "it is JSON, but of no kind that is known here"),
        (b"hello", "it holds no block device"),
        (b"\x00\xff\xfe", "it holds no block device"),
        (b'{"blockdevices": [{"name": "sda"}]}', "without -O"),
        (b'{"blockdevices": ["sda"]}', "not the rows"),
        (b'{"blockdevices": []}', "it holds no block device"),
        (b'{"devices": 7}', "not a recording of a machine"),
        (encode(Machine(schema=99)), "schema 99"),
    ],
)
def test_what_is_no_dump_is_refused(data: bytes, wrong: str) -> None:
    with pytest.raises(ValueError) as refused:
        read(data, "dump.json")
    assert str(refused.value).startswith("dump.json: ")
    assert wrong in str(refused.value)
    assert "udevadm info --export-db" in str(refused.value)


@pytest.mark.parametrize("name", DUMPS)
@given(st.data())
def test_a_dump_cut_or_changed_anywhere_is_read_or_refused(name: str, data: st.DataObject) -> None:
    whole = (MACHINES / name).read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    drawn = data.draw(st.binary(max_size=4))
    for changed in (whole[:at], whole[:at] + drawn + whole[at + len(drawn) :]):
        try:
            disks_of(read(changed))
        except ValueError as error:
            assert "give a recording" in str(error)
