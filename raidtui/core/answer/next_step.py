"""The one next step of a run, a table of rules: what is broken first, then what limits it, then what is not known.

The next step with a kept array: what has to be done before it is used, and where it is.
"""

import shlex
from collections.abc import Callable, Sequence
from functools import cached_property
from math import ceil, log

from raidtui.core.answer.expected import row_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.numbers import TIMES, brief, lower
from raidtui.core.answer.values import (
    NEAR,
    AnswerValue,
    Closeness,
    Effect,
    Fault,
    Finding,
    Gain,
    Model,
    Next,
    Over,
    PlainFigure,
    Rank,
    Steadiness,
)
from raidtui.core.disks.identity import are_in_memory
from raidtui.core.plan.kept.permanence import mount_line, mount_point
from raidtui.core.plan.model import Plan, Target, Trial
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.plan.steps import PLACEHOLDER
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.raid.ceilings import Limit
from raidtui.core.results.ablation import suspects_of, trial_of
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.differences import Difference
from raidtui.core.results.disturbance import stalled_once
from raidtui.core.run.kept import is_permanent, kept_stage_number
from raidtui.core.run.state import RunState


def use_it(plan: Plan, state: RunState, *, in_memory: bool) -> Next:
    """Of a kept array: what has to be done before it is used, and where it is."""
    number = kept_stage_number(plan, state)
    stage = plan.stages[number]
    node = f"/dev/md/{stage.array.name}" if stage.array else ""
    if stage.array and stage.setup and stage.setup.first_sync == "skip" and level_of(stage.setup).has_sync:
        repair = "" if PLACEHOLDER.search(node) else f"mdadm --action=repair {node}"
        return Next("sync the array before use: its initial resync was skipped", repair)
    if is_permanent(plan, state) and mount_point(plan):
        return Next(f"use it at {mount_point(plan)}")
    if in_memory:
        return Next("practise on this array")
    if stage.array is not None and stage.filesystem is None:
        return Next("make a file system on it (end of the report)")
    return Next("use it", mount_line(plan, number, "/mnt"))


def explain_there(plan: Plan, state: RunState, why: str) -> Next:
    """The explanation in a file of the kept array; `why`: what it is for. Without a file system the array is used."""
    number = kept_stage_number(plan, state)
    if plan.stages[number].filesystem is None:
        return use_it(plan, state, in_memory=False)
    if is_permanent(plan, state):
        folder = mount_point(plan)
        return Next(f"{why}, in a file at {folder}", f"raidtui explain {state.run} --target {shlex.quote(folder)}")
    return Next(f"mount the array, so that explain --target /mnt can {why}", mount_line(plan, number, "/mnt"))


_FEW_WAITS, _ROUND_S = 20, 10
_REPEAT, _REPEAT_FEW, _FEW_SETUPS = 3, 5, 4
_PER_DISK = 4  # requests that keep each disk busy
_MATTERS = 0.15  # what is surely less than so far apart is not worth another night
_AT_LIMIT = {
    "CPU": "free the CPU of other work",
    "disks": "check the disks' shared link and controller (d on Disks)",
    "above the disks": "stop other work on this machine",
}


class Run:
    def __init__(
        self, facts: AnswerFacts, faults: Sequence[Fault], findings: Sequence[Finding], values: Sequence[AnswerValue]
    ) -> None:
        self.facts, self.plan, self.state, self.values = facts, facts.plan, facts.state, values
        self.faults = {fault.name: fault for fault in reversed(faults)}
        self.expected = [v for found in findings if isinstance(found, Model) for v in found.figures]
        self.emulated = any(disk.emulator for disk in facts.plan.disks)
        steady = [found.steady for found in findings if isinstance(found, Steadiness) and found.decides]
        self.unsteady = any(holds is not True for holds in steady)
        self.name = facts.state.run or "RUN"

    @cached_property
    def in_memory(self) -> bool:
        return are_in_memory(disk.emulator for disk in self.plan.disks)

    def farthest(self, closeness: Closeness) -> ResultRow | None:
        """The row that is furthest from expected, of those above or below it."""
        off = [one for one in self.expected if one.closeness == closeness]
        worst = max(off, key=lambda one: abs(log(one.ratio or 1.0)), default=None)
        return row_of(self.facts, worst) if worst else None

    def named(self, row: ResultRow) -> str:
        name = self.facts.names.get(row.stage)
        return lower(test_title(row)) + (f", {name}" if name else "")

    def again(self, row: ResultRow, why: str, option: str = "") -> Next:
        """`option`: what is changed; then only the command does it."""
        return self.again_trial(trial_of(self.plan, row), why, option)

    def again_trial(self, trial: Trial, why: str, option: str = "") -> Next:
        return Next(why, f"raidtui again {self.name} {trial.id}{option}", "" if option else "again")

    def effects(self, **fields: object) -> list[Effect]:
        return [
            one
            for one in self.values
            if isinstance(one, Effect)
            and one.verdict == "different"
            and (one.share or 1.0) > 1
            and all(getattr(one, key) == value for key, value in fields.items())
        ]


