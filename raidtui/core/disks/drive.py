"""A drive's reports by any node: locks, claims, errors, health, unreadable facts. Consequences: `rules`.

How long a disk tries to read a bad sector: SCT Error Recovery Control (ATA), and the kernel's command time-out.

A disk that tries longer than the kernel waits is reset, and leaves its array.
"""

import re
from collections.abc import Callable

import msgspec

from raidtui.core.disks.facts import Facts, Subject, is_map
from raidtui.core.disks.identity import transport_of
from raidtui.core.disks.machine import BlockDevice, Erc

_OF_NETWORK = re.compile(r"(nbd|rbd|rnbd|vxhs|etherd/e)\d")
_SAN = {"fc", "fcoe", "iscsi"}
_FABRICS = {"tcp", "rdma", "fc"}  # drivers/nvme/host: struct nvmf_transport_ops' names; "pcie", "apple-nvme" are local
NOT_READ = {
    "mounts": "what is mounted",
    "swaps": "what is swapped on",
    "holders": "what is stacked on it",
    "sizes": "its size",
    "signatures": "contents",
    "loops": "what loop devices lie on",
    "exports": "what the kernel serves to other machines (configfs is not mounted)",
    "openers": "which programs have it open (this is a pid namespace of its own)",
}


def read_error(subject: Subject) -> Facts | None:
    families = (block_device for node in subject.in_use for block_device in subject.family_of(node))
    broken = next((block_device for block_device in families if block_device.read_error), None)
    return {"called": subject.called(broken), "error": broken.read_error} if broken else None


def reported_by(key: str) -> Callable[[Subject], Facts | None]:
    def facts(subject: Subject) -> Facts | None:
        node = next((node for node in subject.drive if node.told.get(key)), None)
        return {key: node.told[key], "node": node.path} if node else None

    return facts


def read_only(subject: Subject) -> Facts | None:
    node = next((node for node in subject.drive if node.attributes.get("ro") == "1"), None)
    return {"called": subject.called(node)} if node else None


def failing(subject: Subject) -> Facts | None:
    failing = (node.told["health"] for node in subject.drive if node.told.get("health", "").startswith("failing"))
    health = next(failing, "")
    return {"health": health} if health else None


def _not_asked(subject: Subject) -> Facts | None:
    """A node that did not answer who has reserved it, with the reason."""
    node = next((node for node in subject.in_use if node.told.get(_UNANSWERED)), None)
    return {"node": node.path, "why": node.told[_UNANSWERED]} if node else None


_UNANSWERED = "reservation not read"


def unchecked(subject: Subject) -> list[str]:
    """Facts about the disk that were not read, in words."""
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


def not_checked(subject: Subject) -> Facts | None:
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


def of_network(subject: Subject) -> Facts | None:
    """A LUN, a network block device, or NVMe over fabrics, by their controllers."""
    fabrics = {fabric for node in subject.drive for fabric in node.attributes.get("transports", "").split()}
    if fabrics & _FABRICS or subject.transports & _SAN:
        return {}
    return {} if any(_OF_NETWORK.match(node.name) for node in subject.drive) else None


HAS_ERC: tuple[Erc, ...] = ("supported", "off", "on")
ERC_DECISECONDS = 70  # as drives made for arrays have it
LONG_TIMEOUT_S = 180  # longer than any drive without ERC tries
TOLD = "erc"  # key of BlockDevice.told
_PROTOCOLS: dict[str, Erc] = {"SCSI": "not applicable", "NVMe": "not applicable"}


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """`read_s`, `write_s`: the disk's limits where `erc` is "on" (0: none for that). `timeout_s`: None: not read."""

    erc: Erc = "not checked"
    read_s: float = 0.0
    write_s: float = 0.0
    timeout_s: int | None = None

    @property
    def is_unlimited(self) -> bool:
        """The disk may try for minutes."""
        return self.erc in ("none", "off") or (self.erc == "on" and not (self.read_s and self.write_s))

    @property
    def outlasts_kernel(self) -> bool:
        """The kernel gives up first. False if either was not read."""
        if self.timeout_s is None or self.erc in ("not checked", "not applicable", "supported"):
            return False
        if self.is_unlimited:
            return self.timeout_s < LONG_TIMEOUT_S
        return max(self.read_s, self.write_s) >= self.timeout_s


def described(recovery: Recovery) -> str:
    match recovery.erc:
        case "on":
            return f"{recovery.read_s:g} s read, {recovery.write_s:g} s write"
        case "none":
            return "no ERC"
    return recovery.erc


def erc_of(device: BlockDevice) -> Erc:
    """As told by smartctl, else by udev: whether it is ATA."""
    told = device.told.get(TOLD, "")
    known = next((erc for erc in (*HAS_ERC, "none", "not applicable") if erc == told), None)
    return known or of_protocol("", device)


def of_protocol(protocol: str, device: BlockDevice) -> Erc:
    """Of a disk that did not tell its ERC."""
    if known := _PROTOCOLS.get(protocol):
        return known
    by_udev = device.properties.get("ID_ATA") == "1" or device.properties.get("ID_BUS") == "ata"
    if protocol == "ATA" or by_udev or device.attributes.get("device/vendor") == "ATA":
        return "not checked"
    behind_usb = device.name.startswith("sd") and transport_of(device) == "usb"  # whose bridge hides what it is
    return "not checked" if behind_usb else "not applicable"


def of_device(device: BlockDevice, told: Recovery | None) -> Recovery:
    """`told` by the disk just now, if it was asked."""
    recovery = told if told and told.erc != "not checked" else Recovery(erc=erc_of(device))
    return with_timeout(recovery, device.attributes.get("device/timeout", ""))


def with_timeout(recovery: Recovery, text: str) -> Recovery:
    return msgspec.structs.replace(
        recovery, timeout_s=int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    )
