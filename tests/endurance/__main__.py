"""The host's side: `python -m tests.endurance [kills | reboots | links | rivals]`, all of them if none is named.

Boots practice kernels and prints a table for each; progress goes to standard error. Exit status 1 where a row is not
ok or did not come, 2 for an unknown name. With a folder in ENDURANCE_OUT rounds of `rivals` whose rows are there are
not played again.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.endurance import table
from tests.endurance.windows import REBOOTS, blows

_DISKS, _DISK_MIB = 4, 96
_LAB_S = 3600
_AT_ONCE = 10  # rounds of one kernel
_ROWS = "/var/lib/raidtui/rows.jsonl"  # in the guest


def _boot(out: Path, module: str, *arguments: str, options: tuple[str, ...] = (), disks: int = _DISKS) -> None:
    """A kernel in which this module of ours is carried out."""
    rack = f"-n {disks} -s {_DISK_MIB} -o {out}".split()
    inside = ["env", f"PYTHONPATH={Path.cwd()}", sys.executable, "-m", f"tests.endurance.{module}", _ROWS, *arguments]
    argv = [sys.executable, "-m", "raidtui.practice", *rack, *options, "--", *inside]
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=_LAB_S, check=False)


def _kills(out: Path) -> int:
    """Two kernels side by side, as each has one processor: the odd runs in one, the even ones in the other."""
    planned = blows()
    numbers = [str(number) for number in range(1, len(planned) + 1)]
    with ThreadPoolExecutor() as pool:
        for half in (0, 1):
            own = out / str(half)
            own.mkdir()
            pool.submit(_boot, own, "kills", *numbers[half::2])
    return sum(len(blows_of) for _, blows_of in planned)


def _reboots(out: Path) -> int:
    """A boot for each fall and one for the end, on disks that outlive them."""
    with tempfile.TemporaryDirectory(prefix="raidtui-endurance-") as disks:
        for fall in range(len(REBOOTS) + 1):
            _boot(out, "reboots", str(fall), options=("-p", disks))
    return len(REBOOTS)


def _links(out: Path) -> int:
    from tests.endurance.links import CUTS

    _boot(out, "links")
    return len(CUTS)


def _rivals(out: Path) -> int:
    """A kernel for a few rounds: what one of them breaks is not the next ones' trouble."""
    from tests.endurance.rivals import ROUNDS
    from tests.torture.stand import BYSTANDERS, MEMBERS

    done = {row["run"] for row in _rows(out)}
    left = [str(number) for number in range(1, ROUNDS + 1) if number not in done]

    def play(rounds: list[str]) -> None:
        _boot(Path(tempfile.mkdtemp(dir=out)), "rivals", *rounds, disks=MEMBERS + BYSTANDERS)

    with ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:  # a kernel has one processor, and waits for its disks
        list(pool.map(play, [left[first : first + _AT_ONCE] for first in range(0, len(left), _AT_ONCE)]))
    return ROUNDS


def _rows(out: Path) -> list[table.Row]:
    rows = [row for file in sorted(out.rglob("rows.jsonl")) for row in table.read(file)]
    return sorted(rows, key=lambda row: int(row.get("run", 0)))


_PARTS: dict[str, Callable[[Path], int]] = {"kills": _kills, "reboots": _reboots, "links": _links, "rivals": _rivals}


def main() -> int:
    wanted = sys.argv[1:] or list(_PARTS)
    if unknown := set(wanted) - set(_PARTS):
        table.say(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(_PARTS)}")
        return 2
    good = True
    for name in wanted:
        began_s = time.monotonic()
        kept = os.environ.get("ENDURANCE_OUT", "") if name == "rivals" else ""
        out = Path(kept or tempfile.mkdtemp(prefix=f"raidtui-{name}-"))
        count = _PARTS[name](out)
        rows = _rows(out)
        sure = sum(row["verdict"] == table.GOOD for row in rows)
        print(f"{table.markdown(rows)}\n", flush=True)
        table.say(f"{name}: {sure} of {count} rows ok in {time.monotonic() - began_s:.0f} s; its runs are under {out}")
        good &= sure == len(rows) == count
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
