"""What to build of some disks for a purpose: those of this machine, of a recorded one, or described by their sizes."""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.machine import machine_of
from raidtui.cli.output import Json, print_json

if TYPE_CHECKING:
    from raidtui.core.advice.preview import PreviewSpeed
    from raidtui.core.disks.disk import Disk


def advise(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="DISK", help="By name, path, identity or serial. Without: all that are free."),
    ] = None,
    use: Annotated[
        str, typer.Option("--for", help="backup media files vms databases scratch", autocompletion=completion.uses)
    ] = "",
    survive: Annotated[int | None, typer.Option(help="Failed disks to survive; scratch 0, else 1.")] = None,
    disk: Annotated[list[str] | None, typer.Option(help="Disks that are not here: SIZE or SIZExN.")] = None,
    flash: Annotated[bool, typer.Option(help="With --disk: disks without seeks.")] = False,
    disk_speed: Annotated[str, typer.Option(help="MB/s that one disk is known to do, as 250MB/s.")] = "",
    disk_iops: Annotated[float, typer.Option(help="IOPS that one disk is known to do, 4K at random.")] = 0.0,
    machine: Annotated[Path | None, typer.Option(help="Disks of a recorded machine: what `disks` reads.")] = None,
    json: Json = False,
) -> None:
    """Which level, layout, chunk and file system for a purpose, why, and what the second best would give."""
    from raidtui.core.advice import proposals, wording
    from raidtui.core.plan.summary import imagined
    from raidtui.core.raid.purposes import Workload
    from raidtui.core.raid.space import story, story_lines
    from raidtui.core.units import parse_disks

    if use not in list(Workload):
        workloads = ", ".join(Workload)
        raise ValueError(f"--for {use}".rstrip() + f": say what the array is for, one of {workloads}.")
    if disk and names:
        raise ValueError("Name disks that are here, or describe others with --disk; not both.")
    if disk:
        members = imagined([size for text in disk for size in parse_disks(text)], flash)
    else:
        members = _members(names or [], machine)
    speed = _speed(members, disk_speed, disk_iops)
    wish = Workload(use)
    survived = proposals.USUALLY_SURVIVED[wish] if survive is None else survive
    advice = proposals.advise(proposals.Wish(wish, survived), members, speed)
    if json:
        from raidtui.core.documents.model import advice_document

        print_json("advice", advice_document(advice))
        return
    best, sizes = advice.best, [member.size_bytes for member in members]
    separate = best.preview.key == "jbod"
    lines = [f"Proposed: {wording.heading(best)}", *wording.sentences(advice), wording.second_best(advice)]
    print("\n".join(line for text in lines if text for line in textwrap.wrap(text, 79)))
    account = story(sizes, best.capacity, best.filesystem, separate, level_key=best.preview.key)
    print("\n".join(("", *story_lines(account))))


def _members(names: list[str], machine: Path | None) -> "tuple[Disk, ...]":
    """The disks of a machine by what a person calls them; without names all that are free and hold nothing."""
    from raidtui.core.disks.disk import Usability
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.text import brief

    disks = disks_of(machine_of(machine))
    if not names:
        return tuple(disk for disk in disks if disk.verdict.standing is Usability.OK)
    members = []
    for name in names:
        fitting = [disk for disk in disks if name in (disk.name, disk.path, disk.id, disk.serial)]
        if len(fitting) != 1:
            names_here = ", ".join(disk.name for disk in disks) or "none"
            raise ValueError(
                f"{brief(repr(name))} is {'no disk' if not fitting else 'several disks'} here: {names_here}."
            )
        members += fitting
    refused = next((disk for disk in members if disk.verdict.standing is Usability.REFUSE), None)
    if refused:
        raise ValueError(f"{refused.name} cannot be a member: {refused.verdict.reason}; {refused.verdict.remedy}.")
    if len(set(members)) < len(members):
        raise ValueError("A disk is named more than once.")
    return tuple(members)


def _speed(members: "Sequence[Disk]", disk_speed: str, disk_iops: float) -> "PreviewSpeed | None":
    """What one disk is known to do; what is not known of it stays assumed. None where nothing is known."""
    from raidtui.core.advice.preview import PreviewSpeed, assumed
    from raidtui.core.units import parse_bytes_per_s

    if not disk_speed and not disk_iops:
        return None
    usual = assumed(members)
    pace = float(parse_bytes_per_s(disk_speed)) if disk_speed else usual.bytes_per_s
    if pace <= 0 or disk_iops < 0:
        raise ValueError("A disk's MB/s and IOPS are more than 0: give what one disk does alone.")
    return PreviewSpeed(pace, disk_iops or usual.iops, "" if disk_speed else usual.kind)
