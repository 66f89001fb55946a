"""Whether `mdadm --monitor` watches the arrays of a machine, and whom it writes to: values and their sentences."""

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
    """`running`: None where nobody looked. `mailaddr`: by mdadm.conf, "" where it names nobody. `older`: it began
    before mdadm.conf was changed last, and goes by what stood there. `no_sendmail`: nothing is there that it would mail
    with (`/usr/sbin/sendmail -t`, as mdadm is built by default).
    """

    running: bool | None = None
    mailaddr: str = ""
    older: bool = False
    no_sendmail: bool = False


def words(monitor: Monitor) -> str:
    """How it is, in a sentence without its end; "" where nobody looked."""
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
    """How it is, what to do about it, and how to try it; "" where nobody looked."""
    told, todo = words(monitor), remedy(monitor)
    if not told:
        return ""
    what_to_do = f" {todo[:1].upper()}{todo[1:]}." if todo else ""
    return f"{told}.{what_to_do} {TEST_MAIL}."


def remedy(monitor: Monitor) -> str:
    """What to do about it, half a sentence; "" where there is nothing to do, or nobody looked."""
    if monitor.running is None:
        return ""
    steps = [] if monitor.mailaddr else [_NAME]
    steps += [MAILERS] if monitor.no_sendmail else []
    if not monitor.running:
        steps.append(_START)
    elif monitor.older or not monitor.mailaddr:
        steps.append(_RESTART)
    return ", then ".join(steps)
