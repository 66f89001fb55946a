"""The one next step of a run: what is broken first, then what holds it back, then what nobody can tell yet."""

import shlex
from collections.abc import Callable, Sequence
from math import ceil, log
from typing import Literal

import msgspec

from raidtui.core.answer import cause_words, wording
from raidtui.core.answer.conclusions import AS_THEORY, Conclusion, Kind, Verdict
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.disks.emulators import are_in_memory
from raidtui.core.plan.cell import level_of
from raidtui.core.plan.kept.permanence import mount_line, mount_point
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.raid.ceilings import Limit
from raidtui.core.results.ablation import suspects_of, trial_of
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.differences import Difference
from raidtui.core.results.disturbance import stalled_once
from raidtui.core.run.permanence import is_permanent, standing_stage

_FEW_WAITS = 20  # that a test is long: the ends make 5 % then
_ROUND_S = 10
_REPEAT = 3  # that a sweep wants, and five where two are compared (see `differences`)
_REPEAT_FEW = 5
_FEW_SETUPS = 4
_AT_LIMIT = {
    "CPU": "end what else runs on this machine, or give it more CPU",
    "disks": "look at what the disks share, their link and controller (d on Disks shows both)",
    "above the disks": "end what else runs on this machine: the disks waited to be asked",
}
_DOUBTS: dict[Kind, str] = {
    "beyond": "do not rely on {test}, which is more than its disks do: measure it for longer, over more (runtime, size,"
    " in its fio options)",
    "damaged": "measure again what counts: a part of what its journal told is lost",
    "unsure disk": "the recipe disk-baseline tells whether disk {subject} is slow",
}
_MATTERS = 0.15  # what is surely less than so far apart is not worth another night


class Next(msgspec.Struct, frozen=True):
    """The one next step: why, and the command where one does it; `does` says what that is, for a screen with a key."""

    why: str
    command: str = ""
    does: Literal["", "resume", "again", "explain"] = ""

    @property
    def words(self) -> str:
        return f"Next: {f'`{self.command}`: ' if self.command else ''}{self.why}."


class _Run(msgspec.Struct, frozen=True):
    """What stands against a run, by kind, and what was found."""

    facts: AnswerFacts
    against: dict[Kind, Conclusion]
    answered: Sequence[Conclusion]

    @property
    def name(self) -> str:
        return self.facts.state.run or "RUN"


def next_step(facts: AnswerFacts, against: Sequence[Conclusion], answered: Sequence[Conclusion]) -> Next:
    run = _Run(facts, {conclusion.kind: conclusion for conclusion in reversed(against)}, answered)
    return next((step for rule in _RULES if (step := rule(run))), Next("nothing is needed"))


def _not_whole(run: _Run) -> Next | None:
    not_whole = run.against.get("not whole")
    if not_whole is None:
        return None
    if not_whole.subject.startswith("going"):
        why = "watch it, or go on with it where it was cut off"
    elif not_whole.subject == "stopped":
        why = "goes on with what is not measured yet"
    else:
        why = "goes on once what ended it is mended: see the end of the report"
    return Next(why, f"raidtui resume {run.name}", "resume")


def _failed(run: _Run) -> Next | None:
    failed = run.against.get("failed")
    return Next("measures again what failed", f"raidtui again {run.name} {failed.subject}", "again") if failed else None


def _errors(run: _Run) -> Next | None:
    errors = run.against.get("errors")
    advice = "see to the disks first, their SMART values, cables and slots (d on Disks): {}"
    return Next(advice.format(errors.evidence[0])) if errors else None


def _disturbed(run: _Run) -> Next | None:
    if "disturbed" not in run.against:
        return None
    return Next("measure the disturbed test again, and leave the machine alone meanwhile")


def _less_than_one(run: _Run) -> Next | None:
    limit = run.against.get("limit")
    again = "measure all disks at once again (Measure these disks: Quick look, which erases them)"
    return Next(f"{_AT_LIMIT[limit.where]}; then {again}") if limit else None


def _slow_disk(run: _Run) -> Next | None:
    slow = run.against.get("slow disk")
    advice = "look at the SMART values and the link of disk {}; the recipe disk-baseline measures each"
    return Next(advice.format(slow.subject)) if slow else None


