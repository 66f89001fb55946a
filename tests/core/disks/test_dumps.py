"""What other tools print becomes a machine; what is none is refused with one sentence."""

from typing import Any, TypeAlias

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import Machine, Signature, encode
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import CASES, MACHINES

Row: TypeAlias = dict[str, Any]

DUMPS = ("in-use.json", "in-use.lsblk.json", "in-use.udevadm.txt")


@pytest.mark.parametrize("name, origin", zip(DUMPS, ("live", "lsblk", "udevadm"), strict=True))
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
    row |= {"pttype": "gpt", "fstype": ""}  # of its disk: no content of the partition
    disk = {
        "fstype": "",
        "pttype": "gpt",
        "ptuuid": "12-34",
        "name": "sda",
        "type": "disk",
        "size": "2097152",
        "ro": "1",
        "rota": "1",
        "children": [row],
    }
    machine = read(msgspec.json.encode({"blockdevices": [disk]}))
    assert machine.mounts[0].mountpoint == "/srv"
    assert [one.signatures for one in machine.devices] == [(Signature(kind="gpt", uuid="12-34"),), ()]
    assert disks_of(machine)[0].verdict.reason == "sda1 is mounted at /srv"
    assert (disks_of(machine)[0].size_bytes, disks_of(machine)[0].rotational) == (2097152, True)


def test_lsblk_lists_an_array_below_each_of_its_members() -> None:
    array = {"name": "md0", "kname": "md0", "type": "raid1", "size": 1}
    rows = [{"name": name, "type": "disk", "size": 1, "children": [array]} for name in ("sda", "sdb")]
    md = read(msgspec.json.encode({"blockdevices": rows})).device("md0")
    assert md and md.slaves == ("sda", "sdb")


@pytest.mark.parametrize(
    "data, wrong",
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"{", "it is not complete JSON"),
        (b'{"a": 1}', "it is JSON, but of no kind that is known here"),
        (b"hello", "it holds no block device"),
        (b"\x00\xff\xfe", "it holds no block device"),
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


def rows(*rows: Row) -> bytes:
    return msgspec.json.encode({"blockdevices": list(rows)})


def row(name: str, kind: str = "disk", *children: Row, **cells: object) -> Row:
    """A row of lsblk, those below it among its cells; `kname` and `pkname` as given."""
    below: Row = {"children": list(children)} if children else {}
    return {"name": name, "type": kind, "size": 1 << 30, "kname": name, "pkname": None, **cells, **below}


@pytest.mark.parametrize(
    "shape, wrong",
    [
        ([{"name": "sda"}], "its rows lack size or type"),
        ([row("sda"), {"name": "sdb", "size": 1}], "its rows lack size or type"),
        (["sda"], "its `blockdevices` are not the rows that lsblk writes"),
        ([], "it holds no block device"),
        ([row("sda", size="3.6T")], "its sizes are rounded (3.6T): -b is missing"),
        ([row("sda", size="465,8G")], "its sizes are rounded (465,8G): -b is missing"),
        # what lsblk 2.38 -s printed of an array, of a partition, and with -l
        ([row("md0", "raid1", row("sdb", pkname="md0"))], "its tree is upside down, sdb below md0 (lsblk -s)"),
        ([row("sda1", "part", row("sda", pkname="sda1"))], "its tree is upside down, sda below sda1 (lsblk -s)"),
        ([row("sda1", "part"), row("sda", pkname="sda1")], "its tree is upside down, sda below sda1 (lsblk -s)"),
        ([{"name": "sda", "type": "disk", "size": 1}, {"name": "vg-home", "type": "lvm", "size": 1}], "(KNAME)"),
        ([{"name": "sda", "type": "disk", "size": 1}, {"name": "sda1", "type": "part", "size": 1}], "(PKNAME)"),
    ],
)
def test_shapes_of_lsblk_that_cannot_be_read_right_are_refused(shape: list[Any], wrong: str) -> None:
    with pytest.raises(ValueError) as refused:
        read(rows(*shape), "dump.json")
    assert wrong in str(refused.value)
    assert str(refused.value).startswith("dump.json: ")
    assert str(refused.value).endswith("; record it with `lsblk -J -O -b`")


