"""What leaving the program would end, from every screen and by every key: the one place that says when it asks."""

from collections.abc import Sequence
from typing import NamedTuple

from raidtui.runs.status import RunStatus


class Farewell(NamedTuple):
    """What is asked before leaving, and the word to type."""

    question: str
    word: str


def farewell(runs: Sequence[RunStatus], *, half_chosen: bool) -> Farewell | None:
    """What to ask; None where leaving costs nothing.

    `runs` are those whose disks end with the program, as a practice machine's do. `half_chosen`: something is chosen
    and not started.
    """
    ends = _what_ends(runs)
    if ends:
        return Farewell(f"Leaving ends the practice machine, and {ends} with it.", "leave")
    if half_chosen:
        chosen = "Quit? Your choices are not started and not saved (w on Review writes an answer file)."
        return Farewell(chosen, "q")
    return None


def _what_ends(runs: Sequence[RunStatus]) -> str:
    going_on = [run.name for run in runs if run.alive or run.word == "starting"]
    kept = [run.name for run in runs if run.kept and not run.alive]
    parts = [f"the run {', '.join(going_on)}"] if going_on else []
    parts += [f"the array that {', '.join(kept)} keeps"] if kept else []
    return " and ".join(parts)
