"""From answers to a plan on this machine.

Disk speeds from this machine's runs, newest first, for estimates.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from raidtui import recipes
from raidtui.core import document
from raidtui.core.boot import entries
from raidtui.core.boot.distributions import SENDMAIL, BootPlace
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.job import USUAL_REQUESTS
from raidtui.core.plan import answers as answering
from raidtui.core.plan import slots, target_plan
from raidtui.core.plan.answers import Answers, AnswersError, PlanRefused
from raidtui.core.plan.kept import permanence
from raidtui.core.plan.model import ASSUMED_COMMAND_S, Plan
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import SMARTCTL, Command
from raidtui.core.plan.sweep import MD_LINEAR
from raidtui.core.raid import filesystems, zfs
from raidtui.core.raid.block_size import MD_BLOCK_SIZE, is_written_by
from raidtui.core.raid.filesystems import XFS_RMAPBT
from raidtui.core.raid.layers import LAYERS
from raidtui.core.results.disk_speeds import MeasuredSpeed, measured_speeds
from raidtui.core.units import GIB
from raidtui.runs import directory
from raidtui.runs.locks import machine_here
from raidtui.runs.proof import witness
from raidtui.runs.status import disks_elsewhere
from raidtui.system import existing, md, versions
from raidtui.system.arrays import boot_files, mount_root, pool_units
from raidtui.system.programs import which


def read_answers(path: Path) -> Answers:
    """From TOML; AnswersError with one sentence if missing or invalid."""
    try:
        return answering.parse(document.read(path.read_bytes()), str(path))
    except OSError as error:
        raise AnswersError(f"{path}: {error.strerror}; name a file that the wizard wrote, or write one") from error
    except document.NotToml as error:
        raise AnswersError(f"{path}: not TOML: {error}") from error


def plan_for(answers: Answers, machine: Machine) -> Plan:
    """PlanRefused if impossible. A `target` requires `machine` to be this one."""
    if answers.target:
        if machine.origin != "live" or machine.host != os.uname().nodename:
            raise AnswersError("`target` is measured on this machine: leave --machine out, or name `disks`")
        lookup = existing.look(answers.target, machine)
        identity = machine.machine_id or machine.host
        recipe = recipes.load(answers.recipe)
        return _read_by_fio(target_plan.make(answers, recipe, lookup, identity, _memory_bytes(), _command_s()))
    return plan_on(answers, disks_of(machine), machine.machine_id or machine.host)


def plan_on(answers: Answers, disks: Sequence[Disk], machine_id: str) -> Plan:
    """For disks already read; programs and memory of this machine."""
    if answers.pool_name and answers.pool_name in pool_units.imported():
        raise PlanRefused(f"there is a pool {answers.pool_name} here already; choose another name", "pool_name")
    if answers.proof.witness and (reason := witness.why_not(answers.proof.witness)):
        raise PlanRefused(reason, "proof.witness")
    if answers.luks_header_backup and (reason := _why_no_new_file(Path(answers.luks_header_backup))):
        raise PlanRefused(reason, "luks_header_backup")
    for field, reason in why_not_here(answers).items():
        raise PlanRefused(reason, field, _WHERE.get(field))
    plan = make(
        answers,
        recipes.load(answers.recipe),
        disks,
        machine_id,
        mdadm=versions.mdadm(),
        programs=installed(),
        memory_bytes=_memory_bytes(),
        aio_requests=_aio_requests(),
        command_s=_command_s(),
        place=_place(answers),
    )
    return _read_by_fio(plan)


_WHERE = {
    "mount_owner": "the folder's owner (mount_owner)",
    "mount_point": "the folder to mount at (mount_point)",
}


def why_not_here(answers: Answers) -> dict[str, str]:
    """Field of a name, owner or folder that this machine cannot give -> why, half a sentence."""
    reasons = {}
    if answers.array_name and md.named(answers.array_name):
        reasons["array_name"] = f"there is an array {answers.array_name} here already; choose another name"
    if not answers.permanent:
        return reasons
    if answers.mount_owner:
        try:
            mount_root.ids_of(answers.mount_owner)
        except mount_root.NoSuchOwner as error:
            reasons["mount_owner"] = f"{error}; write another, or a number"
    if answering.is_mounted(answers.setup) and (reason := boot_files.why_not_mountable(permanence.folder_of(answers))):
        reasons["mount_point"] = reason
    return reasons


def free_name() -> str:
    """The usual name of an array, or with a number behind it: one that none has here, nor the folder of it."""
    names = (entries.NAME, *(f"{entries.NAME}{number}" for number in range(2, 100)))
    return next(
        (
            name
            for name in names
            if not (md.named(name) or boot_files.why_not_mountable(f"{entries.MOUNTED_BELOW}/{name}"))
        ),
        entries.NAME,
    )


def _why_no_new_file(path: Path) -> str:
    if os.path.lexists(path):
        return f"{path} exists already and is left as it is; choose another file"
    return "" if path.parent.is_dir() else f"there is no folder {path.parent}; make it, or choose another"


def _read_by_fio(plan: Plan) -> Plan:
    """PlanRefused if this fio rejects its options, unless only a shipped recipe's."""
    answers = plan.answers
    if not (answers.fio or answers.job or recipes.is_own(answers.recipe)):
        return plan
    jobs = {trial.id: trial.recipe_job for trial in plan.trials}
    commands = {
        jobs[step.trial]: step.argv
        for stage in plan.stages
        for step in stage.steps
        if isinstance(step, Command) and step.trial
    }
    for job, argv in commands.items():
        drawn = tuple(slots.substitute(word, lambda kind, number: "0" * 8) for word in argv)
        if reason := versions.why_fio_refuses(drawn):
            raise PlanRefused(f"fio does not take its options: {reason}", f"job.{job}")
    return plan


