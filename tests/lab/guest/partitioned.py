"""Members as partitions, for the tests of them: a RAID 5 that stays, programs that are held, workers killed there."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.arrays.array import Array
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.model import ArrayPlan
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal, kept_arrays
from raidtui.runs.journal import read_state
from raidtui.system import leftovers
from raidtui.system.arrays import now
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import WRITE, forget_runs, wait_for, write_answers, write_recipe
from tests.lab.guest.disk_states import clear, command, settle, until, writes_to

MEMBERS, NEW, BYSTANDER = ["/dev/sda", "/dev/sdb", "/dev/sdc"], "/dev/sdd", "/dev/sde"  # the new one is smaller
LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"
TOOLS, HELD, REACHED = Path("/usr/local/sbin"), Path("/tmp/held"), Path("/tmp/reached")
# In the place of a program: it waits before or after the call that has these words.
HOLDING = """#!/bin/sh
hold() {{ case "$words" in *"{words}"*) touch {reached}; while [ -e {held} ]; do sleep 0.05; done;; esac; }}
words="$*"
[ {moment} = after ] || hold
{program} "$@"
status=$?
[ {moment} = before ] || hold
exit $status
"""


def found() -> dict[str, str]:
    return {disk.path: disk.found for disk in disks_of(read_machine()) if disk.path in (*MEMBERS, NEW, BYSTANDER)}


def kept_array(run: Path) -> ArrayPlan:
    array = next(stage.array for stage in slots.filled(directory.read_plan(run)).stages if stage.array)
    assert array
    return array


def standing() -> Array:
    (array,) = now.look(kept_arrays.kept_arrays).arrays
    return array


def roles() -> dict[str, str]:
    return {member.device: member.role for member in standing().members}


def state_of(run: Path) -> RunState:
    return read_state(run / directory.JOURNAL)


def hold(program: str, moment: str, words: str) -> None:
    real = command("sh", "-c", f"PATH=/usr/sbin:/sbin:/usr/bin:/bin command -v {program}").strip()
    HELD.touch()
    TOOLS.mkdir(parents=True, exist_ok=True)
    (TOOLS / program).write_text(HOLDING.format(words=words, reached=REACHED, held=HELD, moment=moment, program=real))
    (TOOLS / program).chmod(0o755)


def kill_there(run: Path) -> None:
    """The worker is killed where the program is held, and what it had begun with it."""
    wait_for(run, lambda state: REACHED.exists())
    state = state_of(run)
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    until(lambda: not journal.alive(state))
    let_go()
    settle()


def let_go() -> None:
    for path in (HELD, REACHED, *(TOOLS / program for program in ("mdadm", "sfdisk", "wipefs"))):
        path.unlink(missing_ok=True)


def blank(*nodes: str) -> None:
    clear(*nodes)
    for node in nodes:
        leftovers.remember(node.removeprefix("/dev/"))


@contextmanager
def partitioned(config: Path) -> Iterator[Path]:
    """A RAID 5 with ext4 of partitions on the first three disks, which stays; a fifth disk is nobody's business."""
    command("mkfs.ext4", "-q", "-F", BYSTANDER)
    settle()
    before = writes_to([BYSTANDER])
    ids = {disk.path: disk.id for disk in disks_of(read_machine())}
    setup = {"level": "5", "filesystem": "ext4", "members": "partitions"}
    recipe = write_recipe(config, WRITE, baseline="none")
    yield write_answers(config, recipe, setup, after="keep", disks=[ids[node] for node in MEMBERS])
    let_go()
    forget_runs()
    left, after = found(), writes_to([BYSTANDER])
    blank(*MEMBERS, NEW, BYSTANDER)
    assert {left[node] for node in (*MEMBERS, NEW)} == {"blank"} and after == before
