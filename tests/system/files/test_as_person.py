"""A person's file is opened with that person's rights: what only root may read stays unread, whatever the path says."""

import errno
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.system.files import as_person

NOBODY = pwd.getpwnam("nobody")
STRANGER = 54321  # no user of this number

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another person")


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that everybody may enter; below `tmp_path` nobody but its owner may."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def in_roots_group() -> Iterator[None]:
    """Root has its group by its groups, too, as after a login."""
    before = os.getgroups()
    os.setgroups([0])
    yield
    os.setgroups(before)


def file(folder: Path, name: str, mode: int, uid: int = -1, gid: int = -1) -> Path:
    path = folder / name
    path.write_text("content")
    if (uid, gid) != (-1, -1):
        os.chown(path, uid, gid)
    path.chmod(mode)
    return path


def content(path: Path, uid: int, *, own_folder: bool = False) -> str:
    files, others = len([*Path("/proc/self/fd").iterdir()]), children()
    descriptor = as_person.opened(path, uid, own_folder=own_folder)
    assert not os.get_inheritable(descriptor)
    with os.fdopen(descriptor) as opened:
        text = opened.read()
    assert len([*Path("/proc/self/fd").iterdir()]) == files
    assert children() == others  # nobody is left to be waited for
    return text


def children() -> set[str]:
    """Those that have ended and were not waited for, too; of the tests before these there may be some."""
    return {pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()}


@needs_root
@pytest.mark.parametrize(
    "mode, owner, uid, error",
    [
        (0o644, (0, 0), NOBODY.pw_uid, None),
        (0o600, (NOBODY.pw_uid, 0), NOBODY.pw_uid, None),
        (0o640, (0, NOBODY.pw_gid), NOBODY.pw_uid, None),
        (0o640, (0, 0), NOBODY.pw_uid, PermissionError),  # root's groups are not theirs
        (0o600, (0, 0), NOBODY.pw_uid, PermissionError),
        (0o600, (NOBODY.pw_uid, 0), STRANGER, PermissionError),
        (0o640, (0, 65534), STRANGER, None),  # nobody's group
        (0o640, (0, 0), STRANGER, PermissionError),
        (0o600, (0, 0), 0, None),
    ],
)
def test_what_a_person_may_read_root_reads_for_that_person(
    folder: Path, in_roots_group: None, mode: int, owner: tuple[int, int], uid: int, error: type[OSError] | None
) -> None:
    path = file(folder, "file", mode, *owner)
    if error is None:
        assert content(path, uid) == "content"
    else:
        with pytest.raises(error) as refused:
            as_person.opened(path, uid)
        assert refused.value.filename == str(path)
    assert (os.geteuid(), os.getegid(), os.getgroups()) == (0, 0, [0])


@needs_root
def test_who_dies_before_the_answer_has_read_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(_: object) -> None:
        os._exit(1)

    monkeypatch.setattr(os, "setgroups", dies)
    with pytest.raises(OSError, match="Input/output error") as failed:
        as_person.opened(file(folder, "file", 0o644), NOBODY.pw_uid)
    assert failed.value.errno == errno.EIO


@pytest.mark.parametrize("uid", [os.getuid(), NOBODY.pw_uid])
def test_no_link_is_followed_at_its_end_and_with_own_folder_none_before_it(folder: Path, uid: int) -> None:
    if uid != os.getuid() and os.geteuid():
        pytest.skip("only root can be another person")
    (folder / "real").mkdir(mode=0o755)
    file(folder / "real", "file", 0o644)
    (folder / "by").symlink_to("real")
    (folder / "link").symlink_to("real/file")
    assert content(folder / "real/file", uid, own_folder=True) == "content"
    assert content(folder / "by/file", uid) == "content"
    for path, own_folder in ((folder / "link", False), (folder / "link", True)):
        with pytest.raises(OSError, match="symbolic links"):
            as_person.opened(path, uid, own_folder=own_folder)
    with pytest.raises(NotADirectoryError):
        as_person.opened(folder / "by/file", uid, own_folder=True)
    with pytest.raises(FileNotFoundError):
        as_person.opened(folder / "none", uid)


def test_nobody_waits_for_who_writes_to_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe", 0o644)
    os.close(as_person.opened(folder / "pipe", os.getuid()))


def test_who_is_not_root_is_who_opens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("nobody else can be had"))
    assert content(file(folder, "file", 0o644), STRANGER) == "content"
