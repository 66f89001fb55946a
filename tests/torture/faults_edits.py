"""A plan.json that is not the one that was confirmed: nothing of it may be carried out, in no way and by nobody."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from raidtui.core.plan import model as plans
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Check, Command, Step, Write, role_of, undo_of
from raidtui.runs import directory, launch
from raidtui.system import block
from tests.torture.attempt import Answer, Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, raidtui

Edit = Callable[[Stand, Plan], Plan]


def _another_disk(stand: Stand, plan: Plan) -> Plan:
    """Its second member is a disk that is none of its business."""
    disk = stand.disk_of(stand.bystanders[1])
    first, second, *others = plan.members
    theirs = replace(
        second, id=disk.id, serial=disk.serial, model=disk.model, size_bytes=disk.size_bytes, found=disk.found
    )
    return replace(plan, members=(first, theirs, *others))


def _another_node(stand: Stand, plan: Plan) -> Plan:
    """Its commands are told somebody's disk by its node."""
    return _reworded(plan, stand.disk_of(stand.bystanders[1]).path)


def _another_member(_: Stand, plan: Plan) -> Plan:
    """What was to be done to its second member is done to the first."""
    return _reworded(plan, "{member:0}")


def _reworded(plan: Plan, word: str) -> Plan:
    def edited(step: Step) -> Step:
        if not isinstance(step, Command) or step.members != (1,):
            return step
        argv = tuple(each.replace("{member:1}", word) for each in step.argv)
        return replace(step, argv=argv, members=(0,) if word == "{member:0}" else ())

    def with_undo(step: Step) -> Step:
        undone = (*map(edited, step.undo),) if isinstance(step, Command) else ()
        return replace(edited(step), undo=undone) if isinstance(step, Command) else step

    stages = tuple(replace(stage, steps=tuple(map(with_undo, stage.steps))) for stage in plan.stages)
    return replace(plan, stages=stages)


def _another_schema(_: Stand, plan: Plan) -> Plan:
    return replace(plan, schema=plan.schema + 1)


# What is edited -> in words, how, what is said of it.
_EDITS: dict[str, tuple[str, Edit, str]] = {
    "disk": ("another disk for a member", _another_disk, "its code does not fit"),
    "member": ("another member in a command and its undo", _another_member, "its code does not fit"),
    "node": ("somebody's disk in a command and its undo", _another_node, "disks are members by their number"),
    "schema": ("another version's schema", _another_schema, "another version made the plan"),
}


def _at_rest() -> None:
    """Until the killed run's array has nothing more to note in its superblocks."""
    (array,) = Path("/sys/block").glob("md*")
    while block.text(array / "md/array_state") not in ("clean", "readonly"):
        time.sleep(0.1)
    command("mdadm", "--readonly", f"/dev/{array.name}")
    command("sync")


def _asked(way: str, attempt: Attempt) -> subprocess.CompletedProcess[str]:
    """`way` with all that it asks for: the code that stands in the edited plan, every disk named."""
    code = attempt.plan.code
    named = [word for disk in attempt.plan.members for word in ("--erase", disk.id)]
    argv = {
        "resume": raidtui("resume", attempt.path.name, "--confirm", code, *named),
        "clean": raidtui("clean", attempt.path.name),
        "keep": (sys.executable, "-P", "-m", "raidtui.runs.worker", "--keep", str(attempt.path), code),
    }[way]
    return subprocess.run(argv, input=f"{code}\n", capture_output=True, text=True, check=False)


