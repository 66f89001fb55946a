"""How a run stands: going on, cut off, ended; and what a person may want to do about it."""

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from raidtui.core.care import as_built
from raidtui.core.plan import estimate, slots, summary
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.run import by_person, care, damage, kept, progress
from raidtui.core.run.permanence import may_go_on, permanence_due
from raidtui.core.run.state import RunState
from raidtui.core.text import clean
from raidtui.runs import directory, launch
from raidtui.runs.journal import read_state, why_lost

_GOING_ON, _CUT_OFF = "going on", "cut off"  # as programs get them (`RunLine.standing`)


class RunStatus(msgspec.Struct, frozen=True):
    """A run in few words. `word`: starting, going on, stopping, clearing (away what it kept), cut off,
    elsewhere (another kernel's), not begun (its worker never came), unreadable (its plan, or all of its journal), or
    its outcome.

    `sentence` says what came of it so far. `recipe` is what the experiment is called, `setup` what is built.

    It goes on while its worker is `alive`: when that is gone the report is written, too, or never will be.
    `left_s`: how long it may take yet, of one that is going on. `resumable`: something is left to measure, and nothing
    stands that has to be cleared away by itself first; or a kept array is to be made permanent yet.
    """

    path: Path
    word: str
    sentence: str
    setup: str
    measured: int
    trials: int
    alive: bool = False
    kept: bool = False
    cleared: bool = False  # its array was kept, and has been taken apart since
    permanent: bool = False  # it has lines in files that boot reads
    resumable: bool = False
    recipe: str = ""
    begun_s: float = 0.0  # UTC; of one whose worker has not come, when it was planned
    left_s: float | None = None
    unsettled: bool = False  # its worker died, or something of it could not be cleared away
    damage: str = ""  # what its journal may hide, one sentence
    cares: bool = False  # for an array that another run keeps
    members: tuple[str, ...] = ()  # identities of its disks
    code: str = ""  # of its plan
    not_here: bool = False  # its disks are another practice machine's
    waits: bool = False  # for a person
    keeps: tuple[str, ...] = ()  # names of what its plan keeps, where it has a name by now

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def label(self) -> str:
        """`word` as people read it; programs get `word` itself."""
        return {_GOING_ON: "running", _CUT_OFF: "interrupted"}.get(self.word, self.word)

    @property
    def settled(self) -> bool:
        """Is it over, with nothing that stands and nothing to undo?"""
        return not (self.alive or self.kept or self.unsettled or self.word in ("starting", "elsewhere", "unreadable"))


_ELSEWHERE = "; belongs to another practice machine, state unknown here"
_NOT_HERE = "; its disks belong to another practice machine"


def standing(path: Path) -> RunStatus:
    """How the run in `path` stands now; NoSuchRun where its plan cannot be read."""
    plan = directory.read_plan(path)
    state = read_state(path / directory.JOURNAL)
    alive = launch.alive(state)
    if not (alive or state.ended):  # it may have ended since the look above
        state = read_state(path / directory.JOURNAL)
    planned_s = (path / directory.PLAN).stat().st_mtime
    if msgspec.structs.replace(state, damaged=0) == RunState():
        return _nothing_read(path, plan, planned_s)
    not_here = disks_elsewhere(path, state)
    elsewhere = not_here and not state.ended
    what_now = _what_now(plan, state, alive) if not not_here else _ELSEWHERE if elsewhere else _NOT_HERE
    measured = sum(state.is_final(trial.id) for trial in plan.trials)
    sentence = care.standing(plan, state) if plan.care else f"{measured} of {len(plan.trials)} measured{what_now}"
    complete = state.is_complete(trial.id for trial in plan.trials)
    is_open = may_go_on(plan, state) or not (state.kept or complete)
    return RunStatus(
        path=path,
        word=_word(plan, state, alive, elsewhere),
        sentence=clean(sentence),
        cares=plan.care is not None,
        setup=plan.title,
        measured=measured,
        trials=len(plan.trials),
        alive=alive,
        kept=state.kept and not not_here,
        cleared=kept.was_cleared(plan, state) and not alive,
        permanent=state.is_at_boot and not not_here,
        resumable=is_open and not (alive or not_here),
        recipe=summary.experiment(plan),
        begun_s=state.started_at_s or planned_s,
        left_s=(progress.left_s(plan, estimate.stages(plan), state, time.time()) or None) if alive else None,
        unsettled=not (alive or not_here) and bool(state.left or state.settings or not state.ended),
        damage=damage.sentence(plan, state),
        members=tuple(member.id for member in plan.members),
        code=plan.code,
        not_here=not_here,
        waits=alive and by_person.due(plan, state) is not None,
        keeps=_kept_names(plan, path.name),
    )


