"""What watches an array: the next check of its data, smartd (smartd.conf(5)), and how long its disks try a sector."""

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Literal

import msgspec

from raidtui.core.disks.recovery import Recovery

Smartd = Literal["not checked", "by name", "by DEVICESCAN", "not named", "ignored"]
_SCAN, _DEFAULTS = "DEVICESCAN", "DEFAULT"


class NextCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Of all arrays. `by`: the timer or file that begins it, "" if none; `at_s`: UTC, None if not read."""

    by: str = ""
    at_s: float | None = None


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """`smartd_running`: None: not checked. `smartd`, `recoveries`: by kernel name, in a journal by identity."""

    next_check: NextCheck = NextCheck()
    smartd_running: bool | None = None
    smartd: dict[str, Smartd] = {}
    recoveries: dict[str, Recovery] = {}


def watched(conf: str, nodes: Mapping[str, Collection[str]]) -> dict[str, Smartd]:
    """`nodes`: kernel name -> its device nodes and links. What follows DEVICESCAN has no effect."""
    found: dict[str, Smartd] = {}
    for line in conf.replace("\\\n", " ").splitlines():
        device, *directives = line.partition("#")[0].split() or [""]
        if device == _SCAN:
            return {name: found.get(name, "by DEVICESCAN") for name in nodes}
        ignored = any(pair == ("-d", "ignore") for pair in pairwise(directives))
        for name in nodes if device not in ("", _DEFAULTS) else ():
            if device in nodes[name]:
                found[name] = "ignored" if ignored else "by name"
    return {name: found.get(name, "not named") for name in nodes}


def smartd_words(watch: Watch) -> str:
    """Does smartd run, and how many of the disks are in its file? "" if not checked."""
    if watch.smartd_running is None:
        return ""
    if not watch.smartd_running:
        return "smartd does not run"
    named = sum(how in ("by name", "by DEVICESCAN") for how in watch.smartd.values())
    return f"smartd watches {named} of {len(watch.smartd)} disks" if watch.smartd else "smartd runs"
