"""Where runs lie: nobody else reads or writes there, and what somebody else put there is no run."""

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from raidtui.core.plan.model import MOUNTPOINT, Plan
from raidtui.runs import directory
from raidtui.runs.directory import NoSuchRun
from tests.builders import handmade

NOBODY = 65534


@pytest.fixture
def made() -> Plan:
    return handmade.plan()


@pytest.fixture
def careless() -> Iterator[None]:
    """The umask of a person who lets everybody write everything."""
    before = os.umask(0)
    yield
    assert os.umask(before) == 0, "the caller's umask is put back"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_run_is_its_owners_alone_whatever_the_umask(tmp_path: Path, made: Plan, careless: None) -> None:
    path = directory.create(made, tmp_path / "state" / "raidtui" / "runs")
    for one in (path, *path.rglob("*"), path.parent, path.parent.parent, path.parent.parent.parent):
        assert mode(one) == (0o700 if one.is_dir() else 0o600), one
    assert (path / directory.LOG).is_file() and (path / "fio").is_dir() and (path / MOUNTPOINT).is_dir()
    assert msgspec.structs.replace(directory.read_plan(path), boot_id="") == made


def test_names_cannot_be_guessed(tmp_path: Path, made: Plan) -> None:
    names = {directory.create(made, tmp_path).name for _ in range(5)}
    assert len({name.rpartition("-")[2] for name in names}) == 5


def planted(root: Path, made: Plan, how: str) -> Path:
    """A run directory that is not ours to trust."""
    path = directory.create(made, root)
    if how == "writable":
        path.chmod(0o777)
    elif how == "group":
        path.chmod(0o770)
    elif how == "link":
        elsewhere = root.parent / "elsewhere"
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
    elif os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    else:
        pytest.skip("only root can give a folder away")
    return path


@pytest.mark.parametrize("how", ["writable", "group", "another user's"])
def test_a_planted_run_is_none(tmp_path: Path, made: Plan, how: str) -> None:
    root = tmp_path / "runs"
    ours = directory.create(made, root)
    foreign = planted(root, made, how)
    assert directory.list_runs(root) == (ours,)
    assert directory.find("", root) == ours
    with pytest.raises(NoSuchRun, match="no run"):
        directory.find(foreign.name, root)
    with pytest.raises(NoSuchRun, match="belongs to another user, or others may write to it"):
        directory.find(str(foreign), root)


@pytest.mark.parametrize("mode, is_run", [(0o755, True), (0o711, True), (0o720, False), (0o702, False)])
def test_others_may_look_but_not_write(tmp_path: Path, made: Plan, mode: int, is_run: bool) -> None:
    path = directory.create(made, tmp_path)
    path.chmod(mode)
    assert directory.list_runs(tmp_path) == ((path,) if is_run else ())


def test_a_run_that_is_not_there_is_named_where_there_is_none_at_all(tmp_path: Path) -> None:
    with pytest.raises(NoSuchRun, match=f"^no run 'nosuch': none in {tmp_path};"):
        directory.find("nosuch", tmp_path)
    with pytest.raises(NoSuchRun, match=f"^no runs: none in {tmp_path};"):
        directory.find("", tmp_path)


def test_a_link_to_a_run_elsewhere_is_not_listed(tmp_path: Path, made: Plan) -> None:
    root = tmp_path / "runs"
    planted(root, made, "link")
    assert directory.list_runs(root) == ()


@pytest.mark.parametrize("how", ["writable", "another user's"])
def test_no_run_is_begun_in_a_folder_that_others_hold(tmp_path: Path, made: Plan, how: str) -> None:
    root = tmp_path / "runs"
    root.mkdir()
    if how == "writable":
        root.chmod(0o777)
    elif os.geteuid() == 0:
        os.chown(root, NOBODY, NOBODY)
    else:
        pytest.skip("only root can give a folder away")
    with pytest.raises(NoSuchRun) as refused:
        directory.create(made, root)
    why = "can be written to by others" if how == "writable" else f"belongs to user {NOBODY}"
    assert why in str(refused.value) and "\n" not in str(refused.value)
    assert list(root.iterdir()) == []


