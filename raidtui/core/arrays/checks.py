"""When an array was last checked: by the marks that mdcheck leaves, and by the kernel's log of this boot.

mdadm's mdcheck keeps /var/lib/mdcheck/MD_UUID_… with the sector where a check goes on, and (since mdadm 4.5) touches
Checked_… when one is done. Debian's checkarray and Red Hat's raid-check leave nothing: of theirs the log alone tells.
"""

import re
from collections.abc import Iterable

import msgspec

from raidtui.core.arrays.array import LastCheck, is_number
from raidtui.core.disks.uuids import digits

_SECTOR_BYTES = 512
_LONGEST_UPTIME = 15  # digits of microseconds: thirty years
# drivers/md/md.c (md_do_sync): "md: %s: %s %s.", name, what, "interrupted" or "done"
_ENDED = re.compile(r"md: (?P<array>md[\w]*): (?:data-check|check|requested-resync|repair) (?P<how>done|interrupted)\.")


class CheckMarks(msgspec.Struct, frozen=True, kw_only=True):
    """What this machine remembers of checks. By the digits of an array's UUID: when one was done (UTC), and the sector
    where one goes on; by kernel name: when one ended in this boot. `scheduled_by`: what starts one now and then.
    """

    done_s: dict[str, float] = {}
    paused_sectors: dict[str, int] = {}
    ended_s: dict[str, float] = {}
    scheduled_by: tuple[str, ...] = ()


def of_mdcheck(name: str, content: bytes, changed_s: float) -> CheckMarks:
    """One file of /var/lib/mdcheck."""
    for start in ("Checked_", "MD_UUID_"):
        uuid = digits(name.removeprefix(start)) if name.startswith(start) else ""
        if re.fullmatch("[0-9a-f]{32}", uuid):
            if start == "Checked_":
                return CheckMarks(done_s={uuid: changed_s})
            sector = content.decode(errors="replace").strip()
            return CheckMarks(paused_sectors={uuid: int(sector)} if is_number(sector) else {})
    return CheckMarks()


def of_kernel_log(records: Iterable[str], booted_s: float) -> dict[str, float]:
    """Array -> when its last check ended in this boot, UTC; not of one whose last was interrupted.

    Records as in the kernel's Documentation/ABI/testing/dev-kmsg: "level,number,microseconds,flags;text".
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


def last_check(marks: CheckMarks, name: str, uuid: str, last_action_is_check: bool) -> LastCheck:
    """Of the array with this kernel name and these digits of a UUID; the latest that anything tells.

    The log goes by names, which another array may have had: it counts where the kernel says that the last sync of this
    array, since it was assembled, was a check.
    """
    times = [(at_s, source) for at_s, source in (
        (marks.done_s.get(uuid), "mdcheck"),
        (marks.ended_s.get(name) if last_action_is_check else None, "the kernel's log"),
    ) if at_s is not None]  # fmt: skip
    at_s, source = max(times, default=(None, ""))
    sectors = marks.paused_sectors.get(uuid)
    return LastCheck(
        at_s=at_s,
        source=source,
        paused_bytes=sectors * _SECTOR_BYTES if sectors is not None else None,
        scheduled_by=marks.scheduled_by,
    )
