"""What fio would take for several files, and folders in which somebody else could put a link, are refused."""

import os
import stat
from pathlib import Path

import pytest

from raidtui.core.disks.machine import BlockDevice, Machine, Mount
from raidtui.core.plan.target import NotMeasurable, Seen
from raidtui.system import existing

DISK = BlockDevice(name="sda", devnum="8:0", attributes={"size": "16777216"})
HERE = Machine(
    host="here",
    root=True,
    devices=(DISK,),
    mounts=(Mount(devnum="8:0", source="/dev/sda", mountpoint="/", fstype="ext4"),),
)


def look(path: Path) -> Seen:
    return existing.look(str(path), HERE)


@pytest.mark.parametrize("name", ["a:b", "x:", "a\\b"])
def test_a_folder_whose_name_fio_would_split_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "deep"
    folder.mkdir(parents=True)
    with pytest.raises(NotMeasurable, match="as one name"):
        look(folder)
    link = tmp_path / "plain"
    link.symlink_to(folder)
    assert look(link).target.path == str(link)  # by a name without it


def test_a_devices_link_may_have_a_colon_but_not_its_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = tmp_path / "node"
    node.touch()
    link = tmp_path / "pci-0000:00:1f.2-ata-1"
    link.symlink_to(node)
    block = os.stat_result((stat.S_IFBLK, 0, 0, 1, 0, 0, 0, 0, 0, 0), {"st_rdev": os.makedev(8, 0)})
    monkeypatch.setattr(Path, "stat", lambda self: block)
    assert look(link).name == "sda"
    node.rename(tmp_path / "no:de")
    link.unlink()
    link.symlink_to(tmp_path / "no:de")
    with pytest.raises(NotMeasurable, match="no:de as one name"):
        look(link)


@pytest.mark.parametrize(
    "changed, mode, said",
    [
        ("top", 0o777, "top can be written to by everybody"),
        ("top/own", 0o777, "own can be written to by everybody"),
        ("top", 0o1777, ""),  # as /tmp: nobody moves away what is another's
        ("top", 0o775, "top can be written to by group"),
        ("top/own", 0o775, "own can be written to by group"),
    ],
)
@pytest.mark.parametrize("by_link", [False, True])
def test_a_folder_in_which_others_could_put_a_link_is_refused(
    tmp_path: Path, changed: str, mode: int, said: str, by_link: bool
) -> None:
    (tmp_path / "top" / "own").mkdir(parents=True)
    (tmp_path / changed).chmod(mode)
    (tmp_path / "far").mkdir()
    link = tmp_path / "far" / "link"
    link.symlink_to("../top")
    target = link / "own" if by_link else tmp_path / "top" / "own"
    if not said:
        assert look(target).name == "sda"
        return
    with pytest.raises(NotMeasurable, match=said.partition(" ")[2]):
        look(target)


def test_a_folder_of_another_user_is_refused_but_not_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home" / "own").mkdir(parents=True)
    link = tmp_path / "link"
    real = Path.stat
    theirs = tmp_path / "home"

    def told(self: Path, **more: bool) -> os.stat_result:
        found = real(self, **more)
        return os.stat_result((*found[:4], 1234, *found[5:10])) if self == theirs else found

    monkeypatch.setattr(Path, "stat", told)
    link.symlink_to(theirs / "own")
    for target in (theirs, theirs / "own", link):
        monkeypatch.delenv("SUDO_UID", raising=False)
        with pytest.raises(NotMeasurable, match=r"home belongs to user 1234"):
            look(target)
        monkeypatch.setenv("SUDO_UID", "1234")
        assert look(target).name == "sda"