def test_a_folder_that_its_owner_moved_may_be_a_link(tmp_path: Path, made: Plan) -> None:
    (tmp_path / "large").mkdir(mode=0o700)
    (tmp_path / "runs").symlink_to(tmp_path / "large")
    assert directory.create(made, tmp_path / "runs").is_dir()


def test_a_plan_that_cannot_be_read_is_one_sentence(tmp_path: Path, made: Plan) -> None:
    path = directory.create(made, tmp_path)
    for broken in (b"", b"\xff\xfe", b"[" * 100_000, b'{"schema": 1}', b'"\x1b[2J' * 999):
        (path / directory.PLAN).write_bytes(broken)
        with pytest.raises(NoSuchRun) as refused:
            directory.read_plan(path)
        assert str(path) in str(refused.value) and "\n" not in str(refused.value) and "\x1b" not in str(refused.value)
    os.truncate(path / directory.PLAN, (64 << 20) + 1)
    with pytest.raises(NoSuchRun, match=r"too large \(64\.0 MiB, at most 64\.0 MiB\)$"):
        directory.read_plan(path)
    (path / directory.PLAN).unlink()
    with pytest.raises(NoSuchRun, match=f"^{path / directory.PLAN}: .*No such file"):
        directory.read_plan(path)
    (path / directory.PLAN).symlink_to("/dev/null")
    with pytest.raises(NoSuchRun, match=f"^{path / directory.PLAN}: no plain file$"):
        directory.read_plan(path)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this machine's runs are, by a link, as somebody moved them to a larger disk."""
    (tmp_path / "large").mkdir(mode=0o700)
    (root := tmp_path / "runs").symlink_to(tmp_path / "large")
    monkeypatch.setattr(directory, "runs_root", lambda: root)
    return root


def test_a_run_is_carried_out_in_its_own_folder_alone(root: Path, made: Plan, as_worker: None) -> None:
    path = directory.create(made, root)
    files = len([*Path("/proc/self/fd").iterdir()])
    for name in (path.name, path.name[-4:], str(path), str(path.resolve())):
        assert directory.own(name) == path
        assert directory.enter(directory.own(name)) == Path.cwd() == path.resolve()
    assert len([*Path("/proc/self/fd").iterdir()]) == files, "what was opened is closed"


Placed = Callable[[Path, Path], Path]
ELSEWHERE: dict[str, tuple[Placed, str, str]] = {  # what is done to a run; what `own` and `enter` say of it
    "a copy": (lambda path, away: shutil.copytree(path, away / path.name), "is not in", "is not in"),
    "moved": (lambda path, away: path.rename(away / path.name), "is not in", "is not in"),
    "a link to one elsewhere": (lambda path, away: linked(path.rename(away / "x"), path), "is not in", "is a link"),
    "a link to another": (lambda path, away: linked(path, path.with_name("x")), "", "is a link"),
    "one within a run": (
        lambda path, away: shutil.copytree(path, path / "fio" / "x", ignore=_alone),
        "is not in",
        "is not in",
    ),
}


def _alone(_: object, names: list[str]) -> list[str]:
    return [name for name in names if name != directory.PLAN]


def linked(target: Path, link: Path) -> Path:
    link.symlink_to(target)
    return link


@pytest.mark.parametrize("how", ELSEWHERE)
def test_a_copy_and_a_link_can_be_read_but_are_not_carried_out(
    tmp_path: Path, root: Path, made: Plan, as_worker: None, how: str
) -> None:
    (tmp_path / "away").mkdir(mode=0o700)
    before = Path.cwd()
    place, owned, entered = ELSEWHERE[how]
    path = place(directory.create(made, root), tmp_path / "away")
    if owned:
        with pytest.raises(NoSuchRun, match=rf"{owned} .*\(`raidtui report .*`\), not carried out"):
            directory.own(str(path))
    else:
        assert directory.own(str(path)) == root / path.resolve().name
    with pytest.raises(NoSuchRun, match=f"{entered}.*can be read, not carried out"):
        directory.enter(path)
    assert (how.startswith("a link")) or Path.cwd() == before


