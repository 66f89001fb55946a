"""No headline says more than the figures beside it: of every recorded run and of made-up ones, by values."""

from collections.abc import Callable, Iterator
from functools import partial

import msgspec
import pytest

from raidtui.core.answer.answer import Answer, from_facts
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.mark import glance
from raidtui.core.answer.values import NEAR, AxisChoice, Best, Model, Proved, Rank, Rebuilds
from raidtui.core.fio.measurement import Direction
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.results.analysis import test_title as title_of
from raidtui.core.results.deviation import Shared
from raidtui.core.run import proof
from raidtui.core.run.state import TrialState
from tests.builders import handmade, sweeps
from tests.builders.answers import alone, repeated
from tests.core.answer.golden import Run, measured, runs, without

_NEAR = 0.85  # of a limit that is named as the cause
_BELOW_SURELY = 0.15  # two single runs may be so far apart by chance


def contradictions(facts: AnswerFacts, found: Answer) -> Iterator[str]:
    """What is claimed of a run although its figures say something else. The one rule for all headlines."""
    ranking, comparison = facts.ranking, facts.comparison
    ranked = {setup.stage for setup in facts.ranked}
    stages = {setup.name: setup.stage for setup in facts.ranked}
    for best in (one for one in found.findings if isinstance(one, Best)):
        for order in best.orders:
            grid = next(grid for grid in ranking.tests if grid.title == order[0].test)
            places = {row.stage: at for at, row in enumerate(grid.rows)}
            among = {stages[rank.subject] for rank in order}
            leaders = [stages[rank.subject] for rank in order if rank.verdict != "different"]
            for leader in leaders:
                for other in among - {leader}:
                    over = grid.judged.over(places[other], places[leader])
                    if over.conclusion == "different" and (over.share or 0.0) > 0:
                        yield f"{grid.title}: best, and another of {best.of} is higher"
            if among - {row.stage for row in grid.rows if row.array.value}:
                yield f"{grid.title}: ranked without a figure"
            if any((stage, row.job) in ranking.doubted for stage in ranked for row in grid.rows if row.stage == stage):
                yield f"{grid.title}: ranked with an excluded figure"
    yield from _of_excluded(facts, found)
    slow = {member.member for member in comparison.slow_members}
    for row in comparison.rows:
        seen = glance(row, ranking.doubted)
        if seen.words == "as expected" and (row.deviation or 0.0) < -_BELOW_SURELY and row.array.runs > 1:
            yield f"{row.title}: as expected at {row.deviation}"
        held_back = row.expected.slowest is not None and row.expected.slowest.index in slow
        if seen.words == "as expected" and held_back and (row.deviation or 0.0) < -_BELOW_SURELY:
            yield f"{row.title}: as expected, held back by a slow disk"
        if row.causes.evident and (row.causes.deviation is None or row.causes.chance):
            yield f"{row.title}: a cause of nothing"
        shared = [cause for cause in row.causes.evident if isinstance(cause, Shared)]
        if any(1 + (row.deviation or 0.0) < _NEAR * one.share for one in shared if one.of is None):
            yield f"{row.title}: a limit as its cause that it is far below"
        if row.counted and (1 + (row.deviation or 0.0)) * row.counted > 1 / (1 + NEAR) and "below" in seen.words:
            yield f"{row.title}: {seen.words}, and not by the rate that the kernel counted"
    for model in (one for one in found.findings if isinstance(one, Model)):
        if any(one.limits and one.closeness != "below" for one in model.off):
            yield "a cause of what is not below"
    if slow and not found.lines[0].startswith("Slow disk"):
        yield "a slow disk is no headline"
    proved = proof.result(facts.plan, facts.state)
    for one in (one for one in found.findings if isinstance(one, Proved)):
        if proved and len(one.states) == one.of and not one.differs and not (proved.holds or proved.uncut):
            yield "verified, and it does not hold"
    yield from _of_mark(facts, found, slow)


def _of_excluded(facts: AnswerFacts, found: Answer) -> Iterator[str]:
    """No effect, best one, base of shares or time for 1 TB of what is excluded, or was hardly seen."""
    shown = {(row.stage, title_of(row)): row.array.value for row in facts.rows}
    names = {name: stage for stage, name in facts.names.items()}
    for one in found.findings:
        if isinstance(one, AxisChoice) and not one.kept and any(e.by_latency is not None for e in one.effects):
            yield f"{one.name}: an effect of what latency contradicts"
        if isinstance(one, Best) and any(len(order) < 2 for order in one.orders):
            yield f"{one.of}: best of one"
        if isinstance(one, Rebuilds) and any(pace.little and pace.whole_s for pace in one.paces):
            yield "a time of a rebuild that was hardly seen"
    cells = [cell for row in found.table.rows for of in row.cells for cell in of] if found.table else []
    for rank in (cell for cell in cells if isinstance(cell, Rank) and cell.expected):
        base = names.get(rank.base.removesuffix(" expected"))
        if base is not None and (base, rank.test) not in shown:
            yield f"{rank.test}: a share of what is expected of an excluded result"
    for job, fault in facts.ranking.refuted.items():
        if any(fault.base.endswith("at once") for (_, of), fault in facts.ranking.beyond_disks.items() if of == job):
            yield f"{fault.test}: excluded by an excluded yardstick"


