"""What hardware tells of itself: the health of drives, RAID controllers. Looks, and changes nothing."""

import sys
from typing import Annotated

import typer

from raidtui.cli.output import FAILED, Json, end, print_json


def health(
    disks: Annotated[
        list[str] | None, typer.Argument(metavar="DISK", help="Disk by name, path, identity or serial. Default: all.")
    ] = None,
    json: Json = False,
) -> None:
    """Show drive health (SMART).

    Drives behind MegaRAID too. Exit code 1: a drive should be replaced.
    """
    from raidtui.core.hardware.judgement import Fitness
    from raidtui.core.hardware.pages import drive_page
    from raidtui.system.hardware.drives import examined

    drives, why_nothing = examined(disks or ())
    if json:
        from raidtui.core.documents.hardware import HealthDocument

        print_json("health", HealthDocument(drives=tuple(drives), why_not=why_nothing))
    else:
        for drive in drives:
            print("\n".join(drive_page(drive.title, drive.health, drive.judgement, drive.why_not)))
        if why_nothing and disks:
            end(f"{', '.join(disks)}: {why_nothing}", FAILED)
        if why_nothing:
            print(f"{why_nothing[:1].upper()}{why_nothing[1:]}.")
    sys.exit(FAILED if any(drive.judgement.fitness is Fitness.REPLACE for drive in drives) else 0)


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
        from raidtui.core.documents.hardware import ControllersDocument, TiedDisk

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
