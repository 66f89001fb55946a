"""RAID controllers here, and their programs' output. Read-only: `READERS` holds every command given to them. They run
in an empty folder, as some leave a log.
"""

from collections.abc import Callable, Iterable
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
    from tempfile import TemporaryDirectory  # late: few machines have such a controller

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