def next_step(
    facts: AnswerFacts, faults: Sequence[Fault], findings: Sequence[Finding], values: Sequence[AnswerValue]
) -> Next:
    """By the first rule that fits. `values`: all of the findings and the table."""
    run = Run(facts, faults, findings, values)
    return next((step for rule in _RULES if (step := rule(run))), Next("nothing"))


def _fault(name: str, words: Callable[[Run, Fault], Next]) -> Callable[[Run], Next | None]:
    return lambda run: words(run, run.faults[name]) if name in run.faults else None


def _not_whole(run: Run, fault: Fault) -> Next:
    why = {"going": "watch or continue the run", "stopped": "measure the rest"}
    return Next(
        why.get(fault.subject.split()[0], "continue once the cause is fixed (end of the report)"),
        f"raidtui resume {run.name}",
        "resume",
    )


def _differed(run: Run) -> Next | None:
    """The array is left as it is: the evidence."""
    if not run.state.differed:
        return None
    return Next("remove the array once its disks are examined", f"raidtui clean {run.name}")


def _contradicted(run: Run) -> Next | None:
    """The ends of a test that is but a few latencies long may make as much: the same again would tell no more."""
    off = run.facts.ranking.contradicted
    if not off:
        return None
    mean = off[0].latency.mean_ns
    if off[0].waits and off[0].waits < _FEW_WAITS and mean:
        runtime = _ROUND_S * ceil(_FEW_WAITS * mean / 1e9 / _ROUND_S)
        return run.again(off[0], f"measure {run.named(off[0])} for longer", f" --runtime {runtime}")
    more = f" and {len(off) - 1} more" if len(off) > 1 else ""
    return run.again(off[0], f"remeasure {run.named(off[0])}{more}")


def _stalled(run: Run) -> Next | None:
    trial = stalled_once(run.state, (trial for trial in run.plan.trials if not trial.state))
    if trial is None or run.plan.answers.explain:
        return None
    if run.state.kept:
        return Next(f"remove the array: {lower(trial.title)} stalled for ≥ 1 s", f"raidtui clean {run.name}")
    return run.again_trial(trial, f"remeasure {lower(trial.title)}, which stalled for ≥ 1 s")


def _unsteady(run: Run) -> Next | None:
    row = next((row for row in run.facts.rows if run.unsteady and trial_of(run.plan, row).rounds), None)
    return _longer(run, row, "reach steady state with longer rounds") if row else None


def _longer(run: Run, row: ResultRow, why: str) -> Next:
    """Twice as long."""
    return run.again(row, why, f" --runtime {ceil(2 * (trial_of(run.plan, row).runtime_s or _ROUND_S))}")


def _proven_cause(run: Run) -> Next | None:
    proven = run.effects(base="unchanged")
    if not proven:
        return None
    changes = {suspect.changed: suspect for suspect in TUNABLES.values()}
    cause = changes[max(proven, key=lambda one: one.share or 1.0).subject]
    return Next(f"{cause.advice} (cost: {cause.price})")


def _not_explained(run: Run) -> Next | None:
    row = run.farthest("below")
    if not run.plan.answers.explain or row is None:
        return None
    if row.causes.evident:
        return run.again(row, f"remeasure once this is mended: {brief(row.causes.evident[0])}")
    return Next("measure each disk at several depths", "raidtui recipes show disk-baseline")


def _wbt(run: Run) -> Next | None:
    wins = "set wbt_lat_usec = 0 if throughput matters more than max latency"
    return Next(wins) if run.effects(subject="wbt off") else None


def _emulated_work(run: Run) -> Next | None:
    row = run.farthest("below")
    if row is None or not run.in_memory or not row.causes.of_a_cpu:
        return None
    if run.state.kept:
        return use_it(run.plan, run.state, in_memory=run.in_memory)
    return Next(f"measure on real disks: emulation shares the CPU that limits {run.named(row)}")


def _off(closeness: Closeness, why: str) -> Callable[[Run], Next | None]:
    def rule(run: Run) -> Next | None:
        row = run.farthest(closeness)
        return _explain(run, row, why.format(run.named(row))) if row else None

    return rule


def _explain(run: Run, row: ResultRow, why: str) -> Next | None:
    """One of a kept array measures in a file where that is mounted; without a file system, or in a practice machine,
    the array would be built anew."""
    if run.plan.answers.explain:
        return None
    if not run.state.kept:
        return Next(why, f"raidtui explain {run.name} {trial_of(run.plan, row).id}", "explain")
    if run.emulated:
        return use_it(run.plan, run.state, in_memory=run.in_memory)
    return explain_there(run.plan, run.state, why)


