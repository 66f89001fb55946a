"""Whether `mdadm --monitor` runs, and its mail address: values and sentences."""

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


class Monitor(msgspec.Struct, frozen=True, kw_only=True):
    """`running`: None: not checked. `mailaddr`: of mdadm.conf, or "". `older`: started before mdadm.conf changed, so it
    uses the old one. `no_sendmail`: `/usr/sbin/sendmail -t` is missing (mdadm's default).
    """

    running: bool | None = None
    mailaddr: str = ""
    older: bool = False
    no_sendmail: bool = False


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
