"""The host's side: boots practice kernels for the rows, prints the table: `python -m tests.torture [ROW...]`.

Progress goes to standard error, the table to standard output. Exit status 1 if a row differs, 2 for an unknown row.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.torture.faults import ROWS
from tests.torture.matrix import Lab, Result, Row, table
from tests.torture.stand import BYSTANDERS, DISK_MIB, MBPS, MEMBERS

_OPTIONS: dict[Lab, tuple[str, ...]] = {"plain": (), "systemd": ("-S",)}
_LAB_S = 3600


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _boot(lab: Lab, names: Sequence[str], out: Path) -> None:
    rack = f"-n {MEMBERS + BYSTANDERS} -s {DISK_MIB} -b {MBPS} -o {out}".split()
    inside = [
        "env",
        f"PYTHONPATH={Path.cwd()}",
        sys.executable,
        "-m",
        "tests.torture.guest",
        "/var/lib/raidtui/rows.jsonl",
        *names,
    ]
    argv = [sys.executable, "-m", "raidtui.practice", *rack, *_OPTIONS[lab], "--", *inside]
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=_LAB_S, check=False)


def _results(out: Path) -> dict[str, Result]:
    file = out / "rows.jsonl"
    lines = file.read_bytes().splitlines() if file.exists() else []
    return {result.name: result for line in lines if (result := msgspec.json.decode(line, type=Result))}


def _carry_out(lab: Lab, rows: Sequence[Row], out: Path) -> dict[str, Result]:
    """All rows of a lab in one kernel; where it dies the row that killed it is left out, the rest gets another."""
    names = [row.name for row in rows]
    died = set[str]()
    while waiting := [name for name in names if name not in _results(out) and name not in died]:
        _boot(lab, waiting, out)
        died |= {name for name in waiting[:1] if name not in _results(out)} or set()
        if rest := [name for name in waiting if name not in _results(out)]:
            died.add(rest[0])
    return _results(out)


def main() -> int:
    wanted = sys.argv[1:] or [row.name for row in ROWS]
    if unknown := set(wanted) - {row.name for row in ROWS}:
        _say(f"there is no row {', '.join(sorted(unknown))}; there are: {', '.join(row.name for row in ROWS)}")
        return 2
    began_s = time.monotonic()
    rows = [row for row in ROWS if row.name in wanted]
    out = Path(tempfile.mkdtemp(prefix="raidtui-torture-"))
    results: dict[str, Result] = {}
    for lab in dict.fromkeys(row.lab for row in rows):
        results |= _carry_out(lab, [row for row in rows if row.lab == lab], out)
    print(table(rows, results))
    good = all(row.name in results and results[row.name].good for row in rows)
    sure = sum(row.name in results and results[row.name].good for row in rows)
    _say(f"{sure} of {len(rows)} rows as expected, nothing lost, in {time.monotonic() - began_s:.0f} s")
    if good:
        shutil.rmtree(out)
    else:
        _say(f"the runs' directories: {out}/runs")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
