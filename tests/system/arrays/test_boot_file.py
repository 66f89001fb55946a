"""A file of boot replaced whole: its owner, mode and attributes stay, a leftover goes, a failure leaves the old one."""

import os
from pathlib import Path

import pytest

from raidtui.system.arrays import boot_file

MARK = "raidtui-run"


def test_the_new_file_has_the_old_ones_mode_owner_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "fstab"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with_attributes = True
    try:
        os.setxattr(path, "user.origin", b"here")
    except OSError:
        with_attributes = False
    before = path.stat()
    (tmp_path / f".fstab.{MARK}").write_bytes(b"half of what a writer wrote that d")
    boot_file.replace(str(path), b"old", b"new", MARK)
    after = path.stat()
    assert boot_file.read(str(path)) == b"new" and [one.name for one in tmp_path.iterdir()] == ["fstab"]
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino
    assert not with_attributes or os.getxattr(path, "user.origin") == b"here"


def test_a_file_is_made_for_everybody_to_read_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "mdadm.conf"
    umask = os.umask(0o077)
    try:
        boot_file.replace(str(path), None, b"new", MARK)
    finally:
        os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o644
    boot_file.replace(str(path), b"new", None, MARK)
    assert boot_file.read(str(path)) is None
    boot_file.replace(str(path), None, None, MARK)  # again, by a worker after one that died


@pytest.mark.parametrize("content", [b"mine", None])
def test_what_somebody_wrote_at_that_moment_stays(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "fstab"
    path.write_bytes(b"theirs")
    with pytest.raises(OSError, match="changed by somebody"):
        boot_file.replace(str(path), b"as it was read", content, MARK)
    assert path.read_bytes() == b"theirs" and [one.name for one in tmp_path.iterdir()] == ["fstab"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to("real")
    boot_file.replace(str(link), b"old", b"new", MARK)
    assert link.is_symlink() and real.read_bytes() == b"new"


@pytest.mark.parametrize("call", ["fsync", "fchown"])
def test_a_disk_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    path = tmp_path / "fstab"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="No space left"):
        boot_file.replace(str(path), b"old", b"new", MARK)
    assert path.read_bytes() == b"old" and [one.name for one in tmp_path.iterdir()] == ["fstab"]


def test_what_is_no_plain_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    writer = os.open(tmp_path / "fifo", os.O_RDWR)
    try:
        with pytest.raises(OSError, match="no plain file"):
            boot_file.read(str(tmp_path / "fifo"))
    finally:
        os.close(writer)
    with pytest.raises(OSError, match="Is a directory"):
        boot_file.read(str(tmp_path))


def test_a_folder_is_known_by_its_inode_and_a_link_to_one_is_none(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    assert boot_file.folder_inode(str(tmp_path)) == tmp_path.stat().st_ino
    assert [boot_file.folder_inode(str(tmp_path / name)) for name in ("link", "file", "none")] == [None] * 3
    assert not boot_file.is_empty(str(tmp_path))


def test_a_file_is_read_up_to_a_mebibyte(tmp_path: Path) -> None:
    path = tmp_path / "fstab"
    path.write_bytes(bytes(1 << 20))
    assert boot_file.read(str(path)) == bytes(1 << 20)
    path.write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(OSError, match="it is larger than 1048576 bytes"):
        boot_file.read(str(path))
    assert boot_file.read(str(tmp_path / "none")) is None


def test_an_empty_folder_is_empty(tmp_path: Path) -> None:
    assert boot_file.is_empty(str(tmp_path))
    (tmp_path / ".hidden").touch()
    assert not boot_file.is_empty(str(tmp_path))


def test_nothing_stays_open_and_nothing_under_a_planted_name_is_written_through(tmp_path: Path) -> None:
    path, theirs = tmp_path / "fstab", tmp_path / "theirs"
    path.write_bytes(b"old")
    theirs.write_bytes(b"theirs")
    (tmp_path / f".fstab.{MARK}").symlink_to("theirs")
    files = len([*Path("/proc/self/fd").iterdir()])
    boot_file.replace(str(path), b"old", b"new", MARK)
    assert len([*Path("/proc/self/fd").iterdir()]) == files
    assert theirs.read_bytes() == b"theirs" and path.read_bytes() == b"new"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["fstab", "theirs"]


def test_until_it_is_whole_nobody_else_reads_it_and_an_attribute_that_is_not_taken_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "crypttab"
    path.write_bytes(b"old")
    path.chmod(0o640)
    modes: list[int] = []
    own = os.fchown

    def noted(file: int, uid: int, gid: int) -> None:
        modes.append(os.fstat(file).st_mode & 0o777)
        own(file, uid, gid)

    def refused(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "fchown", noted)
    monkeypatch.setattr(os, "listxattr", lambda path: ["security.selinux"])
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"x")
    monkeypatch.setattr(os, "setxattr", refused)
    umask = os.umask(0)
    try:
        boot_file.replace(str(path), b"old", b"new", MARK)
    finally:
        os.umask(umask)
    assert modes == [0o600] and path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o640
