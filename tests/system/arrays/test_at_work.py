"""Disks and arrays at work as sysfs has them."""

from pathlib import Path

from raidtui.core.run.at_work import Device
from raidtui.system.arrays.now import devices


def _write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")


def _disk(root: Path, name: str) -> None:
    _write(root, {f"block/{name}/size": "2048", f"block/{name}/device/model": "Disk"})


def test_arrays_have_their_members_by_partition_too_and_what_is_no_disk_is_left_out(tmp_path: Path) -> None:
    for name in ("sda", "sdb", "sdaa", "sr0"):
        _disk(tmp_path, name)
    _write(tmp_path, {"block/loop0/size": "8", "block/sdc/size": "0", "block/sdc/device/model": "Card reader"})
    _write(tmp_path, {"block/sdb/sdb1/partition": "1", "block/sdb/sdb1/size": "1024"})
    md = {"level": "raid1", "raid_disks": "2", "degraded": "1", "sync_action": "recover", "sync_completed": "50 / 200"}
    _write(tmp_path, {f"block/md127/md/{name}": content for name, content in md.items()})
    slaves = tmp_path / "block/md127/slaves"
    slaves.mkdir()
    (slaves / "sdb1").symlink_to(tmp_path / "block/sdb/sdb1")
    (slaves / "sdaa").symlink_to(tmp_path / "block/sdaa")
    disks = [Device(name, model="Disk", size_bytes=2**20) for name in ("sda", "sdb", "sdaa")]
    array = Device("md127", "raid1", ("sdb", "sdaa"), slots=2, missing=1, sync="recover 25 %")
    assert devices(tmp_path) == (*disks, array)
