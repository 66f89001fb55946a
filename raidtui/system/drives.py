"""Drives with health and judgement, also behind MegaRAID."""

from collections.abc import Collection, Sequence

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.hardware.drive import Drive, DriveContext, judge
from raidtui.system import health
from raidtui.system.discovery import read_machine
from raidtui.system.health import DriveAnswer
from raidtui.system.privilege import is_root
from raidtui.system.programs import which

_WITH_HEALTH = ("sd", "nvme", "hd")


class NoSuchDrive(ValueError):
    pass


def examined(names: Collection[str]) -> tuple[list[Drive], str]:
    """Named drives (none: all); why none answered, or ""."""
    if which("smartctl") is None:
        return [], health.why_nothing()
    if not is_root():
        return [], "smartctl answers root alone: use sudo"
    machine = read_machine()
    disks_here = [disk for disk in disks_of(machine) if disk.name.startswith(_WITH_HEALTH)]
    by_path = health.whole({disk.path: disk.transport for disk in disks_here})
    drives = judged(machine, disks_here, [by_path[disk.path] for disk in disks_here], health.behind_controllers())
    return chosen(drives, names), "" if drives else "no disk here is of a kind that tells its health"


def judged(
    machine: Machine,
    disks: Sequence[Disk],
    own_answers: Sequence[DriveAnswer],
    behind_controllers: Sequence[DriveAnswer],
) -> list[Drive]:
    """`disks`, then drives behind controllers, each compared with its model."""
    batch = tuple(drive_answer.health for drive_answer in (*own_answers, *behind_controllers))
    drives = []
    for disk, drive_answer in zip(disks, own_answers, strict=True):
        device = machine.device(disk.name)
        around = DriveContext(
            zoned=device.attributes.get("queue/zoned", "") if device else "",
            batch=batch,
            links=tuple(bus for bus in disk.buses if bus.kind == "pcie")[:1] if disk.name.startswith("nvme") else (),
            is_free=disk.verdict.standing is not Usability.REFUSE,
        )
        title = f"{disk.name}  {disk.title}"
        judgement = judge(drive_answer.health, around)
        drives.append(
            Drive(
                name=disk.name,
                title=title,
                id=disk.id,
                health=drive_answer.health,
                judgement=judgement,
                why_not=drive_answer.why_not,
            )
        )
    for drive_answer in behind_controllers:
        label = f"{drive_answer.health.model} {drive_answer.health.serial}"
        title = f"{drive_answer.device_type} at {drive_answer.path}  {label}".rstrip()
        judgement = judge(drive_answer.health, DriveContext(batch=batch))
        drives.append(
            Drive(
                name=drive_answer.device_type,
                title=title,
                health=drive_answer.health,
                judgement=judgement,
                why_not=drive_answer.why_not,
            )
        )
    return drives


def chosen(drives: Sequence[Drive], names: Collection[str]) -> list[Drive]:
    """By name, path, identity or serial; NoSuchDrive if unknown."""
    marks = {drive.name: {drive.name, f"/dev/{drive.name}", drive.id, drive.health.serial} - {""} for drive in drives}
    for name in names:
        if not any(name in names_known for names_known in marks.values()):
            drives_here = ", ".join(marks) or "none"
            raise NoSuchDrive(f"no disk named {name!r} with SMART; available: {drives_here}")
    return [drive for drive in drives if not names or any(name in marks[drive.name] for name in names)]
