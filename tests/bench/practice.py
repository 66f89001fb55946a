"""Pairs that are measured in a practice kernel: asked for from outside, told by what runs inside."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from tests.bench.process import NotMeasured, measured, used
from tests.bench.table import Figures, Row, beside


class _Pairs(msgspec.Struct, frozen=True):
    """Seconds, a pair each."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


def row(figure: str, against: str, module: str, rack: Sequence[str], budget: float, unit: str = "s") -> Row:
    """What a module's own `main` tells on these practice disks; where it does not come to that, why not."""
    inside = (sys.executable, "-m", module)
    try:
        told = measured((sys.executable, "-m", "raidtui.practice", *rack, "--", *inside))
    except NotMeasured as why:
        return Row(figure, "-", against, "-", "-", f"{budget:g}x", f"not measured: {why}")
    found = msgspec.json.decode(told, type=_Pairs)
    return beside(figure, Figures(found.ours), against, Figures(found.theirs), budget, unit=unit, digits=1)


def run_s(folder: Path, answers: dict[str, Any]) -> float:
    """Inside: how long a run of these answers takes, from the start of its process to its end."""
    (folder / "answers.toml").write_text(tomli_w.dumps(answers))
    raidtui, written = (sys.executable, "-m", "raidtui"), str(folder / "answers.toml")
    plan = measured((*raidtui, "plan", written))
    return used((*raidtui, "run", written, "--confirm", plan.split()[-1])).wall_s


def tell(ours: Figures, theirs: Figures) -> None:
    """Inside: prints the pairs."""
    print(msgspec.json.encode(_Pairs(ours.values, theirs.values)).decode())