@contextmanager
def edited(edit: Edit, way: str, stand: Stand) -> Iterator[Answer]:
    """The worker was killed and its array stands; then somebody edits the plan, and asks for `way`."""
    attempt = stand.begin("measuring", stand.plan("5", seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    _at_rest()
    file, journal = attempt.path / directory.PLAN, attempt.path / directory.JOURNAL
    whole, told = file.read_bytes(), journal.read_bytes()
    file.write_bytes(plans.encode(edit(stand, directory.read_plan(attempt.path))))
    try:
        with ExitStack() as guards:
            for index in range(3):
                guards.enter_context(stand.guarding(stand.disk(index)))
            done = _asked(way, attempt)
        said = done.stderr.strip().splitlines()
        if done.returncode == 0 or "Traceback" in done.stderr:
            raise AssertionError(f"{way} ended with {done.returncode}: {done.stdout[-300:]}{done.stderr}")
        if journal.read_bytes() != told:
            raise AssertionError(f"{way} was begun: {journal.read_bytes()[len(told) :][:300]!r}")
    finally:
        file.write_bytes(whole)
        launch.clean(attempt.path)
    yield Answer(said[-1], done.returncode)


_EVIL = Path("/run/edited")  # a file that each edited step would make, if it were carried out


def _edits_of(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The plan with one step of each kind edited, its undo too, and a code that fits that."""

    def evil(step: Step) -> Step:
        match step:
            case Command(role="fill" | "measure"):
                return replace(step, argv=(*step.argv, f"--exec_prerun=touch {_EVIL}"))
            case Command():
                return replace(step, argv=("sh", "-c", f"touch {_EVIL}"), members=())
            case Write():
                return replace(step, path="/proc/sys/kernel/core_pattern", value=f"|/bin/touch {_EVIL}")
            case Check():
                return replace(step, where=str(_EVIL))
        return step

    def edited(step: Step, role: str) -> Step:
        if role_of(step) == role:
            return evil(step)
        if isinstance(step, Command):
            return replace(step, undo=tuple(edited(inner, role) for inner in step.undo))
        return step

    steps = [step for stage in plan.stages for one in stage.steps for step in (one, *undo_of(one))]
    for role in dict.fromkeys(role_of(step) for step in steps if isinstance(step, Command | Write | Check)):
        stages = tuple(replace(stage, steps=tuple(edited(step, role) for step in stage.steps)) for stage in plan.stages)
        made = replace(plan, stages=stages)
        yield role, replace(made, code=plans.confirmation_code(made))


@contextmanager
def each_kind_edited(stand: Stand) -> Iterator[Answer]:
    """The worker was killed; then each kind of step is edited in turn, with a code that fits, and `clean` asked for."""
    attempt = stand.begin("measuring", stand.plan("5", "ext4", seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    file, journal = attempt.path / directory.PLAN, attempt.path / directory.JOURNAL
    whole, told = file.read_bytes(), journal.read_bytes()
    said = ""
    try:
        for role, plan in _edits_of(directory.read_plan(attempt.path)):
            file.write_bytes(plans.encode(plan))
            argv = raidtui("clean", attempt.path.name)
            done = subprocess.run(argv, input=f"{plan.code}\n", capture_output=True, text=True, check=False)
            said = done.stderr.strip()
            if done.returncode == 0 or "not a plan: " not in said or "Traceback" in said:
                raise AssertionError(f"{role}: clean ended with {done.returncode}: {done.stdout[-300:]}{said}")
            if _EVIL.exists() or journal.read_bytes() != told:
                raise AssertionError(f"{role}: the edited step was carried out")
    finally:
        file.write_bytes(whole)
        launch.clean(attempt.path)
    yield Answer(said.splitlines()[-1], 2)


ROWS = (
    Row(
        name="edited-each-kind-clean",
        fault="the plan of a killed run is edited in each kind of step in turn, with a code that fits; then `clean`",
        when="measuring",
        outcome="refused",
        says=("not a plan", "is refused"),
        act=each_kind_edited,
    ),
    *(
        Row(
            name=f"edited-{name}-{way}",
            fault=f"the plan of a killed run is edited: {fault}; then `{way}`",
            when="measuring",
            outcome="refused",
            says=(says,),
            act=partial(edited, edit, way),
        )
        for name, (fault, edit, says) in _EDITS.items()
        for way in ("resume", "clean", "keep")
        if name in ("disk", "member") or way == "clean"
    ),
)
