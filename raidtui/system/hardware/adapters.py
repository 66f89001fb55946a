"""Board and host adapters of this machine, by sysfs: their makers' versions, which explain figures years later."""

from collections.abc import Iterator
from pathlib import Path

from raidtui.core.text import clean
from raidtui.system.block import text

_BOARD = (("BIOS", ("bios_vendor", "bios_version", "bios_date")), ("server", ("sys_vendor", "product_name")))
_BMC = "devices/platform/ipmi_bmc.*/firmware_revision"
# What drivers call it in a SCSI host's folder: mpt3sas, hpsa, qla2xxx, lpfc, smartpqi.
_MODELS = ("board_name", "model_name", "modelname", "model")
_FIRMWARES = ("version_fw", "firmware_revision", "fw_version", "fwrev", "firmware_version")
_NO_ADAPTERS = frozenset({"usb-storage", "uas", "scsi_debug"})


def adapters(sysfs: Path = Path("/sys")) -> dict[str, str]:
    """ "BIOS", "server", "BMC", "adapter 0000:03:00.0" -> words; what is not told is left out."""
    told = {
        name: " ".join(filter(None, (_text(sysfs / "class/dmi/id" / key) for key in keys))) for name, keys in _BOARD
    }
    told["BMC"] = next((f"firmware {_text(path)}" for path in sorted(sysfs.glob(_BMC))), "")
    for host in sorted((sysfs / "class/scsi_host").glob("host*")):
        driver, address = _text(host / "proc_name"), _pci(host)
        if address and driver not in _NO_ADAPTERS:
            told.setdefault(f"adapter {address}", ", ".join(_words(sysfs, host, driver)))
    return {name: words for name, words in told.items() if words}


def _words(sysfs: Path, host: Path, driver: str) -> Iterator[str]:
    if model := _first(host, _MODELS):
        yield model
    if firmware := _first(host, _FIRMWARES):
        yield f"firmware {firmware}"
    if driver and driver != "<NULL>":
        version = _text(sysfs / "module" / driver / "version")
        yield f"driver {driver}{f' {version}' if version else ''}"
    if depth := _text(host / "can_queue"):
        yield f"queue depth {depth}"


def _first(host: Path, names: tuple[str, ...]) -> str:
    return next((found for name in names if (found := _text(host / name))), "")


def _pci(host: Path) -> str:
    """The address nearest to the host; "" if it is on no PCI device."""
    parts = host.resolve().parts
    return next((part for part in reversed(parts) if part.count(":") == 2 and "." in part), "")


def _text(path: Path) -> str:
    return clean(text(path)).strip()
