"""A file for the person behind sudo: theirs from the start, and no link of theirs leads root's hand."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from raidtui.system import new_file
from raidtui.system.new_file import replace_file, write_new

PERSON = 1234
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can stand behind sudo")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the person's; the way there is open."""
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    monkeypatch.setenv("SUDO_UID", str(PERSON))
    monkeypatch.setenv("SUDO_GID", str(PERSON))
    path = tmp_path / "home"
    path.mkdir()
    os.chown(path, PERSON, PERSON)
    return path


@pytest.fixture
def roots(tmp_path: Path) -> Path:
    path = tmp_path / "roots"
    path.mkdir()
    path.chmod(0o755)  # whatever the umask is
    return path


def test_the_file_is_the_persons(home: Path) -> None:
    write_new(home / "answers.toml", b"text")
    found = (home / "answers.toml").stat()
    assert (found.st_uid, found.st_gid) == (PERSON, PERSON)
    assert (home / "answers.toml").read_bytes() == b"text"


@pytest.mark.parametrize("there", ["file", "nowhere"])
def test_a_planted_link_is_not_followed(home: Path, roots: Path, there: str) -> None:
    aim = roots / "secret"
    if there == "file":
        aim.write_text("root's")
    (home / "answers.toml").symlink_to(aim)
    with pytest.raises(FileExistsError):
        write_new(home / "answers.toml", b"text")
    assert aim.exists() == (there == "file") and (there == "nowhere" or aim.read_text() == "root's")
    assert list(roots.iterdir()) == ([aim] if there == "file" else [])


def test_a_folder_that_is_a_link_leads_nowhere_that_the_person_may_not_write(home: Path, roots: Path) -> None:
    (home / "reports").symlink_to(roots)
    with pytest.raises(PermissionError):
        write_new(home / "reports" / "answers.toml", b"text")
    assert list(roots.iterdir()) == []


def test_where_only_root_could_change_the_way_the_file_is_roots(home: Path, roots: Path) -> None:
    """`sudo -i`, and what is asked for in /root: tmp itself is everybody's, so /root stands for itself."""
    place = Path("/root") / f"raidtui-test-{os.getpid()}"
    try:
        write_new(place, b"text")
        assert place.stat().st_uid == 0
    finally:
        place.unlink(missing_ok=True)
    with pytest.raises(PermissionError):  # a folder of root's below one of everybody's
        write_new(roots / "report.md", b"text")


def test_a_path_swapped_all_the_time_never_hands_over_a_file_of_roots(home: Path, roots: Path) -> None:
    """Between making a file and giving it away its name may lead elsewhere: 3000 tries, the person swapping as fast."""
    secret = roots / "secret"
    secret.write_text("root's")
    secret.chmod(0o600)
    swapper = subprocess.Popen(
        [
            "/usr/bin/python3",
            "-c",
            "import os, sys\nos.chdir(sys.argv[1]); print(flush=True)\n"
            "while True:\n"
            "    try: os.unlink('name')\n"
            "    except OSError: continue\n"
            "    os.symlink(sys.argv[2], 'name')\n"
            "    for _ in range(500): pass\n"
            "    os.unlink('name')\n",
            str(home),
            str(secret),
        ],
        user=PERSON,
        group=PERSON,
        extra_groups=[],
        stdout=subprocess.PIPE,
    )
    try:
        assert swapper.stdout is not None and swapper.stdout.readline()
        for _ in range(3000):
            with suppress(FileExistsError):
                write_new(home / "name", b"text")
            assert secret.stat().st_uid == 0 and secret.read_text() == "root's"
    finally:
        swapper.kill()
        swapper.communicate()


def test_other_threads_stay_root(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the screens' workers open meanwhile is opened as root."""
    opened = os.open
    ids: dict[str, str] = {}
    asked, answered = threading.Event(), threading.Event()

    def another() -> None:
        asked.wait(10)
        ids["another"] = _file_system_uid()
        answered.set()

    def look(*arguments: object) -> int:
        asked.set()
        assert answered.wait(10)
        ids["this"] = _file_system_uid()
        return opened(*arguments)  # type: ignore[arg-type]

    thread = threading.Thread(target=another)
    thread.start()
    monkeypatch.setattr("os.open", look)
    write_new(home / "file", b"")
    monkeypatch.undo()
    thread.join()
    assert (ids, _file_system_uid()) == ({"another": "0", "this": str(PERSON)}, "0")


def _file_system_uid() -> str:
    status = Path(f"/proc/self/task/{threading.get_native_id()}/status").read_text()
    return next(line.split()[4] for line in status.splitlines() if line.startswith("Uid:"))


def test_a_command_behind_sudo_writes_no_further_than_the_person(home: Path, roots: Path) -> None:
    """`raidtui doctor --dump`, through a link that the person put there."""
    (home / "machine.json").symlink_to(roots / "machine.json")
    done = subprocess.run(
        [sys.executable, "-m", "raidtui", "doctor", "--dump", str(home / "machine.json")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "File exists" in done.stderr
    assert list(roots.iterdir()) == []


def test_a_file_is_replaced_in_one_step_and_readable_by_all(tmp_path: Path) -> None:
    path = tmp_path / "raidtui.prom"
    for content in (b"old", b"new and longer"):
        replace_file(path, content)
        assert path.read_bytes() == content and path.stat().st_mode & 0o777 == 0o644
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_only_a_plain_file_is_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "raidtui.prom"
    (tmp_path / "other").write_bytes(b"kept")
    if kind == "link":
        path.symlink_to("other")
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(FileExistsError, match="no plain file"):
        replace_file(path, b"x")
    assert (tmp_path / "other").read_bytes() == b"kept" and len([*tmp_path.iterdir()]) == 2


def test_a_disk_that_is_full_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "raidtui.prom"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old" and len([*tmp_path.iterdir()]) == 1


def test_behind_sudo_it_is_the_persons_and_lies_where_they_may_write(home: Path, roots: Path) -> None:
    replace_file(home / "a.prom", b"x")
    assert (home / "a.prom").stat().st_uid == PERSON
    (home / "way").symlink_to(roots)
    with pytest.raises(PermissionError, match=r"/way"):
        replace_file(home / "way" / "b.prom", b"x")
    assert [*roots.iterdir()] == []
    with pytest.raises(PermissionError) as failed:
        replace_file(roots / "b.prom", b"x")
    assert failed.value.filename == str(roots / "b.prom") and [*roots.iterdir()] == []


@pytest.mark.parametrize("refused", ["setfsuid", "setfsgid"])
def test_no_file_is_made_where_the_kernel_does_not_act_as_the_person(
    home: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """As in a user namespace that does not know them: the call tells of no error."""
    does = {name: lambda _, now=0 if name == refused else PERSON: now for name in ("setfsuid", "setfsgid")}
    monkeypatch.setattr(new_file, "_libc", SimpleNamespace(**does))
    for write in (replace_file, write_new):
        with pytest.raises(PermissionError, match="the kernel does not let files be opened as the person behind sudo"):
            write(home / "a.prom", b"x")
    assert [*home.iterdir()] == []
