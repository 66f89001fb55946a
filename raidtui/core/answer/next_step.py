"""The one next step of a run, a table of rules: what is broken first, then what limits it, then what is not known."""

import shlex
from collections.abc import Callable, Sequence
from functools import cached_property
from math import ceil, log

from raidtui.core.answer import cause_words
from raidtui.core.answer.expected import AS_EXPECTED
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.numbers import TIMES, figure, lower
from raidtui.core.answer.values import (
    AnswerValue,
    Closeness,
    Effect,
    Expected,
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
from raidtui.core.disks.emulators import are_in_memory
from raidtui.core.plan.kept.permanence import mount_line, mount_point
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.raid.ceilings import Limit
from raidtui.core.results.ablation import suspects_of, trial_of
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.differences import Difference
from raidtui.core.results.disturbance import stalled_once
from raidtui.core.run.permanence import is_permanent, kept_stage_number

_FEW_WAITS, _ROUND_S = 20, 10
_REPEAT, _REPEAT_FEW, _FEW_SETUPS = 3, 5, 4
_MATTERS = 0.15  # what is surely less than so far apart is not worth another night
_AT_LIMIT = {
    "CPU": "free the CPU of other work, or add CPU",
    "disks": "check the disks' shared link and controller (d on Disks)",
    "above the disks": "stop other work on this machine",
}


class Run:
    def __init__(
        self, facts: AnswerFacts, faults: Sequence[Fault], findings: Sequence[Finding], values: Sequence[AnswerValue]
    ) -> None:
        self.facts, self.plan, self.state, self.values = facts, facts.plan, facts.state, values
        self.faults = {fault.name: fault for fault in reversed(faults)}
        self.expected: list[Expected] = [v for found in findings if isinstance(found, Model) for v in found.figures]
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
        return next(
            (row for row in self.facts.rows if worst and (row.setup, test_title(row)) == (worst.subject, worst.test)),
            None,
        )

    def named(self, row: ResultRow) -> str:
        name = self.facts.names.get(row.stage)
        return lower(test_title(row)) + (f", {name}" if name else "")

    def again(self, row: ResultRow, why: str) -> Next:
        return Next(why, f"raidtui again {self.name} {trial_of(self.plan, row).id}", "again")

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
    off = run.facts.contradicted
    if not off:
        return None
    mean = off[0].latency.mean_ns
    if off[0].waits and off[0].waits < _FEW_WAITS and mean:
        runtime = _ROUND_S * ceil(_FEW_WAITS * mean / 1e9 / _ROUND_S)
        latency = figure(mean, "ns")
        return Next(
            f"raise runtime to {runtime}s ({run.named(off[0])}: test {off[0].waits:.2g} {TIMES} latency {latency})"
        )
    more = f" and {len(off) - 1} more" if len(off) > 1 else ""
    return run.again(off[0], f"remeasure {run.named(off[0])}{more}")


def _stalled(run: Run) -> Next | None:
    trial = stalled_once(run.state, (trial for trial in run.plan.trials if not trial.state))
    if trial is None or run.plan.answers.explain:
        return None
    why = f"remeasure {lower(trial.title)}, which stalled for ≥ 1 s"
    return (
        Next(f"remove the array, then {why}")
        if run.state.kept
        else Next(why, f"raidtui again {run.name} {trial.id}", "again")
    )


def _unsteady(run: Run) -> Next | None:
    return Next("start from purged disks, or raise runtime: not in steady state") if run.unsteady else None


def _proven_cause(run: Run) -> Next | None:
    proven = run.effects(base="unchanged")
    if not proven:
        return None
    changes = {suspect.changed: suspect for suspect in TUNABLES.values()}
    cause = changes[max(proven, key=lambda one: one.share or 1.0).subject]
    return Next(f"{cause.advice}; cost: {cause.price}")


def _not_explained(run: Run) -> Next | None:
    row = run.farthest("below")
    if not run.plan.answers.explain or row is None:
        return None
    if row.causes.evident:
        return Next(f"fix {cause_words.brief(row.causes.evident[0])}; then remeasure")
    return Next("measure each disk at several depths (recipe disk-baseline), then try other disks or slots")


def _wbt(run: Run) -> Next | None:
    where = ", then measure on real disks" if run.emulated else ""
    return (
        Next(f"set wbt_lat_usec = 0 if throughput matters more than max latency{where}")
        if run.effects(subject="wbt off")
        else None
    )


def _emulated_work(run: Run) -> Next | None:
    row = run.farthest("below")
    if row is None or not run.in_memory or not row.causes.of_a_cpu:
        return None
    measure = f"measure on real disks: emulation shares the CPU that limits {run.named(row)}"
    return Next(f"{_use_it(run)}; or {measure}" if run.state.kept else measure)


def _below(run: Run) -> Next | None:
    row = run.farthest("below")
    if row is None:
        return None
    return _explain(run, row, f"find what limits {run.named(row)}")


def _above(run: Run) -> Next | None:
    row = run.farthest("above")
    return _explain(run, row, f"find what makes {run.named(row)} faster than expected") if row else None


def _explain(run: Run, row: ResultRow, why: str) -> Next | None:
    """One of a kept array measures in a file where that is mounted; without a file system, or in a practice machine,
    the array would be built anew."""
    if run.plan.answers.explain:
        return None
    if not run.state.kept:
        return Next(why, f"raidtui explain {run.name} {trial_of(run.plan, row).id}", "explain")
    number = kept_stage_number(run.plan, run.state)
    if run.plan.stages[number].filesystem is None or run.emulated:
        return Next(f"{_use_it(run)}; or remove it and explain {run.named(row)}", does="explain")
    folder, mounted = mount_point(run.plan), ""
    if not is_permanent(run.plan, run.state):
        folder, line = "/mnt", mount_line(run.plan, number, "/mnt")
        mounted = f"; first `{line}`" if line else "; mount it there first"
    return Next(f"{why}, in a file at {folder}{mounted}", f"raidtui explain {run.name} --target {shlex.quote(folder)}")


def _use_it(run: Run) -> str:
    """Of a kept array: what has to be done before it is used, and where it is."""
    stage = run.plan.stages[kept_stage_number(run.plan, run.state)]
    if stage.array and stage.setup and stage.setup.first_sync == "skip" and level_of(stage.setup).has_sync:
        return "sync the array before use: `mdadm --action=repair` (initial resync skipped)"
    if is_permanent(run.plan, run.state) and mount_point(run.plan):
        return f"use it at {mount_point(run.plan)}"
    if run.in_memory:
        return "practise on this array or remove it"
    bare = stage.array is not None and stage.filesystem is None
    return f"{'make a file system on it' if bare else 'use it'} (end of the report)"


def _throttled(run: Run) -> Next | None:
    """Where the model has no figure of writes: that wbt was on, and how to see its cost."""
    if any(row.predicted for row in run.facts.rows):
        return None
    row = next((row for row in run.facts.rows if (row.kind, row.direction) == ("random", "write") and row.cell), None)
    if row is None or "wbt" not in suspects_of(run.plan, run.state, trial_of(run.plan, row), run.facts.comparison):
        return None
    return _explain(run, row, f"find the cost of wbt, on in {lower(test_title(row))}")


def _kept(run: Run) -> Next | None:
    if not run.state.kept:
        return None
    chance = _unsure(run) or _single_runs(run)
    return Next(f"{_use_it(run)}{f'; or remove it and {chance.why}' if chance else ''}")


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
    needed = max(fewest, _REPEAT if len(run.facts.ranked) >= _FEW_SETUPS else _REPEAT_FEW)
    return Next(_repeat(needed))


def _is_worth_finding(one: Over) -> bool:
    share, low, high = (x and x - 1 for x in (one.ratio, one.low, one.high))
    return Difference(share, low, high, "cannot tell", one.repetitions).is_worth_finding


def _single_runs(run: Run) -> Next | None:
    """Of what ran once: where all of it is as expected, once was enough."""
    once = [one for one in run.values if isinstance(one, (Gain, PlainFigure)) and one.runs == 1 and one.test]
    near = {(one.subject, one.test) for one in run.expected if abs((one.ratio or 0.0) - 1) <= AS_EXPECTED}
    return None if all((one.subject, one.test) in near for one in once) else Next(_repeat(_REPEAT_FEW))


def _repeat(times: int) -> str:
    return f"repeat {times}{TIMES} (Measure, Repeat; or repeat = {times})"


def _short_queue(run: Run) -> Next | None:
    tests: dict[str, list[ResultRow]] = {}
    for row in run.facts.rows:
        if row.kind == "random" and row.cell and not row.share_of and not row.varied:
            tests.setdefault(test_title(row), []).append(row)
    for rows in tests.values():
        if all(row.queue and row.expected.limited_by is Limit.QUEUE for row in rows):
            return Next(f"raise iodepth (QD{rows[0].queue} is too low for {max(row.disks for row in rows)} disks)")
    return None


_RULES: tuple[Callable[[Run], Next | None], ...] = (
    _differed,
    _fault("not whole", _not_whole),
    _fault(
        "failed",
        lambda run, fault: Next("remeasure the failed test", f"raidtui again {run.name} {fault.subject}", "again"),
    ),
    _fault("errors", lambda run, fault: Next(f"check SMART, cables and slots first (d on Disks): {fault.evidence[0]}")),
    _fault("disturbed", lambda run, fault: Next("remeasure the disturbed test on an idle machine")),
    _fault(
        "limit",
        lambda run, fault: Next(
            f"{_AT_LIMIT[fault.where]}; then remeasure all disks at once (Measure these disks: Quick look, erases them)"
        ),
    ),
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
    _below,
    _throttled,
    _fault("beyond", lambda run, fault: Next(f"measure {lower(fault.test)} for longer, over more (runtime, size)")),
    _fault("damaged", lambda run, fault: Next("remeasure: part of the journal is lost")),
    _fault("unsure disk", lambda run, fault: Next(f"check disk {fault.subject} with recipe disk-baseline")),
    _kept,
    _unsure,
    _single_runs,
    _short_queue,
    lambda run: Next("measure on real disks") if run.emulated else None,
    _above,
)
