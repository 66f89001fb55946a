"""In the practice kernel, boot after boot on the same disks: the machine goes down in the middle of a run, four times.

`python -m tests.endurance.reboots FILE BOOT`: boot 0 begins a run, each goes down at the moment of `windows.REBOOTS`
with its number; the one after the last of them ends the run, and appends a row for each fall to FILE.
"""

import ctypes
import sys
from pathlib import Path

import msgspec

from raidtui.runs import directory
from raidtui.runs.status import status_of_run
from raidtui.system import block
from tests.endurance import machine, runs, table
from tests.endurance.machine import Machine
from tests.endurance.runs import Run
from tests.endurance.windows import REBOOTS
from tests.torture.stand import command, settle

_HALT = 0xCDEF0123  # reboot(2): at once, nothing is written
_NOTES, _BEFORE = Path("/var/lib/raidtui/notes.jsonl"), Path("/var/lib/raidtui/before.json")


def _go_down(pid: int) -> None:
    """The power fails."""
    ctypes.CDLL(None).reboot(_HALT)


def _fall(run: Run, boot: int) -> None:
    """Go on with it to this boot's moment. Does not return."""
    window, delay_s = REBOOTS[boot]
    table.add(_NOTES, {"boot": boot + 1, "aimed at": window})
    command("sync")  # the host has the note before
    run.take(window, delay_s, "resume" if boot else "run", _go_down)


def _found(run: Run) -> None:
    """What the boot after a fall finds, added to the note of it."""
    settle()
    list(run.follow())
    *notes, last = table.read(_NOTES)
    arrays = [
        f"{entry.name} {block.text(entry / 'md/array_state')}" for entry in sorted(Path("/sys/block").glob("md*"))
    ]
    last["the worker was at"] = run.where(None)
    last["found standing"] = ", ".join(arrays) or "no array"
    last["`raidtui runs`"] = status_of_run(run.path).word
    _NOTES.unlink()
    for note in (*notes, last):
        table.add(_NOTES, note)
    table.say(f"{last}")


def _finish(run: Run, out: Path) -> None:
    try:
        wrong = run.finish()
    except runs.Missed as missed:
        wrong = str(missed)
    before = msgspec.json.decode(_BEFORE.read_bytes(), type=Machine)
    members, settings = machine.differences(machine.look(), before)
    count = len(run.plan.trials)
    for note in table.read(_NOTES):
        good = not (wrong or members or settings) and note["`raidtui runs`"] == "cut off"
        row: table.Row = {
            "resumed": wrong or "finished",
            "trials": "see there" if wrong else f"{count} of {count}, each once",
            "members": members or "blank",
            "settings": settings or "as before",
            "verdict": table.GOOD if good else "differs",
        }
        table.add(out, note | row)


def main() -> None:
    out, boot = Path(sys.argv[1]), int(sys.argv[2])
    answers = runs.answers(Path("/run/answers.toml"), "two arrays")
    if boot == 0:
        machine.fill_bystander()
        _BEFORE.write_bytes(msgspec.json.encode(machine.look()))
        run = runs.begin(answers)
    else:
        run = Run(directory.list_runs(directory.runs_root())[-1].name)
        _found(run)
    if boot < len(REBOOTS):
        _fall(run, boot)
    _finish(run, out)


if __name__ == "__main__":
    main()
