"""What an array holds and what it should do, by arithmetic: no disk is needed."""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.machine import machine_of
from raidtui.cli.output import Json, print_json

if TYPE_CHECKING:
    from raidtui.core.advice.outlook import OutlookSpeed
    from raidtui.core.disks.disk import Disk
    from raidtui.core.raid.depth_curve import DiskCurves


def _level(text: str) -> str:
    """A level as people write it, too: RAID 5, raid10."""
    return text.lower().removeprefix("raid").strip(" -")


Level = Annotated[
    str,
    typer.Argument(help="0 1 4 5 6 10 linear jbod", callback=_level, autocompletion=completion.levels),
]
Layout = Annotated[str, typer.Option(help="RAID 10: n2 n3 o2 f2.", autocompletion=completion.layouts)]
_UNITS = {"mbps": "MB/s", "iops": "IOPS"}


def capacity(
    level: Level,
    disk: Annotated[list[str], typer.Option(help="SIZE or SIZExN, as 1.2TB or 931GiBx4; may be given often.")],
    chunk: Annotated[str, typer.Option(help="Chunk, as 512K.")] = "",
    layout: Layout = "",
    filesystem: Annotated[
        str, typer.Option(help="What `df` will say.", autocompletion=completion.filesystems)
    ] = "none",
    mdadm: Annotated[str, typer.Option(help="The mdadm that will create it.")] = "4.2",
    json: Json = False,
) -> None:
    """What an array holds, to the byte, and where the rest goes. Needs no disk."""
    from raidtui.core.raid import capacity as capacities
    from raidtui.core.raid.space import story, told
    from raidtui.core.units import parse_bytes, parse_disks

    sizes = [size for text in disk for size in parse_disks(text)]
    found = capacities.capacity(level, sizes, parse_bytes(chunk) if chunk else None, layout or None, mdadm)
    if json:
        print_json(found)
        return
    print("\n".join(told(story(sizes, found, filesystem, separate=level == "jbod"))))
    print(f"survives  {found.survives} failed disk{'' if found.survives == 1 else 's'}")


def advise(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="DISK", help="By name, path, identity or serial. Without: all that are free."),
    ] = None,
    use: Annotated[
        str, typer.Option("--for", help="backup media vms databases scratch", autocompletion=completion.uses)
    ] = "",
    survive: Annotated[int, typer.Option(help="Failed disks that it must survive, whichever they are.")] = 1,
    disk: Annotated[list[str] | None, typer.Option(help="Disks that are not here: SIZE or SIZExN.")] = None,
    flash: Annotated[bool, typer.Option(help="With --disk: disks without seeks.")] = False,
    disk_speed: Annotated[str, typer.Option(help="MB/s that one disk is known to do, as 250MB/s.")] = "",
    disk_iops: Annotated[float, typer.Option(help="IOPS that one disk is known to do, 4K at random.")] = 0.0,
    machine: Annotated[Path | None, typer.Option(help="Disks of a recorded machine: what `disks` reads.")] = None,
    json: Json = False,
) -> None:
    """Which level, layout, chunk and file system for a purpose, why, and what the second best would give."""
    from raidtui.core.advice import proposals, wording
    from raidtui.core.advice.reasons import to_json
    from raidtui.core.plan.summary import imagined
    from raidtui.core.raid.space import story, told
    from raidtui.core.units import parse_disks

    if use not in list(proposals.Use):
        known = ", ".join(proposals.Use)
        raise ValueError(f"--for {use}".rstrip() + f": say what the array is for, one of {known}.")
    if disk and names:
        raise ValueError("Name disks that are here, or describe others with --disk; not both.")
    if disk:
        members = imagined([size for text in disk for size in parse_disks(text)], flash)
    else:
        members = _members(names or [], machine)
    speed = _speed(members, disk_speed, disk_iops)
    found = proposals.advise(proposals.Wish(proposals.Use(use), survive), members, speed)
    if json:
        said = {"sentences": wording.sentences(found), "second_best": wording.second_best(found)}
        print_json(to_json(found) | said)
        return
    best, sizes = found.best, [one.size_bytes for one in members]
    separate = best.outlook.key == "jbod"
    lines = [f"Proposed: {wording.heading(best)}", *wording.sentences(found), wording.second_best(found)]
    print("\n".join(line for text in lines if text for line in textwrap.wrap(text, 79)))
    print("\n".join(("", *told(story(sizes, best.capacity, best.filesystem, separate)))))


def _members(names: list[str], machine: Path | None) -> "tuple[Disk, ...]":
    """The disks of a machine by what a person calls them; without names all that are free and hold nothing."""
    from raidtui.core.disks.disk import Standing
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.text import brief

    known = disks_of(machine_of(machine))
    if not names:
        return tuple(one for one in known if one.verdict.standing is Standing.OK)
    members = []
    for name in names:
        fitting = [one for one in known if name in (one.name, one.path, one.id, one.serial)]
        if len(fitting) != 1:
            listed = ", ".join(one.name for one in known) or "none"
            raise ValueError(f"{brief(repr(name))} is {'no disk' if not fitting else 'several disks'} here: {listed}.")
        members += fitting
    refused = next((one for one in members if one.verdict.standing is Standing.REFUSE), None)
    if refused:
        raise ValueError(f"{refused.name} cannot be a member: {refused.verdict.reason}; {refused.verdict.remedy}.")
    if len(set(members)) < len(members):
        raise ValueError("A disk is named more than once.")
    return tuple(members)


