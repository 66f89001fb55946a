"""udev properties kept of a block device, and their signatures; for `system.discovery` and `dumps`."""

from collections.abc import Mapping

from raidtui.core.disks.machine import Signature

_KEPT = ("ID_", "DM_", "MD_", "DEVNAME", "DEVLINKS", "DEVPATH", "DISKSEQ", "SCSI_IDENT_", "USEC_INITIALIZED")


def kept(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in properties.items() if key.startswith(_KEPT)}


def signatures_of(properties: Mapping[str, str]) -> tuple[Signature, ...] | None:
    """None if udev has not probed the device."""
    if "USEC_INITIALIZED" not in properties:
        return None
    signatures = []
    # a partition inherits the properties of its disk, the table among them
    if properties.get("DEVTYPE") != "partition" and (table := properties.get("ID_PART_TABLE_TYPE")):
        signatures.append(Signature(kind=table, uuid=properties.get("ID_PART_TABLE_UUID", "")))
    if kind := properties.get("ID_FS_TYPE"):
        label = properties.get("ID_FS_LABEL", "")
        signatures.append(Signature(kind=kind, label=label, uuid=properties.get("ID_FS_UUID", "")))
    elif contradicting := properties.get("ID_FS_AMBIVALENT"):
        signatures.append(Signature(kind="several signatures", label=contradicting))
    return tuple(signatures)
