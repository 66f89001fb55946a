"""Who watches a kept array from its first day: lines for its disks in smartd.conf(5), a test mail by mdadm."""

import re
from collections.abc import Collection, Iterator, Sequence

from raidtui.core.boot.distributions import SENDMAIL, SMARTD_CONFS, BootPlace
from raidtui.core.plan.answers import Answers, PlanRefused
from raidtui.core.plan.model import Member
from raidtui.core.plan.steps import Command, Edit, Step, TakeOut

_LINK = re.compile(r"/dev/disk/by-id/[A-Za-z0-9_.:+=@-]{1,200}", re.ASCII)
_TO = "root"  # whom smartd writes to, unless the answers name somebody
_SCANNED = "by DEVICESCAN"
_NAMED = 6  # disks in a note


def check(answers: Answers, place: BootPlace | None, programs: Collection[str], *, is_pool: bool) -> None:
    """PlanRefused for a watch that cannot be set here. `programs`: installed ones (empty: assumed)."""
    if not answers.watch:
        return
    if is_pool:
        raise PlanRefused("a ZFS pool is watched by zed; leave it out", "watch")
    if place is None:
        raise PlanRefused("the boot files of this distribution are not known; leave it out", "watch")
    if "smartd" in answers.watch and not place.smartd_unit:
        raise PlanRefused("smartd is not installed; install smartmontools, or leave smartd out", "watch")
    if "smartd" in answers.watch and "not checked" in place.smartd.values():
        raise PlanRefused(f"{place.smartd_conf} cannot be read; leave smartd out", "watch")
    if "smartd" in answers.watch and place.smartd_conf not in ("", *SMARTD_CONFS):
        raise PlanRefused(f"smartd reads {place.smartd_conf}, which is left as it is; leave smartd out", "watch")
    if "test-mail" not in answers.watch:
        return
    if not (answers.mailaddr or place.mailaddr):
        raise PlanRefused("a test mail has no recipient; give mailaddr, or leave test-mail out", "watch")
    if programs and SENDMAIL not in programs:
        raise PlanRefused("no mail program (sendmail) is installed; install one, or leave test-mail out", "watch")


def line_of(member: Member, address: str) -> str:
    """smartd.conf(5); "" for a disk without a stable name. `removable`: smartd starts without it, too."""
    if member.name.startswith("dm-") or not _LINK.fullmatch(member.link):
        return ""
    return f"{member.link} -a -d removable -m {address}"


def lines_of(members: Sequence[Member], answers: Answers) -> tuple[str, ...]:
    """All that a plan may write."""
    address = answers.mailaddr or _TO
    return tuple(line for member in members if (line := line_of(member, address)))


def steps(answers: Answers, members: Sequence[Member], place: BootPlace) -> Iterator[Step]:
    path = place.smartd_conf
    if lines := _new_lines(answers, members, place):
        reload = _reload(place)
        taken_out = TakeOut(what=f"Remove the run's lines from {path}", path=path)
        yield Edit(what=f"Write {len(lines)} disks into {path}", path=path, lines=lines, undo=(taken_out, *reload))
        yield from reload
    if "test-mail" in answers.watch:
        argv = ("mdadm", "--monitor", "--oneshot", "--test", "{array}")
        yield Command(what="Send a test mail of the array", role="test-mail", argv=argv)


def _new_lines(answers: Answers, members: Sequence[Member], place: BootPlace) -> tuple[str, ...]:
    if "smartd" not in answers.watch or _is_scanned(place):
        return ()
    return lines_of([member for member in members if _how(place, member) == "not named"], answers)


def _is_scanned(place: BootPlace) -> bool:
    """DEVICESCAN has the disks: without a file smartd scans, too, and with one it would not."""
    return not place.smartd_conf or _SCANNED in place.smartd.values()


def _how(place: BootPlace, member: Member) -> str:
    return place.smartd.get(member.name, "not named")


def _reload(place: BootPlace) -> tuple[Command, ...]:
    """Nothing where smartd does not run."""
    argv = ("systemctl", "try-reload-or-restart", place.smartd_unit)
    return (Command(what="Have smartd read its file", role="reload", argv=argv),) if place.systemd else ()


def notes(answers: Answers, members: Sequence[Member], place: BootPlace) -> Iterator[str]:
    if "smartd" in answers.watch:
        yield from _smartd_notes(answers, members, place)
    if "test-mail" in answers.watch:
        address = answers.mailaddr or place.mailaddr
        yield f"A test mail of the array is handed to sendmail for {address}; whether it arrives is not checked."


def _smartd_notes(answers: Answers, members: Sequence[Member], place: BootPlace) -> Iterator[str]:
    path = place.smartd_conf
    if _is_scanned(place):
        why = f"DEVICESCAN in {path}" if path else "smartd without a file"
        yield f"smartd: {why} covers the disks; no line is written."
        return
    if lines := _new_lines(answers, members, place):
        by_hand = "" if place.systemd else " Reload smartd by hand: systemd does not run here."
        address = answers.mailaddr or _TO
        yield f"smartd: {len(lines)} of {len(members)} disks get a line in {path}, with mail to {address}.{by_hand}"
    unnamed = [member for member in members if _how(place, member) == "not named"]
    for found, words in (
        ([member for member in members if _how(place, member) == "by name"], "named already"),
        ([member for member in members if _how(place, member) == "ignored"], "ignored by a line (-d ignore)"),
        ([member for member in unnamed if not line_of(member, _TO)], "without a stable name in /dev/disk/by-id"),
    ):
        if found:
            yield f"smartd: {_names(found)} {words}; no line is written."


def _names(members: Sequence[Member]) -> str:
    names = [member.name or member.id for member in members]
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} disks"
