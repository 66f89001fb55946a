"""Hardware: the health of drives, RAID controllers, and the LED of a disk. Nothing is written to a disk."""

import signal
import sys
from threading import Event
from time import monotonic
from typing import Annotated

import typer

from raidtui.cli.named_disks import named
from raidtui.cli.output import FAILED, Json, end, print_json, print_notice


def health(
    disks: Annotated[
        list[str] | None, typer.Argument(metavar="DISK", help="Disk by name, path, identity or serial. Default: all.")
    ] = None,
    json: Json = False,
) -> None:
    """Show drive health (SMART).

    Drives behind MegaRAID too. Exit code 1: a drive should be replaced.
    """
    from raidtui.core.hardware.drive import Fitness
    from raidtui.core.hardware.pages import drive_page
    from raidtui.system.drives import examined

    drives, why_nothing = examined(disks or ())
    if json:
        from raidtui.core.documents.documents import HealthDocument

        print_json("health", HealthDocument(drives=tuple(drives), why_not=why_nothing))
    else:
        for drive in drives:
            print("\n".join(drive_page(drive.title, drive.health, drive.judgement, drive.why_not)))
        if why_nothing and disks:
            end(f"{', '.join(disks)}: {why_nothing}", FAILED)
        if why_nothing:
            print(f"{why_nothing[:1].upper()}{why_nothing[1:]}.")
    sys.exit(FAILED if any(drive.judgement.fitness is Fitness.REPLACE for drive in drives) else 0)


def locate(
    disk: Annotated[str, typer.Argument(metavar="DISK", help="Disk by name, path, identity or serial.")],
    seconds: Annotated[float, typer.Option(help="End after so many seconds. Default: with Ctrl-C.", min=0)] = 0.0,
) -> None:
    """Light the locate LED of a disk until Ctrl-C.

    By its enclosure or ledctl. Without such an LED the disk is read steadily, so that its activity LED is lit; that
    wakes a sleeping disk. Works on disks in use: nothing is written to them.
    """
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.system.discovery import read_machine
    from raidtui.system.hardware import locate as leds
    from raidtui.system.privilege import as_root, is_root

    if not is_root():
        end(f"locate needs root; start it with `{as_root()}`", FAILED)
    found = named(disk, disks_of(read_machine()))
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)

    def announce(led: leds.Led) -> None:
        print_notice(f"{found.name} {found.title}: {led.place}; if this program is killed: {led.put_back}")

    never = Event()
    with leds.lit(found.name, announce) as led:
        try:
            until = f"{seconds:g} s" if seconds else "Ctrl-C"
            if led:
                print_notice(f"lit until {until}")
                never.wait(seconds or None)
            else:
                print_notice(f"{found.name} {found.title}: no locate LED; read steadily until {until}")
                begun_s = monotonic()
                pause = lambda: never.wait(0.03) or (bool(seconds) and monotonic() - begun_s >= seconds)  # noqa: E731
                leds.read_steadily(found.path, found.size_bytes, pause)
        except KeyboardInterrupt:  # a second one does not keep the LED lit
            for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(ending, signal.SIG_IGN)


def controllers(json: Json = False) -> None:
    """Show hardware RAID controllers and their disks.

    And batteries, by the vendors' own programs. Read only.
    """
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.hardware.controllers import seat
    from raidtui.core.hardware.pages import controller_page
    from raidtui.system.discovery import read_machine
    from raidtui.system.hardware.controllers import ask

    answer = ask()
    names: dict[tuple[int, int], str] = {}
    if answer.controllers:
        machine = read_machine()
        for disk in disks_of(machine):
            device = machine.device(disk.name)
            path = device.properties.get("ID_PATH", "") if device else ""
            if (disk_seat := seat(answer.controllers, disk.wwn, path)) and disk_seat.volume.target is not None:
                names[disk_seat.controller.number, disk_seat.volume.target] = disk.name
    if json:
        from raidtui.core.documents.documents import ControllersDocument, TiedDisk

        tied = (TiedDisk(controller=number, target=target, disk=name) for (number, target), name in names.items())
        print_json("controllers", ControllersDocument(answer=answer, disks=tuple(tied)))
        return
    for controller in answer.controllers:
        volumes = {target: name for (number, target), name in names.items() if number == controller.number}
        print("\n".join(controller_page(controller, volumes)))
    for card in () if answer.controllers else answer.plugged:
        print(f"{card.pci}: a RAID controller, driver {card.driver or 'none'}")
    for reason in answer.why_not:
        print(f"not read: {reason}")
    if not answer.controllers and not answer.plugged and not answer.why_not:
        print("no RAID controller on the PCI bus")
