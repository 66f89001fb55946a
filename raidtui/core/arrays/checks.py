"""Last check of an array: mdcheck's files, this boot's kernel log. mdcheck keeps /var/lib/mdcheck/MD_UUID_… (sector to
continue at), from mdadm 4.5 on also touches Checked_… when done. checkarray (Debian) and raid-check (Red Hat) leave
only log lines.
"""

import re
from collections.abc import Iterable

import msgspec

from raidtui.core.arrays.array import LastCheck, is_number
from raidtui.core.disks.uuids import digits

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
