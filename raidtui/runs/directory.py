"""Run folders: location, contents, creation, lookup."""

import os
import stat
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from raidtui.core.plan import model as plans
from raidtui.core.plan import slots
from raidtui.core.plan.model import MOUNTPOINT, Plan
from raidtui.core.text import listed
from raidtui.system import block
from raidtui.system.files import durable, trusted
from raidtui.system.programs import xdg_folder

if TYPE_CHECKING:
    from raidtui.core.run.state import RunState

PLAN, JOURNAL, SAMPLES, REPORT, LOG = "plan.json", "journal.jsonl", "samples.bin", "report.md", "worker.log"
COMMISSIONING, BUILD = "commissioning.md", "build.sh"  # of an array that stays
RESERVE = "reserve"  # room that the journal takes when the disk is full
_RESERVE_BYTES = 1 << 20
_MOST_PLAN_BYTES = 64 << 20
_FOREIGN = "this folder belongs to another user, or others may write to it"


class NoSuchRun(ValueError):
    """One sentence: no such run, or unreadable."""


class NotDone(ValueError):
    """One sentence; `refused`: for safety. `name`: array name that must be typed first, or ""; `found`: there."""

    def __init__(self, sentence: str, *, refused: bool = False, name: str = "", found: str = "") -> None:
        super().__init__(sentence)
        self.refused, self.name, self.found = refused, name, found


def runs_root() -> Path:
    """/var/lib/raidtui/runs for root, else below the state folder."""
    return (Path("/var/lib/raidtui") if os.geteuid() == 0 else _state_folder()) / "runs"


def raw_files(run: Path) -> list[str]:
    """What was recorded, as paths below the run's folder: everything else is made of it."""
    results = sorted(f"{path.parent.name}/{path.name}" for path in (run / "fio").glob("*.json"))
    return [name for name in (PLAN, JOURNAL, SAMPLES) if (run / name).is_file()] + results


def practice_folder() -> Path:
    """/var/lib/raidtui of practice machines; its runs persist."""
    return _state_folder() / "practice"


def in_session() -> bool:
    """This is a practice machine; its disks are new at each boot."""
    return os.environ.get("RAIDTUI_PRACTICE") == "1" and bool(os.environ.get("RAIDTUI_PRACTICE_RESULTS"))


def on_practice_disks(path: Path) -> bool:
    """On practice disks, which vanish with their machine."""
    return in_session() or path.parent == practice_folder() / "runs"


def roots() -> tuple[Path, ...]:
    return runs_root(), practice_folder() / "runs"


def _state_folder() -> Path:
    return xdg_folder("XDG_STATE_HOME", "~/.local/state") / "raidtui"


def create(plan: Plan, root: Path) -> Path:
    """Owner-only and synced, with the plan, UUIDs drawn here. NoSuchRun if others can write below `root`. OSError with
    the directory if the disk is full; nothing is left.
    """
    old_umask = os.umask(0o077)  # for the folders above `root` too, which `mkdir` makes as the umask says
    try:
        root.mkdir(parents=True, exist_ok=True)
        try:
            os.close(trusted.open_folder(root.absolute()))
        except OSError as error:
            raise NoSuchRun(f"{root}: {error.strerror}") from error
        return _filled(root, plan)
    finally:
        os.umask(old_umask)


def _filled(root: Path, plan: Plan) -> Path:
    path = root / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{os.urandom(2).hex()}"
    try:
        path.mkdir()
        for folder in ("fio", MOUNTPOINT):
            (path / folder).mkdir()
        (path / LOG).touch()  # here, as it is others that open it for the worker
        with (path / RESERVE).open("xb") as file:
            os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)
        durable.make(path / PLAN, plans.encode(drawn(plan)))
        for entered in (path, root):
            durable.sync_folder(entered)
    except OSError as error:
        import shutil  # late: the worker is spared what reads archives

        shutil.rmtree(path, ignore_errors=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    return path


def drawn(plan: Plan) -> Plan:
    return msgspec.structs.replace(
        plan, uuids=tuple(str(uuid.uuid4()) for _ in range(slots.count(plan))), boot_id=block.boot_id()
    )


def reserve_room(path: Path) -> None:
    """For the journal on a full disk; again after it was given up."""
    with suppress(OSError), (path / RESERVE).open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)


def list_runs(root: Path) -> tuple[Path, ...]:
    """Oldest first; folders of other users are left out."""
    if not root.is_dir():
        return ()
    return tuple(sorted(path for path in root.iterdir() if (path / PLAN).is_file() and _make_own(path)))


def find(name: str, *roots: Path) -> Path:
    """By id, its start or end, or path; "": the newest. NoSuchRun if none or several."""
    if "/" in name and (Path(name) / PLAN).is_file():
        if not _make_own(Path(name).resolve()):
            raise NoSuchRun(f"{name}: {_FOREIGN}, so it cannot be trusted; copy it to read it")
        return Path(name).resolve()
    runs = sorted((path for root in roots for path in list_runs(root)), key=lambda path: path.name)
    if not runs:
        named = f"no run {name!r}" if name else "no runs"
        raise NoSuchRun(f"{named}: none in {' or '.join(map(str, roots))}; `raidtui` starts one")
    matching = [path for path in runs if path.name.startswith(name) or path.name.endswith(name)]
    if not name:
        return runs[-1]
    if len(matching) != 1:
        if "/" in name and Path(name).is_dir():
            raise NoSuchRun(f"{name}: not a run folder, it has no {PLAN}")
        if matching:
            raise NoSuchRun(f"{name!r} matches {listed([path.name for path in matching], 3)}; give more of the id")
        raise NoSuchRun(f"no run {name!r}; `raidtui runs` lists all")
    return matching[0]


def own(name: str) -> Path:
    """As `find`, in this machine's own folder: only these are carried out. NoSuchRun for others, which their owner, or
    that of a parent folder, could replace.
    """
    root = runs_root()
    path = find(name, root)
    if path.parent != root.resolve() and path.parent != root:
        raise NoSuchRun(f"{path} is not in {root}: a copy can be read (`raidtui report {path}`), not carried out")
    return root / path.name


def opened(path: Path) -> int:
    """NoSuchRun if somebody else could have placed it."""
    try:
        return trusted.open_folder(path)
    except OSError as error:
        raise NoSuchRun(f"{path.name}: {error.strerror}; nothing was done") from error


def enter(path: Path) -> Path:
    """Working directory, opened once; its real path. NoSuchRun if not one of `own`, or replaceable by others."""
    if path.parent != runs_root():
        raise NoSuchRun(f"{path} is not in {runs_root()}: a copy can be read, not carried out")
    folder = opened(path)
    try:
        os.fchdir(folder)
    finally:
        os.close(folder)
    if Path.cwd() != runs_root().resolve() / path.name:
        raise NoSuchRun(f"{path} is a link: a run elsewhere can be read, not carried out")
    return Path.cwd()


def read_plan(path: Path) -> Plan:
    from raidtui.core.plan import validate  # the wizard's first picture is of no plan

    try:
        return validate.decode(trusted.read(path / PLAN, _MOST_PLAN_BYTES))
    except trusted.NotRead as error:
        raise NoSuchRun(str(error)) from error
    except (OSError, ValueError) as error:
        raise NoSuchRun(f"{path / PLAN}: {error}") from error


def read_state(path: Path) -> "RunState":
    from raidtui.runs import journal

    return journal.read_state(path / JOURNAL)


def read_run(path: Path) -> "tuple[Plan, RunState]":
    return read_plan(path), read_state(path)


def _make_own(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