def _kept_names(plan: Plan, run: str) -> tuple[str, ...]:
    if plan.kept_stage is None:
        return ()
    with suppress(ValueError):  # nothing was drawn for it: no worker carries it out
        return slots.names(slots.filled(plan).stages[plan.kept_stage :], run)
    return ()


def disks_elsewhere(path: Path, state: RunState) -> bool:
    """Are its disks those of another practice machine, going on or ended? Nothing of the run is on this one's then."""
    return directory.on_practice_disks(path) and state.worker is not None and not launch.of_this_boot(state)


def _word(plan: Plan, state: RunState, alive: bool, elsewhere: bool) -> str:
    if alive and state.stopping:
        return "stopping"
    if alive:
        clears = plan.kept_stage in state.stages_done and state.step is not None and state.step.undoing
        return "clearing" if clears else _GOING_ON
    return clean(state.outcome) or ("elsewhere" if elsewhere else _CUT_OFF)


def _nothing_read(path: Path, plan: Plan, planned_s: float) -> RunStatus:
    """Of a run whose worker is on its way, or never came; or of whose journal nothing can be read: what it built may
    stand.
    """
    lost = why_lost(path / directory.JOURNAL)
    starting = time.time() - planned_s < launch.BEGIN_S
    word, what = (
        ("starting", "nothing measured; worker starting")
        if starting
        else ("unreadable", f"{lost}; its array may still exist")
        if lost
        else ("not begun", f"nothing measured; worker never started; see {path / directory.LOG}")
    )
    return RunStatus(
        path=path,
        word=word,
        sentence=what,
        setup=plan.title,
        measured=0,
        trials=len(plan.trials),
        resumable=word == "not begun",
        unsettled=word == "unreadable",
        recipe=summary.experiment(plan),
        begun_s=planned_s,
        members=tuple(member.id for member in plan.members),
        code=plan.code,
        keeps=_kept_names(plan, path.name),
    )


def _what_now(plan: Plan, state: RunState, alive: bool) -> str:
    if alive:
        return f"; now: {state.step.what}" if state.step else ""
    if state.left:
        return f"; not removed: {'; '.join(state.left)}"
    if state.ended and state.settings:
        return f"; not restored: {', '.join(state.settings)}"
    if permanence_due(plan, state):
        why = f" ({state.reason})" if state.reason else ""
        return f"; array kept, boot entries incomplete{why}"
    if state.kept and not state.ended:
        return "; worker died before the run's end was recorded. Array kept"
    if state.ended or not state.steps:
        return f"; {state.reason}" if state.reason else ""
    return f"; worker died at: {state.steps[-1].what}. Its array may still exist"


def all_standing(root: Path) -> tuple[RunStatus, ...]:
    """Every run below `root`, oldest first; of one that cannot be read it says so."""
    return tuple(_standing_or_unreadable(path) for path in directory.list_runs(root))


def of_answers(given: Answers, runs: Iterable[RunStatus]) -> list[RunStatus]:
    """Those that these answers led to; of one that cannot be read that is not known, and it is left out."""
    theirs = []
    for run in runs:
        with suppress(directory.NoSuchRun):
            if as_built.led_to(given, directory.read_plan(run.path)):
                theirs.append(run)
    return theirs


def _standing_or_unreadable(path: Path) -> RunStatus:
    try:
        return standing(path)
    except (directory.NoSuchRun, OSError) as error:
        return RunStatus(path=path, word="unreadable", sentence=str(error), setup=str(error), measured=0, trials=0)
