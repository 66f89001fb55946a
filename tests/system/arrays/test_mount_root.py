"""Owner and mode of what is mounted: by names and numbers, and never of a folder at which nothing is mounted."""

import os
import pwd
from pathlib import Path

import pytest

from raidtui.core.boot.ownership import Owned
from raidtui.system.arrays import mount_root
from raidtui.system.arrays.mount_root import NoSuchOwner, ids_of, own, owned, owned_as


@pytest.mark.parametrize(
    "owner, ids",
    [("root", (0, None)), ("root:root", (0, 0)), ("0:0", (0, 0)), ("12345", (12345, None)), ("12345:root", (12345, 0))],
)
def test_a_name_or_a_number(owner: str, ids: tuple[int, int | None]) -> None:
    assert ids_of(owner) == ids


def test_a_user_whose_name_is_a_number_is_that_user(monkeypatch: pytest.MonkeyPatch) -> None:
    user = pwd.struct_passwd(("1000", "x", 7, 8, "", "/", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwnam", lambda name: {"1000": user}[name])
    assert ids_of("1000") == (7, None)


@pytest.mark.parametrize(
    "owner, says",
    [("nobody-here", "no user 'nobody-here'"), ("0:none-here", "no group"), ("4294967295", "no user")],
)
def test_who_is_not_known_is_named(owner: str, says: str) -> None:
    with pytest.raises(NoSuchOwner, match=says):
        ids_of(owner)


def test_what_is_not_asked_for_stays(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    files = len([*Path("/proc/self/fd").iterdir()])
    now = owned(str(tmp_path))
    assert len([*Path("/proc/self/fd").iterdir()]) == files
    assert now == Owned(uid=os.getuid(), gid=os.getgid(), mode=0o711)
    assert owned_as(str(tmp_path), "", "2775") == Owned(uid=now.uid, gid=now.gid, mode=0o2775)
    assert owned_as(str(tmp_path), "7", "") == Owned(uid=7, gid=now.gid, mode=0o711)


def test_a_folder_at_which_nothing_is_mounted_and_a_link_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "array"
    folder.mkdir()
    folder.chmod(0o755)
    now = owned(str(folder))
    with pytest.raises(OSError, match="nothing is mounted there"):
        own(str(folder), now, Owned(uid=now.uid, gid=now.gid, mode=0o700))
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(OSError, match="link"):
        owned(str(tmp_path / "link"))
    assert folder.stat().st_mode & 0o777 == 0o755


def test_what_was_changed_at_this_moment_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mount_root, "_is_root", lambda descriptor, folder: True)
    now = owned(str(tmp_path))
    new = Owned(uid=now.uid, gid=now.gid, mode=0o2710)
    with pytest.raises(OSError, match="at this moment"):
        own(str(tmp_path), new, now)
    own(str(tmp_path), now, new)
    assert owned(str(tmp_path)) == new
