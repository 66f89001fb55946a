"""What the kernel serves, out of configfs. The texts are those of Linux 6.1; nvmet's tree is by its sources."""

from pathlib import Path

import pytest

from raidtui.core.disks.machine import Export, ExportKind
from raidtui.system import block, exports
from raidtui.system.exports import Exports

NUMBERS = {"/dev/sda": "8:0", "/dev/disk/by-id/wwn-1-part2": "8:2", "/srv/image, no": "8:33", "/dev/nvme3n1": "259:7"}
STATUS = "Status: DEACTIVATED  Max Queue Depth: 0  SectorSize: 512  HwMaxSectors: 16384\n        "
FILE = STATUS + "TCM FILEIO ID: 0        File: {}  Size: 67108864  Mode: O_DSYNC Async: 0\n"
BLOCK = STATUS + "iBlock device: sdb  UDEV PATH: /dev/sdb  readonly: 0\n        Major: {}  CLAIMED: IBLOCK\n"
PLACE = (
    STATUS
    + "SCSI Device Bus Location: Channel ID: 0 Target ID: 1 LUN: 3 Host ID: {}\n        Vendor: Linux    Model: x\n"
)


@pytest.fixture(autouse=True)
def nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block, "devnum_of", lambda path: NUMBERS.get(path, ""))