def _throttled(run: Run) -> Next | None:
    """Where the model has no figure of writes: that wbt was on, and how to see its cost."""
    if any(row.predicted for row in run.facts.rows):
        return None
    row = next((row for row in run.facts.rows if (row.kind, row.direction) == ("random", "write") and row.cell), None)
    if row is None or "wbt" not in suspects_of(run.plan, run.state, trial_of(run.plan, row), run.facts.comparison):
        return None
    return _explain(run, row, f"find the cost of wbt, on in {lower(test_title(row))}")


def _unsure(run: Run) -> Next | None:
    wide = [
        one
        for one in run.values
        if isinstance(one, (Rank, Effect))
        and one.verdict == "n.s."
        and (one.single_run or max(one.high or 1.0, 1 / (one.low or 1.0)) - 1 > _MATTERS)
        and _is_worth_finding(one)
    ]
    if not wide:
        return None
    fewest = min((one.repetitions for one in wide if one.repetitions), default=0)
    return _repeat(run, max(fewest, _REPEAT if len(run.facts.ranked) >= _FEW_SETUPS else _REPEAT_FEW))


def _is_worth_finding(one: Over) -> bool:
    share, low, high = (x and x - 1 for x in (one.ratio, one.low, one.high))
    return Difference(share, low, high, "cannot tell", one.repetitions).is_worth_finding


def _single_runs(run: Run) -> Next | None:
    """Of what ran once: where all of it is as expected, once was enough."""
    once = [one for one in run.values if isinstance(one, (Gain, PlainFigure)) and one.runs == 1 and one.test]
    near = {(one.subject, one.test) for one in run.expected if abs((one.ratio or 0.0) - 1) <= NEAR}
    return None if all((one.subject, one.test) in near for one in once) else _repeat(run, _REPEAT_FEW)


def _repeat(run: Run, times: int) -> Next:
    return Next(f"repeat each test {times}{TIMES}", f"raidtui again {run.name} --repeat {times}")


def _short_queue(run: Run) -> Next | None:
    tests: dict[str, list[ResultRow]] = {}
    for row in run.facts.rows:
        if row.kind == "random" and row.cell and not row.share_of and not row.varied:
            tests.setdefault(test_title(row), []).append(row)
    for rows in tests.values():
        if all(row.queue and row.expected.limited_by is Limit.QUEUE for row in rows):
            row = max(rows, key=lambda row: row.disks)
            depth = ceil(_PER_DISK * row.disks / (row.numjobs or 1))
            return run.again(row, f"raise QD{row.queue}, too low for {row.disks} disks", f" --iodepth {depth}")
    return None


def _disturbed(run: Run) -> Next | None:
    row = next((row for row in run.facts.comparison.rows if row.disturbed), None)
    if row is None or "disturbed" not in run.faults:
        return None
    return _of_disks(run, row, "member", "remeasure the disturbed test on an idle machine")


def _limited(run: Run) -> Next | None:
    if (fault := run.faults.get("limit")) is None:
        return None
    row = next((row for row in run.facts.comparison.rows if test_title(row) == fault.test), None)
    why = f"remeasure all disks at once: {_AT_LIMIT[fault.where]} first"
    return _of_disks(run, row, "members", why) if row else Next(why)


def _of_disks(run: Run, row: ResultRow, target: Target, why: str) -> Next:
    name = row.baseline_job or row.job
    trial = next((one for one in run.plan.trials if (one.job, one.target) == (name, target)), None)
    return run.again_trial(trial, why) if trial else Next(why)


def _beyond(run: Run) -> Next | None:
    tested = next(iter(run.facts.ranking.beyond_disks), None)
    row = next((row for row in run.facts.comparison.rows if row.tested == tested), None)
    return _longer(run, row, f"measure {run.named(row)} for longer") if row else None


_RULES: tuple[Callable[[Run], Next | None], ...] = (
    _differed,
    _fault("not whole", _not_whole),
    _fault(
        "failed",
        lambda run, fault: Next("remeasure the failed test", f"raidtui again {run.name} {fault.subject}", "again"),
    ),
    _fault("errors", lambda run, fault: Next(f"check SMART values and cables: {fault.evidence[0]}", "raidtui health")),
    _disturbed,
    _limited,
    _fault(
        "slow disk",
        lambda run, fault: Next(
            f"find disk {fault.where}, then check its SMART values and link", f"raidtui locate {fault.subject}"
        ),
    ),
    _contradicted,
    _stalled,
    _unsteady,
    _proven_cause,
    _not_explained,
    _wbt,
    _emulated_work,
    _off("below", "find what limits {}"),
    _throttled,
    _beyond,
    _fault(
        "damaged",
        lambda run, fault: Next("remeasure: part of the journal is lost", f"raidtui again {run.name} --repeat 1"),
    ),
    _fault(
        "unsure disk",
        lambda run, fault: Next(f"measure disk {fault.subject} more often", "raidtui recipes show disk-baseline"),
    ),
    lambda run: use_it(run.plan, run.state, in_memory=run.in_memory) if run.state.kept else None,
    _unsure,
    _single_runs,
    _short_queue,
    lambda run: Next("measure on real disks") if run.emulated else None,
    _off("above", "find what makes {} faster than expected"),
)
