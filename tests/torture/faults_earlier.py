"""Earlier runs on the same disks: one that was killed with settings changed, one that a newer, kept array outlived.

What a killed run changed must not go into another one's figures unsaid; what was kept must stay, byte for byte.
"""

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from raidtui.core.plan import model as plans
from raidtui.core.plan.model import Plan
from raidtui.core.plan.recipe import Baseline
from raidtui.core.plan.steps import Write
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.system import block
from tests.torture.attempt import Answer, Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, mounted, raidtui, settle

_ASIDE = Path("/var/lib/raidtui/aside")  # where a run's folder is moved to
_THEIRS = Path("/run/theirs")
_CACHE, _OFF = "/sys/block/{}/device/scsi_disk/*/cache_type", "write through"
_SCHEDULER = "/sys/block/{}/queue/scheduler"


def _setting(pattern: str, name: str) -> str:
    """The value of a disk's setting."""
    (file,) = Path("/").glob(pattern.format(name).lstrip("/"))
    said = block.text(file)
    return said.partition("[")[2].partition("]")[0] or said


def _switching(plan: Plan, pattern: str, value: str) -> Plan:
    """The plan with this setting of its second member changed before anything is measured."""
    measured = next(number for number, stage in enumerate(plan.stages) if stage.trials)  # disks may be erased before it
    stage = plan.stages[measured]
    change = Write(what="Change a setting", path=pattern.format("{member:1}"), value=value)
    changed = replace(stage, steps=(change, *stage.steps))
    plan = replace(plan, stages=(*plan.stages[:measured], changed, *plan.stages[measured + 1 :]))
    return replace(plan, code=plans.confirmation_code(plan))


def _killed_with(stand: Stand, pattern: str, value: str) -> Attempt:
    """A run that was killed while it measured a bare disk, the setting changed; nothing of it stands."""
    plan = _switching(stand.plan("5", baseline="first-member", jobs=("write",), seconds=60), pattern, value)
    attempt = stand.begin("bare disk", plan)
    attempt.signal(signal.SIGKILL)
    attempt.end()
    if _setting(pattern, stand.disk(1).name) != value:
        raise AssertionError(f"{pattern} was not {value} when the run was killed")
    return attempt


@contextmanager
def settings_left(pattern: str, value: str, disks: Sequence[int], stand: Stand) -> Iterator[Attempt]:
    """The next run has the disk: the setting is as before when its first figure is measured, and it says so."""
    before = _setting(pattern, stand.disk(1).name)
    earlier = _killed_with(stand, pattern, value)
    plan = stand.plan("5", disks=disks, baseline="each-member", jobs=("write",))
    attempt = stand.start(plan, stand.disk(1))
    attempt.reach("baseline")
    if (now := _setting(pattern, stand.disk(1).name)) != before:
        raise AssertionError(f"measured with {now}, it was {before} before the killed run")
    attempt.end()
    if left := read_state(earlier.path / directory.JOURNAL).settings:
        raise AssertionError(f"the killed run is said to have left {left}")
    yield attempt


