"""Rules for which disk may be erased, one table: the first refusal wins, warnings are joined. Only recorded facts: what
was not read is a warning, never silence.
"""

import re
from collections.abc import Callable

import msgspec

from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.disks.drive import failing, not_checked, of_network, read_error, read_only, reported_by
from raidtui.core.disks.facts import (
    Facts,
    Subject,
    at_work,
    booted,
    bypassed,
    exported,
    leg,
    member,
    mounted,
    named,
    protected,
    stacked,
    strayed,
    swapped,
    system,
    twice,
    typed,
    unclean,
)

_VIRTUAL_MEDIA = re.compile(r"virtual|idrac|lcdrive|peppcon|\baten\b|\bilo\b", re.I)  # only asked of USB devices


class Rule(msgspec.Struct, frozen=True):
    """`facts` fill both sentences; None: the rule does not apply."""

    standing: Usability
    facts: Callable[[Subject], Facts | None]
    reason: str
    remedy: str


def _when(condition: Callable[[Subject], bool]) -> Callable[[Subject], Facts | None]:
    return lambda subject: {} if condition(subject) else None


def _attribute(path: str, *values: str) -> Callable[[Subject], Facts | None]:
    return _when(lambda subject: subject.device.attributes.get(path, "").lower() in values)


_DASD = re.compile("dasd[a-z]+")  # partitions have a digit behind


def _sector(subject: Subject) -> Facts | None:
    text = subject.device.attributes.get("queue/logical_block_size", "512")
    return None if text in ("512", "4096") else {"sector": text or "no"}


def _state(subject: Subject) -> Facts | None:
    state = subject.device.attributes.get("device/state", "")
    return {"state": state} if state and state not in ("running", "live") else None


def _contents(subject: Subject) -> Facts | None:
    known_contents = [content for content in subject.contents if content.kind != "unknown data"]
    if not known_contents:
        return None
    words = [
        content.kind
        + (f" on {content.device}" if content.device != subject.device.name else "")
        + (f" ({content.label})" if content.label else "")
        for content in known_contents
    ]
    return {"contents": ", ".join(words)}


def _unknown_data(subject: Subject) -> Facts | None:
    return {} if any(content.kind == "unknown data" for content in subject.contents) else None


def _integrity(subject: Subject) -> Facts | None:
    format_ = subject.device.attributes.get("integrity/format", "")
    return {"format": format_} if format_ and format_ not in ("none", "nop") else None


def _indistinct(subject: Subject) -> Facts | None:
    if not subject.double or subject.id != subject.identity.name_id:
        return None
    live = subject.machine.origin == "live"
    return {
        "double": subject.double,
        "nothing": "nothing" if live else "nothing in this dump",
        "how": "connect one of the two to another port or controller" if live else "look on the machine itself",
    }


def _about(subject: Subject) -> str:
    return f"{subject.identity.vendor} {subject.identity.model}"


