"""A journal that is older than the disks, or lost its end: the array that it does not call kept has somebody's data.

As after a root disk was restored, or a virtual machine set back. What is on the array outweighs the journal.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from raidtui.core.plan import slots
from raidtui.core.plan.answers import Between
from raidtui.core.plan.model import Stage
from raidtui.core.plan.recipe import Baseline
from raidtui.core.run import events, journal_lines
from raidtui.runs import directory, launch
from raidtui.runs.removal.decision import Consent
from raidtui.system import block
from tests.torture import passphrase
from tests.torture.attempt import Answer, Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, mounted, raidtui, settle

_THEIRS, _ASIDE = Path("/run/theirs"), Path("/var/lib/raidtui/aside")
_DATA = os.urandom(1 << 20)
_CONF = Path("/etc/mdadm/mdadm.conf")


def _cut(journal: Path, kind: type[events.AnyEvent], *, zeros: int = 0) -> None:
    """The journal without its first event of this kind and all after it; `zeros`: in their place."""
    lines = journal.read_bytes().splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if isinstance(journal_lines.decode(line.rstrip()), kind))
    journal.write_bytes(b"".join(lines[:first]) + b"\0" * zeros)


def _older(attempt: Attempt) -> str:
    _cut(attempt.path / directory.JOURNAL, events.TrialEnded)
    return attempt.path.name


def _before_the_array(attempt: Attempt) -> str:
    """As it was while the baseline was measured: an earlier stage than the one that built the array."""
    return _older(attempt)


def _look_killed(attempt: Attempt) -> str:
    """A look of before was killed, and its device holds the array."""
    sectors = block.size_bytes(Path(node(attempt)).name) // 512
    table = f"0 {sectors} linear {node(attempt)} 0"
    command("dmsetup", "create", f"raidtui-look-{attempt.path.name}", "--table", table)
    return _older(attempt)


def _zeroed(attempt: Attempt) -> str:
    _cut(attempt.path / directory.JOURNAL, events.ArrayKept, zeros=4096)
    return attempt.path.name


def _copied(attempt: Attempt) -> str:
    """Another folder of runs' has the run as it was; its own is gone."""
    _older(attempt)
    copy = attempt.path.with_name("20990101T000000Z-abcd")
    shutil.copytree(attempt.path, copy)
    shutil.move(attempt.path, _ASIDE)
    return copy.name


def _elsewhere(attempt: Attempt) -> str:
    """The run's folder lies outside of the machine's own folder of runs."""
    _older(attempt)
    shutil.move(attempt.path, _ASIDE)
    return str(_ASIDE)


def _at_boot(attempt: Attempt) -> str:
    """Its owner has a line for it."""
    _CONF.write_text(f"ARRAY /dev/md/data UUID={stage(attempt).array.uuid}\n")  # type: ignore[union-attr]
    return _older(attempt)


def stage(attempt: Attempt) -> Stage:
    return slots.filled(attempt.plan).stages[-1]


def node(attempt: Attempt) -> str:
    """Where the file system is."""
    layer = stage(attempt).layer
    (array,) = Path("/sys/block").glob("md*")
    return f"/dev/{layer.node if layer else array.name}"


def _kept(stand: Stand, between: Between, baseline: Baseline) -> Attempt:
    plan = stand.plan("0", "ext4", disks=(0, 1), jobs=("write",), after="keep", between=between, baseline=baseline)
    with passphrase.light():
        attempt = stand.start(plan)
        if between == "luks":
            passphrase.make(attempt)
        if not attempt.end().kept:
            raise AssertionError(f"no array was kept: {attempt.state.outcome} {attempt.state.reason}")
    return attempt


def _stop(attempt: Attempt) -> None:
    layer = stage(attempt).layer
    if layer and layer.kind == "lvm":
        command("vgchange", "--activate", "n", layer.group)
    settle()
    command("mdadm", "--stop", *(f"/dev/{array.name}" for array in Path("/sys/block").glob("md*")))
    settle()


