"""What to build of some disks for a purpose: those of this machine, of a recorded one, or described by their sizes."""

import shlex
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli import completion
from raidtui.cli.groups import Json
from raidtui.cli.machine import free_or_named
from raidtui.cli.output import print_json

if TYPE_CHECKING:
    from raidtui.core.advice.preview import PreviewSpeed
    from raidtui.core.advice.proposals import Advice
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
    why: Annotated[bool, typer.Option("--why", help="Print all reasons, and where every byte goes.")] = False,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="Print the command of groups as a ZFS pool.")] = False,
    json: Json = False,
) -> None:
    """Recommend level, layout, chunk and file system.

    In one table beside the second-best choice, with the reasons and what is assumed.
    """
    from raidtui.core.advice import page, proposals, wording
    from raidtui.core.plan.summary import imagined
    from raidtui.core.raid.purposes import Workload
    from raidtui.core.units import parse_disks

    if use not in list(Workload):
        workloads = ", ".join(Workload)
        raise ValueError(f"--for {use}".rstrip() + f": purpose must be one of {workloads}; like --for files")
    if disk and names:
        raise ValueError("--disk describes imaginary disks: leave it out, or leave the disk names out")
    if answers and disk:
        raise ValueError("--answers, --disk: give only one")
    printed = {"--answers": answers, "--json": json, "--why": why, "--by-hand": by_hand}
    if (answers or json) and sum(printed.values()) > 1:
        raise ValueError(f"{', '.join(name for name, wanted in printed.items() if wanted)}: give only one")
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
    share = None if afr is None else afr / 100
    groups = wording.group_lines(advice, members, share)
    if by_hand and not groups:
        raise ValueError("--by-hand: raidtui builds this proposal; see its commands with `raidtui plan`")
    given = {"--survive": survive, "--disk-speed": disk_speed, "--disk-iops": disk_iops or None, "--machine": machine}
    options = [word for key, value in given.items() if value not in (None, "") for word in (key, str(value))]
    argv = ["raidtui", "advise", "--for", use, *options]
    if disk:
        lines = page.page(advice, members, argv, "on the machine with such disks", share)
    else:
        following = [*map(shlex.quote, (*argv, *(names or []))), "--answers", ">", "advice.toml"]
        lines = page.page(advice, members, following, "for `raidtui plan`", share)
    if why:
        lines += ["", *_reasons(advice, members, share)]
    if by_hand:
        lines += ["", *textwrap.wrap(groups[0], 79), *page.by_hand(groups[1:])]
    print("\n".join(lines))


def _reasons(advice: "Advice", members: "Sequence[Disk]", afr: float | None) -> list[str]:
    """All of them in sentences, and where the bytes go."""
    from raidtui.core.advice import wording
    from raidtui.core.advice.wording import caveat_line
    from raidtui.core.raid.space import story, story_lines
    from raidtui.system.versions import has_rmapbt

    best, sizes = advice.best, [member.size_bytes for member in members]
    separate = best.preview.key == "jbod"
    account = story(sizes, best.capacity, best.filesystem, separate, level_key=best.preview.key, rmapbt=has_rmapbt())
    sentences = (*wording.sentences(advice), wording.yearly_words(advice, afr), caveat_line(advice))
    texts = (*sentences, wording.second_best(advice, afr))
    return [*(line for text in texts if text for line in textwrap.wrap(text, 79)), "", *story_lines(account)]


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
    return PreviewSpeed(
        pace, disk_iops or usual.iops, "" if disk_speed else usual.kind, "" if disk_iops else usual.iops_kind
    )
