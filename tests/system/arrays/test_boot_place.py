"""Where a file system may be mounted at each boot, on a machine that is a folder here; what an initramfs lists."""

from pathlib import Path

import pytest

from raidtui.system import process
from raidtui.system.arrays import boot_files
from raidtui.system.process import Done
from tests.builders.plans import DEBIAN


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/fstab").write_text("UUID=x /srv/taken ext4 defaults 0 2\nUUID=y /srv/a\\040b/ ext4 defaults 0 2\n")
    (tmp_path / "srv/full").mkdir(parents=True)
    (tmp_path / "srv/full/file").touch()
    (tmp_path / "srv/empty").mkdir()
    (tmp_path / "srv/file").touch()
    (tmp_path / "srv/link").symlink_to(tmp_path / "srv/empty")
    return tmp_path


@pytest.mark.parametrize(
    "folder, says",
    [
        ("/srv/new", ""),
        ("/srv/new/one", ""),
        ("/srv/empty", ""),
        ("/srv/full", "is not empty"),
        ("/srv/file", "is no folder"),
        ("/srv/file/below", "no folder of its own"),
        ("/srv/link", "a link to one"),
        ("/srv/link/below", "no folder of its own"),
        ("/srv/taken", "mounts UUID=x at /srv/taken already"),
        ("/srv/a b", "mounts UUID=y at /srv/a b already"),
    ],
)
def test_a_folder_is_free_empty_and_itself(base: Path, folder: str, says: str) -> None:
    reason = boot_files.why_not_mountable(folder, base)
    assert says in reason and bool(reason) == bool(says)


def test_what_is_mounted_now_is_not_mounted_over() -> None:
    assert "something is mounted at /proc" in boot_files.why_not_mountable("/proc")


@pytest.mark.parametrize(
    "printed, status, says",
    [
        ("etc\netc/mdadm/mdadm.conf\nusr\n", 0, ""),
        ("-rw-r--r-- 1 root root 12 Jan 1 00:00 ./etc/mdadm.conf\n", 0, ""),
        ("etc\netc/fstab\n", 0, "has no copy of /etc/mdadm/mdadm.conf"),
        ("", 1, "could not list /boot/initrd.img-"),
    ],
)
def test_an_initramfs_has_a_copy_where_it_is_listed(
    monkeypatch: pytest.MonkeyPatch, printed: str, status: int, says: str
) -> None:
    asked: list[str] = []

    def run(argv: tuple[str, ...], timeout_s: float) -> Done:
        asked.extend(argv)
        return Done(status, printed, "")

    monkeypatch.setattr(boot_files, "place_here", lambda: DEBIAN)
    monkeypatch.setattr(process, "run", run)
    reason = boot_files.why_not_in_initramfs("/etc/mdadm/mdadm.conf")
    assert says in reason and bool(reason) == bool(says) and asked[0] == "lsinitramfs"