def _start_again(attempt: Attempt, stand: Stand) -> None:
    command("mdadm", "--assemble", "/dev/md127", *stand.nodes()[:2])
    settle()
    layer = stage(attempt).layer
    if layer and layer.kind == "lvm":
        command("vgchange", "--activate", "y", layer.group)


@contextmanager
def older(way: str, lose: Callable[[Attempt], str], between: Between, stopped: bool, stand: Stand) -> Iterator[Answer]:
    """The array is kept, and its owner's; then `way` with the code, and with all names that the plan asks for."""
    attempt = _kept(stand, between, "first-member" if lose is _before_the_array else "none")
    shutil.rmtree(_ASIDE, ignore_errors=True)
    try:
        with mounted(node(attempt), _THEIRS):
            (_THEIRS / "file").write_bytes(_DATA)
        name = lose(attempt)
        if stopped:
            _stop(attempt)
        before = stand.digests((0, 1))
        yield Answer(*_asked(way, name, attempt))
        if stand.digests((0, 1)) != before:
            stand.lost.append("the members were written to")
        if stopped:
            _start_again(attempt, stand)
        with mounted(node(attempt), _THEIRS):
            if (_THEIRS / "file").read_bytes() != _DATA:
                stand.lost.append("the kept array's file was changed")
    finally:
        _CONF.unlink(missing_ok=True)
        _reset(attempt, stand)


