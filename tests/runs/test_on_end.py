"""`on_end`: run once as the person, the run as JSON on its stdin; whatever goes wrong is a warning of the journal."""

import json
import os
import pwd
import select
import shutil
import signal
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from raidtui import configuration
from raidtui.runs import after, directory, locks
from raidtui.runs.journal import read_state

RECORDED = Path(__file__).parents[1] / "recordings" / "runs" / "raid5-of-3"


@pytest.fixture
def recorded_run(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDED, tmp_path / "20260102T030405Z-ab12"))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's config.toml, not there yet; the run's own lock is nobody's."""
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.delenv("SUDO_USER", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(locks, "held", lambda run, identities: nullcontext())
    (tmp_path / "raidtui").mkdir()
    return tmp_path / "raidtui" / configuration.FILE


def warnings(run: Path) -> list[str]:
    return [text for text in read_state(run / directory.JOURNAL).warnings if text.startswith("on_end")]


def test_the_run_and_its_answer_are_on_standard_input(config: Path, recorded_run: Path, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    config.write_text(f'on_end = ["sh", "-c", "cat > $0; id -u > $0.id; pwd > $0.cwd", "{heard}"]\n')
    after.notify(recorded_run)
    said = json.loads(heard.read_text())
    assert (said["schema"], said["run"], said["outcome"]) == (2, recorded_run.name, "finished")
    assert said["measured"] == said["trials"] == 12 and said["answer"]["lines"]
    assert Path(f"{heard}.id").read_text() == f"{os.getuid()}\n"
    assert Path(f"{heard}.cwd").read_text().strip() == pwd.getpwuid(os.getuid()).pw_dir
    assert warnings(recorded_run) == [] and read_state(recorded_run / directory.JOURNAL).outcome == "finished"


def test_without_a_command_nothing_is_written(config: Path, recorded_run: Path) -> None:
    before = (recorded_run / directory.JOURNAL).read_bytes()
    after.notify(recorded_run)
    config.write_text("")
    after.notify(recorded_run)
    assert (recorded_run / directory.JOURNAL).read_bytes() == before


@pytest.mark.parametrize(
    "written, told",
    [
        ('on_end = ["false"]', "on_end: false ended with 1: it said nothing"),
        ('on_end = ["sh", "-c", "echo no mail here >&2; exit 7"]', "on_end: sh ended with 7: no mail here"),
        ('on_end = ["sh", "-c", "kill -9 $$"]', "on_end: sh was ended by signal 9: it said nothing"),
        ('on_end = ["/no/such"]', "on_end: /no/such could not be started: No such file or directory"),
        ('on_end = ["sleep", "60"]\non_end_limit_s = 0.1', "on_end: sleep did not end within 0.1 s and was killed"),
        ('on_end = "mail"', "on_end was not run: {config}: `on_end`"),
        ("on_end = [", "on_end was not run: {config}: not TOML"),
    ],
)
def test_what_goes_wrong_is_a_warning(config: Path, recorded_run: Path, written: str, told: str) -> None:
    config.write_text(written)
    after.notify(recorded_run)
    (warning,) = warnings(recorded_run)
    assert warning.startswith(told.replace("{config}", str(config)))
    assert read_state(recorded_run / directory.JOURNAL).outcome == "finished"


def test_what_it_leaves_behind_holds_nobody_up_and_ends_with_the_limit(
    config: Path, recorded_run: Path, tmp_path: Path
) -> None:
    """What is left holds the end of a pipe, which is closed once nobody holds it any more."""
    os.mkfifo(pipe := tmp_path / "pipe")
    config.write_text(f'on_end = ["sh", "-c", "(sleep 60) > {pipe} & sleep 60"]\non_end_limit_s = 1.5\n')
    ends = select.poll()
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)) as end:
        ends.register(end, 0)
        began_s = time.monotonic()
        after.notify(recorded_run)
        assert time.monotonic() - began_s < 30 and "was killed" in warnings(recorded_run)[0]
        assert ends.poll(10_000) == [(end.fileno(), select.POLLHUP)]


@pytest.mark.parametrize(
    "does, told",
    [
        ("print('x' * 100_000, 'and so on'); raise SystemExit(3)", "x and so on"),
        ("import signal; raise SystemExit(signal.getsignal(signal.SIGHUP).name)", "ended with 1: SIG_DFL"),
    ],
)
def test_of_what_it_prints_the_end_is_told_and_a_hangup_is_its_own(
    config: Path, recorded_run: Path, does: str, told: str
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as in a worker
    try:
        config.write_text(f'on_end = ["{sys.executable}", "-c", "{does}"]\n')
        after.notify(recorded_run)
    finally:
        signal.signal(signal.SIGHUP, before)
    (warning,) = warnings(recorded_run)
    assert told in warning


def test_of_a_large_file_only_the_end_is_read(config: Path, recorded_run: Path) -> None:
    does = "import os; os.ftruncate(1, 1 << 40); os.lseek(1, 0, 2); os.write(1, b'the end'); raise SystemExit(3)"
    config.write_text(f'on_end = ["{sys.executable}", "-c", "{does}"]\n')
    after.notify(recorded_run)
    assert warnings(recorded_run)[0].endswith("the end")


def test_a_run_that_another_worker_has_is_not_written_to(
    config: Path, recorded_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def taken(run: Path, identities: object) -> None:
        raise locks.DiskLocked("another worker is at it")

    monkeypatch.setattr(locks, "held", taken)
    config.write_text('on_end = ["false"]')
    after.notify(recorded_run)
    assert warnings(recorded_run) == [] and "false ended with 1" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_behind_sudo_root_is_given_up_whole(config: Path, recorded_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_UID", str(pwd.getpwnam("daemon").pw_uid))
    asks = "id -u; id -G; env; grep -E ^[UG]id: /proc/self/status; exit 3"
    with TemporaryDirectory() as home:  # that the person may enter
        Path(home).chmod(0o755)
        monkeypatch.setenv("XDG_CONFIG_HOME", home)
        (own := Path(home) / "raidtui").mkdir()
        (file := own / config.name).write_text(f'on_end = ["sh", "-c", "{asks}"]\n')
        for path, mode in ((own, 0o755), (file, 0o644)):  # whatever the umask
            path.chmod(mode)
        after.notify(recorded_run)
    (warning,) = warnings(recorded_run)
    assert "on_end: sh ended with 3: 1 1 " in warning and "USER=daemon" in warning
    assert "Uid: 1 1 1 1 Gid: 1 1 1 1" in warning and "SUDO_UID" not in warning


def test_behind_sudo_it_is_the_person_with_their_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(pwd.getpwnam("daemon").pw_uid))
    person = after.caller()
    assert (person.name, person.behind_sudo) == ("daemon", True)
    assert person.groups == tuple(os.getgrouplist("daemon", person.gid))
    monkeypatch.setenv("SUDO_UID", "3999999")
    with pytest.raises(ValueError, match="3999999"):
        after.caller()
    monkeypatch.delenv("SUDO_UID")
    assert not after.caller().behind_sudo
