"""A kept array whose run's end is not written: gone on with it must stand, with what its owner stored in it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from raidtui.core.plan import model as plans
from raidtui.core.plan import slots
from raidtui.core.run import events, journal_lines
from raidtui.runs import directory, launch
from raidtui.runs.removal.decision import Consent
from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, fakes, mounted, settle

_THEIRS = Path("/run/theirs")
_DATA = b"theirs\n" * (1 << 17)


def _end_lost(attempt: Attempt) -> None:
    """As where the worker dies between the end of its last stage and the run's, or finds no room for the line."""
    journal = attempt.path / directory.JOURNAL
    *whole, last = journal.read_bytes().splitlines(keepends=True)
    if not isinstance(journal_lines.read(last)[0][0], events.RunEnded):
        raise AssertionError(f"the journal ends with {last!r}")
    journal.write_bytes(b"".join(whole))


def _clean_killed(attempt: Attempt) -> None:
    """SIGKILL when it is about to wipe the array's file system."""
    array = slots.filled(attempt.plan).stages[-1].array
    assert array
    consent = Consent(code=attempt.plan.code, typed=True, arrays=(array.name,))
    argv = [sys.executable, "-P", "-m", "raidtui.runs.worker", "--clean", str(attempt.path), *consent.argv]
    with fakes(wipefs='[[ "$*" != "--all /dev/md"* ]] || { kill -9 $PPID; exit 1; }\nexec "$real" "$@"'):
        died = subprocess.run(argv, capture_output=True, text=True, check=False)
    if died.returncode != -9:
        raise AssertionError(f"the clearing ended with {died.returncode}: {died.stderr}")


@contextmanager
def unwritten_end(lose: Callable[[Attempt], None], stand: Stand) -> Iterator[Attempt]:
    """The run kept its array; `lose` has its journal end before that; then `resume`."""
    plan = stand.plan("1", "ext4", disks=(0, 1), jobs=("write",))
    answers = replace(plan.answers, after="keep")
    plan = replace(plan, answers=answers)
    attempt = stand.start(replace(plan, code=plans.confirmation_code(plan)))
    if not attempt.end().kept:
        raise AssertionError(f"no array was kept: {attempt.state.outcome} {attempt.state.reason}")
    (array,) = Path("/sys/block").glob("md*")
    node = f"/dev/{array.name}"
    try:
        lose(attempt)
        with mounted(node, _THEIRS):
            (_THEIRS / "file").write_bytes(_DATA)
        settle()
        attempt = Attempt(attempt.path)  # what it had read of the journal is not all there any more
        attempt.look()
        launch.resume(attempt.path, Consent(code=attempt.plan.code, typed=True))
        attempt.another_worker()
        if not attempt.end().kept:
            raise AssertionError("its array is not said to be kept any more")
        Path("/proc/sys/vm/drop_caches").write_text("3")
        with mounted(node, _THEIRS):
            if (_THEIRS / "file").read_bytes() != _DATA:
                stand.lost.append("the kept array's file was changed")
        yield attempt
    finally:
        command("umount", str(_THEIRS), ok=False)
        lost = list(stand.lost)
        stand.reset()
        stand.lost += lost


def _row(name: str, fault: str, lose: Callable[[Attempt], None]) -> Row:
    return Row(
        name=f"kept-{name}",
        fault=fault,
        when="the array is kept and its owner's; then `resume`",
        outcome="finished",
        act=partial(unwritten_end, lose),
    )


ROWS = (
    _row("end-lost", "the worker dies before it has written its run's end", _end_lost),
    _row("clean-killed", "SIGKILL of `clean` before it has taken anything apart", _clean_killed),
)
