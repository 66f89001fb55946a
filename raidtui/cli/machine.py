"""This machine, or a recorded one: its disks with their verdicts, and what it has and lacks for raidtui."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli.output import FAILED, REFUSED, Json, print_json, print_notice

if TYPE_CHECKING:
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
    from raidtui.core.disks.verdicts import disks_of

    if free or blank or own or identities:
        if not free or not identities or machine or json:
            usage = "raidtui disks --free [--blank] [--own UUID] ID…"
            raise ValueError(f"disks --free: write `{usage}`, with the ids that `raidtui disks` shows")
        from raidtui.runs import locks
        from raidtui.system.free import why_not_free

        not_free = why_not_free(identities, blank=blank, own=own or ())
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


def machine_of(path: Path | None) -> "Machine":
    if path is not None:
        from raidtui.core.disks.dumps import read

        return read(path.read_bytes(), str(path))
    from raidtui.runs.locks import machine_here

    return machine_here()


def _mark(ok: bool) -> str:
    """Coloured on a terminal that shows colours."""
    word, colour = ("ok  ", 32) if ok else ("MISS", 31)
    plain = not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb" or os.environ.get("NO_COLOR")
    return word if plain else f"\x1b[{colour}m{word}\x1b[0m"


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
