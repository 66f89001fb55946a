"""This machine, or a recorded one: its disks with their verdicts, and what it has and lacks for raidtui.

Hardware: the health of drives, RAID controllers, and the LED of a disk. Nothing is written to a disk.

Disks as a person calls them on the command line: by name, path, identity or serial number.
"""

import shlex
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli.groups import Json
from raidtui.cli.output import FAILED, REFUSED, coloured, end, print_json, print_notice

if TYPE_CHECKING:
    from raidtui.core.disks.disk import Disk
    from raidtui.core.disks.machine import Machine


def disks(
    machine: Annotated[
        Path | None, typer.Option(help="Recording, `udevadm info --export-db` or `lsblk -J -O -b`.")
    ] = None,
    free: Annotated[bool, typer.Option("--free", help="Check that the disks are free; exit 3 if not.")] = False,
    blank: Annotated[
        bool, typer.Option("--blank", help="With --free: they must be blank, unsigned data included.")
    ] = False,
    own: Annotated[
        list[str] | None,
        typer.Option("--own", metavar="UUID", help="With --free: allow this partition table (made by the caller)."),
    ] = None,
    identities: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="With --free: disks by identity.")
    ] = None,
    json: Json = False,
) -> None:
    """List disks and whether each can be used."""
    from raidtui.core.disks.disk import State
    from raidtui.core.disks.verdicts import disks_of

    if free or blank or own or identities:
        if not free or not identities or machine or json:
            usage = "raidtui disks --free [--blank] [--own UUID] ID…"
            raise ValueError(f"disks --free: write `{usage}`, with the ids that `raidtui disks` shows")
        from raidtui.runs import locks
        from raidtui.system.claims import disks_not_free

        not_free = disks_not_free(identities, blank=blank, own=own or ())
        if reasons := (*locks.locked_elsewhere(identities).values(), *not_free):
            for reason in reasons:
                print_notice(f"raidtui: {reason}")
            sys.exit(REFUSED)
        return
    listed = disks_of(machine_of(machine))
    if machine is None and any(disk.contents for disk in listed):  # a blank one is of no array
        from raidtui.runs import directory
        from raidtui.runs.kept_arrays import keeping_runs, with_keeping_runs

        listed = with_keeping_runs(listed, keeping_runs(listed, directory.runs_root()))
    if json:
        from raidtui.core.documents.documents import DisksDocument

        print_json("disks", DisksDocument(disks=tuple(listed)))
        return
    from raidtui.core.units import both

    for disk in listed:
        print(f"{disk.name}  {both(disk.size_bytes)}  {disk.title}\n    id: {disk.id}\n    on it: {disk.found}")
        if disk.volume:
            print(f"    volume of a RAID controller: {disk.volume}")
        words = f"{disk.verdict.standing.value}"
        words += f": {disk.verdict.reason}" if disk.verdict.reason else ""
        print(f"    {words}" + (f" ({disk.verdict.remedy})" if disk.verdict.remedy else ""))
    if not listed:
        print("no disks that can be array members")
    if machine is None and any(disk.state is State.NOT_CHECKED for disk in listed):
        from raidtui.system.privilege import as_root, is_root

        if not is_root():
            print_notice(f"raidtui: contents need root: `{as_root()} disks`")


def machine_of(path: Path | None) -> "Machine":
    if path is not None:
        from raidtui.core.disks.dumps import read

        return read(path.read_bytes(), str(path))
    from raidtui.runs.locks import machine_here

    return machine_here()


def _mark(ok: bool) -> str:
    word, colour = ("ok  ", 32) if ok else ("MISS", 31)
    return f"\x1b[{colour}m{word}\x1b[0m" if coloured() else word


