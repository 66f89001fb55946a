"""Selection of a plan's disks, persistent names for them, and how long jobs last on them."""

import re
from collections.abc import Sequence

from raidtui.core.disks.buses import dealt, most_behind, title
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.selection import DiskRule, NotSelected, select
from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import Job
from raidtui.core.plan.answers import Answers, Axes, PlanNotSafe, PlanRefused, Setup
from raidtui.core.plan.model import Member
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.sweep import Taken, taken
from raidtui.core.text import brief


def chosen_disks(disks_asked_for: Sequence[str] | DiskRule, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """By identity, or by a serial that is unique, in this order; or by rule. PlanNotSafe if one is missing, must not be
    used, is named twice, or a rule is ambiguous.
    """
    if isinstance(disks_asked_for, DiskRule):
        try:
            return select(disks_asked_for, disks)
        except NotSelected as error:
            raise PlanNotSafe(str(error), "disks") from error
    chosen: list[Disk] = []
    for identity in disks_asked_for:
        disk = _named(identity, disks)
        if disk.id in {disk.id for disk in chosen}:
            raise PlanNotSafe(f"`disks` names {disk.name} ({disk.title}) twice: leave {brief(identity)} out")
        if disk.verdict.standing is Usability.REFUSE:
            remedy = f"; {disk.verdict.remedy}" if disk.verdict.remedy else ""
            raise PlanNotSafe(f"{disk.name} ({disk.title}) cannot be used: {disk.verdict.reason}{remedy}")
        chosen.append(disk)
    return tuple(chosen)


def in_groups(answers: Answers, sweeps: Sequence[Axes], disks: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """The disks in the order of the groups, where these are spread over links, whatever the order was before.
    PlanRefused if that cannot be told.
    """
    setup = answers.setup
    if setup.groups_by != "links":
        return disks
    own = answers.axes if isinstance(answers.axes, tuple) else (answers.axes,)
    if any(axes.groups for axes in own) or any(axes.disks for axes in (*own, *sweeps)):
        raise PlanRefused("each number of groups or disks would have an order of its own; name one", "setup.groups_by")
    count = setup.disks or len(disks) - setup.journals - max(0, setup.spares)
    of_groups = sorted(disks[:count], key=lambda disk: disk.id)
    if unknown := next((disk for disk in of_groups if not disk.buses), None):
        remedy = "give the disks in the order of the groups, and leave it out"
        raise PlanRefused(f"no link of {unknown.name} ({unknown.title}) is known; {remedy}", "setup.groups_by")
    order = dealt([disk.buses for disk in of_groups], max(1, setup.groups))
    return (*(of_groups[index] for index in order), *disks[count:])


def spread_note(cell: ParsedSetup, members: Sequence[Member]) -> str:
    """How many of a group go with one link; "" where they are not spread."""
    if cell.setup.groups_by != "links":
        return ""
    starts = range(0, cell.disks, cell.group_disks)
    most, bus = most_behind([[one.buses for one in members[at : at + cell.group_disks]] for at in starts])
    behind = f"at most {most} of a group {'is' if most == 1 else 'are'} behind one link"
    return f"Groups are spread over links: {behind}, as {title(bus)}; any {cell.capacity.survives} of each may fail."


def _named(name: str, disks: Sequence[Disk]) -> Disk:
    """By identity or serial. PlanNotSafe if unknown, or a kernel name."""
    by_id = {disk.id: disk for disk in disks}
    same_serial = [disk for disk in disks if disk.serial and disk.serial == name]
    if name in by_id or len(same_serial) == 1:
        return by_id[name] if name in by_id else same_serial[0]
    if same_serial:
        ids = ", ".join(disk.id for disk in same_serial)
        raise PlanNotSafe(
            f"{len(same_serial)} disks have the serial number {brief(name)}: write the identity, one of {ids}"
        )
    if disk_now := next((disk for disk in disks if name in (disk.name, disk.path, *disk.links, *disk.nodes)), None):
        raise PlanNotSafe(
            f"{brief(name)} is a name, and names change: write {disk_now.id}, the disk {disk_now.title} which has it"
            " now"
        )
    raise PlanNotSafe(f"no disk {brief(name)} on this machine; `raidtui disks` lists those that are here")


def member_of(disk: Disk) -> Member:
    return Member(
        id=disk.id,
        size_bytes=disk.size_bytes,
        name=disk.name,
        model=disk.model,
        serial=disk.serial,
        slot=disk.slot,
        link=_link(disk),
        found=disk.found,
        warning=disk.verdict.reason,
        volume=disk.volume,
        partitions=tuple(_partition_number(name) for name in disk.partitions),
        rotational=disk.rotational,
        diskseq=disk.diskseq,
        firmware=disk.firmware,
        buses=disk.buses,
        contents=disk.contents,
        erc=disk.erc,
    )


def _link(disk: Disk) -> str:
    """The udev link that ends in its identity, else one of the same kind: a doubled WWN would mislead.
    `nvme-MODEL_SERIAL` is any namespace's of its controller. None where the identity is a place or a name.
    """
    wanted_ids = {
        "wwn": ("wwn-", "nvme-eui.", "nvme-uuid.", "nvme-nvme.", "nvme-"),
        "serial": ("ata-", "scsi-", "nvme-", "usb-", "virtio-", "mmc-"),
    }
    kind, _, identity = disk.id.partition("-")
    starts = tuple(f"/dev/disk/by-id/{start}" for start in wanted_ids.get(kind, ()))
    links = [
        (not link.endswith(f"-{identity}"), index, link)
        for index, start in enumerate(starts)
        for link in disk.links
        if link.startswith(start)
    ]
    return min(links, default=(True, 0, ""))[2]


def _partition_number(name: str) -> int:
    if number := re.search(r"(?<![0-9])[0-9]{1,9}$", name):
        return int(number[0])
    raise PlanNotSafe(f"{name} is a partition without a number, so that it cannot be wiped; look at it with `lsblk`")


def journal_of(setup: Setup, chosen: Sequence[Taken]) -> Sequence[Taken]:
    """The item of its journal: the first behind the array's own; empty if none."""
    first = len(taken(setup, chosen))
    return chosen[first : first + setup.journals]


def spares_of(setup: Setup, chosen: Sequence[Taken]) -> Sequence[Taken]:
    first = len(taken(setup, chosen)) + setup.journals
    return chosen[first : first + setup.spares]


def write_mostly_of(setup: Setup, chosen: Sequence[Taken]) -> Sequence[Taken]:
    own = taken(setup, chosen)
    return own[len(own) - setup.write_mostly :]


def until_level(jobs: Sequence[Job], members: Sequence[Member], answers: Answers) -> tuple[Job, ...]:
    """`fio_job.until_level` on rotating disks that are no emulation's. An ablation compares tests of one length."""
    flash = all(member.rotational is False for member in members)  # also where no disk is known
    if flash or answers.explain or any(member.emulator for member in members):
        return tuple(jobs)
    return tuple(fio_job.until_level(job) for job in jobs)
