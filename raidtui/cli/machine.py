"""This machine, or a recorded one: its disks with their verdicts, and what it has and lacks for raidtui."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidtui.cli.output import FAILED, REFUSED, Json, print_json, say

if TYPE_CHECKING:
    from raidtui.core.disks.machine import Machine


def disks(
    machine: Annotated[
        Path | None, typer.Option(help="A recording, a `udevadm info --export-db` dump, or `lsblk -J -O -b` output.")
    ] = None,
    free: Annotated[
        bool, typer.Option("--free", help="Ask whether the named disks are free: 3 if one is not.")
    ] = False,
    blank: Annotated[
        bool, typer.Option("--blank", help="With --free: and hold nothing, no data without a signature either.")
    ] = False,
    own: Annotated[
        list[str] | None, typer.Option("--own", metavar="UUID", help="With --free: tables made by whoever asks.")
    ] = None,
    identities: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="With --free: disks by identity.")
    ] = None,
    json: Json = False,
) -> None:
    """The disks of this machine, or of a recorded one, each with its verdict; or whether some are free."""
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
                say(f"raidtui: {reason}")
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
        print("No disks: nothing here can be a member of an array.")


def machine_of(path: Path | None) -> "Machine":
    if path is not None:
        from raidtui.core.disks.dumps import read

        return read(path.read_bytes(), str(path))
    from raidtui.runs.locks import machine_here

    return machine_here()


def doctor(
    dump: Annotated[Path | None, typer.Option(help="Record this machine to a file, for a bug report.")] = None,
    mask: Annotated[bool, typer.Option("--mask", help="Record it under other serial numbers, WWNs and names.")] = False,
    json: Json = False,
) -> None:
    """What this machine has and lacks for raidtui, with the package that brings it."""
    from raidtui.practice import refusal
    from raidtui.system import doctor as doctors

    if dump is not None:
        from raidtui.core.disks.machine import encode
        from raidtui.core.disks.mask import masked
        from raidtui.system.new_file import write_new

        machine = machine_of(None)
        write_new(dump, encode(masked(machine) if mask else machine))
        print(f"recorded to {dump}; `raidtui disks --machine {dump}` reads it")
        return
    if mask:
        raise ValueError("--mask is for --dump FILE: say which file")
    findings, missing = doctors.doctor(), doctors.missing_for_run()
    if json:
        from raidtui.core.documents.findings import DoctorDocument

        print_json("doctor", DoctorDocument(findings=findings, practice=refusal(), run=missing))
        sys.exit(FAILED if missing else 0)
    for finding in findings:
        print(f"{'ok  ' if finding.ok else 'MISS'} {finding.subject}: {finding.text}")
        if not finding.ok and finding.remedy:
            print(f"     {finding.remedy}")
    print(f"{'MISS' if refusal() else 'ok  '} practice disks: {refusal() or 'can be used here'}")
    print(f"\nNo run can be started here: {missing}" if missing else "\nRuns can be started here.")
    sys.exit(FAILED if missing else 0)