def _place(answers: Answers) -> BootPlace | None:
    if not answers.permanent:
        return None
    place = boot_files.place_here()
    if place and pool_units.is_loaded():  # the level may be one of the axes, of the answers or of the recipe
        place = msgspec.structs.replace(
            place, pool_units_off=pool_units.units_off(), pools_by_scan=pool_units.why_by_scan()
        )
    return place


def installed() -> frozenset[str]:
    """Programs a plan may need; `md-linear`, `md-block-size` if the kernel has or writes it; ZFS' module; `xfs-rmapbt`
    if mkfs.xfs' default.
    """
    betweens = (row.program for row in LAYERS.values())
    wanted = (
        SMARTCTL,
        SENDMAIL,
        *zfs.PROGRAMS,
        *betweens,
        *(row.program for row in filesystems.FILE_SYSTEMS if row.program),
    )
    modules = [MD_LINEAR] if md.has_linear() else []
    modules += [zfs.MODULE] if pool_units.is_loaded() else []
    modules += [MD_BLOCK_SIZE] if is_written_by(os.uname().release) else []
    modules += [XFS_RMAPBT] if versions.has_rmapbt() else []
    return frozenset([*(name for name in wanted if which(name)), *modules])


def plan_here(answers: Answers) -> Plan:
    return plan_for(answers, machine_here())


def _command_s() -> float:
    return versions.command_s() or ASSUMED_COMMAND_S


def _memory_bytes() -> int:
    """In whole GiB: the kernel's share differs per boot, a plan's code must not."""
    return int(round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB) * GIB)


def _aio_requests() -> int:
    """Of all programs together."""
    try:
        return int(Path("/proc/sys/fs/aio-max-nr").read_text())
    except (OSError, ValueError):
        return USUAL_REQUESTS


HELD_TO = "RAIDTUI_PRACTICE_HELD_TO"  # in the environment: bytes/s and IOPS that each practice disk is held to
_MOST_RUNS = 5  # that are read, of those that these disks were in: a journal may be long


def known_speeds(disks: Sequence[Disk], root: Path) -> dict[str, MeasuredSpeed]:
    """By identity, from the newest run with it, per direction. Unmeasured practice disks: their throttle."""
    unknown, read = {disk.id for disk in disks}, 0
    known = dict.fromkeys(unknown, MeasuredSpeed())
    for path in reversed(directory.list_runs(root)):
        if not unknown or read == _MOST_RUNS:
            break
        try:
            plan = directory.read_plan(path)
            if plan.care or unknown.isdisjoint(member.id for member in plan.members):
                continue
            read += 1
            state = directory.read_state(path)
        except (ValueError, OSError):
            continue
        if not disks_elsewhere(path, state):
            for identity, speed in measured_speeds(plan, state).items():
                if identity in unknown:
                    known[identity] = _filled(known[identity], speed)
            unknown = {identity for identity in unknown if not (known[identity].bytes_per_s and known[identity].iops)}
    if held := _held_to():
        known |= {identity: _filled(known[identity], held) for identity in unknown}
    return {identity: speed for identity, speed in known.items() if speed != MeasuredSpeed()}


def _filled(speed: MeasuredSpeed, older: MeasuredSpeed) -> MeasuredSpeed:
    return MeasuredSpeed(speed.bytes_per_s or older.bytes_per_s, speed.iops or older.iops, held=older.held)


def _held_to() -> MeasuredSpeed | None:
    words = os.environ.get(HELD_TO, "").split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    bytes_per_s, iops = map(float, words)
    return MeasuredSpeed(bytes_per_s, iops, held=True)
