"""In the practice kernel: two people at one server at the same moments, a row for each round into a file.

`python -m tests.endurance.rivals FILE ROUND...`: a run, and beside it, at a moment that the round's number draws, what
somebody else does with one of its disks. Whoever comes second is refused; nobody's data is lost.
"""

import mmap
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import msgspec

from raidtui.core.plan.model import Plan
from raidtui.core.run.state import RunState
from raidtui.system import block
from tests.endurance import table
from tests.endurance.table import GOOD, Row
from tests.torture import invariants
from tests.torture.attempt import Attempt
from tests.torture.stand import Stand, command, settle

ROUNDS = 100
_THEIRS, _ARRAY = Path("/run/theirs"), "/dev/md/theirs"
_DATA_BYTES = 4 << 20
_POLL_S, _WITHIN_S, _CLEANING_S = 0.02, 0.3, 10.0
_FIRST_STEPS = 3  # of a run whose disk carries another one's array: it is refused by then, or the disk is free
_NO_SENTENCE = re.compile(r"Traceback|\n|^\w+(Error|Exception):|^$")


class Met(msgspec.Struct, frozen=True):
    """How a round went: what the run was at when the other one came, what both got, and whose data was lost."""

    at: str
    run: str
    other: str
    lost: tuple[str, ...] = ()


def _plan(stand: Stand, disks: tuple[int, int] = (0, 1)) -> Plan:
    return stand.plan("1", disks=disks, baseline="each-member", jobs=("write",), seconds=0.3)


def _come(attempt: Attempt, random: Random, steps: int) -> None:
    """To a moment of this run: within one of its `steps`, or right after the last."""
    wanted = random.randint(0, steps)
    while len(attempt.look().steps) < wanted and not attempt.state.ended:
        attempt.refuse_silence()
        time.sleep(_POLL_S)
    time.sleep(random.uniform(0, _WITHIN_S))


def _at(attempt: Attempt) -> str:
    state = attempt.look()
    return state.step.what if state.step else "ended" if state.ended else "between two steps"


def _told(state: RunState) -> str:
    return f"{state.outcome}: {state.reason}" if state.reason else state.outcome


def _wrong(name: str, state: RunState, theirs: str = "") -> Iterator[str]:
    """What a run may not end with: it finished with all its figures, or it says in a sentence why it did not.

    `theirs`: a disk that is somebody else's by now, so that the run leaves what is on it.
    """
    bad = [one.trial for one in state.trials if one.measurement is None or one.measurement.status != "ok"]
    if state.outcome == "finished" and bad:
        yield f"{name} finished without {', '.join(bad)}"
    if state.outcome != "finished" and (state.outcome != "failed" or _NO_SENTENCE.search(state.reason)):
        yield f"{name} ended so: {state.outcome!r} {state.reason!r}"
    yield from (f"{name} left {left}" for left in state.left if not theirs or theirs not in left)


def two_runs(stand: Stand, random: Random, steps: int) -> Met:
    """Another run, planned before, wants one of the disks."""
    plans = [_plan(stand), _plan(stand, (1, 2))]
    random.shuffle(plans)
    first = stand.start(plans[0])
    _come(first, random, steps)
    at = _at(first)
    second = stand.start(plans[1])
    ended, others = first.end(), second.end()
    lost = [*_wrong("the first run", ended), *_wrong("the second run", others)]
    if "finished" not in (ended.outcome, others.outcome):
        lost.append("neither of them finished")
    return Met(at=at, run=_told(ended), other=_told(others), lost=tuple(lost))


def run_and_clean(stand: Stand, random: Random, steps: int) -> Met:
    """A run was killed; somebody clears it away, and somebody begins a run on one of its disks, planned before."""
    plan = _plan(stand, (1, 2))
    older = stand.begin("measuring", stand.plan("1", disks=(0, 1), jobs=("write", "read"), seconds=5))
    older.signal(signal.SIGKILL)
    older.end()
    argv = (sys.executable, "-P", "-m", "raidtui.runs.worker", "--clean", str(older.path), older.plan.code)

    def clean() -> subprocess.Popen[str]:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    if random.random() < 0.5:  # which of the two comes first
        cleaner = clean()
        time.sleep(random.uniform(0, _CLEANING_S))
        at, attempt = "cleared away" if cleaner.poll() == 0 else "clearing away", stand.start(plan)
    else:
        attempt = stand.start(plan)
        _come(attempt, random, _FIRST_STEPS)
        at, cleaner = _at(attempt), clean()
    state = attempt.end()
    said = (cleaner.communicate(timeout=120)[1].strip().splitlines() or [""])[-1]
    lost = list(_wrong("the run", state))
    if cleaner.returncode:
        if _NO_SENTENCE.search(said):
            lost.append(f"clean says: {said!r}")
        command(*argv)
    return Met(at=at, run=_told(state), other=f"not removed: {said}" if said else "cleared away", lost=tuple(lost))