def of_case(name: str) -> Machine:
    return read((CASES / name).read_bytes(), name)


def test_a_flat_list_of_lsblk_names_one_parent_alone() -> None:
    machine = of_case("d01_lsblk_list_flat.json")
    verdicts = {disk.name: disk.verdict for disk in disks_of(machine)}
    assert verdicts["sda"].reason == "sda1 is mounted at /: this disk holds the running system"
    assert verdicts["sdb"].standing == "refuse" and "is mounted at /srv/vm" in verdicts["sdb"].reason
    assert "what is mounted, what is swapped on, what is stacked on it" in verdicts["sdc"].reason


@pytest.mark.parametrize("above", ["sdd", "sde"])
def test_where_lsblk_leaves_out_a_parent_no_disk_passes_for_free(above: str) -> None:
    """lsblk 2.38 of a map over sdd and sde: -l names sdd alone, -M sde alone, both at the top."""
    mapped = row("vmdata", "dm", kname="dm-0", pkname=above, mountpoint="/srv", fstype="ext4", uuid="")
    partition = row("sda1", "part", pkname="sda")
    machine = read(rows(row("sda", "disk", partition), row("sdd"), row("sde"), mapped))
    assert {"mounts", "holders"} <= set(machine.not_read)
    verdicts = {disk.name: disk.verdict for disk in disks_of(machine)}
    assert verdicts[above].standing == "refuse"
    assert all("what is stacked on it" in verdicts[name].reason for name in {"sda", "sdd", "sde"} - {above})


def test_a_flat_list_of_partitions_is_whole() -> None:
    partition = row("sda1", "part", pkname="sda", mountpoint="/srv", fstype="ext4", uuid="")
    machine = read(rows(row("sda"), partition, row("sdb")))
    assert machine.not_read == ("signatures",)
    assert disks_of(machine)[0].verdict.reason == "sda1 is mounted at /srv"


def test_paths_as_names_are_names() -> None:
    machine = of_case("d27_lsblk_paths.json")
    disks = disks_of(machine)
    assert [disk.name for disk in disks] == ["sda", "sdb", "sdc"]
    assert disks[0].verdict.reason == "sda1 is mounted at /boot/efi: this disk holds the running system"
    assert machine.not_read == ("signatures",)


def test_paths_of_maps_are_kernel_names_too() -> None:
    """lsblk 2.38 -p: the name is below /dev/mapper, the kernel's name below /dev."""
    mapped = row("/dev/mapper/vmdata", "dm", kname="/dev/dm-0", pkname="/dev/sdd", mountpoint="/srv")
    reason = disks_of(read(rows(row("/dev/sdd", "disk", mapped))))[0].verdict.reason
    assert reason == "the device-mapper device vmdata (dm-0), which uses it, is mounted at /srv"


def test_only_disks_and_multipath_maps_of_lsblk_are_disks() -> None:
    """By type, whatever the name: names of arrays can be chosen (CREATE names=yes)."""
    path = row("sda", "disk", row("mpatha", "mpath", kname="dm-1"))
    others = [row("home", "raid1"), row("nbd9", "loop"), row("sdz", "rom"), row("vg-x", "lvm", kname="dm-7")]
    assert [disk.name for disk in disks_of(read(rows(path, *others)))] == ["dm-1", "sda"]


def test_disks_alone_show_no_mounts() -> None:
    machine = of_case("d03_lsblk_nodeps.json")
    assert machine.not_read == ("mounts", "swaps", "holders", "signatures")
    assert all("not checked: what is mounted" in disk.verdict.reason for disk in disks_of(machine))


@pytest.mark.parametrize("column", ["mountpoint", "fstype", "uuid"])
def test_with_columns_missing_mounts_are_not_known(column: str) -> None:
    """A btrfs of several devices is mounted on one of them: the UUID leads to the others."""
    cells = {"mountpoint": "/srv", "fstype": "btrfs", "uuid": "u"}
    kept = {name: cell for name, cell in cells.items() if name != column}
    machine = read(rows(row("sda", "disk", row("sda1", "part", pkname="sda")), row("sdb", "disk", **kept)))
    assert "mounts" in machine.not_read


