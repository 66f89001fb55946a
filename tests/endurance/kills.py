"""In the practice kernel: `kill -9` of the worker at every moment of `windows.RUNS`, a row for each into a file.

`python -m tests.endurance.kills FILE [RUN...]`: the runs by number, from 1 on; all of them if none is named.
"""

import sys
import tempfile
import time
from pathlib import Path

from tests.endurance import machine, runs, table
from tests.endurance.machine import Machine
from tests.endurance.table import GOOD, Row
from tests.endurance.windows import WINDOWS, Blow, Seen, blows, length_s


def undisturbed(file: Path, before: Machine) -> tuple[Machine, list[Seen]]:
    """A run that nobody strikes: the machine after it, and its journal. It must leave the machine as it was."""
    run = runs.begin(file)
    run.wait()
    after = machine.look()
    wrong = [text for text in machine.differences(after, before) if text]
    if wrong:
        raise SystemExit(f"the undisturbed run {run.name} left: {'; '.join(wrong)}")
    return after, run.journal


def strike(number: int, answers: Path, planned: list[Blow], journal: list[Seen], after: Machine) -> list[Row]:
    """One run, struck as `planned`, then resumed and left in peace; a row for each blow."""
    run = runs.begin(answers)
    rows: list[Row] = []
    for place, blow in enumerate(planned):
        window = WINDOWS[blow.window]
        row: Row = {"run": number, "aimed at": f"{blow.window}, {blow.share:.0%}"}
        rows.append(row)
        try:
            delay_s = blow.share * length_s(window, journal)
            row["the worker was at"] = run.take(blow.window, delay_s, window.way if place else "run", runs.kill)
            row["verdict"] = run.cut_off() or GOOD
        except (runs.Missed, TimeoutError) as missed:
            row |= {"the worker was at": "-", "verdict": str(missed)}
        table.say(f"run {number}: {row}")
    try:
        wrong = run.finish()
    except (runs.Missed, TimeoutError) as missed:
        wrong = str(missed)
    members, settings = machine.differences(machine.look(), after)
    for row in rows:
        verdict = row.pop("verdict")
        row |= {
            "resumed": wrong or "finished",
            "trials": f"{len(run.plan.trials)} of {len(run.plan.trials)}, each once" if not wrong else "see there",
            "members": members or "blank",
            "settings": settings or "as before",
            "verdict": verdict,
        }
    return rows


def main() -> None:
    out, *names = sys.argv[1:]
    chosen = [int(name) for name in names]
    machine.fill_bystander()
    before = machine.look()
    folder = Path(tempfile.mkdtemp())
    files = {kind: runs.answers(folder / f"{kind}.toml", kind) for kind in runs.KINDS}
    after, journal = undisturbed(files["one setup"], before)
    table.say(", ".join(f"{name} {length_s(window, journal):.2f} s" for name, window in WINDOWS.items()))
    for number, (kind, planned) in enumerate(blows(), 1):
        if chosen and number not in chosen:
            continue
        began_s = time.monotonic()
        for row in strike(number, files[kind], planned, journal, after):
            table.add(Path(out), row)
        table.say(f"run {number} took {time.monotonic() - began_s:.0f} s")


if __name__ == "__main__":
    main()
