"""Status of runs, and what a person can do."""

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from raidtui.core.plan import estimate, slots, summary
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.run import kept, progress
from raidtui.core.run.kept import may_go_on, permanence_due, progress_words
from raidtui.core.run.state import RunState
from raidtui.core.text import clean
from raidtui.runs import directory, journal
from raidtui.runs.journal import why_lost

GOING_ON, _CUT_OFF = "going on", "cut off"  # as programs get them (`RunLine.standing`)


class RunStatus(msgspec.Struct, frozen=True):
    """`word`: starting, going on, stopping, clearing (a kept array), cut off, elsewhere (another kernel), not begun,
    unreadable (plan or whole journal), or the outcome. `sentence`: result so far. `recipe`: experiment, `setup`: what
    is built. `alive`: of the worker: once dead, the report exists or never will. `left_s`: if running. `resumable`:
    trials or permanence left, and nothing must be torn down first.
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
    keeps: tuple[str, ...] = ()  # names of what its plan keeps or proves, where it has a name by now

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def label(self) -> str:
        """`word` as people read it; programs get `word` itself."""
        return {GOING_ON: "running", _CUT_OFF: "interrupted"}.get(self.word, self.word)

    @property
    def settled(self) -> bool:
        """Over, nothing kept, nothing to undo."""
        return not (self.alive or self.kept or self.unsettled or self.word in ("starting", "elsewhere", "unreadable"))


_ELSEWHERE = "; belongs to another practice machine, state unknown here"
_NOT_HERE = "; its disks belong to another practice machine"


def status_of_run(path: Path) -> RunStatus:
    """NoSuchRun if its plan is unreadable."""
    plan = directory.read_plan(path)
    state = directory.read_state(path)
    alive = journal.alive(state)
    if not (alive or state.ended):  # it may have ended since the look above
        state = directory.read_state(path)
    planned_s = (path / directory.PLAN).stat().st_mtime
    if msgspec.structs.replace(state, damaged=0) == RunState():
        return _nothing_read(path, plan, planned_s)
    not_here = disks_elsewhere(path, state)
    elsewhere = not_here and not state.ended
    what_now = _what_now(plan, state, alive) if not not_here else _ELSEWHERE if elsewhere else _NOT_HERE
    measured = sum(state.is_final(trial.id) for trial in plan.trials)
    sentence = progress_words(plan, state) if plan.care else f"{measured} of {len(plan.trials)} measured{what_now}"
    complete = state.is_complete(trial.id for trial in plan.trials)
    is_open = may_go_on(plan, state) or not (state.kept or complete or state.differed)
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
        damage=progress.damage(plan, state),
        members=tuple(member.id for member in plan.members),
        code=plan.code,
        not_here=not_here,
        waits=alive and progress.manual_step(plan, state) is not None,
        keeps=_kept_names(plan, path.name),
    )


def _kept_names(plan: Plan, run: str) -> tuple[str, ...]:
    """What only a person names when it is resumed."""
    proved = next((number for number, stage in enumerate(plan.stages) if stage.proof and stage.array), None)
    numbers = [number for number in (plan.kept_stage, proved) if number is not None]
    if not numbers:
        return ()
    with suppress(ValueError):  # nothing was drawn for it: no worker carries it out
        return slots.names(slots.filled(plan).stages[min(numbers) :], run)
    return ()


def disks_elsewhere(path: Path, state: RunState) -> bool:
    """On another practice machine's disks: nothing of it is here."""
    return directory.on_practice_disks(path) and state.worker is not None and not journal.of_this_boot(state)


def _word(plan: Plan, state: RunState, alive: bool, elsewhere: bool) -> str:
    if alive and state.stopping:
        return "stopping"
    if alive:
        clears = plan.kept_stage in state.stages_done and state.step is not None and state.step.undoing
        return "clearing" if clears else GOING_ON
    return clean(state.outcome) or ("elsewhere" if elsewhere else _CUT_OFF)


def _nothing_read(path: Path, plan: Plan, planned_s: float) -> RunStatus:
    """Worker not begun, or journal unreadable: what it built may exist."""
    lost = why_lost(path / directory.JOURNAL)
    starting = time.time() - planned_s < journal.BEGIN_S
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


def all_statuses(root: Path) -> tuple[RunStatus, ...]:
    return tuple(_status_or_unreadable(path) for path in directory.list_runs(root))


def of_answers(given: Answers, runs: Iterable[RunStatus]) -> list[RunStatus]:
    """Runs made from these answers; unreadable ones are left out."""
    from raidtui.core.care import ensured

    theirs = []
    for run in runs:
        with suppress(directory.NoSuchRun):
            if ensured.led_to(given, directory.read_plan(run.path)):
                theirs.append(run)
    return theirs


def _status_or_unreadable(path: Path) -> RunStatus:
    try:
        return status_of_run(path)
    except (directory.NoSuchRun, OSError) as error:
        return RunStatus(path=path, word="unreadable", sentence=str(error), setup=str(error), measured=0, trials=0)
