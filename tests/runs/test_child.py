"""A child is awaited without polling; ticks go on, a stop reaches it, its last words are kept."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from raidtui.runs.child import _PR_SET_CHILD_SUBREAPER, Child, Stuck, _libc, lives, started
from tests.runs.ticks import Clock


def test_status_and_words_of_both_outputs(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    child = Child(("sh", "-c", "echo out; echo err >&2; exit 3"), tmp_path)
    clock = Clock(10)
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 3
    assert child.printed.split() == ["out", "err"]
    assert clock.ticks == 0


def test_ticks_come_while_it_runs_and_none_before_its_time(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    began_s = time.monotonic()
    child = Child(("sleep", "60"), tmp_path)
    clock = Clock(0.02)

    def tick() -> None:
        clock.tick()
        if clock.ticks == 5:
            child.interrupt()

    assert child.wait(clock.due_s, tick, wakeup[0]) == -signal.SIGINT
    assert 5 <= clock.ticks <= (time.monotonic() - began_s) / clock.interval_s


def test_a_signal_wakes_the_wait(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    child = Child(("sleep", "60"), tmp_path)
    clock = Clock(60)
    os.write(wakeup[1], b"x")
    assert child.wait(clock.due_s, child.interrupt, wakeup[0]) == -2


def test_a_child_hears_the_signal_that_its_parent_ignores(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a script
    try:
        child = Child(("sleep", "60"), tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    os.write(wakeup[1], b"x")
    assert child.wait(Clock(60).due_s, child.interrupt, wakeup[0]) == -2


def test_a_program_that_asks_gets_no_answer_and_ends(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    child = Child(("sh", "-c", "read answer || echo nobody"), tmp_path)
    clock = Clock(10)
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 0
    assert child.printed == "nobody"


def test_only_the_end_of_much_output_is_kept(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    child = Child(("sh", "-c", "seq 100000; echo last"), tmp_path)
    clock = Clock(10)
    child.wait(clock.due_s, clock.tick, wakeup[0])
    assert child.printed.endswith("last") and len(child.printed) <= 64 << 10


def test_a_missing_program_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Child(("no-such-program",), tmp_path)


def test_what_a_killed_program_has_started_ends_with_it(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    """The jobs of fio are sessions of their own: no group reaches them, and no hang-up."""
    child = Child(("sh", "-c", "setsid sleep 100 >/dev/null 2>&1 & echo $!; kill -KILL $$"), tmp_path)
    clock = Clock(10)
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == -9
    assert not Path(f"/proc/{int(child.printed)}").exists()


def test_other_children_of_ours_are_left_alone(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    with subprocess.Popen(("sleep", "100")) as other:
        clock = Clock(10)
        Child(("true",), tmp_path).wait(clock.due_s, clock.tick, wakeup[0])
        assert other.poll() is None
        other.kill()


def test_a_folder_that_was_deleted_keeps_no_program_from_running(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    child = Child(("pwd",), tmp_path / "deleted")
    clock = Clock(10)
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 0
    assert child.printed == "/"


class Hasty(Child):
    """Gives up soon on what does not end."""

    last_words_s = 0.1
    dying_s = 0.2


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Signals reach nobody, as a process that waits for a disk is not reached; who was sent SIGKILL.

    The calls of the system are patched: nothing but a disk that hangs brings a real process into that state.
    """
    killed: list[int] = []

    def lost(pid: int, number: int) -> None:
        if number == signal.SIGKILL:
            killed.append(pid)

    monkeypatch.setattr(subprocess.Popen, "send_signal", lambda process, number: lost(process.pid, number))
    monkeypatch.setattr(os, "kill", lost)
    yield killed
    monkeypatch.undo()
    for pid in dict.fromkeys(killed):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_program_that_cannot_be_killed_is_left(tmp_path: Path, wakeup: tuple[int, int], deaf: list[int]) -> None:
    one = Hasty(("sh", "-c", "echo began; exec sleep 1000"), tmp_path)
    clock = Clock(0.05)

    def tick() -> None:
        clock.tick()
        one.kill()

    with pytest.raises(Stuck) as stuck:
        one.wait(clock.due_s, tick, wakeup[0])
    assert stuck.value.pids == (deaf[0],) and clock.ticks > 2  # it is counted on meanwhile
    assert one.printed == "began"
    assert lives(deaf[0], started(deaf[0]))
    assert not lives(deaf[0], started(deaf[0]) + 1)  # another process by the same number


def test_what_it_has_started_is_left_with_it(tmp_path: Path, wakeup: tuple[int, int], deaf: list[int]) -> None:
    """They write as long as they live, whoever of them ends first."""
    one = Hasty(("sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!; wait"), tmp_path)
    clock = Clock(0.05)

    def tick() -> None:
        clock.tick()
        if one._printed:
            one.kill()

    with pytest.raises(Stuck) as stuck:
        one.wait(clock.due_s, tick, wakeup[0])
    job = int(one.printed)
    assert stuck.value.pids == (deaf[0], job)
    deaf.append(job)


def test_what_a_program_has_left_behind_and_cannot_be_killed_is_named(
    tmp_path: Path, wakeup: tuple[int, int], deaf: list[int]
) -> None:
    one = Hasty(("sh", "-c", "sleep 1000 >/dev/null 2>&1 & sleep 1000 >/dev/null 2>&1 & true"), tmp_path)
    clock = Clock(10)
    with pytest.raises(Stuck) as stuck:
        one.wait(clock.due_s, clock.tick, wakeup[0])
    assert len(stuck.value.pids) == 2 and set(stuck.value.pids) == set(deaf)


