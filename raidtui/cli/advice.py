"""What to build of some disks for a purpose: those of this machine, of a recorded one, or described by their sizes."""

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.named_disks import free_or_named
from raidtui.cli.output import Json, print_json

if TYPE_CHECKING:
    from raidtui.core.advice.preview import PreviewSpeed
    from raidtui.core.disks.disk import Disk


def advise(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="DISK", help="Name, path, identity or serial. Default: all free disks."),
    ] = None,
    use: Annotated[
        str,
        typer.Option(
            "--for", help="Purpose: backup media files vms databases scratch.", autocompletion=completion.uses
        ),
    ] = "",
    survive: Annotated[int | None, typer.Option(help="Disk failures to survive. Default: 1 (scratch: 0).")] = None,
    disk: Annotated[list[str] | None, typer.Option(help="Imaginary disks: SIZE or SIZExN; repeatable.")] = None,
    flash: Annotated[bool, typer.Option(help="With --disk: non-rotational disks.")] = False,
    nvme: Annotated[bool, typer.Option(help="With --disk: NVMe disks.")] = False,
    afr: Annotated[
        float | None, typer.Option(min=0, max=100, help="Annual failure rate of one disk, %. Default: by kind.")
    ] = None,
    disk_speed: Annotated[str, typer.Option(help="Throughput of one disk, e.g. 250MB/s.")] = "",
    disk_iops: Annotated[float, typer.Option(help="Random 4K IOPS of one disk.")] = 0.0,
    machine: Annotated[Path | None, typer.Option(help="Disks of a recorded machine (see `disks --machine`).")] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Print an answer file of the recommendation.")] = False,
    json: Json = False,
) -> None:
    """Recommend level, layout, chunk and file system.

    With the reasons, and the second-best choice.
    """
    from raidtui.core.advice import proposals, wording
    from raidtui.core.advice.caveats import caveat_line
    from raidtui.core.plan.summary import imagined
    from raidtui.core.raid.purposes import Workload
    from raidtui.core.raid.space import story, story_lines
    from raidtui.core.units import parse_disks
    from raidtui.system.versions import has_rmapbt

    if use not in list(Workload):
        workloads = ", ".join(Workload)
        raise ValueError(f"--for {use}".rstrip() + f": purpose must be one of {workloads}; like --for files")
    if disk and names:
        raise ValueError("--disk describes imaginary disks: leave it out, or leave the disk names out")
    if answers and (disk or json):
        raise ValueError(f"--answers, {'--disk' if disk else '--json'}: give only one")
    if disk:
        members = imagined([size for text in disk for size in parse_disks(text)], flash, nvme)
    else:
        members = free_or_named(names or [], machine)
    speed = _speed(members, disk_speed, disk_iops)
    wish = Workload(use)
    survived = proposals.USUALLY_SURVIVED[wish] if survive is None else survive
    advice = proposals.advise(proposals.Wish(wish, survived), members, speed)
    if answers:
        from tomli_w import dumps

        from raidtui.core.advice.answer_file import recommended

        document, comment = recommended(advice, members)
        print(f"{comment}{dumps(document)}", end="")
        return
    if json:
        from raidtui.core.documents.model import advice_document

        print_json("advice", advice_document(advice))
        return
    best, sizes = advice.best, [member.size_bytes for member in members]
    separate = best.preview.key == "jbod"
    share = None if afr is None else afr / 100
    lines = [f"Proposed: {wording.heading(best)}", *wording.sentences(advice), wording.yearly_words(advice, share)]
    lines += [caveat_line(advice), wording.second_best(advice, share)]
    print("\n".join(line for text in lines if text for line in textwrap.wrap(text, 79)))
    if groups := wording.group_lines(advice, members, share):
        print("\n".join(("", *textwrap.wrap(groups[0], 79), *(f"    {line}" for line in groups[1:]))))
    account = story(sizes, best.capacity, best.filesystem, separate, level_key=best.preview.key, rmapbt=has_rmapbt())
    print("\n".join(("", *story_lines(account))))


def _speed(members: "Sequence[Disk]", disk_speed: str, disk_iops: float) -> "PreviewSpeed | None":
    """What one disk is known to do; what is not known of it stays assumed. None where nothing is known."""
    from raidtui.core.advice.preview import PreviewSpeed, assumed
    from raidtui.core.units import parse_bytes_per_s

    if not disk_speed and not disk_iops:
        return None
    usual = assumed(members)
    pace = float(parse_bytes_per_s(disk_speed)) if disk_speed else usual.bytes_per_s
    if pace <= 0 or disk_iops < 0:
        raise ValueError("--disk-speed, --disk-iops: must be over 0")
    return PreviewSpeed(pace, disk_iops or usual.iops, "" if disk_speed else usual.kind)
