"""When checks of arrays begin, by systemd's timers; whether smartd runs, and its file. Read-only."""

import os
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

from raidtui.core.arrays.monitor import NextCheck, Smartd, Watch, watched
from raidtui.core.boot.distributions import SMARTD_CONFS
from raidtui.system import doctor, health
from raidtui.system.process import Done, ProcessError, run

_TIMEOUT_S = 10.0
_NEVER = 2**64 - 1
_MOST_BYTES = 1 << 20
_UNITS = "/org/freedesktop/systemd1/unit"
Ask = Callable[[Sequence[str], float], Done]


def look(names: Collection[str], base: Path = Path("/")) -> Watch:
    running, how = smartd(names, base)
    return Watch(next_check=next_check(base), smartd_running=running, smartd=how, recoveries=health.recoveries(names))


def next_check(base: Path = Path("/"), ask: Ask = run) -> NextCheck:
    """The earliest timer, else a file of cron whose date is not read."""
    files = doctor.scheduled_checks(base)
    timers = [(at_s, Path(file).name) for file in files if file.endswith(".timer") and (at_s := _elapses(file, ask))]
    if timers:
        at_s, name = min(timers)
        return NextCheck(by=name, at_s=at_s)
    return NextCheck(by=files[0] if files else "")


def _elapses(file: str, ask: Ask) -> float | None:
    """As D-Bus has it: systemctl prints a date in words."""
    unit = "".join(char if char.isalnum() else f"_{ord(char):02x}" for char in Path(file).name)
    of_timer = ("org.freedesktop.systemd1.Timer", "NextElapseUSecRealtime")
    try:
        told = ask(("busctl", "get-property", "org.freedesktop.systemd1", f"{_UNITS}/{unit}", *of_timer), _TIMEOUT_S)
    except ProcessError:
        return None
    kind, _, number = told.stdout.strip().partition(" ")
    if told.returncode or kind != "t" or not number.isdecimal() or not 0 < int(number) < _NEVER:
        return None
    return int(number) / 1e6


def smartd(names: Collection[str], base: Path = Path("/")) -> tuple[bool | None, dict[str, Smartd]]:
    """Whether it runs (None: not checked), and how its file has each disk."""
    running, conf = smartd_file(base)
    if not conf:
        return running, dict.fromkeys(names, "not named")
    try:
        with (base / conf.lstrip("/")).open("rb") as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return running, dict.fromkeys(names, "not checked")
    return running, watched(text, {name: _nodes(name, base) for name in names})


def smartd_file(base: Path = Path("/")) -> tuple[bool | None, str]:
    """Whether it runs (None: not checked), and its file ("": none)."""
    running, conf = _running(base / "proc")
    return running, conf or next((file for file in SMARTD_CONFS if (base / file.lstrip("/")).is_file()), "")


def _nodes(name: str, base: Path) -> set[str]:
    links = {f"/{link.relative_to(base)}" for link in (base / "dev/disk").glob("*/*") if _leads_to(link, name)}
    return {f"/dev/{name}", *links}


def _leads_to(link: Path, name: str) -> bool:
    try:
        return link.readlink().name == name
    except OSError:
        return False


def _running(proc: Path) -> tuple[bool | None, str]:
    """Whether it runs, and the file of its -c."""
    try:
        folders = [folder for folder in proc.iterdir() if folder.name.isdigit()]
    except OSError:
        return None, ""
    for folder in folders:
        with suppress(OSError):
            if (folder / "comm").read_text().strip() != "smartd":
                continue
            words = [os.fsdecode(word) for word in (folder / "cmdline").read_bytes().split(b"\0") if word]
            return True, _conf_of(words[1:])
    return False, ""


def _conf_of(words: Sequence[str]) -> str:
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word in ("-c", "--configfile"):
            return following
        if word.startswith(("--configfile=", "-c/")):
            return word.partition("=")[2] or word[2:]
    return ""
