"""How long a disk tries to read a bad sector: SCT Error Recovery Control (ATA), and the kernel's command time-out.

A disk that tries longer than the kernel waits is reset, and leaves its array.
"""

import msgspec

from raidtui.core.disks.identity import transport_of
from raidtui.core.disks.machine import BlockDevice, Erc

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
    timeout_s = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    return msgspec.structs.replace(recovery, timeout_s=timeout_s)
