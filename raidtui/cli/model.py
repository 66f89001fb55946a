"""What an array holds and what it should do, by arithmetic: no disk is needed."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.groups import Json
from raidtui.cli.output import print_json

if TYPE_CHECKING:
    from raidtui.core.raid.depth_curve import DiskCurves


def _level(text: str) -> str:
    """A level as people write it, too: RAID 5, raid10."""
    return re.sub(r"^raid[ -]*(?=[0-9]|linear|jbod)", "", text.strip().lower())


Level = Annotated[
    str,
    typer.Argument(
        help="Level, e.g. 5 or 10, linear, jbod, zfs-raidz1, btrfs-raid1.",
        callback=_level,
        autocompletion=completion.levels,
    ),
]
Layout = Annotated[str, typer.Option(help="RAID 10 layout: n2 n3 o2 f2.", autocompletion=completion.layouts)]
_UNITS = {"mbps": "MB/s", "iops": "IOPS"}


def capacity(
    level: Level,
    disk: Annotated[list[str], typer.Option(help="SIZE or SIZExN, e.g. 1.2TB or 931GiBx4; repeatable.")],
    chunk: Annotated[str, typer.Option(help="Chunk size, e.g. 512K.")] = "",
    layout: Layout = "",
    filesystem: Annotated[
        str, typer.Option(help="File system to subtract, as `df` shows it.", autocompletion=completion.filesystems)
    ] = "none",
    rmapbt: Annotated[
        bool | None, typer.Option("--rmapbt/--no-rmapbt", help="XFS with rmapbt. Default: as mkfs.xfs here.")
    ] = None,
    mdadm: Annotated[str, typer.Option(help="Version of the mdadm that creates the array.")] = "4.2",
    json: Json = False,
) -> None:
    """Show usable capacity of a level, to the byte.

    And the overhead, item by item. Needs no disk.
    """
    from raidtui.core.raid import capacity as capacities
    from raidtui.core.raid import filesystems
    from raidtui.core.raid.levels import level as level_of
    from raidtui.core.raid.space import story, story_lines
    from raidtui.core.units import parse_bytes, parse_disks
    from raidtui.system.versions import has_rmapbt

    sizes = [size for text in disk for size in parse_disks(text)]
    array_capacity = capacities.capacity(level, sizes, parse_bytes(chunk) if chunk else None, layout or None, mdadm)
    if filesystem != "none":
        row = level_of(level)
        if row.pool and filesystem != row.filesystem:
            raise ValueError(f"{row.name} is a file system of its own; leave --filesystem out")
        fits, reason = filesystems.possible(filesystem, array_capacity.array_bytes)
        if not fits:
            raise ValueError(reason)
    if json:
        print_json("capacity", array_capacity)
        return
    rmapbt = has_rmapbt() if rmapbt is None else rmapbt
    account = story(sizes, array_capacity, filesystem, level == "jbod", level_key=level, rmapbt=rmapbt)
    print("\n".join(story_lines(account)))
    print(f"survives  {array_capacity.survives} failed disk{'' if array_capacity.survives == 1 else 's'}")


def predict(
    level: Level,
    disks: Annotated[int, typer.Option(min=1, max=9999, help="Number of disks.")],
    mbps: Annotated[float | None, typer.Option(help="MB/s of the slowest disk. Default: of --assume.")] = None,
    iops: Annotated[float | None, typer.Option(help="Random 4K IOPS of one disk, at every queue depth.")] = None,
    read_iops: Annotated[str, typer.Option(help="Read IOPS by queue depth, e.g. 1:106,4:150,32:220.")] = "",
    write_iops: Annotated[str, typer.Option(help="Write IOPS by queue depth.")] = "",
    assume: Annotated[str, typer.Option(help="Typical rates of a kind of disk: hdd sata-ssd nvme.")] = "",
    layout: Layout = "",
    queue_depth: Annotated[int | None, typer.Option(help="iodepth x numjobs. Default: unlimited.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Submitting processes (numjobs).")] = 1,
    read_share: Annotated[float | None, typer.Option(help="Share of reads in a mix, 0 to 1.")] = None,
    flash: Annotated[bool, typer.Option(help="Non-rotational disks.")] = False,
    link: Annotated[str, typer.Option(help="Bandwidth of the slowest link above the disks, e.g. 3.9GB/s.")] = "",
    group_threads: Annotated[int, typer.Option(min=1, help="Threads for md parity writes (group_thread_cnt).")] = 1,
    kernel: Annotated[str, typer.Option(help="Linux release, e.g. 5.10. Default: a recent one.")] = "",
    json: Json = False,
) -> None:
    """Show expected throughput and IOPS of a level.

    And the bottleneck of each. Needs no disk.
    """
    import msgspec

    from raidtui.core.documents.model import prediction_document
    from raidtui.core.raid import theory
    from raidtui.core.raid.ceilings import HostLimits, parity_reads_per_s
    from raidtui.core.raid.confidence import MARK, WORDS, Confidence
    from raidtui.core.raid.disk_kinds import ASSUMED_RATES, HDD
    from raidtui.core.text import is_since
    from raidtui.core.units import parse_bytes_per_s

    curves = _curves(iops, read_iops, write_iops, assume)
    kind = ASSUMED_RATES.get(assume)
    if kernel and is_since(kernel, (0, 0)) is None:
        raise ValueError(f"no release of Linux: {kernel!r}; give e.g. 5.10")
    if mbps is None and kind is None:
        raise ValueError("MB/s of one disk needed; use --mbps, or --assume hdd")
    flash = flash or (kind is not None and kind is not HDD)
    prediction = theory.predict(
        level,
        disks,
        kind.bytes_per_s if mbps is None and kind else (mbps or 0.0) * 1e6,
        curves,
        layout=layout or None,
        queue_depth=queue_depth,
        read_share=read_share,
        flash=flash,
        link_bytes_per_s=parse_bytes_per_s(link) if link else None,
        host=HostLimits(processes=jobs, parity_threads=group_threads, parity_reads_per_s=parity_reads_per_s(kernel)),
    )
    document = prediction_document(prediction, curves.source)
    if json:
        print_json("prediction", document)
        return
    for name, value in msgspec.structs.asdict(document).items():
        if isinstance(value, int | float):
            words, _, unit = name.rpartition("_")
            if unit not in _UNITS:
                print(f"{name.replace('_', ' '):14} {f'{value:.1%}' if unit == 'share' else _number(value)}")
                continue
            limit = prediction.limited_by[name]
            marked = ", assumed" if limit in prediction.assumed_limits else ""
            is_upper = prediction.confidence[name] is Confidence.UPPER
            figure = f"{MARK if is_upper else ''}{_number(value)} {_UNITS[unit]}"
            print(f"{words.replace('_', ' '):14} {figure}" + _BY[limit.value].format(marked))
    print(f"disk's IOPS    {document.iops_source}")
    kinds = dict.fromkeys(prediction.confidence.values())
    if Confidence.UPPER in kinds:
        print(f"{MARK.strip():14} {WORDS[Confidence.UPPER]}")
    if Confidence.CONFIRMED in kinds:
        print(f"{'others' if len(kinds) > 1 else 'rates':14} {WORDS[Confidence.CONFIRMED]}")


# What ends a figure, besides the disks themselves.
_BY = {
    "disks": "",
    "queue": "   (limit: queue depth)",
    "link": "   (limit: link)",
    "cpu": "   (limit: submitting processes{})",
    "md-thread": "   (limit: md threads{})",
    "md-lock": "   (limit: md's lock on reads{})",
}


def _curves(iops: float | None, read_iops: str, write_iops: str, assume: str) -> "DiskCurves":
    """One disk's IOPS from the options that say it: one figure, a curve a direction, or a kind of disk."""
    from raidtui.core.raid.depth_curve import CurveSource, DiskCurves, assumed_curves, one_figure, parse_curve

    sources = (iops is not None, bool(read_iops or write_iops), bool(assume))
    if sum(sources) != 1 or bool(read_iops) != bool(write_iops):
        raise ValueError("IOPS of one disk needed, once; use --iops, --read-iops with --write-iops, or --assume hdd")
    if iops is not None:
        return one_figure(iops)
    if assume:
        return assumed_curves(assume)
    return DiskCurves(parse_curve(read_iops), parse_curve(write_iops), CurveSource.AS_GIVEN)


def _number(value: float) -> str:
    """A figure for people: 7.25, 1000, 12,500, 8,000,000; a yes or no as such."""
    if isinstance(value, bool):
        return str(value)
    if value < 100:
        return f"{value:.4g}"
    return f"{value:,.0f}" if value >= 10_000 else f"{value:.0f}"