def _asked(way: str, name: str, attempt: Attempt) -> tuple[str, int]:
    array = stage(attempt).array
    assert array
    named = [word for member in attempt.plan.members for word in ("--erase", member.id)]
    argv = raidtui(way, name, *(("--confirm", attempt.plan.code, *named) if way == "resume" else ()))
    typed = f"{attempt.plan.code}\n{array.name}\n" if way == "clean" else ""
    done = subprocess.run(argv, input=typed, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        raise AssertionError(f"{way} ended with 0: {done.stdout[-300:]}{done.stderr}")
    return done.stderr.strip().splitlines()[-1], done.returncode


def _reset(attempt: Attempt, stand: Stand) -> None:
    """Without the layer, which would hold the array."""
    lost, layer = list(stand.lost), stage(attempt).layer
    if layer and layer.kind == "lvm":
        command("vgremove", "--force", layer.group, ok=False)
    if layer and layer.kind == "luks":
        command("cryptsetup", "close", layer.group, ok=False)
    stand.reset()
    stand.lost += lost


@contextmanager
def adopted(stand: Stand) -> Iterator[Answer]:
    """A run that keeps nothing dies; somebody mounts what it left, stores a file, and resumes with the code alone."""
    attempt = stand.begin("measuring", stand.plan("5", "ext4", jobs=("write", "read", "randread"), seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    command("umount", str(attempt.path / "mnt"))
    yield from _used(attempt, "resume", stand)


@contextmanager
def adopted_bare(way: str, stand: Stand) -> Iterator[Answer]:
    """A run dies on its bare array; somebody makes a file system there; then `way` with every name typed."""
    attempt = stand.begin("bare array", stand.plan("5", "ext4", jobs=("read", "write"), seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    command("mkfs.ext4", "-q", "-F", node(attempt))
    settle()
    yield from _used(attempt, way, stand)


def _used(attempt: Attempt, way: str, stand: Stand) -> Iterator[Answer]:
    """Somebody stores a file on the array, which has to outlive `way`."""
    with mounted(node(attempt), _THEIRS):
        (_THEIRS / "file").write_bytes(_DATA)
    try:
        yield Answer(*_asked(way, attempt.path.name, attempt))
        with mounted(node(attempt), _THEIRS):
            if (_THEIRS / "file").read_bytes() != _DATA:
                stand.lost.append("the adopted array's file was changed")
    finally:
        _reset(attempt, stand)


@contextmanager
def keeping(stand: Stand) -> Iterator[Attempt]:
    """SIGKILL after the tests of a run that keeps its array: `resume` keeps it, and no trial is measured again."""
    attempt = stand.begin("keeping", stand.plan("0", "ext4", disks=(0, 1), jobs=("write",), after="keep"))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    try:
        launch.resume(attempt.path, Consent(code=attempt.plan.code), erases=False)
        attempt.another_worker()
        if not attempt.end().kept or [one.trial for one in attempt.state.trials] != [t.id for t in attempt.plan.trials]:
            raise AssertionError(f"not kept: {attempt.state.outcome} {attempt.state.reason}")
        with mounted(node(attempt), _THEIRS):
            if f"raidtui run {attempt.path.name}" not in (_THEIRS / ".raidtui-kept").read_text():
                stand.lost.append("the file system does not record that it is kept")
        yield attempt
    finally:
        _reset(attempt, stand)


_HOW: dict[str, tuple[Callable[[Attempt], str], str, str]] = {
    "older": (_older, "the journal is older than the disks", "holds '.raidtui-kept', 'file', which this run did not"),
    "before-array": (
        _before_the_array,
        "the journal ends before the array was built",
        "the journal ends before it was built",
    ),
    "look-killed": (
        _look_killed,
        "older journal, a look killed",
        "holds '.raidtui-kept', 'file', which this run did not",
    ),
    "zeroed": (_zeroed, "the end of the journal is zeros", "holds '.raidtui-kept', 'file', which this run did not"),
    "copied": (_copied, "a copy of the run's folder, older, in its place", "is a copy of the run"),
    "moved": (_elsewhere, "a copy of the run's folder, elsewhere", "not carried out"),
    "boot-line": (
        _at_boot,
        "the journal is older than the disks, and a line in mdadm.conf",
        "has a line for",
    ),
}
_OLDER: tuple[tuple[str, str, Between, bool, str], ...] = (
    ("resume", "older", "", False, ""),
    ("clean", "older", "", False, ""),
    ("resume", "before-array", "", False, ""),
    ("clean", "before-array", "", False, ""),
    ("resume", "before-array", "", True, ""),
    ("clean", "before-array", "", True, ""),
    ("resume", "look-killed", "", False, ""),
    ("resume", "zeroed", "", False, ""),
    ("resume", "older", "", True, ""),
    ("clean", "zeroed", "", True, ""),
    ("resume", "copied", "", False, ""),
    ("resume", "moved", "", False, ""),
    ("resume", "boot-line", "", False, ""),
    ("resume", "older", "lvm", False, ""),
    ("resume", "older", "lvm", True, ""),
    ("resume", "older", "luks", False, ""),
)


def _row(way: str, how: str, between: Between, stopped: bool, says: str) -> Row:
    lose, fault, usual = _HOW[how]
    on = f", {between.upper()} on the array" if between else ""
    return Row(
        name=f"{how}-{way}{f'-{between}' if between else ''}{'-stopped' * stopped}",
        fault=f"{fault}{on}",
        when=f"the array is kept{' and stopped' * stopped}; then `{way}`",
        outcome="refused",
        says=(says or usual,),
        act=partial(older, way, lose, between, stopped),
    )


ROWS = (
    *(_row(*row) for row in _OLDER),
    Row(
        name="adopted-resume",
        fault="somebody uses the array that a killed run left",
        when="then `resume` with the code alone",
        outcome="refused",
        says=("holds 'file', which this run did not write", "to remove it: `--erase raidtui-"),
        act=adopted,
    ),
    *(
        Row(
            name=f"adopted-bare-{way}",
            fault="somebody makes a file system on the bare array that a killed run left",
            when=f"then `{way}` with all names",
            outcome="refused",
            says=("which this run did not make", "wipe it first"),
            act=partial(adopted_bare, way),
        )
        for way in ("resume", "clean")
    ),
    Row(
        name="kept-tests-done",
        fault="SIGKILL",
        when="between the tests and the end of a run that keeps its array; then `resume`",
        outcome="finished",
        act=keeping,
    ),
)
