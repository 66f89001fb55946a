"""The folders of runs: where they lie, what lies in one, how one begins with its plan, and how it is found again."""

import os
import stat
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from raidtui.core.plan import model as plans
from raidtui.core.plan import slots, validate
from raidtui.core.plan.model import MOUNTPOINT, Plan
from raidtui.core.text import listed
from raidtui.system import block
from raidtui.system.files import durable, trusted

PLAN, JOURNAL, SAMPLES, REPORT, LOG = "plan.json", "journal.jsonl", "samples.bin", "report.md", "worker.log"
COMMISSIONING, BUILD = "commissioning.md", "build.sh"  # of an array that stays
RESERVE = "reserve"  # room that the journal takes when the disk is full
_RESERVE_BYTES = 1 << 20
_FOREIGN = "this folder belongs to another user, or others may write to it"


class NoSuchRun(ValueError):
    """One sentence: which run is not there, or cannot be read."""


def runs_root() -> Path:
    """The folder of this user's runs: /var/lib/raidtui/runs for root, else below the state folder."""
    return (Path("/var/lib/raidtui") if os.geteuid() == 0 else _state_folder()) / "runs"


def practice_folder() -> Path:
    """What the practice kernel knows as /var/lib/raidtui: its runs outlive it there."""
    return _state_folder() / "practice"


def in_session() -> bool:
    """Is this the practice machine of `raidtui practice`, whose disks are new ones at every boot?"""
    return os.environ.get("RAIDTUI_PRACTICE") == "1" and bool(os.environ.get("RAIDTUI_PRACTICE_RESULTS"))


def on_practice_disks(path: Path) -> bool:
    """Is the run in `path` one on practice disks, which end with their machine?"""
    return in_session() or path.parent == practice_folder() / "runs"


def roots() -> tuple[Path, ...]:
    """Where runs can be looked at: this machine's, then those on practice disks."""
    return runs_root(), practice_folder() / "runs"


def _state_folder() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "raidtui"


def create(plan: Plan, root: Path) -> Path:
    """A new run directory with its plan, and on the disk, too; readable by its owner alone.

    The UUIDs of what it will make are drawn here. NoSuchRun if others could write below `root`. OSError, naming the
    directory, where there is no room for it; nothing is left of it then.
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
    """The plan with UUIDs of its own for all that it makes, as no other run's has them; and with this boot's id."""
    uuids = tuple(str(uuid.uuid4()) for _ in range(slots.count(plan)))
    return msgspec.structs.replace(plan, uuids=uuids, boot_id=block.boot_id())


def reserve_room(path: Path) -> None:
    """The room that the journal takes when the disk is full, if there is any, also after it was given up once."""
    with suppress(OSError), (path / RESERVE).open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)


def list_runs(root: Path) -> tuple[Path, ...]:
    """The run directories below `root`, oldest first; what another user planted there is left out."""
    if not root.is_dir():
        return ()
    return tuple(sorted(path for path in root.iterdir() if (path / PLAN).is_file() and _make_own(path)))


def find(name: str, *roots: Path) -> Path:
    """The run called `name` below `roots`, by its id, its beginning or end, or its path; the newest for "".

    NoSuchRun where there is none, or more than one.
    """
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
    """The run called `name` of this machine's own folder of runs, as `find`: none but those are ever carried out.

    NoSuchRun of one elsewhere: whoever copied it, or owns a folder above it, could put another in its place.
    """
    root = runs_root()
    path = find(name, root)
    if path.parent != root.resolve() and path.parent != root:
        raise NoSuchRun(f"{path} is not in {root}: a copy can be read (`raidtui report {path}`), not carried out")
    return root / path.name


def opened(path: Path) -> int:
    """A descriptor of the run's folder; NoSuchRun where somebody else could have put it there."""
    try:
        return trusted.open_folder(path)
    except OSError as error:
        raise NoSuchRun(f"{path.name}: {error.strerror}; nothing was done") from error


def enter(path: Path) -> Path:
    """Make the run in `path` the working directory, opened once; its path without links. NoSuchRun where it is not one
    of `own`, or somebody else could have put it there.
    """
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
    """The plan of the run in `path`; NoSuchRun where it cannot be read."""
    try:
        return validate.decode((path / PLAN).read_bytes())
    except (OSError, ValueError) as error:
        raise NoSuchRun(f"{path / PLAN}: {error}") from error


def _make_own(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022