def _of_mark(facts: AnswerFacts, found: Answer, slow: set[int]) -> Iterator[str]:
    state, proved = facts.state, proof.result(facts.plan, facts.state)
    grades = [glance(row, facts.ranking.doubted).grade for row in facts.comparison.rows]
    against = {
        "not finished": state.outcome != "finished",
        "a failed test": any(one.measurement and one.measurement.status == "failed" for one in _last(facts)),
        "excluded": bool(facts.ranking.doubted),
        "below expected": "warn" in grades or "bad" in grades,
        "a slow disk": bool(slow),
        "a proof that does not hold": proved is not None and not proved.holds,
    }
    if found.mark.grade in ("ok", "dim"):
        yield from (f"marked {found.mark.sign} with {reason}" for reason, holds in against.items() if holds)
    elif not any(against.values()) and not found.faults:
        yield f"marked {found.mark.sign} without a reason"


def _last(facts: AnswerFacts) -> list[TrialState]:
    return list({trial.trial: trial for trial in facts.state.trials}.values())


def _levels(**changes: float) -> Run:
    """Four levels; `changes`: a level's rate."""
    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=Axes(chunk=("64KiB",)))
    rate = {"0": 600.0, "10": 300.0, "5": 150.0, "6": 100.0} | {key.strip("_"): of for key, of in changes.items()}
    return made, sweeps.state(
        made, repeated(lambda stage, trial: rate[stage.setup.level] if stage.setup else alone(trial, disks=6))
    )


def _excluded() -> Run:
    """RAID 0 gives more than its disks in one test of two."""

    def rate(stage: Stage, trial: Trial) -> float:
        if not stage.setup:
            return alone(trial, disks=6)
        return {"0": 6000.0 if trial.rw == "randread" else 600.0, "10": 300.0, "5": 150.0}.get(stage.setup.level, 100.0)

    made = sweeps.plan("levels-random-4k", 6, repeat=3, axes=Axes(chunk=("64KiB",)))
    return made, sweeps.state(made, repeated(rate))


def _failed() -> Run:
    made, state = _levels()
    return made, measured(
        state, lambda trial, taken: {"status": "failed", "error": "boom"} if trial == made.trials[-1].id else {}
    )


def _few() -> Run:
    made, state = _levels()
    few = lambda trial, taken: {"read": _of_ten(taken.read), "write": _of_ten(taken.write)}  # noqa: E731
    return made, measured(state, few)


def _of_ten(read: Direction | None) -> Direction | None:
    return msgspec.structs.replace(read, io_bytes=40960) if read else None


def _slow_disk() -> Run:
    """One disk at 70 % of the others, in an array that gives the expected figures."""
    plan = handmade.plan()
    return plan, handmade.state(plan, {1: 0.7})


def _proof_in_part() -> Run:
    """Finished, and the last state was not read back."""
    made = sweeps.plan("proof", 4, level="5")
    reads = {trial.id: Direction(iops=1.0, bytes_per_s=1e8, io_bytes=trial.span_bytes) for trial in made.trials}
    state = measured(sweeps.state(made), lambda trial, taken: {"read": reads[trial]})
    last = max(trial.state for trial in made.trials)
    return made, without(made, state, lambda trial: trial.state == last)


MADE: dict[str, Callable[[], Run]] = {
    "levels": _levels,
    "ties": partial(_levels, _0=300.0, _10=300.0, _5=300.0, _6=300.0),
    "excluded": _excluded,
    "failed": _failed,
    "few samples": _few,
    "slow disk": _slow_disk,
    "proof in part": _proof_in_part,
}


def facts_of(run: Run) -> AnswerFacts:
    plan, state = run
    return AnswerFacts(plan, state, compare(plan, state))


@pytest.mark.parametrize("name", [*runs(), *MADE])
def test_no_headline_says_more_than_its_figures(name: str) -> None:
    facts = facts_of((MADE | runs())[name]())
    assert list(contradictions(facts, from_facts(facts))) == []
