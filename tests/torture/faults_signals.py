"""The worker gets a signal, at each part of a run; a second one while it clears away."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from signal import Signals

from raidtui.system import block
from tests.torture.attempt import Attempt, Missed
from tests.torture.matrix import Row, Then
from tests.torture.stand import Stand, command, fakes, settle

# When it is struck, and what a run is like that comes there soonest.
_RUNS = {
    "baseline": dict(baseline="first-member"),
    "create": {},
    "initial resync": dict(skip_sync=False),
    "mkfs": dict(filesystem="ext4"),
    "measuring": dict(filesystem="ext4"),
    "teardown": {},
}
_THEN: tuple[Then, ...] = ("resume", "clean")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)


@contextmanager
def signalled(number: Signals, moment: str, stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin(moment, stand.plan(**_RUNS[moment]))  # type: ignore[arg-type]
    attempt.signal(number)
    yield attempt


@contextmanager
def killed_while_erasing(stand: Stand) -> Iterator[Attempt]:
    """Two members had partitions with file systems on them; the table of the first is gone already, or its signatures.

    Its wipefs waits a moment before it does anything, so that it is struck in the middle of the stage.
    """
    nodes = stand.nodes()[:2]
    for node in nodes:
        command("sfdisk", "--quiet", "--label=gpt", node, stdin="size=40MiB\n;\n")
        settle()
        for part in ("1", "2"):
            command("mkfs.ext4", "-q", "-F", f"{node}{part}")
    settle()
    plan = stand.plan("5")
    assert plan.stages[0].title == "Erase"
    with fakes(wipefs=_SLOW_AT_THE_SECOND.format(second=nodes[1])):
        attempt = stand.begin("erase", plan)
        while not block.text("/run/erasing"):
            if attempt.look().ended:
                raise Missed(f"the second member was not come to: {attempt.state.reason}")
            time.sleep(0.01)
        attempt.signal(signal.SIGKILL)
        attempt.end()
    Path("/run/erasing").unlink()
    yield attempt


# The first of its words that is the second member itself, not a partition of it: its table.
_SLOW_AT_THE_SECOND = """
if [[ "$*" = "--all --backup {second}" ]]; then echo begun > /run/erasing; sleep 5; fi
exec $real "$@"
"""


@contextmanager
def killed_at_the_device(moment: str, stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin(moment, stand.plan("5", "ext4", jobs=("read", "write", "randwrite"), seconds=3))
    attempt.signal(signal.SIGKILL)
    yield attempt


@contextmanager
def killed_before_mkfs(stand: Stand) -> Iterator[Attempt]:
    """All tests of the bare array are done: it holds fio's blocks, no signature, and was not zeroed yet."""
    with fakes(dd=_SLOW_ON_THE_ARRAY):
        attempt = stand.begin("before mkfs", stand.plan("5", "ext4"))
        attempt.signal(signal.SIGKILL)
        attempt.end()
    if [trial for trial in attempt.before if not trial.endswith("-bare") and not trial.endswith("-inner")]:
        raise Missed(f"a file was measured before: {list(attempt.before)}")
    yield attempt


_SLOW_ON_THE_ARRAY = """
if [[ "$*" = *of=/dev/md* ]]; then sleep 5; fi
exec $real "$@"
"""


@contextmanager
def clean_killed(stand: Stand) -> Iterator[Attempt]:
    """The worker is killed, and so is the first clearing away, between stop and zero."""
    attempt = stand.begin("measuring", stand.plan("5"))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    first = attempt.pid
    argv = [sys.executable, "-P", "-m", "raidtui.runs.worker", "--clean", str(attempt.path), attempt.plan.code]
    cleaner = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while attempt.look().worker and attempt.pid == first:
        time.sleep(0.01)
    attempt.reach("teardown")
    cleaner.kill()
    cleaner.wait()
    yield attempt


@contextmanager
def twice(stand: Stand) -> Iterator[Attempt]:
    """Impatience: asked to stop once more while it clears away."""
    attempt = stand.begin("measuring", stand.plan("5", "ext4"))
    attempt.signal(signal.SIGTERM)
    attempt.reach("clearing")
    attempt.signal(signal.SIGTERM)
    attempt.signal(signal.SIGINT)
    yield attempt


@contextmanager
def killed_while_stopping(stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin("measuring", stand.plan("5", "ext4"))
    attempt.signal(signal.SIGTERM)
    attempt.reach("teardown")
    attempt.signal(signal.SIGKILL)
    yield attempt


def _row(number: Signals, moment: str) -> Row:
    """SIGHUP is nothing to a worker. A run that is being cleared away after its last trial has finished."""
    stops = number in (signal.SIGTERM, signal.SIGINT) and moment != "teardown"
    killed = number == signal.SIGKILL
    return Row(
        name=f"{number.name.lower()}-{moment.replace(' ', '-')}",
        fault=f"{number.name} of the worker",
        when=moment,
        outcome="interrupted" if killed else "stopped" if stops else "finished",
        act=partial(signalled, number, moment),
        then="clean" if killed else "",
    )


ROWS = (
    *(_row(number, moment) for number in _SIGNALS for moment in _RUNS),
    Row(
        name="sigkill-erase",
        fault="SIGKILL of the worker",
        when="erasing members that had partitions",
        outcome="interrupted",
        act=killed_while_erasing,
        then="resume",
    ),
    Row(
        name="sigkill-whole-device",
        fault="SIGKILL of the worker",
        when="random writes before mkfs",
        outcome="interrupted",
        act=partial(killed_at_the_device, "whole device"),
        then="resume",
    ),
    *(
        Row(
            name=f"sigkill-{name}-{then}",
            fault="SIGKILL of the worker",
            when=when,
            outcome="interrupted",
            act=act,
            then=then,
        )
        for name, when, act in (
            ("bare", "sequential writes to the bare array", partial(killed_at_the_device, "bare array")),
            ("before-mkfs", "tests of the bare array are done, its first MiB is not zeroed", killed_before_mkfs),
        )
        for then in _THEN
    ),
    Row(
        name="clean-killed",
        fault="SIGKILL of the worker, then of `clean`",
        when="measuring; teardown",
        outcome="interrupted",
        act=clean_killed,
        then="clean",
    ),
    Row(
        name="stopped-twice",
        fault="SIGTERM twice, then SIGINT",
        when="measuring; teardown",
        outcome="stopped",
        act=twice,
    ),
    Row(
        name="killed-while-stopping",
        fault="SIGTERM, then SIGKILL of the worker",
        when="measuring; teardown",
        outcome="interrupted",
        act=killed_while_stopping,
        then="clean",
    ),
)