def doctor(
    dump: Annotated[Path | None, typer.Option(help="Record this machine to FILE, for a bug report.")] = None,
    mask: Annotated[bool, typer.Option("--mask", help="Replace serial numbers, WWNs and names in it.")] = False,
    json: Json = False,
) -> None:
    """Check required tools and kernel features.

    Names the package of each that is missing. Exit code 1: no run can start here.
    """
    from raidtui.practice import refusal
    from raidtui.system import doctor as doctors

    if dump is not None:
        from raidtui.core.disks.dumps import masked
        from raidtui.core.disks.machine import encode
        from raidtui.system.new_file import write_new

        machine = machine_of(None)
        write_new(dump, encode(masked(machine) if mask else machine))
        print(f"recorded to {dump}; `raidtui disks --machine {dump}` shows it")
        return
    if mask:
        raise ValueError("--mask needs --dump FILE")
    findings, missing, no_practice = doctors.doctor(), doctors.missing_for_run(), refusal()
    if json:
        from raidtui.core.documents.documents import DoctorDocument

        print_json("doctor", DoctorDocument(findings=findings, practice=no_practice, run=missing))
        sys.exit(FAILED if missing else 0)
    for finding in findings:
        print(f"{_mark(finding.ok)} {finding.subject}: {finding.text}")
        if not finding.ok and finding.remedy:
            print(f"     {finding.remedy}")
    print(f"{_mark(not no_practice)} practice disks: {no_practice or 'can be used here'}")
    print(f"\nno run can start here: {missing}" if missing else "\nruns can start here")
    if missing:
        print(f"works here: `raidtui {'demo' if no_practice else 'practice'}`")
    sys.exit(FAILED if missing else 0)


def free_or_named(names: list[str], machine: Path | None) -> "tuple[Disk, ...]":
    """The disks of a machine by what a person calls them; without names all that are free and hold nothing. ValueError
    with the ways out if that is none.
    """
    from raidtui.core.disks.disk import State
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.system.privilege import as_root, is_root

    disks = disks_of(machine_of(machine))
    if not names:
        if free := tuple(disk for disk in disks if disk.state is State.FREE):
            return free
        counts = Counter(disk.state for disk in disks)
        found = ", ".join(f"{counts[state]} {state}" for state in State if counts[state]) or "no disks"
        unread = machine is None and counts[State.NOT_CHECKED] and not is_root()
        read = f"read them with `{as_root()} {shlex.join(sys.argv[1:])}`, " if unread else ""
        raise ValueError(f"no free disk ({found}); {read}name disks, or describe some: --disk 8TBx6")
    return named_members(names, disks)


def named_members(names: "Sequence[str]", disks: "Sequence[Disk]") -> "tuple[Disk, ...]":
    """By what a person calls them, in order. ValueError, one sentence, for one that cannot be a member."""
    from raidtui.core.disks.disk import Usability

    members = [named(name, disks) for name in names]
    refused = next((disk for disk in members if disk.verdict.standing is Usability.REFUSE), None)
    if refused:
        raise ValueError(f"{refused.name} cannot be a member: {refused.verdict.reason}; {refused.verdict.remedy}")
    if len(set(members)) < len(members):
        raise ValueError("a disk is named more than once; name each once")
    return tuple(members)


def named(name: str, disks: "Sequence[Disk]") -> "Disk":
    """The one disk of that name, used or not."""
    from raidtui.core.text import brief

    fitting = [disk for disk in disks if name in (disk.name, disk.path, disk.id, disk.serial)]
    if len(fitting) != 1:
        names_here = ", ".join(disk.name for disk in disks) or "none"
        problem = "several disks are" if fitting else "no disk"
        raise ValueError(f"{problem} named {brief(repr(name))}; available: {names_here}")
    return fitting[0]


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
    from raidtui.system.hardware.locate import Led, lit, read_steadily
    from raidtui.system.privilege import as_root, is_root

    if not is_root():
        end(f"locate needs root; start it with `{as_root()}`", FAILED)
    found = named(disk, disks_of(read_machine()))
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.default_int_handler)

    def announce(led: Led) -> None:
        print_notice(f"{found.name} {found.title}: {led.place}; if this program is killed: {led.put_back}")

    never = Event()
    with lit(found.name, announce) as led:
        try:
            until = f"{seconds:g} s" if seconds else "Ctrl-C"
            if led:
                print_notice(f"lit until {until}")
                never.wait(seconds or None)
            else:
                print_notice(f"{found.name} {found.title}: no locate LED; read steadily until {until}")
                begun_s = monotonic()
                pause = lambda: never.wait(0.03) or (bool(seconds) and monotonic() - begun_s >= seconds)  # noqa: E731
                read_steadily(found.path, found.size_bytes, pause)
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
    names = {}
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