def _contradicted(run: _Run) -> Next | None:
    """A figure that its own latency contradicts is fio's error or a damaged file: no other advice stands on it. Where a
    test was but a few waits long, those at its ends alone may make as much, and the same again would tell no more."""
    off = run.facts.contradicted
    if not off:
        return None
    if off[0].waits and off[0].waits < _FEW_WAITS and off[0].latency.mean_ns:
        wait, long = wording.figure(off[0].latency.mean_ns, "ns"), _FEW_WAITS * off[0].latency.mean_ns / 1e9
        return Next(
            f"measure it for longer (runtime, in its fio options; {_ROUND_S * ceil(long / _ROUND_S)} s): in"
            f" {_named(run, off[0])} a request takes {wait}, and the test was {off[0].waits:.2g} of these long"
        )
    trial = trial_of(run.facts.plan, off[0])
    other_tests = f" and {len(off) - 1} more" if len(off) > 1 else ""
    why = f"measures again {_named(run, off[0])}{other_tests}, whose rate and latency contradict each other"
    return Next(why, f"raidtui again {run.name} {trial.id}", "again")


def _stalled(run: _Run) -> Next | None:
    """A test in which the array stood still, and nobody looked whether it does again."""
    plan = run.facts.plan
    trial = stalled_once(run.facts.state, (trial for stage in plan.stages for trial in stage.trials))
    if trial is None or plan.answers.explain:
        return None
    stood = f"{wording.lower(trial.title)}, a second of which, or more, did less than half of the others"
    if run.facts.state.kept:
        return Next(f"once it is cleared away, measure again {stood}")
    return Next(f"measures again {stood}", f"raidtui again {run.name} {trial.id}", "again")


def _not_steady(run: _Run) -> Next | None:
    if not any(conclusion.kind == "steady" and conclusion.subject != "steady" for conclusion in run.answered):
        return None
    return Next("it is not steady yet: begin with purged disks, or give it longer rounds (runtime, in its fio options)")


def _brake(run: _Run) -> Next | None:
    """Write throttling, where the run has shown what it costs."""
    wbt_off = [
        conclusion
        for conclusion in run.answered
        if conclusion.kind == "effect" and conclusion.subject == "wbt off" and conclusion.verdict == "different"
    ]
    if not any((conclusion.share or 1.0) > 1 for conclusion in wbt_off):
        return None
    where = ", and measure it on the real disks" if "emulated" in run.against else ""
    action = "switch wbt off (wbt_lat_usec 0 of every member)"
    return Next(f"{action} where throughput counts more than the longest waits{where}")


def _proven_cause(run: _Run) -> Next | None:
    """Of an explanation the advice of the largest cause that a change proved, with its price."""
    changes = {suspect.changed: suspect for suspect in TUNABLES.values()}
    proven = [
        conclusion
        for conclusion in run.answered
        if conclusion.base == "unchanged" and conclusion.verdict == "different" and (conclusion.share or 1.0) > 1
    ]
    if not proven:
        return None
    cause = changes[max(proven, key=lambda conclusion: conclusion.share or 1.0).subject]
    return Next(f"{cause.advice}, where it is worth its price: {cause.price}")


def _not_explained(run: _Run) -> Next | None:
    """Of an explanation in which no change proved a cause, of a test that is slower than theory."""
    row = _furthest_off(run, "below theory")
    if not run.facts.plan.answers.explain or row is None:
        return None
    if row.causes.evident:
        return Next(f"see to what holds it back ({cause_words.words(row.causes.evident[0])}); then measure it again")
    return Next("measure each disk by itself at several depths (recipe disk-baseline); then other disks, another slot")


def _emulated_work(run: _Run) -> Next | None:
    """Of disks in memory where a CPU was the limit, which does their work too: no change here tells of real ones."""
    row = _furthest_off(run, "below theory")
    in_memory = are_in_memory(disk.emulator for disk in run.facts.plan.disks)
    if row is None or not in_memory or not row.causes.of_a_cpu:
        return None
    measure = (
        f"measure the same on real disks: a CPU may have held back {_named(run, row)}, and it emulates the disks, too"
    )
    return Next(f"{_use_it(run)}. Or {measure}" if run.facts.state.kept else measure)