def put(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n" if text else "")


def backstore(sys: Path, kind: str, info: str, *, udev_path: str = "", enable: str = "1") -> Exports:
    put(sys / "class/scsi_device/5:0:1:3/device/block/sdc", dev="8:32")
    put(sys / "kernel/config/target/core/alua/lu_gps/default_lu_gp")
    put(sys / f"kernel/config/target/core/{kind}/x", info=info, udev_path=udev_path, enable=enable)
    return exports.read(sys)


@pytest.mark.parametrize(
    "kind, info, udev_path, devnums",
    [
        ("fileio_0", FILE.format("/dev/sda"), "", ["8:0"]),
        ("fileio_12", FILE.format("/dev/disk/by-id/wwn-1-part2"), "", ["8:2"]),
        ("fileio_0", FILE.format("/srv/image, no"), "", ["8:33"]),
        ("iblock_0", BLOCK.format("8 Minor: 16"), "/dev/gone", ["8:16"]),
        ("iblock_0", BLOCK.format("8 Minor: 16"), "/dev/sda", ["8:0", "8:16"]),
        ("pscsi_0", PLACE.format("5"), "", ["8:32"]),
        ("pscsi_5", PLACE.format("PHBA Mode"), "", ["8:32"]),
        ("rd_mcp_0", STATUS + "TCM RamDisk ID: 0  RAMDISK Makeup: rd_mcp", "", []),
        ("user_0", STATUS + "Config: file//dev/sda Size: 1", "", []),
        ("fancy_0", "a backstore of next year", "/dev/sda", ["8:0"]),
    ],
)
def test_a_scsi_target_is_resolved_by_number(
    tmp_path: Path, kind: str, info: str, udev_path: str, devnums: list[str]
) -> None:
    served = tuple(Export(kind="SCSI target", name=f"{kind}/x", devnum=devnum) for devnum in devnums)
    assert backstore(tmp_path, kind, info, udev_path=udev_path) == Exports(served)


@pytest.mark.parametrize(
    "kind, info",
    [
        ("fileio_0", FILE.format("/dev/gone")),
        ("fileio_0", FILE.format("relative")),
        ("fileio_0", "another text"),
        ("iblock_0", BLOCK.format("0 Minor: 0")),
        ("pscsi_0", PLACE.format("6")),
        ("fancy_0", "a backstore of next year"),
    ],
)
def test_what_is_served_and_cannot_be_resolved_is_not_read(tmp_path: Path, kind: str, info: str) -> None:
    assert backstore(tmp_path, kind, info) == Exports((), (f"which disk the SCSI target {kind}/x serves",))


def test_one_that_was_not_begun_serves_nothing(tmp_path: Path) -> None:
    assert backstore(tmp_path, "fileio_0", FILE.format(""), enable="0") == Exports()


def test_one_that_is_off_may_be_switched_on(tmp_path: Path) -> None:
    read = backstore(tmp_path, "fileio_0", FILE.format("/dev/sda"), enable="0")
    assert [export.devnum for export in read.exports] == ["8:0"]


NAMESPACE = "nvmet/subsystems/nqn.x/namespaces/1"


@pytest.mark.parametrize(
    "path, enable, expected",
    [
        ("/dev/nvme3n1", "1", Exports((Export(kind="NVMe target", name="nqn.x/namespaces/1", devnum="259:7"),))),
        ("/dev/nvme3n1", "0", Exports((Export(kind="NVMe target", name="nqn.x/namespaces/1", devnum="259:7"),))),
        ("(null)", "0", Exports()),
        ("/dev/gone", "1", Exports((), ("which disk the NVMe target nqn.x/namespaces/1 serves",))),
    ],
)
def test_an_nvme_target(tmp_path: Path, path: str, enable: str, expected: Exports) -> None:
    put(tmp_path / "kernel/config" / NAMESPACE, device_path=path, enable=enable)
    assert exports.read(tmp_path) == expected


@pytest.mark.parametrize("below", ["nvme3n1", "nvme3c0n1"])
def test_a_controller_that_is_passed_through_serves_all_its_namespaces(tmp_path: Path, below: str) -> None:
    put(tmp_path / "class/nvme/nvme3" / below)
    put(tmp_path / "class/block/nvme3n1", dev="259:7")
    put(tmp_path / "kernel/config/nvmet/subsystems/nqn.x/passthru", device_path="/dev/nvme3", enable="1")
    assert [export.devnum for export in exports.read(tmp_path).exports] == ["259:7"]


@pytest.mark.parametrize(
    "module, mounted, not_read",
    [
        ("target_core_mod", "", ("exports",)),
        ("nvmet", "", ("exports",)),
        ("nvmet", "target", ("exports",)),
        ("nvmet", "nvmet", ()),
        ("ext4", "", ()),
    ],
)
def test_a_loaded_module_that_cannot_be_asked_is_not_read(
    tmp_path: Path, module: str, mounted: str, not_read: tuple[str, ...]
) -> None:
    put(tmp_path / "module" / module)
    put(tmp_path / "kernel/config" / mounted)
    assert exports.read(tmp_path) == Exports((), not_read)


GADGET = "kernel/config/usb_gadget/g1/functions/mass_storage.0/lun.0"
LEGACY = "class/udc/dummy_udc.0/device/gadget.0/lun0"
VBD = "bus/xen-backend/devices/vbd-3-51712"
HEARTBEAT = "kernel/config/cluster/web/heartbeat/77D95EF51C0149D2823674FCC162CF8B"
NAMES: dict[str, tuple[ExportKind, str]] = {
    VBD: ("Xen backend", "vbd-3-51712"),
    GADGET: ("USB gadget", "g1/functions/mass_storage.0/lun.0"),
    LEGACY: ("USB gadget", "dummy_udc.0/device/gadget.0/lun0"),
    "kernel/scst_tgt/devices/x": ("SCST target", "x"),
    HEARTBEAT: ("OCFS2 heartbeat", "web/heartbeat/77D95EF51C0149D2823674FCC162CF8B"),
}


@pytest.mark.parametrize(
    "folder, file, text, devnum",
    [
        (VBD, "physical_device", "8:0", "8:0"),
        (VBD, "physical_device", "103:1a", "259:26"),  # hexadecimal
        (VBD, "physical_device", "unknown", None),
        (GADGET, "file", "/dev/sda", "8:0"),
        (GADGET, "file", "/srv/image, no", "8:33"),
        (GADGET, "file", "/srv/image (deleted)", None),
        (GADGET, "file", "", ""),
        (LEGACY, "file", "/dev/sda", "8:0"),
        ("kernel/scst_tgt/devices/x", "filename", "/dev/sda", "8:0"),
        ("kernel/scst_tgt/devices/x", "filename", "/dev/sda\n[key]", "8:0"),
        ("kernel/scst_tgt/devices/x", "filename", "/dev/gone\n[key]", None),
        ("kernel/scst_tgt/devices/x", "filename", "", ""),
        (HEARTBEAT, "dev", "sdc1", "8:33"),
        (HEARTBEAT, "dev", "cciss/c0d0p1", "104:1"),
        (HEARTBEAT, "dev", "gone", None),
        (HEARTBEAT, "dev", "", ""),
    ],
)
def test_what_else_the_kernel_serves(tmp_path: Path, folder: str, file: str, text: str, devnum: str | None) -> None:
    """`devnum`: None where it does not tell which, "" where it serves nothing yet."""
    put(tmp_path / "class/block/sdc1", dev="8:33")
    put(tmp_path / "class/block/cciss!c0d0p1", dev="104:1")
    put(tmp_path / folder, **{file: text})
    kind, name = NAMES[folder]
    assert exports.read(tmp_path) == Exports(
        (Export(kind=kind, name=name, devnum=devnum),) if devnum else (),
        (f"which disk the {kind} {name} serves",) if devnum is None else (),
    )


@pytest.mark.parametrize("links, devnums", [(True, ["8:1"]), (False, [])])
def test_an_rnbd_server(tmp_path: Path, links: bool, devnums: list[str]) -> None:
    put(tmp_path / "block/sda/sda1", dev="8:1")
    served = tmp_path / "class/rnbd-server/ctl/devices/!dev!sda1"
    (served / "sessions").mkdir(parents=True)
    (served / "block_dev").symlink_to(tmp_path / "block/sda" / ("sda1" if links else "sda9"))
    told = exports.read(tmp_path)
    assert [export.devnum for export in told.exports] == devnums
    assert told.not_read == (() if links else ("which disk the RNBD server !dev!sda1 serves",))
