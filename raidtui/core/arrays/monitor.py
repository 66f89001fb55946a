"""Whether `mdadm --monitor` runs, and its mail address: values and sentences."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatch
from itertools import pairwise
from typing import Literal

import msgspec

from raidtui.core.arrays.array import LastCheck, is_number
from raidtui.core.boot.distributions import MAILERS, TEST_MAIL
from raidtui.core.disks.drive import Recovery
from raidtui.core.disks.identity import digits

_START = "start it: `systemctl start mdmonitor` (at boot udev does, with the array)"
_RESTART = "restart it: `systemctl restart mdmonitor`"
_NAME = "add the line `MAILADDR you@example.org`, with your address, to mdadm.conf (in /etc/mdadm or /etc)"


# mdadm's Monitor.c, check_array: leaves an array of level 0 or linear at once.
NOT_WATCHED = (
    "`mdadm --monitor` does not watch an array of which no disk may fail: nobody is told by it, and its trial mail"
    " tells nothing of this array."
)
NEEDED = (
    "Of a failed disk somebody is told where `mdadm --monitor` runs, mdadm.conf names an address, and a mail program is"
    f" there. Where one of them is missing: {_NAME}; {MAILERS}; {_START}. {TEST_MAIL}."
)


# Where checks of all arrays are switched on, by distribution, and whether on the first Sunday of a month alone (mdadm's
# mdcheck_start.timer, Debian's cron.d/mdadm) or on each (Fedora's raid-check.timer and cron.d/raid-check).
SCHEDULES = {
    "etc/systemd/system/*.wants/mdcheck_start.timer": True,
    "lib/systemd/system/*.wants/mdcheck_start.timer": True,
    "etc/systemd/system/*.wants/raid-check.timer": False,
    "etc/cron.d/mdadm": True,
    "etc/cron.d/raid-check": False,
}


class Monitor(msgspec.Struct, frozen=True, kw_only=True):
    """`running`: None: not checked. `mailaddr`: of mdadm.conf, or "". `older`: started before mdadm.conf changed, so it
    uses the old one. `no_sendmail`: `/usr/sbin/sendmail -t` is missing (mdadm's default). `checks`:
    files that schedule checks of all arrays (`SCHEDULES`).
    """

    running: bool | None = None
    mailaddr: str = ""
    older: bool = False
    no_sendmail: bool = False
    checks: tuple[str, ...] = ()


def next_check(monitor: Monitor, now_s: float) -> str:
    """When the distribution checks all arrays next, one sentence; "" if nothing schedules it."""
    days = {
        path: _next_sunday(now_s, first_of_month)
        for path in monitor.checks
        for pattern, first_of_month in SCHEDULES.items()
        if fnmatch(path.removeprefix("/"), pattern)
    }
    if not days:
        return ""
    path = min(days, key=lambda path: days[path])
    return f"The next check of all arrays begins on Sunday {days[path]:%Y-%m-%d} ({path}). It slows other work."


def _next_sunday(now_s: float, first_of_month: bool) -> date:
    day = datetime.fromtimestamp(now_s, UTC).date() + timedelta(days=1)
    while day.isoweekday() != 7 or (first_of_month and day.day > 7):
        day += timedelta(days=1)
    return day


def words(monitor: Monitor) -> str:
    """Without a full stop; "" if not checked."""
    if monitor.running is None:
        return ""
    if not monitor.running:
        return "`mdadm --monitor` does not run: nobody is told when a disk fails"
    if monitor.older:
        return "`mdadm --monitor` runs, and began before mdadm.conf was changed"
    if monitor.no_sendmail:
        return "`mdadm --monitor` runs; no mail program is there by which it could tell of a failed disk"
    addressee = f"writes to {monitor.mailaddr}" if monitor.mailaddr else "mdadm.conf names nobody to write to"
    return f"`mdadm --monitor` runs; {addressee}"


def moves_spares(monitor: Monitor) -> bool:
    """Between arrays of one spare-group, as mdadm.conf has it by now. What was not checked is taken to run."""
    return monitor.running is not False and not monitor.older


def sentence(monitor: Monitor) -> str:
    """State, remedy, test command; "" if not checked."""
    state, todo = words(monitor), remedy(monitor)
    if not state:
        return ""
    what_to_do = f" {todo[:1].upper()}{todo[1:]}." if todo else ""
    return f"{state}.{what_to_do} {TEST_MAIL}."


def remedy(monitor: Monitor) -> str:
    """Half a sentence; "" if none is needed, or not checked."""
    if monitor.running is None:
        return ""
    steps = [] if monitor.mailaddr else [_NAME]
    steps += [MAILERS] if monitor.no_sendmail else []
    if not monitor.running:
        steps.append(_START)
    elif monitor.older or not monitor.mailaddr:
        steps.append(_RESTART)
    return ", then ".join(steps)


_SECTOR_BYTES = 512
_FOLLOWED = "raidtui"
_SAME_S = 60.0  # of one check, by two clocks
_LONGEST_UPTIME = 15  # digits of microseconds: thirty years
# drivers/md/md.c (md_do_sync): "md: %s: %s %s.", name, what, "interrupted" or "done"
_ENDED = re.compile(r"md: (?P<array>md[\w]*): (?:data-check|check|requested-resync|repair) (?P<how>done|interrupted)\.")


class CheckMarks(msgspec.Struct, frozen=True, kw_only=True):
    """By UUID digits: end (UTC), sector if paused; by kernel name: end in this boot. `scheduled_by`: of checks."""

    done_s: dict[str, float] = {}
    paused_sectors: dict[str, int] = {}
    ended_s: dict[str, float] = {}
    scheduled_by: tuple[str, ...] = ()


def of_mdcheck(name: str, content: bytes, changed_s: float) -> CheckMarks:
    for start in ("Checked_", "MD_UUID_"):
        uuid = digits(name.removeprefix(start)) if name.startswith(start) else ""
        if re.fullmatch("[0-9a-f]{32}", uuid):
            if start == "Checked_":
                return CheckMarks(done_s={uuid: changed_s})
            sector = content.decode(errors="replace").strip()
            return CheckMarks(paused_sectors={uuid: int(sector)} if is_number(sector) else {})
    return CheckMarks()


def of_kernel_log(records: Iterable[str], booted_s: float) -> dict[str, float]:
    """Array -> end of its last check in this boot, UTC, unless interrupted. Record:
    "level,number,microseconds,flags;text" (Documentation/ABI/testing/dev-kmsg).
    """
    ended: dict[str, float] = {}
    for record in records:
        prefix, _, text = record.partition(";")
        fields = prefix.split(",")
        match = _ENDED.match(text)
        if match and len(fields) > 2 and is_number(fields[2]) and len(fields[2]) <= _LONGEST_UPTIME:
            if match["how"] == "done":
                ended[match["array"]] = booted_s + int(fields[2]) / 1e6
            else:
                ended.pop(match["array"], None)
    return ended


def latest_of(marks: Iterable[CheckMarks]) -> CheckMarks:
    joined_marks = CheckMarks()
    for mark in marks:
        joined_marks = CheckMarks(
            done_s=joined_marks.done_s | mark.done_s,
            paused_sectors=joined_marks.paused_sectors | mark.paused_sectors,
            ended_s=joined_marks.ended_s | mark.ended_s,
            scheduled_by=(*joined_marks.scheduled_by, *mark.scheduled_by),
        )
    return joined_marks


def last_check(
    marks: CheckMarks, name: str, uuid: str, last_action_is_check: bool, followed_s: float | None = None
) -> LastCheck:
    """The latest. The log's name may be another array's: valid only if this array's last sync was a check. Neither the
    log nor mdcheck shows that a check was complete; `followed_s`: raidtui saw the end of one.
    """
    times = [(at_s, source) for at_s, source in (
        (followed_s, _FOLLOWED),
        (marks.done_s.get(uuid), "mdcheck"),
        (marks.ended_s.get(name) if last_action_is_check else None, "the kernel's log"),
    ) if at_s is not None]  # fmt: skip
    at_s, source = max(times, default=(None, ""))
    if at_s is not None and followed_s is not None and at_s - followed_s < _SAME_S:
        at_s, source = followed_s, _FOLLOWED
    sectors = marks.paused_sectors.get(uuid)
    return LastCheck(
        at_s=at_s,
        source=source,
        complete=True if source == _FOLLOWED else None,
        paused_bytes=sectors * _SECTOR_BYTES if sectors is not None else None,
        scheduled_by=marks.scheduled_by,
    )


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