def _below_theory(run: _Run) -> Next | None:
    row = _furthest_off(run, "below theory")
    if row is None:
        return None
    suspects = cause_words.suspected(row.causes)
    suspected = f"; suspected, not shown yet: {suspects}" if suspects else ""
    finds = f"finds what holds back {_named(run, row)}, one cause at a time, and what to change"
    step = _explain(run, row, finds)
    return step and msgspec.structs.replace(step, why=f"{step.why}{suspected}")


def _furthest_off(run: _Run, verdict: Verdict) -> ResultRow | None:
    """The row that is furthest from theory of those with this verdict; None where none has it."""
    off_theory = [
        conclusion for conclusion in run.answered if conclusion.kind == "theory" and conclusion.verdict == verdict
    ]
    worst = max(off_theory, key=lambda conclusion_off: abs(log(conclusion_off.ratio or 1.0)), default=None)
    if worst is None:
        return None
    return next(row for row in run.facts.rows if (row.setup, test_title(row)) == (worst.subject, worst.test))


def _explain(run: _Run, row: ResultRow, why: str) -> Next | None:
    """The explanation of one test; of an explanation, none. One of a kept array measures in a file where that is
    mounted; without a file system the array would be built anew, as on emulated disks: of a practice machine, in which
    nothing can be mounted by hand.
    """
    plan, state = run.facts.plan, run.facts.state
    if plan.answers.explain:
        return None
    if not state.kept:
        return Next(why, f"raidtui explain {run.name} {trial_of(plan, row).id}", "explain")
    number = standing_stage(plan, state)
    if plan.stages[number].filesystem is None or "emulated" in run.against:
        explained = f"Or, once it is cleared away, an explanation builds it anew and {why}"
        return Next(f"{_use_it(run)}. {explained}", does="explain")
    if is_permanent(plan, state):
        folder, mounted = mount_point(plan), ""
    else:
        folder, line = "/mnt", mount_line(plan, number, "/mnt")
        mounted = f", once `{line}` has mounted it" if line else ", once it is mounted there"
    command = f"raidtui explain {run.name} --target {shlex.quote(folder)}"
    return Next(f"{why}, in a file of the kept array at {folder}{mounted}", command)


def _use_it(run: _Run) -> str:
    """Of an array that is kept: where it is, or where it stands how it is mounted; what has to be done before."""
    plan, state = run.facts.plan, run.facts.state
    stage = plan.stages[standing_stage(plan, state)]
    if stage.array and stage.setup and stage.setup.first_sync == "skip" and level_of(stage.setup).has_sync:
        how = "`mdadm --action=repair` and its node"
        return f"have its disks made to agree before it is used ({how}), for its first sync was left out"
    at_boot = mount_point(plan) if is_permanent(plan, state) else ""
    if at_boot:
        return f"use it as it is, at {at_boot}"
    if are_in_memory(disk.emulator for disk in plan.disks):
        return "practise on it, or clear it away: its disks are in this machine's memory, and end with it"
    bare = stage.array is not None and stage.filesystem is None
    use_it = "make a file system on it, or give it whole to what is to use it" if bare else "use it as it is"
    return f"{use_it}: the report ends with how"


def _throttled(run: _Run) -> Next | None:
    """Where no theory says how fast writes could be: that the kernel throttled them, and how to see its cost."""
    facts = run.facts
    if any(row.predicted for row in facts.rows):
        return None
    row = next(
        (
            result_row
            for result_row in facts.rows
            if result_row.direction == "write" and result_row.kind == "random" and result_row.cell
        ),
        None,
    )
    if row is None:
        return None
    trial = trial_of(facts.plan, row)
    if "wbt" not in suspects_of(facts.plan, facts.state, trial):
        return None
    why = f"tells what {TUNABLES['wbt'].cause} costs, which was on in {wording.lower(test_title(row))}"
    return _explain(run, row, why)


