"""Care of arrays that stand: checked, a disk replaced, grown over further disks. Of those that a run keeps a plan with
its code, like any other; of others the commands, and nothing is carried out.
"""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli.confirm import Code, Detach, Erase, EraseList
from raidtui.cli.groups import Json
from raidtui.cli.output import REFUSED, end, print_json
from raidtui.cli.plan import begin, print_as_json, show

if TYPE_CHECKING:
    from raidtui.core.care.by_hand import ByHand
    from raidtui.core.care.plans import Limits
    from raidtui.core.plan.model import Plan

ArrayName = Annotated[str, typer.Argument(help="Array: name in `raidtui status`, node, UUID or run id.")]
AtLeast = Annotated[str, typer.Option(metavar="RATE", help="Minimum rate per disk, e.g. 50MB/s (restored afterwards).")]
AtMost = Annotated[str, typer.Option(metavar="RATE", help="Maximum rate per disk, e.g. 100MB/s (restored afterwards).")]


def scrub(
    array: ArrayName,
    at_least: AtLeast = "",
    at_most: AtMost = "",
    confirm: Code = "",
    detach: Detach = False,
    json: Json = False,
) -> None:
    """Check an array for mismatches (md check).

    Reads every block and compares copies or parity; repairs nothing. Without --confirm: shows the plan. For an array
    that raidtui did not build, and for a ZFS pool: prints the commands.
    """
    from raidtui.core.care import by_hand as of_pools
    from raidtui.runs.care import planning

    pool, limits = planning.find_pool(array), _limits(at_least, at_most)
    plan_or_lines = of_pools.scrub(pool) if pool else planning.check(planning.find(array), limits)
    _go(plan_or_lines, ["raidtui", "scrub", array, *_limit_words(at_least, at_most)], confirm, None, None, detach, json)


def replace(
    array: ArrayName,
    old: Annotated[str, typer.Argument(help="Disk to remove, by serial or identity; may be gone.")],
    new: Annotated[str, typer.Argument(help="Its replacement, by serial or identity; will be erased.")],
    at_least: AtLeast = "",
    at_most: AtMost = "",
    confirm: Code = "",
    erase: Erase = None,
    erase_list: EraseList = None,
    detach: Detach = False,
    json: Json = False,
) -> None:
    """Replace a member disk.

    Copies a working disk (mdadm --replace), rebuilds a failed one. Without --confirm: shows the plan. For an array that
    raidtui did not build, and for a ZFS pool: prints the commands. If interrupted, md continues by itself; `raidtui
    resume` follows it.
    """
    from raidtui.core.care import by_hand as of_pools
    from raidtui.runs.care import planning

    pool, limits = planning.find_pool(array), _limits(at_least, at_most)
    by_hand = of_pools.replace_pool(pool, old, new) if pool else None
    plan_or_lines = by_hand or planning.replace(planning.find(array), old, new, limits)
    words = ["raidtui", "replace", array, old, new, *_limit_words(at_least, at_most)]
    _go(plan_or_lines, words, confirm, erase, erase_list, detach, json)


def grow(
    array: ArrayName,
    new: Annotated[
        list[str] | None,
        typer.Argument(help="New disks, erased. Default: use the members' free space."),
    ] = None,
    at_least: AtLeast = "",
    at_most: AtMost = "",
    confirm: Code = "",
    erase: Erase = None,
    erase_list: EraseList = None,
    detach: Detach = False,
    json: Json = False,
) -> None:
    """Add disks to an array and grow its file system.

    Disks are named by serial or identity. Without --confirm: shows the plan. Without NEW, for an array that raidtui did
    not build, and for a ZFS pool: prints the commands. If interrupted, md continues by itself; `raidtui resume` follows
    it.
    """
    from raidtui.core.care import by_hand as of_pools
    from raidtui.runs.care import planning

    pool, limits = planning.find_pool(array), _limits(at_least, at_most)
    plan_or_lines = (
        of_pools.grow_pool(pool, new or ()) if pool else planning.grow(planning.find(array), new or (), limits)
    )
    words = ["raidtui", "grow", array, *(new or ()), *_limit_words(at_least, at_most)]
    _go(plan_or_lines, words, confirm, erase, erase_list, detach, json)


def _limits(at_least: str, at_most: str) -> "Limits":
    from raidtui.core.care.plans import Limits
    from raidtui.core.units import parse_bytes_per_s

    at_least_kib_s, at_most_kib_s = (int(parse_bytes_per_s(rate) / 1024) if rate else 0 for rate in (at_least, at_most))
    if at_least_kib_s and at_most_kib_s and at_least_kib_s > at_most_kib_s:
        raise ValueError(f"--at-least {at_least} is more than --at-most {at_most}")
    return Limits(at_least_kib_s, at_most_kib_s)


def _limit_words(at_least: str, at_most: str) -> list[str]:
    pairs = (("--at-least", at_least), ("--at-most", at_most))
    return [word for option, rate in pairs if rate for word in (option, rate)]


def _go(
    plan_or_lines: "Plan | ByHand",
    words: list[str],
    confirm: str,
    erase: list[str] | None,
    erase_list: Path | None,
    detach: bool,
    json: bool,
) -> None:
    from raidtui.core.care.by_hand import ByHand

    if isinstance(plan_or_lines, ByHand):
        _print_commands(plan_or_lines, confirm, json)
    elif confirm:
        begin(plan_or_lines, shlex.join(words), confirm, erase, erase_list, detach=detach)
    elif json:
        print_as_json(plan_or_lines)
    else:
        show(plan_or_lines, words)


def _print_commands(by_hand: "ByHand", confirm: str, json: bool) -> None:
    """What nobody but a person carries out: refused with a code."""
    if confirm:
        end(by_hand.why, REFUSED)
    if json:
        print_json("commands", by_hand)
    else:
        print(f"# {by_hand.why}. The commands:")
        print("\n".join(by_hand.lines))
