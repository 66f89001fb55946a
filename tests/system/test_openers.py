"""Who has a disk open: by number, whatever the node. Real disks: lab/guest/test_holders.py."""

import os
import subprocess
from pathlib import Path

import pytest

from raidtui.system import openers
from raidtui.system.openers import Node

NULL: Node = ("character", "1:3")


def holds_null(holder: subprocess.Popen[bytes]) -> bool:
    users = openers.find(frozenset({NULL})).users.get(NULL, set())
    return any(title.endswith(f"(pid {holder.pid})") for title in users)


def put(file: Path, devnum: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{devnum}\n")


def test_a_scsi_disk_has_character_nodes_beside_its_own(tmp_path: Path) -> None:
    disk = tmp_path / "sda"
    put(disk / "dev", "8:0")
    put(disk / "sda1/dev", "8:1")
    put(disk / "device/scsi_generic/sg4/dev", "21:4")
    put(disk / "device/bsg/2:0:0:0/dev", "253:4")
    nodes = {("block", "8:0"), ("block", "8:1"), ("character", "21:4"), ("character", "253:4")}
    assert openers.nodes(disk) == nodes


@pytest.mark.parametrize(
    "controllers, characters",
    [
        ({"dev": "240:0"}, {"240:0"}),
        ({"nvme0/dev": "240:0", "nvme1/dev": "240:1", "nvme0n1/dev": "259:0"}, {"240:0", "240:1"}),
    ],
)
def test_an_nvme_disk_has_its_generic_node_and_its_controllers(
    tmp_path: Path, controllers: dict[str, str], characters: set[str]
) -> None:
    disk = tmp_path / "nvme0n1"
    put(disk / "dev", "259:0")
    put(disk / "device/ng0n1/dev", "239:0")
    for file, devnum in controllers.items():
        put(disk / "device" / file, devnum)
    assert openers.nodes(disk) == {("block", "259:0"), *(("character", one) for one in {"239:0", *characters})}


def test_a_disk_that_is_gone_has_no_node(tmp_path: Path) -> None:
    assert openers.nodes(tmp_path / "sda") == frozenset()


def test_an_open_file_is_judged_by_its_number_and_kind(tmp_path: Path) -> None:
    link = tmp_path / "by another name"
    link.symlink_to("/dev/null")
    with link.open("rb") as null:
        holder = subprocess.Popen(["sleep", "30"], stdin=null, stdout=null)
    try:
        assert holds_null(holder)
        assert openers.find(frozenset({("block", "1:3"), ("character", "1:300")})).users == {}
    finally:
        holder.kill()
        holder.wait()
    assert not holds_null(holder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up what root may see")
def test_programs_whose_open_files_may_not_be_looked_at_are_named() -> None:
    theirs = subprocess.Popen(["sleep", "30"])
    os.seteuid(65534)
    try:
        seen = openers.find(frozenset({NULL}))
    finally:
        os.seteuid(0)
        theirs.kill()
        theirs.wait()
    assert any(title.endswith(f"(pid {theirs.pid})") for title in seen.unseen)


@pytest.mark.parametrize("inode, hidden", [("4026531836", False), ("4026532201", True)])
def test_a_pid_namespace_of_its_own_hides_programs(monkeypatch: pytest.MonkeyPatch, inode: str, hidden: bool) -> None:
    monkeypatch.setattr(Path, "readlink", lambda path: Path(f"pid:[{inode}]"))
    assert openers.hidden() == hidden
