"""A program that waits for the kernel cannot be killed: the run ends, what that program may use is left standing."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.machine import Signature
from raidtui.core.run import events
from raidtui.runs import stages
from raidtui.runs.journal import read_state
from raidtui.runs.waiting import Ended, Unending
from tests.runs.rig import FINISHED, Argv, Rig, plan_of


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Stands for the program that does not end."""
    with subprocess.Popen(("sleep", "1000")) as process:
        yield process
        process.kill()


def strike(rig: Rig, begins: Argv, pid: int) -> None:
    """A command that begins so does not end from now on."""
    before = rig.answer

    def answer(argv: Argv) -> Ended:
        if argv[: len(begins)] == begins:
            raise Unending(argv[0], (pid,))
        return before(argv)

    rig.answer = answer


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    made = Rig(tmp_path, plan_of("5"))
    made.build()
    return made


def on_array(argv: Argv) -> bool:
    return argv[0] == "fio" and "--filename=/dev/md127" in argv


def struck_while_measuring(rig: Rig, pid: int) -> None:
    before = rig.answer

    def answer(argv: Argv) -> Ended:
        if on_array(argv):
            raise Unending("fio", (pid,))
        return before(argv)

    rig.answer = answer


def test_the_run_ends_failed_and_the_array_is_not_touched(rig: Rig, sleeper: subprocess.Popen[bytes]) -> None:
    struck_while_measuring(rig, sleeper.pid)
    outcome, reason, left = rig.go()
    assert outcome == "failed"
    assert reason == f"fio (pid {sleeper.pid}) does not end; it waits for the kernel"
    assert len(left) == 1 and f"fio (pid {sleeper.pid}) may still write there" in left[0]
    assert all(member.serial in left[0] for member in rig.plan.members)
    assert rig.programs()[-1].startswith("fio")  # nothing but udev's settling after it
    assert rig.array == "md127" and len(rig.superblocks) == 3


def test_the_trial_is_failed_and_not_final(rig: Rig, sleeper: subprocess.Popen[bytes]) -> None:
    struck_while_measuring(rig, sleeper.pid)
    rig.go()
    trial = rig.journal.state.trials[-1]
    assert (
        trial.measurement and trial.measurement.status == "failed" and "does not end" in (trial.measurement.error or "")
    )
    assert not rig.journal.state.is_final(trial.trial)
    assert trial.measurement.error in [step.error for step in rig.journal.state.steps]


def test_a_later_worker_waits_for_it_and_then_clears_away(rig: Rig, sleeper: subprocess.Popen[bytes]) -> None:
    struck_while_measuring(rig, sleeper.pid)
    rig.go()
    rig.open()
    rig.given.clear()
    past = read_state(rig.folder / "journal.jsonl")
    outcome, reason, _ = stages.take_back(rig.plan, rig.executor, past)
    assert outcome == "failed" and "may still write there" in reason
    assert rig.given == []
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    rig.build()
    assert stages.take_back(rig.plan, rig.executor, past) == FINISHED
    assert rig.superblocks == {} and rig.array is None


def test_only_what_it_may_use_is_left(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    """Separate disks: one of them hangs while its file system is made, the one before is cleared all the same."""
    plan = plan_of("jbod", filesystem="ext4")
    rig = Rig(tmp_path, plan)
    strike(rig, ("mkfs.ext4",), sleeper.pid)
    before = rig.answer
    made: list[str] = []

    def answer(argv: Argv) -> Ended:
        if argv[0] == "mkfs.ext4" and not made:
            made.append(argv[-1])
            return Ended(0, "")
        return before(argv)

    rig.answer = answer
    filesystem = rig.plan.stages[-1].filesystem
    assert filesystem
    rig.signatures = (Signature(kind="ext4", uuid=filesystem.uuids[0]),)
    outcome, _, left = rig.go()
    assert outcome == "failed" and len(left) == 1 and plan.members[1].serial in left[0]
    assert plan.members[0].serial not in left[0]
    wiped = [argv[-1] for argv in rig.given if argv[:2] == ("wipefs", "--all")]
    assert wiped == ["/dev/sda"]


def test_settings_of_a_held_array_are_left_and_the_others_put_back(rig: Rig, sleeper: subprocess.Popen[bytes]) -> None:
    """To write a setting of an array that hangs may hang, too."""
    other = rig.folder / "speed_limit"
    other.write_text("changed")
    rig.settings["/proc/sys/limit"] = other
    for path in ("/proc/sys/limit", "/sys/block/{array}/md/stripe_cache_size"):
        rig.journal.add(events.SettingChanged(at_s=1.0, path=path, old="before", new="changed"))
    struck_while_measuring(rig, sleeper.pid)
    rig.go()
    rig.executor.restore_settings()
    assert other.read_text() == "before"
    assert list(rig.journal.state.settings) == ["/sys/block/{array}/md/stripe_cache_size"]
    assert "was not set back to before" in rig.journal.state.warnings[-1]