def test_sizes_that_are_rounded_are_refused() -> None:
    with pytest.raises(ValueError, match=r"-b is missing; record it with `lsblk -J -O -b`"):
        of_case("d04_lsblk_no_bytes.json")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_may_begin_with_a_mark_and_have_lines_of_windows(name: str, encoding: str) -> None:
    plain = (MACHINES / name).read_text()
    assert read(plain.replace("\n", "\r\n").encode(encoding)) == read(plain.encode())


def test_both_readers_of_udev_share_a_table() -> None:
    contents = disks_of(of_case("d32_udev_ambivalent.txt"))[0].contents
    assert [(content.kind, content.label) for content in contents] == [
        ("several signatures", "filesystem:xfs:4.0 filesystem:zfs_member:5000")
    ]


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
            assert "give a recording" in str(error) or "record it with" in str(error)


def udev_of(name: str, number: int, **properties: str) -> str:
    place = f"virtual/block/{name}" if name.startswith("dm-") else f"pci0000:00/0000:00:05.0/host{number}/block/{name}"
    said = {"DEVPATH": f"/devices/{place}", "DEVNAME": f"/dev/{name}", "DEVTYPE": "disk", "SUBSYSTEM": "block",
            "MAJOR": "8", "MINOR": str(16 * number), "USEC_INITIALIZED": "1", **properties}  # fmt: skip
    return "\n".join(f"E: {key}={value}" for key, value in said.items()) + "\n\n"


_WWN = "0x600a098038303053453f463045727a36"
_MAP = udev_of("dm-0", 2, DM_NAME="mpatha", DM_UUID="mpath-3600a098038303053453f463045727a36", DM_WWN=_WWN)
_LEG = {"ID_WWN_WITH_EXTENSION": _WWN, "ID_SERIAL": "3600a0"}


@pytest.mark.parametrize(
    "marks",
    [
        {"DM_MULTIPATH_DEVICE_PATH": "1", "ID_FS_TYPE": "mpath_member"},
        # multipath.conf(5), find_multipaths smart: the mark comes once a second path was seen
        {},
        # 11-dm-mpath.rules: 0, if the path was not multipathd's when it came
        {"DM_MULTIPATH_DEVICE_PATH": "0"},
    ],
)
def test_a_dump_of_udev_knows_no_paths_outside_of_a_map(marks: dict[str, str]) -> None:
    """It holds no holders: of both a path and its map the one thing is said that it shows."""
    legs = udev_of("sda", 0, **_LEG, **marks) + udev_of("sdb", 1, **_LEG, **marks)
    verdicts = {disk.name: disk.verdict for disk in disks_of(read((legs + _MAP).encode()))}
    assert [verdicts[name].standing for name in ("dm-0", "sda", "sdb")] == ["warn", "refuse", "refuse"]
    assert "what is stacked on it" in verdicts["dm-0"].reason
    assert verdicts["sda"].reason.startswith("it is one path of ")
    assert not any("outside" in verdict.reason for verdict in verdicts.values())


@pytest.mark.parametrize(
    "shape",
    [
        (CASES / "t50_rpi_imager_columns.json").read_bytes(),
        # lsblk(8), as scripts call it for paths alone: lsblk -J -b -o PATH,SIZE,TYPE
        rows({"path": "/dev/sda", "size": 2000398934016, "type": "disk"}),
    ],
)
def test_a_missing_column_of_names_is_told(shape: bytes) -> None:
    with pytest.raises(ValueError, match=r"^x: column NAME is missing; record it with `lsblk -J -O -b`$"):
        read(shape, "x")


def test_a_whole_dasd_is_refused() -> None:
    verdicts = {disk.name: disk.verdict for disk in disks_of(of_case("t55_dasd.json"))}
    assert {verdict.standing for verdict in verdicts.values()} == {"refuse"}
    assert "whole DASD" in verdicts["dasdb"].reason and "fdasd -a /dev/dasdb" in verdicts["dasdb"].remedy
    assert verdicts["dasda"].reason.startswith("dasda1 is mounted at /")
