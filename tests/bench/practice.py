"""Pairs that are measured in a practice kernel: asked for from outside, told by what runs inside."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from tests.bench.process import measured, used
from tests.bench.table import Figures


class _Pairs(msgspec.Struct, frozen=True):
    """Seconds, a pair each."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


def pairs_of(module: str, rack: Sequence[str]) -> tuple[Figures, Figures]:
    """What a module's own `main` tells on these practice disks; NotMeasured where it does not come to that."""
    inside = (sys.executable, "-m", module)
    told = msgspec.json.decode(measured((sys.executable, "-m", "raidtui.practice", *rack, "--", *inside)), type=_Pairs)
    return Figures(told.ours), Figures(told.theirs)


def run_s(folder: Path, answers: dict[str, Any]) -> float:
    """Inside: how long a run of these answers takes, from the start of its process to its end."""
    (folder / "answers.toml").write_text(tomli_w.dumps(answers))
    raidtui, written = (sys.executable, "-m", "raidtui"), str(folder / "answers.toml")
    plan = measured((*raidtui, "plan", written))
    return used((*raidtui, "run", written, "--confirm", plan.split()[-1])).wall_s


def tell(ours: Figures, theirs: Figures) -> None:
    """Inside: prints the pairs."""
    print(msgspec.json.encode(_Pairs(ours.values, theirs.values)).decode())
