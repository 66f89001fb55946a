"""RAID controllers here, and their programs' output. Read-only: `READERS` holds every command given to them. They run
in an empty folder, as some leave a log.

Board and host adapters of this machine, by sysfs: their makers' versions, which explain figures years later.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from raidtui.core.hardware import megacli, storcli
from raidtui.core.hardware.controllers import Controller, ControllersError, Plugged, RaidHardware, seat, volume_words
from raidtui.core.text import clean
from raidtui.system.block import text
from raidtui.system.privilege import is_root
from raidtui.system.process import ProcessError, run
from raidtui.system.programs import which

_TIMEOUT_S = 60.0  # of 24 disks behind one controller
_RAID_CLASS = "0x0104"  # PCI base class 01 (storage), subclass 04 (RAID)


class ShowCommand(msgspec.Struct, frozen=True):
    """`needed`: nothing is known without its answer."""

    arguments: tuple[str, ...]
    needed: bool = False


class Reader(msgspec.Struct, frozen=True):
    """Programs with the same commands: names, places outside of PATH, commands, parser."""

    names: tuple[str, ...]
    places: tuple[str, ...]
    questions: tuple[ShowCommand, ...]
    parse: Callable[..., tuple[Controller, ...]]


READERS = (
    Reader(
        ("storcli64", "storcli", "perccli64", "perccli"),
        ("/opt/MegaRAID/storcli/storcli64", "/opt/MegaRAID/perccli/perccli64"),
        (
            ShowCommand(("/call", "show", "all", "J"), needed=True),
            ShowCommand(("/call/vall", "show", "all", "J")),
            ShowCommand(("/call/eall/sall", "show", "all", "J")),
            ShowCommand(("/call/sall", "show", "all", "J")),  # disks without an enclosure
            ShowCommand(("/call/fall", "show", "all", "J")),
        ),
        storcli.parse,
    ),
    Reader(
        ("MegaCli64", "MegaCli", "megacli"),
        ("/opt/MegaRAID/MegaCli/MegaCli64", "/opt/MegaRAID/MegaCli/MegaCli"),
        (
            ShowCommand(("-AdpAllInfo", "-aALL", "-NoLog"), needed=True),
            ShowCommand(("-AdpGetPciInfo", "-aALL", "-NoLog")),
            ShowCommand(("-AdpBbuCmd", "-GetBbuStatus", "-aALL", "-NoLog")),
            ShowCommand(("-LdPdInfo", "-aALL", "-NoLog")),
            ShowCommand(("-PDList", "-aALL", "-NoLog")),
        ),
        megacli.parse,
    ),
)
# Programs that are there and are not read: nobody has tried them here
UNREAD = {
    "ssacli": "HPE Smart Array",
    "hpssacli": "HP Smart Array",
    "arcconf": "Adaptec and Microchip",
    "storcli2": "Broadcom MegaRAID 9600",
    "perccli2": "Dell PERC 12",
}


def plugged(sysfs: Path = Path("/sys")) -> tuple[Plugged, ...]:
    """On PCI, with or without a program."""
    cards = []
    for folder in sorted((sysfs / "bus/pci/devices").glob("*")):
        if text(folder / "class").startswith(_RAID_CLASS):
            driver = folder / "driver"
            cards.append(Plugged(pci=clean(folder.name), driver=driver.resolve().name if driver.exists() else ""))
    return tuple(cards)


def ask() -> RaidHardware:
    """The first installed program that answers; names of others."""
    cards = plugged()
    why_not = [
        f"{program} is installed ({maker}); raidtui does not read it"
        for program, maker in UNREAD.items()
        if which(program)
    ]
    reader, program = _installed()
    if reader is None:
        if cards and not why_not:
            why_not.append(
                "none of the programs that read RAID controllers is installed: storcli, perccli or MegaCli, from the"
                " controller's maker"
            )
        return RaidHardware(plugged=cards, why_not=tuple(why_not))
    if not is_root():
        return RaidHardware(
            program=program, plugged=cards, why_not=(*why_not, f"{program} answers root alone: use sudo")
        )
    try:
        controllers, refused = _read_controllers(reader, program)
    except (ControllersError, ProcessError) as error:
        return RaidHardware(program=program, plugged=cards, why_not=(*why_not, str(error)))
    return RaidHardware(controllers=controllers, program=program, plugged=cards, why_not=(*why_not, *refused))


class Node(msgspec.Struct, frozen=True):
    name: str
    diskseq: str
    wwn: str
    id_path: str


_volumes: dict[Node, str] = {}


def volumes(nodes: Iterable[Node]) -> dict[str, str]:
    """Kernel name -> description by its controller. Once per disk and process; never without a controller."""
    nodes_asked = list(nodes)
    new = [node for node in nodes_asked if node not in _volumes]
    if new and plugged():
        controllers = ask().controllers
        for node in new:
            volume_seat = seat(controllers, node.wwn, node.id_path)
            _volumes[node] = volume_words(volume_seat) if volume_seat else ""
    return {node.name: volume for node in nodes_asked if (volume := _volumes.get(node))}


def _installed() -> tuple[Reader | None, str]:
    for reader in READERS:
        for name in (*reader.names, *reader.places):
            if path := which(name):
                return reader, path
    return None, ""


def _read_controllers(reader: Reader, program: str) -> tuple[tuple[Controller, ...], list[str]]:
    """Controllers, and reasons of missing answers. Raises if a needed one is missing."""
    answers, refused = [], []
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="raidtui-") as folder:
        for question in reader.questions:
            try:
                answer = run((program, *question.arguments), _TIMEOUT_S, folder=folder).stdout
                reader.parse(answer)  # each by itself: a broken one takes no other with it
                answers.append(answer)
            except (ControllersError, ProcessError) as error:
                if question.needed:
                    raise
                refused.append(f"{' '.join(question.arguments)}: {error}")
    return reader.parse(*answers), refused


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