def _speed(members: "Sequence[Disk]", disk_speed: str, disk_iops: float) -> "OutlookSpeed | None":
    """What one disk is known to do; what is not known of it stays assumed. None where nothing is known."""
    from raidtui.core.advice.outlook import OutlookSpeed, assumed
    from raidtui.core.units import parse_bytes_per_s

    if not disk_speed and not disk_iops:
        return None
    usual = assumed(members)
    pace = float(parse_bytes_per_s(disk_speed)) if disk_speed else usual.bytes_per_s
    if pace <= 0 or disk_iops < 0:
        raise ValueError("A disk's MB/s and IOPS are more than 0: give what one disk does alone.")
    return OutlookSpeed(pace, disk_iops or usual.iops, "" if disk_speed else usual.kind)


def predict(
    level: Level,
    disks: Annotated[int, typer.Option(help="How many.")],
    mbps: Annotated[float, typer.Option(help="MB/s of the slowest disk.")],
    iops: Annotated[float | None, typer.Option(help="IOPS of one disk, 4K at random, at every depth.")] = None,
    read_iops: Annotated[str, typer.Option(help="IOPS reading by depth, as 1:106,4:150,32:220.")] = "",
    write_iops: Annotated[str, typer.Option(help="IOPS writing by depth.")] = "",
    assume: Annotated[str, typer.Option(help="A kind of disk in place of IOPS: hdd sata-ssd nvme.")] = "",
    layout: Layout = "",
    queue_depth: Annotated[
        int | None, typer.Option(help="iodepth x numjobs; without it a queue that is never short.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes that this queue comes from (numjobs).")] = 1,
    read_share: Annotated[float | None, typer.Option(help="Share of reads, 0 to 1, for the mix.")] = None,
    flash: Annotated[bool, typer.Option(help="Disks without seeks.")] = False,
    link: Annotated[str, typer.Option(help="The narrowest link above the disks, as 3.9GB/s.")] = "",
    group_threads: Annotated[int, typer.Option(min=1, help="md's writing threads (group_thread_cnt).")] = 1,
    json: Json = False,
) -> None:
    """What an array should do, by the model, and what limits it."""
    from raidtui.core.raid import theory
    from raidtui.core.raid.ceilings import HostLimits
    from raidtui.core.units import parse_bytes_per_s

    curves = _curves(iops, read_iops, write_iops, assume)
    found = theory.predict(
        level,
        disks,
        mbps * 1e6,
        curves,
        layout=layout or None,
        queue_depth=queue_depth,
        read_share=read_share,
        flash=flash,
        link_bytes_per_s=parse_bytes_per_s(link) if link else None,
        host=HostLimits(processes=jobs, parity_threads=group_threads),
    )
    if json:
        print_json(found.to_json() | {"iops_source": curves.source.value})
        return
    for name, value in found.to_json().items():
        if isinstance(value, int | float):
            words, _, unit = name.rpartition("_")
            if unit not in _UNITS:
                print(f"{name.replace('_', ' '):14} {f'{value:.1%}' if unit == 'share' else _number(value)}")
                continue
            limit = found.limited_by[name]
            marked = ", assumed" if limit in found.assumed_limits else ""
            figure = f"{_number(value)} {_UNITS[unit]}"
            print(f"{words.replace('_', ' '):14} {figure}" + _BY[limit.value].format(marked))
    print(f"disk's IOPS    {curves.source.value}")


# What ends a figure, besides the disks themselves.
_BY = {
    "disks": "",
    "queue": "   (the queue is too short to keep the disks busy)",
    "link": "   (the link's limit)",
    "cpu": "   (the submitting processes' limit{})",
    "md-thread": "   (md's writing threads' limit{})",
}


def _curves(iops: float | None, read_iops: str, write_iops: str, assume: str) -> "DiskCurves":
    """One disk's IOPS from the options that say it: one figure, a curve a direction, or a kind of disk."""
    from raidtui.core.raid.depth_curve import CurveSource, DiskCurves, assumed_curves, one_figure, parse_curve

    given = (iops is not None, bool(read_iops or write_iops), bool(assume))
    if sum(given) != 1 or bool(read_iops) != bool(write_iops):
        raise ValueError(
            "One disk's IOPS are needed, once: give --iops, or --read-iops and --write-iops, or --assume hdd."
        )
    if iops is not None:
        return one_figure(iops)
    if assume:
        return assumed_curves(assume)
    return DiskCurves(parse_curve(read_iops), parse_curve(write_iops), CurveSource.GIVEN)


def _number(value: float) -> str:
    """A figure for people: 7.25, 1000, 12,500, 8,000,000; a yes or no as such."""
    if isinstance(value, bool):
        return str(value)
    if value < 100:
        return f"{value:.4g}"
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.0f}"