@pytest.mark.parametrize("how", ["writable", "another user's"])
def test_no_worker_enters_what_others_could_replace(
    tmp_path: Path, root: Path, made: Plan, as_worker: None, how: str
) -> None:
    before = Path.cwd()
    path = planted(root, made, how)
    for enter in (directory.enter, directory.opened):
        with pytest.raises(NoSuchRun, match=f"^{path.name}: .*; nothing was done$"):
            enter(path)
    path.with_name("none").symlink_to("nowhere")
    with pytest.raises(NoSuchRun, match=r"^none: No such file or directory; nothing was done$"):
        directory.enter(path.with_name("none"))
    assert Path.cwd() == before


@pytest.mark.parametrize("fails", ["posix_fallocate", "fsync"])
def test_nothing_is_left_of_a_run_that_found_no_room(
    tmp_path: Path, made: Plan, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, fails, full)
    with pytest.raises(OSError, match="No space left") as failed:
        directory.create(made, tmp_path / "runs")
    assert Path(failed.value.filename).parent == tmp_path / "runs" and failed.value.errno == errno.ENOSPC
    assert [*(tmp_path / "runs").iterdir()] == []


def test_the_journals_room_is_made_with_the_run_and_again(tmp_path: Path, made: Plan) -> None:
    reserve = directory.create(made, tmp_path) / directory.RESERVE
    assert reserve.stat().st_size == 1 << 20
    reserve.unlink()
    directory.reserve_room(reserve.parent)
    assert reserve.stat().st_size == 1 << 20
    directory.reserve_room(tmp_path / "none")  # there is none: the journal does without


def test_a_run_is_found_by_a_part_of_its_name_that_no_other_has(tmp_path: Path, made: Plan) -> None:
    one, other = (directory.create(made, tmp_path).rename(tmp_path / name) for name in ("2026A-00ab", "2026B-00cd"))
    for name, found in (("", other), ("2026A", one), ("00ab", one), ("2026B-00cd", other), (f"{one}/", one)):
        assert directory.find(name, tmp_path) == found
    with pytest.raises(NoSuchRun, match=r"^'2026' matches 2026A-00ab, 2026B-00cd; give more of the id$"):
        directory.find("2026", tmp_path)
    for name in ("6A", "0a", "none"):
        with pytest.raises(NoSuchRun, match=f"^no run '{name}'; `raidtui runs` lists all$"):
            directory.find(name, tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoSuchRun, match=f"^{tmp_path}/empty: not a run folder, it has no plan.json$"):
        directory.find(f"{tmp_path}/empty", tmp_path)
    with pytest.raises(NoSuchRun, match=f"^no run '{tmp_path}/none'; `raidtui runs` lists all$"):
        directory.find(f"{tmp_path}/none", tmp_path)
    assert directory.list_runs(tmp_path) == (one, other) and directory.list_runs(tmp_path / "none") == ()


@pytest.mark.parametrize(
    "practice, results, is_one", [("1", "/x", True), ("0", "/x", False), ("1", "", False), (None, None, False)]
)
def test_a_practice_machines_runs_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, practice: str | None, results: str | None, is_one: bool
) -> None:
    for name, value in (("RAIDTUI_PRACTICE", practice), ("RAIDTUI_PRACTICE_RESULTS", results)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    kept = tmp_path / "raidtui" / "practice" / "runs"
    assert directory.in_session() == is_one
    assert directory.on_practice_disks(tmp_path / "run") == is_one and directory.on_practice_disks(kept / "run")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert directory.roots() == (tmp_path / "raidtui" / "runs", kept)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert directory.roots() == (Path("/var/lib/raidtui/runs"), kept)


def test_what_was_recorded_is_named_below_the_run(tmp_path: Path, made: Plan) -> None:
    path = directory.create(made, tmp_path)
    assert directory.raw_files(path) == [directory.PLAN]
    for name in ("journal.jsonl", "samples.bin", "report.md", "fio/b.json", "fio/a.json", "fio/a.log"):
        (path / name).touch()
    assert directory.raw_files(path) == ["plan.json", "journal.jsonl", "samples.bin", "fio/a.json", "fio/b.json"]