@contextmanager
def settings_stuck(stand: Stand) -> Iterator[Attempt]:
    """What was changed cannot be put back, as the killed run's plan is unreadable: nothing is measured, or written."""
    before = _setting(_CACHE, stand.disk(1).name)
    earlier = _killed_with(stand, _CACHE, _OFF)
    whole = (earlier.path / directory.PLAN).read_bytes()
    plan = stand.plan("5", baseline="first-member", jobs=("write",))
    (earlier.path / directory.PLAN).write_bytes(whole[: len(whole) // 2])
    with ExitStack() as guards:
        for index in range(3):
            guards.enter_context(stand.guarding(stand.disk(index)))
        attempt = stand.start(plan, stand.disk(1))
        attempt.end()
    (earlier.path / directory.PLAN).write_bytes(whole)
    command(*_typed("clean", earlier), stdin=f"{earlier.plan.code}\n")
    if (now := _setting(_CACHE, stand.disk(1).name)) != before:
        raise AssertionError(f"after clean the write cache is {now}, it was {before}")
    yield attempt


def _typed(way: str, attempt: Attempt) -> tuple[str, ...]:
    named = [word for member in attempt.plan.members for word in ("--erase", member.id)]
    confirmed = ("--confirm", attempt.plan.code, *named) if way == "resume" else ()
    return raidtui(way, attempt.path.name, *confirmed)


@contextmanager
def _kept(stand: Stand, state: str, plan: Plan) -> Iterator[Path]:
    """A newer run of the same answers whose array was kept and carries somebody's file; its folder is elsewhere."""
    newer = stand.start(plan)
    if not newer.end().kept:
        raise AssertionError(f"no array was kept: {newer.state.outcome} {newer.state.reason}")
    (array,) = Path("/sys/block").glob("md*")
    node = f"/dev/{array.name}"
    command("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", node)
    _ASIDE.mkdir(exist_ok=True)
    with mounted(node, _THEIRS):
        (_THEIRS / "file").write_bytes(b"theirs\n" * (1 << 17))
    newer.path.rename(aside := _ASIDE / newer.path.name)
    try:
        if state == "mounted":
            command("mount", "-o", "ro", node, str(_THEIRS))
        else:
            command("mdadm", "--stop" if state == "stopped" else "--readonly", node)
        settle()
        command("sync")
        yield aside
        if state == "stopped":
            command("mdadm", "--assemble", "--readonly", node, *stand.nodes()[:3])
        if state != "mounted":
            command("mount", "-o", "ro", node, str(_THEIRS))
        Path("/proc/sys/vm/drop_caches").write_text("3")
        if (_THEIRS / "file").read_bytes() != b"theirs\n" * (1 << 17):
            stand.lost.append("the kept array's file was changed")
    finally:
        command("umount", str(_THEIRS), ok=False)
        stand.reset()


# How the older run ended, and when: of one that was killed somebody else took apart what it had built.
_ENDS = {"stopped": ("bare disk", signal.SIGTERM), "interrupted": ("measuring", signal.SIGKILL)}


@contextmanager
def outlived(way: str, end: str, state: str, copied: bool, stand: Stand) -> Iterator[Answer]:
    """`way` is asked of the older run while the newer one's array is `state`.

    `copied`: the older folder has the newer one's UUIDs, as where somebody put a copy in its place.
    """
    moment, number = _ENDS[end]
    baseline: Baseline = "first-member" if moment == "bare disk" else "none"
    older = stand.begin(moment, stand.plan("5", baseline=baseline, seconds=5))
    older.signal(number)
    older.end()
    stand.reset()
    plan = stand.plan("5", jobs=("write",))
    answers = replace(plan.answers, after="keep")
    plan = replace(plan, answers=answers)
    plan = replace(plan, code=plans.confirmation_code(plan))
    with _kept(stand, state, plan) as newer, ExitStack() as guards:
        if copied:
            uuids = directory.read_plan(newer).uuids
            file = older.path / directory.PLAN
            file.write_bytes(plans.encode(replace(directory.read_plan(older.path), uuids=uuids)))
        for index in range(3):
            guards.enter_context(stand.guarding(stand.disk(index)))
        argv = raidtui(way, older.path.name) if copied else _typed(way, older)
        typed = "" if copied else f"{older.plan.code}\n"
        done = subprocess.run(argv, input=typed, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            raise AssertionError(f"{way} ended with 0: {done.stdout[-300:]}{done.stderr}")
        answer = Answer(done.stderr.strip().splitlines()[-1], done.returncode)
    yield answer


_CHANGED = "a run was killed with {} changed"
_NEXT = "the next run on that disk"

_LEFT_ALONE = {"stopped": "must not be touched", "interrupted": "it is left alone"}
_OUTLIVED = (
    ("resume", "stopped", "stopped", False),
    ("resume", "stopped", "running", False),
    ("resume", "interrupted", "mounted", False),
    ("resume", "interrupted", "stopped", False),
    ("clean", "interrupted", "running", False),
    ("clean", "interrupted", "stopped", False),
    ("resume", "interrupted", "stopped", True),
    ("clean", "interrupted", "running", True),
)

ROWS = (
    Row(
        name="settings-left-cache",
        fault=_CHANGED.format("the write cache"),
        when=_NEXT,
        outcome="finished",
        says=("restored first", "cache_type to write back"),
        act=partial(settings_left, _CACHE, _OFF, (0, 1, 2)),
    ),
    Row(
        name="settings-left-scheduler",
        fault=_CHANGED.format("the I/O scheduler"),
        when=f"{_NEXT}, which has a disk of its own too",
        outcome="finished",
        says=("restored first", "queue/scheduler to"),
        act=partial(settings_left, _SCHEDULER, "none", (1, 2, 3)),
    ),
    Row(
        name="settings-left-stuck",
        fault=_CHANGED.format("the write cache") + ", its plan is unreadable",
        when=_NEXT,
        outcome="failed",
        says=("was interrupted", "cannot be restored", "raidtui clean"),
        act=settings_stuck,
    ),
    *(
        Row(
            name=f"outlived-{way}-{end.replace(' ', '-')}-{state}{'-copied' * copied}",
            fault=f"`{way}` of a run ({end}), whose disks a newer, kept array has"
            + ", a copy of the newer folder in its place" * copied,
            when=f"the array is {state}, its folder is gone",
            outcome="refused",
            says=("nothing was done" if copied else _LEFT_ALONE[end],),
            act=partial(outlived, way, end, state, copied),
        )
        for way, end, state, copied in _OUTLIVED
    ),
)