REFUSE, WARN = Usability.REFUSE, Usability.WARN
_ERASED = "nothing, if it may be lost; else save it first"
RULES: tuple[Rule, ...] = (
    Rule(
        REFUSE,
        system,
        "{on} is mounted at {mountpoint}: this disk holds the running system",
        "a disk that the system or raidtui runs from is never erased; choose another one",
    ),
    Rule(
        REFUSE,
        at_work,
        "in use by the run {run}",
        "`raidtui attach {run}` shows that run, as Runs (R) does: wait for its end, or stop it",
    ),
    Rule(
        REFUSE,
        mounted,
        "{on} is mounted at {mountpoint}",
        "if nothing on it is needed: umount {first}, take it out of /etc/fstab, and look again",
    ),
    Rule(
        REFUSE,
        swapped,
        "{on} is swapped on",
        "swapoff {path}, take it out of /etc/fstab, and look again",
    ),
    Rule(REFUSE, leg, "it is one path of {map}", "choose the multipath map itself, not its paths"),
    Rule(REFUSE, stacked, "{on} is part of {what}", "{how}"),
    Rule(REFUSE, exported, "{on} is {use}", "{how}"),
    Rule(
        REFUSE,
        booted,
        "{on} is named as the system's {place} by {file}: {line}",
        "none where the system needs it; else take that out of {file}, and look again",
    ),
    Rule(
        REFUSE,
        member,
        "{on} is a member of {what}, which may not be running but is not given up",
        "if nothing on it is needed: {how}",
    ),
    Rule(
        REFUSE,
        strayed,
        "it is one path of {map}, and outside of that map",
        "add it to the map (multipathd add path {name}; multipath -v2 says why it was left out) and choose the map",
    ),
    Rule(
        REFUSE,
        twice,
        "it is the same disk as {others}, seen by a second path, and no multipath map joins them",
        "make the map (install multipath-tools, systemctl enable --now multipathd, multipath -v2) and choose it,"
        " or take the second path away",
    ),
    Rule(
        REFUSE,
        _indistinct,
        "{nothing} tells it apart from {double}: same identity, and no path of its own",
        "{how}",
    ),
    Rule(
        REFUSE,
        _when(lambda subject: subject.transport == "usb" and _VIRTUAL_MEDIA.search(_about(subject)) is not None),
        "it is virtual media of the server's management controller, not a disk",
        "choose another one; detach it in the controller's web page",
    ),
    Rule(
        REFUSE,
        _when(lambda subject: subject.device.size_bytes == 0),
        "it has no size: no medium is inserted, or its sectors (520 bytes?) are none that Linux can use",
        "insert a medium; sectors of 520 bytes are changed with sg_format --format --size=512",
    ),
    Rule(
        REFUSE,
        read_only,
        "{called} is read-only",
        "look for a write-protect switch, or blockdev --setrw if someone set it so",
    ),
    Rule(
        REFUSE,
        _attribute("queue/zoned", "host-managed"),
        "it is a host-managed zoned disk, which md cannot write to",
        "choose a disk without zones",
    ),
    Rule(
        REFUSE,
        _when(lambda subject: _DASD.fullmatch(subject.device.name) is not None),
        "it is a whole DASD, whose first tracks are its volume label: md cannot have it",
        "make a partition (fdasd -a {path}) and an array of partitions by hand; raidtui builds on whole disks",
    ),
    Rule(
        REFUSE,
        _sector,
        "its logical sectors of {sector} bytes are none that md can use",
        "format it to sectors of 512 or 4096 bytes (sg_format, nvme format)",
    ),
    Rule(
        REFUSE,
        _state,
        "the kernel has set it {state}",
        "look at its cable and at dmesg; then rescan or exchange it",
    ),
    Rule(
        REFUSE,
        reported_by("opal"),
        "it is locked (Opal self-encryption)",
        "unlock it with its password (sedutil-cli, or the firmware's set-up), or revert it with its PSID",
    ),
    Rule(
        REFUSE,
        reported_by("reservation"),
        "another host may be using it: {reservation} on it (SCSI persistent reservation, a shared shelf?)",
        "find that host; sg_persist --in --read-full-status {node} names it, sg_persist --out --clear ends a stale one",
    ),
    Rule(
        REFUSE,
        read_error,
        "{called} cannot be read: {error}",
        "look at dmesg: a failing disk, a locked one (Opal) or one reserved by another host reads so",
    ),
    Rule(WARN, not_checked, "not checked: {missing}", "{how}"),
    Rule(
        WARN,
        bypassed,
        "{strays} leads to this disk too, and is outside of the map",
        "add that path to the map (multipath -v2), or take it away",
    ),
    Rule(
        WARN,
        named,
        "{on} is named as {place} by {file}: {line}",
        "take that out of {file}, if what is on it may be lost",
    ),
    Rule(
        WARN,
        typed,
        "{on} has the partition type of {what}, and no superblock",
        "look on the other disks of that array whether it belongs there",
    ),
    Rule(
        WARN,
        protected,
        "{on} is a file system for several hosts (ext4 with mmp), {by}",
        "be sure that no other host has it mounted",
    ),
    Rule(
        WARN,
        unclean,
        "{on} was mounted and not unmounted{last}, and is not mounted here",
        "find out whether another host or a virtual machine has it mounted",
    ),
    Rule(WARN, _contents, "holds {contents}; it will be erased", _ERASED),
    Rule(
        WARN,
        _unknown_data,
        "holds data without a known signature; it will be erased",
        _ERASED,
    ),
    Rule(
        WARN,
        lambda subject: (
            {"double": subject.double, "doubled": subject.doubled, "id": subject.id} if subject.double else None
        ),
        "its {doubled} is also that of {double}; told apart by {id}",
        "do not exchange their cables before the run is over",
    ),
    Rule(
        WARN,
        _when(lambda subject: subject.id == subject.identity.name_id and not subject.double),
        "it has no WWN, no serial number and no path; only its name {name} tells it apart",
        "do not reboot before the run is over",
    ),
    Rule(
        WARN,
        failing,
        "its own health check (SMART) says that it is {health}",
        "replace it: save what is on it, and build on another one",
    ),
    Rule(
        WARN,
        _when(lambda subject: subject.transport == "usb"),
        "it is connected by USB: slow, shared, and it may vanish",
        "connect it to SATA or SAS for a server's array",
    ),
    Rule(
        WARN,
        _when(lambda subject: subject.transport != "usb" and subject.device.attributes.get("removable") == "1"),
        "it is a removable medium",
        "make sure that it stays in place",
    ),
    Rule(
        WARN,
        _when(lambda subject: is_raid_volume(subject.identity.vendor, subject.identity.model)),
        "it is a volume of a hardware RAID controller ({model}), not a single disk",
        "pass the disks through (HBA or JBOD mode) to measure the disks themselves",
    ),
    Rule(
        WARN,
        _attribute("queue/zoned", "host-aware"),
        "it is a shingled disk (SMR): writes and rebuilds may slow down beyond use",
        "choose a disk with conventional recording (CMR)",
    ),
    Rule(
        WARN,
        _integrity,
        "it is formatted with protection information ({format})",
        "mix no such disk with others; sg_format or nvme format takes it away",
    ),
    Rule(
        WARN,
        of_network,
        "it is a disk of the network",
        "make sure that no other machine uses it",
    ),
    Rule(
        WARN,
        _when(lambda subject: re.match(r"ublkb\d", subject.device.name) is not None),
        "it is served by a program on this machine (ublk), not a disk",
        "make sure that nobody else uses what that program serves",
    ),
)


