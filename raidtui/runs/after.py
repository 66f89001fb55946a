"""`on_end` (config.toml), as its user, the run as JSON on stdin. Failures are warnings in the journal.

Report and handover documents in the run's folder; the latter only while the array is kept.
"""

import os
import pwd
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from raidtui import configuration
from raidtui.core.plan.answers import PlanNotSafe
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run.state import RunState
from raidtui.core.text import clean
from raidtui.runs import directory, locks
from raidtui.runs.journal import Journal
from raidtui.system.files import durable

if TYPE_CHECKING:
    from raidtui.core.documents.documents import RunDocument


SCHEMA = 2
_SHOWN = 500  # characters of what it printed in a warning
_READ_BYTES = 4096  # of the end of what it printed
_PATH = "/usr/local/bin:/usr/bin:/bin"


class Person(msgspec.Struct, frozen=True):
    """The caller with all groups. `behind_sudo`: this process is root."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str
    shell: str
    behind_sudo: bool


def notify(path: Path) -> None:
    """For the ended run in `path`. Never raises."""
    try:
        person = caller()
        settings = configuration.read(person.uid)
        if settings.on_end:
            failed = run(settings.on_end, encoded(path), person, settings.on_end_limit_s)
            if failed:
                _warn(path, f"on_end: {failed}")
    except Exception as error:
        _warn(path, f"on_end was not run: {error or type(error).__name__}")


def caller() -> Person:
    """Behind sudo the user, not root. ValueError without account here."""
    uid = os.environ.get("SUDO_UID", "")
    sudo = os.geteuid() == 0 and uid.isdecimal() and int(uid) != 0
    number = int(uid) if sudo else os.geteuid()
    try:
        account = pwd.getpwuid(number)
    except KeyError:
        raise ValueError(f"nobody here has the user number {number}, for whom it would be run") from None
    groups = tuple(os.getgrouplist(account.pw_name, account.pw_gid))
    home, shell = account.pw_dir, account.pw_shell
    return Person(account.pw_name, number, account.pw_gid, groups, home, shell, behind_sudo=sudo)


def encoded(path: Path) -> bytes:
    plan, state = directory.read_run(path)
    return msgspec.json.encode(message(path, plan, state)) + b"\n"


def message(path: Path, plan: Plan, state: RunState) -> "RunDocument":
    """`answer` as in `raidtui report --json`; UTC."""
    from raidtui.core.answer.answer import of_run
    from raidtui.core.documents.documents import RunDocument

    return RunDocument(
        schema=SCHEMA,
        run=path.name,
        folder=str(path),
        host=os.uname().nodename,
        title=plan.title,
        recipe=plan.recipe_title,
        outcome=state.outcome,
        reason=state.reason,
        kept=state.kept,
        left=state.left,
        begun_s=state.started_at_s,
        ended_s=state.now_s,
        measured=sum(state.is_final(trial.id) for trial in plan.trials),
        trials=len(plan.trials),
        warnings=state.warnings,
        answer=of_run(plan, state),
    )


def run(argv: tuple[str, ...], stdin: bytes, person: Person, limit_s: float) -> str:
    """The error in a sentence, or "". Cannot block: stdin, output are files; its group dies after `limit_s`."""
    runtime = f"/run/user/{person.uid}"
    environment = {
        "HOME": person.home,
        "USER": person.name,
        "LOGNAME": person.name,
        "SHELL": person.shell,
        "PATH": _PATH,
    }
    environment |= {"LANG": "C.UTF-8"} | ({"XDG_RUNTIME_DIR": runtime} if Path(runtime).is_dir() else {})
    becomes: dict[str, Any] = {}
    if person.behind_sudo:
        becomes = {"user": person.uid, "group": person.gid, "extra_groups": person.groups}
    from tempfile import TemporaryFile

    with TemporaryFile() as stdin_file, TemporaryFile() as stdout_file:
        stdin_file.write(stdin)
        stdin_file.seek(0)
        try:
            child = subprocess.Popen(
                argv,
                stdin=stdin_file,
                stdout=stdout_file,
                stderr=subprocess.STDOUT,
                cwd=person.home if Path(person.home).is_dir() else "/",
                env=environment,
                start_new_session=True,
                umask=0o077,
                preexec_fn=_as_usual,  # the worker has one thread
                **becomes,
            )
        except OSError as error:
            return f"{argv[0]} could not be started: {error.strerror}"
        try:
            status = child.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return f"{argv[0]} did not end within {limit_s:g} s and was killed"
        stdout_file.seek(max(0, stdout_file.seek(0, os.SEEK_END) - _READ_BYTES))
        words = clean(" ".join(stdout_file.read(_READ_BYTES).decode(errors="replace").split()))[-_SHOWN:]
    how = f"ended with {status}" if status > 0 else f"was ended by signal {-status}"
    return f"{argv[0]} {how}: {words or 'it said nothing'}" if status else ""


def _as_usual() -> None:
    """In the child: SIGHUP back to default, as a worker ignores it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _warn(path: Path, sentence: str) -> None:
    """To the journal, or to the log (stderr) if another worker has the run."""
    try:
        with locks.held(path, ()):
            journal = Journal(path / directory.JOURNAL)
            try:
                journal.add(events.Warned(at_s=time.time(), text=sentence))
            finally:
                journal.close()
    except (OSError, locks.DiskLocked):
        print(sentence, file=sys.stderr, flush=True)


def write_report(run: Path, plan: Plan, state: RunState) -> None:
    """With its attachments. OSError."""
    from raidtui.core.report.markdown import FOLDER, with_attachments

    report, attached = with_attachments(plan, state)
    durable.replace(run / directory.REPORT, report.encode())
    (run / FOLDER).mkdir(exist_ok=True)
    for name, text in attached.items():
        durable.replace(run / FOLDER / name, text.encode())


def write_documents(run: Path, state: RunState) -> None:
    """Document and script; both are removed if no array is kept. OSError."""
    if not state.kept:
        for name in (directory.COMMISSIONING, directory.BUILD):
            (run / name).unlink(missing_ok=True)
        return
    from raidtui.core.handover.commissioning import build_script, commissioning

    plan = directory.read_plan(run)
    durable.replace(run / directory.COMMISSIONING, commissioning(plan, state).encode())
    try:
        durable.replace(run / directory.BUILD, build_script(plan, state).encode())
    except PlanNotSafe:  # the document says why there is none
        (run / directory.BUILD).unlink(missing_ok=True)
