"""Which folders root works in: those that nobody else can put another in place of."""

import os
from pathlib import Path

import pytest

from raidtui.system.files.trusted import Untrusted, open_folder

NOBODY = 65534
ROOT = os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "a" / "b" / "run"
    made.mkdir(parents=True)
    return made


def opened(path: Path) -> tuple[int, int]:
    descriptor = open_folder(path)
    status = os.fstat(descriptor)
    os.close(descriptor)
    return status.st_dev, status.st_ino


def inode(path: Path) -> tuple[int, int]:
    return path.stat().st_dev, path.stat().st_ino


def test_a_folder_of_ones_own_is_opened(folder: Path) -> None:
    assert opened(folder) == inode(folder)


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777])
@pytest.mark.parametrize("above", [0, 1, 2])
def test_one_that_others_may_write_to_or_below_such_a_one_is_not(folder: Path, mode: int, above: int) -> None:
    (folder, *folder.parents)[above].chmod(mode)
    with pytest.raises(Untrusted, match="can be written to by others: chmod go-w"):
        open_folder(folder)


def test_the_sticky_bit_leaves_the_names_of_others_alone(folder: Path) -> None:
    folder.parent.chmod(0o1777)
    assert opened(folder) == inode(folder)
    folder.chmod(0o1777)  # but anybody may put files into it
    with pytest.raises(Untrusted):
        open_folder(folder)


@pytest.mark.skipif(not ROOT, reason="only root can give a folder away")
@pytest.mark.parametrize("above", [0, 1, 2])
def test_one_of_another_user_or_below_such_a_one_is_not(folder: Path, above: int) -> None:
    os.chown((folder, *folder.parents)[above], NOBODY, NOBODY)
    with pytest.raises(Untrusted, match=f"belongs to user {NOBODY}"):
        open_folder(folder)


@pytest.mark.parametrize("relative", [True, False])
def test_a_link_of_ones_own_is_followed_and_what_is_behind_it_looked_at(
    folder: Path, tmp_path: Path, relative: bool
) -> None:
    link = tmp_path / "link"
    link.symlink_to("a/../a/b" if relative else folder.parent)
    assert opened(link / "run") == inode(folder)
    folder.parent.chmod(0o777)
    with pytest.raises(Untrusted):
        open_folder(link / "run")


@pytest.mark.skipif(not ROOT, reason="only root can give a link away")
def test_a_link_of_another_user_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    os.chown(tmp_path / "link", NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(Untrusted, match="belongs to user"):
        open_folder(tmp_path / "link")


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(Untrusted, match="one link too many"):
        open_folder(tmp_path / "one")


def test_what_is_no_folder_is_an_error_and_nothing_stays_open(folder: Path) -> None:
    (folder / "file").touch()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (folder / "file", folder / "nothing", folder / "file" / "below"):
        with pytest.raises(OSError):
            open_folder(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
