"""The rules of which disk may be erased: a table, the first that refuses wins, warnings are joined.

Knows only what the machine recorded: what was not read is a warning of its own, never silence.
"""

import re
from collections.abc import Callable

import msgspec

from raidtui.core.disks.disk import Standing, Verdict
from raidtui.core.disks.facts import (
    Facts,
    Subject,
    at_work,
    bypassed,
    exported,
    is_map,
    leg,
    member,
    mounted,
    stacked,
    strayed,
    swapped,
    system,
    twice,
)
from raidtui.core.disks.volumes import is_raid_volume

_VIRTUAL_MEDIA = re.compile(r"virtual|idrac|lcdrive|peppcon|\baten\b|\bilo\b", re.I)  # only asked of USB devices
_OF_NETWORK = re.compile(r"(nbd|rbd|rnbd|vxhs|etherd/e)\d")
_SAN = {"fc", "fcoe", "iscsi"}
_FABRICS = {"tcp", "rdma", "fc"}  # drivers/nvme/host: struct nvmf_transport_ops' names; "pcie", "apple-nvme" are local
NOT_READ = {
    "mounts": "what is mounted",
    "swaps": "what is swapped on",
    "holders": "what is stacked on it",
    "sizes": "its size",
    "signatures": "what it holds",
    "loops": "what loop devices lie on",
    "exports": "what the kernel serves to other machines (configfs is not mounted)",
    "openers": "which programs have it open (this is a pid namespace of its own)",
}


class Rule(msgspec.Struct, frozen=True):
    """`facts` gives what fills the two sentences, or None where the rule does not apply."""

    standing: Standing
    facts: Callable[[Subject], Facts | None]
    reason: str
    remedy: str


def _when(condition: Callable[[Subject], bool]) -> Callable[[Subject], Facts | None]:
    return lambda subject: {} if condition(subject) else None


def _attribute(path: str, *values: str) -> Callable[[Subject], Facts | None]:
    return _when(lambda subject: subject.device.attributes.get(path, "").lower() in values)


def _sector(subject: Subject) -> Facts | None:
    text = subject.device.attributes.get("queue/logical_block_size", "512")
    return None if text in ("512", "4096") else {"sector": text or "no"}


def _state(subject: Subject) -> Facts | None:
    state = subject.device.attributes.get("device/state", "")
    return {"state": state} if state and state not in ("running", "live") else None


def _read_error(subject: Subject) -> Facts | None:
    families = (block_device for node in subject.in_use for block_device in subject.family_of(node))
    broken = next((block_device for block_device in families if block_device.read_error), None)
    return {"called": subject.called(broken), "error": broken.read_error} if broken else None


def _told_by(key: str) -> Callable[[Subject], Facts | None]:
    """What the drive answered, by whichever node."""

    def facts(subject: Subject) -> Facts | None:
        node = next((node for node in subject.drive if node.told.get(key)), None)
        return {key: node.told[key], "node": node.path} if node else None

    return facts


def _read_only(subject: Subject) -> Facts | None:
    node = next((node for node in subject.drive if node.attributes.get("ro") == "1"), None)
    return {"called": subject.called(node)} if node else None


def _failing(subject: Subject) -> Facts | None:
    failing = (node.told["health"] for node in subject.drive if node.told.get("health", "").startswith("failing"))
    health = next(failing, "")
    return {"health": health} if health else None


def _not_asked(subject: Subject) -> Facts | None:
    """A node of the disk that did not answer who has reserved it, and why."""
    node = next((node for node in subject.in_use if node.told.get(_UNANSWERED)), None)
    return {"node": node.path, "why": node.told[_UNANSWERED]} if node else None


_UNANSWERED = "reservation not read"


def unchecked(subject: Subject) -> list[str]:
    """In words, what speaks for or against this disk and was not read."""
    missing = [words for key, words in NOT_READ.items() if key in subject.machine.not_read]
    missing += [text for text in subject.machine.not_read if text not in NOT_READ]
    shown = subject.in_use if is_map(subject.device) else (subject.device,)
    if not all(block_device.read for node in shown for block_device in subject.family_of(node)):
        missing.append(NOT_READ["signatures"])
    if unanswered := _not_asked(subject):
        missing.append("whether another host uses it ({node}: {why})".format(**unanswered))
    if subject.device.size_bytes is None:
        missing.append(NOT_READ["sizes"])
    return list(dict.fromkeys(missing))


def _unchecked(subject: Subject) -> Facts | None:
    missing = unchecked(subject)
    if not missing:
        return None
    live = subject.machine.origin == "live"
    if live and not subject.machine.root:
        how = "run raidtui as root"
    elif unanswered := _not_asked(subject):
        how = "sg_persist --in -k {node} shows the keys: once it answers, look again".format(**unanswered)
    elif live and "exports" in subject.machine.not_read:
        how = "mount -t configfs configfs /sys/kernel/config, and look again"
    else:
        how = "look again on the machine itself, as root"
    return {"missing": ", ".join(missing), "how": how}


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


def _of_network(subject: Subject) -> Facts | None:
    """A LUN, a block device of a network's own, or an NVMe disk behind a fabric, as its controllers tell."""
    fabrics = {fabric for node in subject.drive for fabric in node.attributes.get("transports", "").split()}
    if fabrics & _FABRICS or subject.transports & _SAN:
        return {}
    return {} if any(_OF_NETWORK.match(node.name) for node in subject.drive) else None


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


REFUSE, WARN = Standing.REFUSE, Standing.WARN
_ERASED = "nothing, if it may be lost; else save it first"
RULES: tuple[Rule, ...] = (
    Rule(
        REFUSE,
        system,
        "{on} is mounted at {mountpoint}: this disk holds the running system",
        "none: a disk that the system or raidtui runs from is never erased; choose another one",
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
        _read_only,
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
        _told_by("opal"),
        "it is locked (Opal self-encryption)",
        "unlock it with its password (sedutil-cli, or the firmware's set-up), or revert it with its PSID",
    ),
    Rule(
        REFUSE,
        _told_by("reservation"),
        "another host may be using it: {reservation} on it (SCSI persistent reservation, a shared shelf?)",
        "find that host; sg_persist --in --read-full-status {node} names it, sg_persist --out --clear ends a stale one",
    ),
    Rule(
        REFUSE,
        _read_error,
        "{called} cannot be read: {error}",
        "look at dmesg: a failing disk, a locked one (Opal) or one reserved by another host reads so",
    ),
    Rule(WARN, _unchecked, "not checked: {missing}", "{how}"),
    Rule(
        WARN,
        bypassed,
        "{strays} leads to this disk too, and is outside of the map",
        "add that path to the map (multipath -v2), or take it away",
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
        _failing,
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
        _of_network,
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
    """The first refusal, else all warnings together, else ok."""
    warnings: list[tuple[str, str]] = []
    for rule in RULES:
        facts = rule.facts(subject)
        if facts is None:
            continue
        facts = {"name": subject.device.name, "path": subject.device.path, "model": subject.identity.model, **facts}
        sentences = rule.reason.format(**facts), rule.remedy.format(**facts)
        if rule.standing is Standing.REFUSE:
            return Verdict(Standing.REFUSE, *sentences)
        warnings.append(sentences)
    if not warnings:
        return Verdict(Standing.OK)
    return Verdict(
        Standing.WARN,
        "; ".join(reason for reason, _ in warnings),
        "; ".join(dict.fromkeys(remedy for _, remedy in warnings)),
    )
