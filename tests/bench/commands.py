"""What commands with arguments cost beside `raidtui --help`: CPU of the whole process, in pairs."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.process import used
from tests.bench.starts import of_command, pairs
from tests.bench.table import Row, beside
from tests.bench.wizard import MACHINE
from tests.replay import RUNS

_PAIRS = 5
_LIGHT, _HEAVY = 3.0, 5.0  # times `--help`; heavy: reads a run, or looks at a machine
_RUN, _OTHER = str(RUNS / "raid5-of-3"), str(RUNS / "raid5-twice")
_DISKS = ("--disk", "4TBx6")
_RAIDTUI = (sys.executable, "-m", "raidtui")
_COMMANDS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (_LIGHT, ("recipes",)),
    (_LIGHT, ("config",)),
    (_LIGHT, ("schema", "plan")),
    (_LIGHT, ("completion", "bash")),
    (_HEAVY, ("predict", "5", "--disks", "6", "--mbps", "200", "--iops", "150")),
    (_HEAVY, ("recipes", "show", "zones", *_DISKS)),
    (_HEAVY, ("disks", "--machine", str(MACHINE))),
    (_HEAVY, ("runs",)),
    (_HEAVY, ("report", _RUN)),
    (_HEAVY, ("compare", _RUN, _OTHER)),
    (_HEAVY, ("check", _RUN, "--names")),
    (_HEAVY, ("export", _RUN)),
    (_HEAVY, ("status",)),
    (_HEAVY, ("doctor",)),
)


def commands() -> tuple[Row, ...]:
    """A row a command."""
    capacity = (*_RAIDTUI, "capacity", "6", *_DISKS)
    return of_command(" ".join(("raidtui", *capacity[3:])), capacity), *(
        _row(budget, argv) for budget, argv in _COMMANDS
    )


def _row(budget: float, argv: Sequence[str]) -> Row:
    ours, theirs = pairs(lambda: _cpu_s(argv), lambda: _cpu_s(("--help",)), _PAIRS)
    named = " ".join(Path(word).name if word.startswith("/") else word for word in argv)
    return beside(f"raidtui {named}: CPU", ours, "raidtui --help", theirs, budget)


def _cpu_s(argv: Sequence[str]) -> float:
    """Status 1: what it looked at wants attention."""
    return used((*_RAIDTUI, *argv), ok=(0, 1)).cpu_s