def run_and_mdadm(stand: Stand, random: Random, steps: int) -> Met:
    """Somebody makes an array by hand of one of the disks and another one, and writes to it."""
    mine, theirs = stand.disk(1).path, stand.disk(2).path
    attempt = stand.start(_plan(stand))
    _come(attempt, random, steps)
    at = _at(attempt)
    words = "--run --quiet --homehost=any --level=1 --raid-devices=2 --assume-clean --bitmap=none --metadata=1.2"
    made = subprocess.run(
        ("mdadm", "--create", _ARRAY, *words.split(), mine, theirs), capture_output=True, text=True, check=False
    )
    data = random.randbytes(_DATA_BYTES)
    if made.returncode == 0:
        _write(_ARRAY, data)
    state = attempt.end()
    taken = made.returncode == 0
    lost = list(_wrong("the run", state, Path(mine).name if taken else ""))
    if taken:
        array = Path(_ARRAY).resolve().name
        legs = list(Path(f"/sys/block/{array}/md").glob("dev-*"))
        offsets = {f"/dev/{leg.name.removeprefix('dev-')}": int(block.text(leg / "offset")) * 512 for leg in legs}
        held = [node for node, offset in offsets.items() if _read(node, offset) == data]
        if sorted(held) != sorted((mine, theirs)):
            lost.append(f"the array's data is on {held or 'no disk'} alone, of {mine} and {theirs}")
    command("mdadm", "--stop", _ARRAY, ok=False)
    command("mdadm", "--zero-superblock", "--quiet", mine, theirs, ok=False)
    settle()
    said = " ".join(made.stderr.split()) or "refused"
    return Met(at=at, run=_told(state), other=said if made.returncode else "an array was made", lost=tuple(lost))


def run_and_mount(stand: Stand, random: Random, steps: int) -> Met:
    """A disk has a file system, to be erased as planned; somebody mounts it and writes to it."""
    node, data = stand.disk(1).path, random.randbytes(_DATA_BYTES)
    command("mkfs.ext4", "-q", "-F", "-L", "theirs", node)
    settle()
    attempt = stand.start(_plan(stand))
    _come(attempt, random, steps)
    at = _at(attempt)
    _THEIRS.mkdir(exist_ok=True)
    done = subprocess.run(("mount", "-t", "ext4", node, str(_THEIRS)), capture_output=True, text=True, check=False)
    if done.returncode == 0:
        _write(str(_THEIRS / "file"), data)
    state = attempt.end()
    lost = list(_wrong("the run", state))
    if done.returncode == 0:
        Path("/proc/sys/vm/drop_caches").write_text("3")
        if (_THEIRS / "file").read_bytes() != data:
            lost.append("the mounted file system's file was changed")
        command("umount", str(_THEIRS))
        checked = subprocess.run(("e2fsck", "-f", "-n", node), capture_output=True, text=True, check=False)
        if checked.returncode:
            lost.append(f"the mounted file system was damaged: {checked.stdout[-200:]}")
    if state.outcome != "finished":
        command("wipefs", "--all", "--force", "--quiet", node)
    settle()
    said = " ".join(done.stderr.split())
    return Met(at=at, run=_told(state), other=said if done.returncode else "it was mounted", lost=tuple(lost))


def _write(path: str, data: bytes) -> None:
    with Path(path).open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _read(node: str, offset: int) -> bytes:
    """Past the page cache."""
    descriptor = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, _DATA_BYTES) as page:
            os.preadv(descriptor, [page], offset)
            return bytes(page)
    finally:
        os.close(descriptor)


_KINDS: dict[str, Callable[[Stand, Random, int], Met]] = {
    "two runs": two_runs,
    "a run and clean": run_and_clean,
    "a run and mdadm by hand": run_and_mdadm,
    "a run and a mount": run_and_mount,
}


def carry_out(number: int, stand: Stand, steps: int) -> Row:
    """One round; the number alone says who comes and when."""
    name = list(_KINDS)[number % len(_KINDS)]
    row: Row = {"run": number, "who": name, "the run was at": "-", "the run": "-", "the other": "-"}
    try:
        met = _KINDS[name](stand, Random(number), steps)
    except Exception as error:
        stand.reset()
        return row | {"verdict": f"{type(error).__name__}: {error}"}
    row |= {"the run was at": met.at, "the run": met.run, "the other": met.other}
    disks = stand.disks()
    lost = [*met.lost, *invariants.no_orphan(), *invariants.settings_back(stand), *invariants.nothing_built(None)]
    lost += [*invariants.members_blank(stand.nodes(disks)), *stand.changed_bystanders(disks)]
    if lost:
        stand.reset()
    return row | {"verdict": "; ".join(lost) or GOOD}


def main() -> None:
    out, *numbers = sys.argv[1:]
    stand = Stand()
    alone = stand.start(_plan(stand)).end()
    if alone.outcome != "finished":
        raise SystemExit(f"a run that nobody disturbs ended so: {_told(alone)}")
    for number in map(int, numbers):
        began_s = time.monotonic()
        row = carry_out(number, stand, len(alone.steps))
        table.add(Path(out), row)
        print(f"{time.monotonic() - began_s:.0f} s: {row}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
