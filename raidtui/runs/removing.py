"""What a run built is removed as a person agrees to it once: looked at, listed, looked at again, then done."""

import os
from pathlib import Path

import msgspec

from raidtui.core.plan import slots
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.run.kept import is_to_undo
from raidtui.runs import directory, launch
from raidtui.runs.boot import takings
from raidtui.runs.local import LocalHost
from raidtui.runs.removal.decision import NOT_LOOKED_INTO, TO_STAY, Consent, held_words
from raidtui.runs.waiting import Refused


class Removal(msgspec.Struct, frozen=True):
    """`name`: what a person types. `does`: all that is done, in order. `found`: what is on it, a clause about the name,
    "" of the run's own alone. `at_boot`: boot's lines go first. `erases`: data are lost.
    """

    name: str
    does: tuple[str, ...]
    found: str = ""
    at_boot: bool = False
    erases: bool = True


class LookChanged(ValueError):
    """`found` is no more what was agreed to."""

    def __init__(self, found: Removal) -> None:
        super().__init__(f"{found.name} {found.found or TO_STAY}: it changed meanwhile")
        self.found = found


def look(path: Path) -> Removal:
    """Nothing is changed. NotDone, OSError or ValueError if it cannot be removed, a sentence."""
    plan, state = slots.filled(directory.read_plan(path)), directory.read_state(path)
    stage = plan.stages[state.stage - plan.stages[state.stage].permanent]
    pool = stage.filesystem.pool if stage.filesystem else ""
    named = stage.array.name if stage.array and not (plan.care or plan.existing) else pool or path.name
    count = len(plan.members)
    last = f"stop {named}, erase what is on its {count} disk{'' if count == 1 else 's'}"
    if plan.care or plan.existing:
        last = "end its check; the array stays" if plan.care else "remove its test file"
    if not is_to_undo(state):
        name, found = launch.look_to_remove(path)
        return Removal(name or named, (last,), found, erases=not (plan.care or plan.existing))
    try:
        files = [taking.path for taking in takings(path, state, LocalHost())]
    except Refused as changed:
        raise directory.NotDone(str(changed), refused=True) from changed
    folder = mount_point(plan)
    does = [f"unmount {folder}"] if folder else []
    does += [f"take its lines out of {', '.join(files)}"] if files else []
    names = [one.name for one in Path(folder).iterdir()] if folder and os.path.ismount(folder) else []
    if (held := held_words(names, state, count)) and not pool:  # as the look after the unmount would refuse it
        by_hand = f"`raidtui undo {path.name}`, then `raidtui clean {path.name}`, which names the command"
        raise directory.NotDone(f"{named} {held}; nothing was changed; to remove it: {by_hand}", refused=True)
    return Removal(named, (*does, last), NOT_LOOKED_INTO if pool else TO_STAY, at_boot=True)


def remove(path: Path, agreed: Removal) -> None:
    """LookChanged where a look finds something else than was agreed to; NotDone if impossible."""
    if (now := look(path)) != agreed:
        raise LookChanged(now)
    if agreed.at_boot:
        launch.undo(path)
        if (now := look(path)).found != agreed.found:
            raise LookChanged(now)
    launch.clean(path, Consent(arrays=(agreed.name,)))