def _unsure(run: _Run) -> Next | None:
    unsure = [
        conclusion
        for conclusion in run.answered
        if conclusion.verdict == "cannot tell" and conclusion.kind in ("rank", "effect")
    ]
    wide = [
        conclusion
        for conclusion in unsure
        if (conclusion.certainty == "single run" or _could_be(conclusion) > _MATTERS) and _is_worth_finding(conclusion)
    ]
    if not wide:
        return None
    measured_runs = min((conclusion.repetitions for conclusion in wide if conclusion.repetitions), default=0)
    runs_needed = max(measured_runs, _REPEAT if len(run.facts.ranked) >= _FEW_SETUPS else _REPEAT_FEW)
    return Next(f"{runs_needed} runs of each test tell what these could not: {_how_often(runs_needed)}")


def _doubted(run: _Run) -> Next | None:
    """What stands against figures or disks and has no step of its own."""
    for kind, advice in _DOUBTS.items():
        if doubt := run.against.get(kind):
            return Next(advice.format(subject=doubt.subject, test=wording.lower(doubt.test)))
    return None


def _kept(run: _Run) -> Next | None:
    """Of an array that is kept and that nothing seems to hold back: it was built to be used."""
    if not run.facts.state.kept:
        return None
    chance = _unsure(run) or _single_runs(run)
    return Next(f"{_use_it(run)}{f'. Or, once it is cleared away, {chance.why}' if chance else ''}")


def _could_be(conclusion: Conclusion) -> float:
    """How far apart two setups of which nobody can tell may yet be."""
    return max(conclusion.high or 1.0, 1 / (conclusion.low or 1.0)) - 1


def _is_worth_finding(conclusion: Conclusion) -> bool:
    """As where the two are compared by themselves: it would say so."""
    share, low, high = (x and x - 1 for x in (conclusion.ratio, conclusion.low, conclusion.high))
    return Difference(share, low, high, "cannot tell", conclusion.repetitions).is_worth_finding


def _single_runs(run: _Run) -> Next | None:
    """Of what ran once: where all of it is what theory says, once was enough."""
    once = [
        conclusion
        for conclusion in run.answered
        if conclusion.kind in ("gain", "figure") and conclusion.certainty == "single run"
    ]
    theories = [conclusion for conclusion in run.answered if conclusion.kind == "theory"]
    as_theory = {
        (conclusion.subject, conclusion.test)
        for conclusion in theories
        if abs((conclusion.ratio or 0.0) - 1) <= AS_THEORY
    }
    if all((conclusion.subject, conclusion.test) in as_theory for conclusion in once):
        return None
    return Next(f"{_REPEAT_FEW} runs of each test tell what is chance: {_how_often(_REPEAT_FEW)}")


def _short_queue(run: _Run) -> Next | None:
    """Where every figure of a random test is limited by what is in flight, not by the disks."""
    tests: dict[str, list[ResultRow]] = {}
    for row in run.facts.rows:
        if row.kind == "random" and row.cell and not row.share_of and not row.varied:
            tests.setdefault(test_title(row), []).append(row)
    for title, rows in tests.items():
        if all(row.queue and row.expected.limited_by is Limit.QUEUE for row in rows):
            disks = max(row.disks for row in rows)
            too_few = f"{rows[0].queue} in flight are too few for {disks} disks in {wording.lower(title)}"
            return Next(f"measure it with more in flight (iodepth, in its fio options): {too_few}")
    return None


def _emulated(run: _Run) -> Next | None:
    return Next("measure the same on real disks") if "emulated" in run.against else None


def _above_theory(run: _Run) -> Next | None:
    row = _furthest_off(run, "above theory")
    return _explain(run, row, f"looks for what makes {_named(run, row)} faster than theory has it") if row else None


def _named(run: _Run, row: ResultRow) -> str:
    """A test, and of several setups on which."""
    name = run.facts.names.get(row.stage)
    return wording.lower(test_title(row)) + (f" on {name}" if name else "")


def _how_often(repeat: int) -> str:
    return f"“Repeat each measurement” in the wizard, or repeat = {repeat} in a file of answers"


_RULES: tuple[Callable[[_Run], Next | None], ...] = (
    _not_whole, _failed, _errors, _disturbed, _less_than_one, _slow_disk, _contradicted, _stalled, _not_steady,
    _proven_cause, _not_explained, _brake, _emulated_work, _below_theory, _throttled,
    _doubted, _kept, _unsure, _single_runs, _short_queue, _emulated, _above_theory,
)  # fmt: skip
