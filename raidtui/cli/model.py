"""What an array holds and what it should do, by arithmetic: no disk is needed."""

from typing import Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.output import Json, print_json


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
    mdadm: Annotated[str, typer.Option(help="The mdadm that will create it.")] = "4.2",
    json: Json = False,
) -> None:
    """What an array holds, to the byte, and where the rest goes. Needs no disk."""
    import msgspec

    from raidtui.core.raid import capacity as capacities
    from raidtui.core.units import both, parse_bytes, parse_disks

    sizes = [size for text in disk for size in parse_disks(text)]
    found = capacities.capacity(level, sizes, parse_bytes(chunk) if chunk else None, layout or None, mdadm)
    if json:
        print_json(found)
        return
    print(f"usable    {both(found.array_bytes)}\nraw       {both(found.raw_bytes)}")
    for name, lost in msgspec.structs.asdict(found.lost).items():
        if lost:
            print(f"{name.removesuffix('_bytes'):9} {both(lost)}")
    print(f"survives  {found.survives} failed disk{'' if found.survives == 1 else 's'}")


def predict(
    level: Level,
    disks: Annotated[int, typer.Option(help="How many.")],
    mbps: Annotated[float, typer.Option(help="MB/s of the slowest disk.")],
    iops: Annotated[float, typer.Option(help="IOPS of one disk.")],
    layout: Layout = "",
    queue_depth: Annotated[int | None, typer.Option(help="iodepth x numjobs.")] = None,
    read_share: Annotated[float | None, typer.Option(help="Share of reads, 0 to 1, for the mix.")] = None,
    flash: Annotated[bool, typer.Option(help="Disks without seeks.")] = False,
    json: Json = False,
) -> None:
    """What an array should do, by the model."""
    from raidtui.core.raid import theory

    found = theory.predict(
        level,
        disks,
        mbps * 1e6,
        iops,
        layout=layout or None,
        queue_depth=queue_depth,
        read_share=read_share,
        flash=flash,
    )
    answer = found.to_json()
    if json:
        print_json(answer)
        return
    for name, value in answer.items():
        if value is not None:
            words, _, unit = name.rpartition("_")
            said = f"{value:.6g} {_UNITS[unit]}" if unit in _UNITS else str(value)
            print(f"{(words if unit in _UNITS else name).replace('_', ' '):14} {said}")