def test_an_error_of_ours_is_not_held_up_by_it_either(tmp_path: Path, wakeup: tuple[int, int], deaf: list[int]) -> None:
    one = Hasty(("sleep", "1000"), tmp_path)
    os.write(wakeup[1], b"x")

    def broken() -> None:
        raise KeyError("a mistake")

    with pytest.raises(Stuck):
        one.wait(Clock(10).due_s, broken, wakeup[0])


def test_an_error_of_ours_ends_the_program_and_is_told(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    one = Child(("sleep", "1000"), tmp_path)
    os.write(wakeup[1], b"x")
    with pytest.raises(IndexError):
        one.wait(Clock(10).due_s, lambda: [None][1], wakeup[0])
    assert one._process.returncode == -signal.SIGINT


def test_a_process_that_has_ended_does_not_live(tmp_path: Path) -> None:
    with subprocess.Popen(("sleep", "1000")) as one:
        ticks = started(one.pid)
        assert ticks and lives(one.pid, ticks)
        one.kill()
        os.waitid(os.P_PID, one.pid, os.WEXITED | os.WNOWAIT)
        assert not lives(one.pid, ticks)  # dead, and not reaped
    assert not lives(one.pid, ticks) and started(one.pid) == 0


TYPED = """
import sys
from raidtui.runs.child import in_this_terminal
print("status", in_this_terminal(["sh", "-c", sys.argv[1]], lambda: sys.argv[2] == "wanted"), flush=True)
"""


def in_a_terminal(script: str, wanted: str, typed: bytes) -> tuple[str, bool]:
    """What is on a terminal in which a program runs that a person answers; does the terminal echo afterwards?"""
    child_pid, terminal = pty.fork()
    if child_pid == 0:
        os.execv(sys.executable, (sys.executable, "-c", TYPED, script, wanted))
    said = b""
    while b"ask" not in said:
        said += os.read(terminal, 1024)
    os.write(terminal, typed)
    while b"\n" not in said.partition(b"status")[2]:
        said += os.read(terminal, 1024)
    echoes = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
    os.waitpid(child_pid, 0)
    os.close(terminal)
    return said.decode(), echoes


def test_a_person_answers_in_the_terminal_and_what_is_typed_is_the_programs() -> None:
    said, echoes = in_a_terminal('stty -echo; echo ask; read word; [ "$word" = secret ]', "wanted", b"secret\n")
    assert "status 0" in said and "secret" not in said and echoes


@pytest.mark.parametrize("wanted, typed", [("wanted", b"\x03"), ("not wanted", b"")])
def test_ctrl_c_ends_the_program_alone_and_one_not_wanted_any_more_is_ended(wanted: str, typed: bytes) -> None:
    said, echoes = in_a_terminal("stty -echo; echo ask; read word", wanted, typed)
    assert f"status -{2 if typed else 15}" in said or "status 130" in said
    assert echoes and "Traceback" not in said


def test_its_words_go_to_a_file_that_outlives_this_process_within_a_bound(
    tmp_path: Path, wakeup: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, clock = tmp_path / "log", Clock(0.01)
    child = Child(("sh", "-c", "echo found; echo err >&2"), tmp_path, log=log)
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 0
    assert log.read_text() == "found\nerr\n" and child.printed == "found\nerr"

    monkeypatch.setattr("raidtui.runs.child._MOST_BYTES", 1000)
    program = "import sys, time\nfor n in range(200):\n print(f'line {n:04}', flush=True); time.sleep(0.001)"
    child = Child((sys.executable, "-c", program), tmp_path, log=log)
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 0
    assert log.stat().st_size <= 1000 and log.read_text().startswith("line 0000\nline 0001\n")


@pytest.fixture
def orphans() -> Iterator[Callable[[], None]]:
    """Those of a killed process are this one's, which waits until they have ended: none is left to other tests."""

    def awaited() -> None:
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)

    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    yield awaited
    awaited()


@pytest.mark.usefixtures("orphans")
def test_a_killed_worker_takes_its_child_along(tmp_path: Path) -> None:
    program = f"""
import os, signal, time
from pathlib import Path
from raidtui.runs.child import Child
named = Path({str(tmp_path)!r}) / "pid"
Child(("sh", "-c", "echo $$ > pid.part; mv pid.part pid; exec sleep 1000"), named.parent)
while not named.exists():
    time.sleep(0.01)
print(named.read_text(), end="", flush=True)
os.read(0, 1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin and worker.stdout
        pidfd = os.pidfd_open(int(worker.stdout.readline()))
        worker.stdin.close()
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    died = poll.poll(10_000)
    if not died:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    os.close(pidfd)
    assert died


def test_a_killed_worker_s_child_has_printed_to_the_file(tmp_path: Path, orphans: Callable[[], None]) -> None:
    log = tmp_path / "log"
    program = f"""
import os, signal, time
from pathlib import Path
from raidtui.runs.child import Child
folder = Path({str(tmp_path)!r})
deaf = "trap '' INT; touch deaf; sleep 0.1; echo found"  # as a fio that ends in its own time
Child(("sh", "-c", deaf), folder, dies_by=signal.SIGINT, log=folder / "log")
while not (folder / "deaf").exists():
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    orphans()
    assert log.read_text() == "found\n"


def test_without_a_file_the_words_come_through_a_pipe(tmp_path: Path, wakeup: tuple[int, int]) -> None:
    clock = Clock(10)
    child = Child(("echo", "found"), tmp_path, log=tmp_path / "none" / "log")
    assert child.wait(clock.due_s, clock.tick, wakeup[0]) == 0 and child.printed == "found"
