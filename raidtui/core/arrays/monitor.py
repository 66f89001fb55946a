"""Whether `mdadm --monitor` runs, and its mail address: values and sentences."""

from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatch

import msgspec

from raidtui.core.boot.distributions import MAILERS, TEST_MAIL

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
    days = {path: _next_sunday(now_s, SCHEDULES[pattern]) for path in monitor.checks for pattern in _of(path)}
    if not days:
        return ""
    path = min(days, key=lambda path: days[path])
    return f"The next check of all arrays begins on Sunday {days[path]:%Y-%m-%d} ({path}). It slows other work."


def _of(path: str) -> list[str]:
    return [pattern for pattern in SCHEDULES if fnmatch(path.removeprefix("/"), pattern)]


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