def judge(subject: Subject) -> Verdict:
    warnings = []
    for rule in RULES:
        facts = rule.facts(subject)
        if facts is None:
            continue
        facts = {"name": subject.device.name, "path": subject.device.path, "model": subject.identity.model, **facts}
        sentences = rule.reason.format(**facts), rule.remedy.format(**facts)
        if rule.standing is Usability.REFUSE:
            return Verdict(Usability.REFUSE, *sentences)
        warnings.append(sentences)
    if not warnings:
        return Verdict(Usability.OK)
    return Verdict(
        Usability.WARN,
        "; ".join(reason for reason, _ in warnings),
        "; ".join(dict.fromkeys(remedy for _, remedy in warnings)),
    )


_WORDS = re.compile(  # in the vendor and model together
    r"RAID"  # MegaRAID, ServeRAID, PRAID, UCSC-MRAID12G, UCS-M2-HWRAID, H/W RAID1, RAID 930-8i
    r"|LOGICAL ?(VOLUME|DISK|DR)|SMART ARRAY"  # HP, HPE, Microchip, 3ware, Adaptec ("LogicalDrv 0")
    r"|\bPERC\b|DELL ?BOSS|\bBOSS-"
    r"|\bMR-?\d{3,4}|\bMRSAS|\bMRROMB|\bSMC\d{4}|\bRS[23][A-Z]{2}\d|\bRMS\d\d?[A-Z]|\bSROMB"  # LSI's, by any maker
    r"|\b(ADAPTEC|ARECA|3WARE|AMCC)\b|\bASR-?\d{4}|\bIPR-\d|\bARC-?(\d{4}|VOL)|\b[789]\d{3}\S*\s+DISK\b"
    r"|\bVD( ?\d+)?$|\bNS204\w|\bPDUAL\b",  # Marvell's, by Dell, Lenovo, HPE and Fujitsu
    re.I,
)
_OF_VENDORS = tuple(  # vendors whose disks, of these models, are volumes
    (re.compile(vendor, re.I), re.compile(model, re.I))
    for vendor, model in (
        (r"^(LSI|AVAGO|BROADCOM)", r"^(?!NWD)"),  # they make no disks, but for flash cards called Nytro WarpDrive
        (r"^(HPT|HIGHPOINT|PROMISE|MSCC|FTS)\b", r""),
        (r"^CISCO", r"^UCS"),
    )
)


def is_raid_volume(vendor: str, model: str) -> bool:
    """A volume of a RAID controller, by vendor and model (SCSI INQUIRY, udev); an unknown model counts as a disk.
    Sources: kernel drivers/scsi, smartmontools, public reports.
    """
    return _WORDS.search(f"{vendor} {model}") is not None or any(
        of_vendor.search(vendor) and of_model.search(model) for of_vendor, of_model in _OF_VENDORS
    )
