"""A proof continued by a journal that is older than the disks: its array was proved, kept and filled since."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from raidtui.core.plan.answers import Between
from raidtui.core.run import journal_lines
from raidtui.core.run.state import RunState, fold
from raidtui.practice.rack import MIB
from raidtui.runs import directory
from raidtui.system import block
from tests.torture import faults_older, faults_proof
from tests.torture.attempt import MOMENTS, Answer, Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, mounted, raidtui, settle

_THEIRS = Path("/run/theirs")
_DATA = b"somebody's data\n" * (1 << 16)
# Where the journal ends: states verified by then, and what was done.
STATES = {
    "fill": (0, "fill"),
    "healthy": (0, "measure"),
    "degraded": (1, "measure"),
    "rebuilding": (2, "sync-finished"),
    "rebuilt": (2, "measure"),
    "mkfs": (5, "mkfs"),
}


def _cut(attempt: Attempt, lines: Sequence[bytes], until: str) -> None:
    """The journal up to the first event after which this holds."""
    name = "proof, {}, {}".format(*STATES[until])
    holds, state = MOMENTS.get(name) or faults_proof.at(*STATES[until]), RunState()
    for number, line in enumerate(lines):
        state = fold(state, journal_lines.decode(line.rstrip()))
        if holds(attempt.plan, state):
            (attempt.path / directory.JOURNAL).write_bytes(b"".join(lines[: number + 1]))
            return
    raise AssertionError(f"{until} is not in the journal")


def _filesystem(attempt: Attempt) -> None:
    """As a person keeps it."""
    with mounted(faults_older.node(attempt), _THEIRS):
        (_THEIRS / "file").write_bytes(_DATA)


def _raw(attempt: Attempt) -> None:
    """Without a file system, from end to end."""
    command("wipefs", "--all", faults_older.node(attempt))
    command(
        "dd", "if=/dev/urandom", f"of={faults_older.node(attempt)}", "bs=1M", "conv=fsync", "status=none", ok=False
    )  # to its end


def _raw_inside(attempt: Attempt) -> None:
    """The first and the last MiB are as the proof left them."""
    node = faults_older.node(attempt)
    mebibytes = block.size_bytes(Path(node).name) // MIB
    command("wipefs", "--all", node)
    zeros = ("dd", "if=/dev/zero", f"of={node}", "bs=1M", "conv=fsync", "status=none")
    command(*zeros, ok=False)
    command("dd", "if=/dev/urandom", f"of={node}", "bs=1M", "seek=1", f"count={mebibytes - 3}", "conv=fsync")


def _content(attempt: Attempt) -> str:
    """A digest of the array from end to end."""
    node = faults_older.node(attempt)
    found = sha256()
    for mebibyte in range(block.size_bytes(Path(node).resolve().name) // MIB):
        found.update(block.read_bytes(node, mebibyte * MIB, MIB))
    return found.hexdigest()


@contextmanager
def continued(
    theirs: Callable[[Attempt], None],
    states: Sequence[str],
    level: str,
    disks: Sequence[int],
    layout: str,
    between: Between,
    stopped: bool,
    stand: Stand,
) -> Iterator[Answer]:
    """`resume` with the code and all names, once from each of these states."""
    attempt = stand.start(faults_proof.plan_of(stand, level, disks, layout=layout, between=between, keeps=True))
    try:
        if not attempt.end().kept:
            raise AssertionError(f"no array was kept: {attempt.state.outcome} {attempt.state.reason}")
        lines = (attempt.path / directory.JOURNAL).read_bytes().splitlines(keepends=True)
        theirs(attempt)
        content = _content(attempt)
        said = []
        for state in states:
            _cut(attempt, lines, state)
            if stopped:
                _stop(attempt)
            before = _digests(attempt, stand, disks)
            said.append(f"{state}: {_asked(attempt)}")
            if _digests(attempt, stand, disks) != before:
                stand.lost.append(f"{state}: the members were written to")
            if stopped:
                _start_again(attempt, stand, disks)
            if _content(attempt) != content:
                stand.lost.append(f"{state}: the array was written to")
        yield Answer("\n".join(said), 3)
    finally:
        _reset(attempt, stand)


def _digests(attempt: Attempt, stand: Stand, disks: Sequence[int]) -> list[str]:
    """Of what lies behind md's own blocks, which it writes anew while nobody does anything."""
    array = faults_older.stage(attempt).array
    assert array
    digests = []
    for index in disks:
        found = sha256()
        disk = stand.disk(index)
        for mebibyte in range(array.capacity.data_offset_bytes // MIB, disk.size_bytes // MIB):
            found.update(block.read_bytes(disk.path, mebibyte * MIB, MIB))
        digests.append(found.hexdigest())
    return digests


def _asked(attempt: Attempt) -> str:
    array = faults_older.stage(attempt).array
    assert array
    names = (*(member.id for member in attempt.plan.members), array.name)
    argv = raidtui("resume", attempt.path.name, "--confirm", attempt.plan.code)
    done = subprocess.run(
        (*argv, *(word for name in names for word in ("--erase", name))), capture_output=True, text=True, check=False
    )
    if done.returncode != 3:
        raise AssertionError(f"resume ended with {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
    return done.stderr.strip().splitlines()[-1]


def _stop(attempt: Attempt) -> None:
    layer = faults_older.stage(attempt).layer
    if layer:
        command("vgchange", "--activate", "n", layer.group)
    settle()
    command("mdadm", "--stop", *(f"/dev/{array.name}" for array in Path("/sys/block").glob("md*")))
    settle()


def _start_again(attempt: Attempt, stand: Stand, disks: Sequence[int]) -> None:
    command("mdadm", "--assemble", "/dev/md127", *(stand.disk(index).path for index in disks))
    settle()
    layer = faults_older.stage(attempt).layer
    if layer:
        command("vgchange", "--activate", "y", layer.group)


def _reset(attempt: Attempt, stand: Stand) -> None:
    lost, layer = list(stand.lost), faults_older.stage(attempt).layer
    if layer:
        command("vgremove", "--force", layer.group, ok=False)
    shutil.rmtree(_THEIRS, ignore_errors=True)
    stand.reset()
    stand.lost += lost


def _row(
    name: str,
    level: str,
    disks: Sequence[int],
    layout: str = "",
    between: Between = "",
    *,
    stopped: bool = False,
    states: Sequence[str] = tuple(STATES),
    theirs: Callable[[Attempt], None] = _filesystem,
    says: str = "",
) -> Row:
    on = f"LVM on RAID {level}" if between else f"RAID {level} {layout}".strip()
    return Row(
        name=f"older-proof-{name}{'-stopped' * stopped}",
        fault=f"the journal of a proof is older than the disks: {', '.join(states)}",
        when=f"{on} is kept{' and stopped' * stopped}; then `resume` with the code and all names",
        outcome="refused",
        says=(*(f"{state}: " for state in states), *filter(None, [says])),
        act=partial(continued, theirs, states, level, disks, layout, between, stopped),
    )


_UNFINISHED = tuple(state for state in STATES if state != "mkfs")
ROWS: tuple[Row, ...] = (
    _row("1", "1", (0, 1)),
    _row("5", "5", (0, 1, 2)),
    _row("10", "10", (0, 1, 2, 3)),
    _row("lvm", "5", (0, 1, 2), between="lvm"),
    _row("5", "5", (0, 1, 2), stopped=True),
    _row("raw", "1", (0, 1), states=_UNFINISHED, theirs=_raw, says="hold something that this proof did not write"),
    _row("inside", "5", (0, 1, 2), states=_UNFINISHED, theirs=_raw_inside, says="did not write"),
)
