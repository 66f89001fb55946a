"""The host's side: boots practice kernels for the rows, prints the tables: `python -m tests.torture [ROW...]`.

Progress goes to standard error, the tables to standard output. Exit status 1 if a row differs, 2 for an unknown row.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import msgspec

from tests.torture.faults import ROWS
from tests.torture.matrix import Lab, Result, Row, summary, table
from tests.torture.stand import BYSTANDERS, DISK_MIB, GROUPED, MBPS, MEMBERS

_BOOT_S, _ROW_S = 120, 960
_AT_ONCE = 12  # rows of one kernel, or of one after the other
_ROWS = "/var/lib/raidtui/rows.jsonl"  # in the guest


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _boot(out: Path, names: Sequence[str], *options: str) -> None:
    """One kernel; `names` are the guest's further arguments."""
    rack = f"-n {MEMBERS + BYSTANDERS} -s {DISK_MIB} -b {MBPS} -o {out}".split()
    inside = ["env", f"PYTHONPATH={Path.cwd()}", sys.executable, "-m", "tests.torture.guest", *names]
    argv = [sys.executable, "-m", "raidtui.practice", *rack, *options, "--", *inside]
    limit_s = _BOOT_S + _ROW_S * sum(row.rows_long for row in ROWS if row.name in names)
    with suppress(subprocess.TimeoutExpired):  # rows without a result tell
        subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=limit_s, check=False)


def _results(out: Path) -> dict[str, Result]:
    lines = [line for file in out.glob("*/rows.jsonl") for line in file.read_bytes().splitlines()]
    return {result.name: result for line in lines if (result := msgspec.json.decode(line, type=Result))}


def _together(out: Path, rows: Sequence[Row], *options: str) -> None:
    """Many rows in one kernel; where it dies, the row that it died of has no result, and the rest gets another."""
    waiting = [row.name for row in rows]
    while waiting:
        own = Path(tempfile.mkdtemp(dir=out))
        _boot(own, (_ROWS, *waiting), *options)
        done = _results(out)
        waiting = [name for name in waiting if name not in done][1:]


def _reboot(out: Path, rows: Sequence[Row], *options: str) -> None:
    """Two boots a row, on disks that outlive the first."""
    for row in rows:
        own = Path(tempfile.mkdtemp(dir=out))
        with tempfile.TemporaryDirectory(prefix="raidtui-torture-") as disks:
            _boot(own, ("--fall", row.name), "-p", disks, *options)
            _boot(own, (_ROWS, row.name), "-p", disks, *options)


_LABS: dict[Lab, tuple[Callable[..., None], tuple[str, ...]]] = {
    "plain": (_together, ()),
    "systemd": (_together, ("-S",)),
    "reboot": (_reboot, ()),
    "systemd-reboot": (_reboot, ("-S",)),
    "groups": (_together, ("-n", f"{GROUPED + BYSTANDERS}")),
    "groups-reboot": (_reboot, ("-n", f"{GROUPED + BYSTANDERS}")),
}


def _carry_out(out: Path, lab: Lab, rows: Sequence[Row]) -> None:
    way, options = _LABS[lab]
    way(out, rows, *options)


def _batches(rows: Sequence[Row]) -> list[tuple[Lab, Sequence[Row]]]:
    """The rows of each lab, a few at a time."""
    found: list[tuple[Lab, Sequence[Row]]] = []
    for lab in _LABS:
        own = [row for row in rows if row.lab == lab]
        found += [(lab, own[first : first + _AT_ONCE]) for first in range(0, len(own), _AT_ONCE)]
    return found


def main() -> int:
    wanted = sys.argv[1:] or [row.name for row in ROWS]
    if unknown := set(wanted) - {row.name for row in ROWS}:
        _say(f"there is no row {', '.join(sorted(unknown))}; there are: {', '.join(row.name for row in ROWS)}")
        return 2
    began_s = time.monotonic()
    rows = [row for row in ROWS if row.name in wanted]
    out = Path(tempfile.mkdtemp(prefix="raidtui-torture-"))
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:  # a kernel has one processor, and waits for its disks
        for done in [pool.submit(_carry_out, out, lab, chosen) for lab, chosen in _batches(rows)]:
            done.result()
    results = _results(out)
    print(table(rows, results), summary(rows, results), sep="\n\n")
    good = all(row.name in results and results[row.name].good for row in rows)
    sure = sum(row.name in results and results[row.name].good for row in rows)
    _say(f"{sure} of {len(rows)} rows as expected, nothing lost, in {time.monotonic() - began_s:.0f} s")
    if good:
        shutil.rmtree(out)
    else:
        _say(f"the runs' directories: {out}/*/runs")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
