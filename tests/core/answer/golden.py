"""The answers of all recorded runs and of made-up ones, as they are read: a file that one test compares.

python -m tests.core.answer.golden    writes it again, where answers are changed on purpose: read the diff
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from raidtui.core.answer import numbers
from raidtui.core.answer.answer import Answer, answer
from raidtui.core.answer.values import Finding
from raidtui.core.fio.measurement import BUSIEST, FIO, Direction, Measurement, OfTarget
from raidtui.core.plan.answers import ProofAnswers, Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.proof.witnessed import CopiesAsked
from raidtui.core.results.analysis import compare
from raidtui.core.run.events import BlocksDiffered, HealthRead, MismatchesCounted, SelfTestResult, SelfTestsEnded
from raidtui.core.run.kernel import Message
from raidtui.core.run.power_cut import PowerCut
from raidtui.core.run.proof import differing
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, MIB
from raidtui.demo.recording import load
from tests.builders import ablations, handmade, sweeps
from tests.builders.answers import alone, repeated
from tests.recordings.reports import kept
from tests.replay import RUNS

FILE = Path(__file__).parent / "answers.txt"
Run = tuple[Plan, RunState]
Rate = Callable[[Stage, Trial], float]
F = TypeVar("F", bound=Finding)


def setups(rate: Callable[[Setup, Trial], float], disk: float = 100.0, disks: int = 4) -> Rate:
    """What setups give, and each of so many disks alone."""
    return lambda stage, trial: rate(stage.setup, trial) if stage.setup else alone(trial, disk, disks)


def answer_of(run: Run) -> Answer:
    plan, state = run
    return answer(plan, state, compare(plan, state))


IN_SHORT = {
    "0": (400.0, 400.0, 380.0, 400.0),
    "10": (200.0, 390.0, 190.0, 400.0),
    "5": (290.0, 300.0, 95.0, 300.0),
    "6": (120.0, 240.0, 60.0, 300.0),
}


def _levels(rates: Mapping[str, tuple[float, ...]]) -> Run:
    """Levels by their sequential writes and reads, random writes and reads."""
    jobs = ("seq_write", "seq_read", "rand_write", "rand_read")
    made = sweeps.plan("levels-in-short", 4, repeat=3)
    rate = setups(lambda setup, trial: rates[setup.level][jobs.index(trial.job)])
    return made, sweeps.state(made, repeated(rate))


def _disks() -> Run:
    """Six disks of which one is slow; all at once they do half of their sum, for a CPU is busy."""
    made = sweeps.plan("disk-baseline", 6, repeat=3, jobs=("seq_write", "rand_read_32"))

    def rate(stage: Stage, trial: Trial) -> float:
        return {"member": 70.0 if trial.member == 2 else 100.0}.get(trial.target, 300.0)

    counts = {"cpu": {BUSIEST: 0.98, FIO: 0.12}}
    return made, measured(sweeps.state(made, repeated(rate)), lambda trial, taken: counts)


def _queues() -> Run:
    made = sweeps.plan("qd-x-jobs", 4, level="0")
    return made, sweeps.state(made, lambda _, trial: 10.0 * min(64, (trial.iodepth or 1) * (trial.numjobs or 1)))


def _burn_in() -> Run:
    """One disk passed, the second has no self-test, the third failed its last one and has pending sectors."""
    made = sweeps.plan("burn-in", 3)
    state = sweeps.state(made)
    read = Direction(iops=1.0, bytes_per_s=1e6, io_bytes=3 * (1000 * GB - MIB))
    ids = [member.id for member in made.members]
    each = {identity: OfTarget(read_bytes=1000 * GB - MIB, written_bytes=1000 * GB - MIB) for identity in ids}
    state = measured(state, lambda trial, taken: {"read": read, "each": each})
    results = [{}, {ids[1]: SelfTestResult(words="not supported")}, {ids[2]: SelfTestResult(passed=False)}]
    passed = dict.fromkeys(ids, SelfTestResult(passed=True))
    told = [
        SelfTestsEnded(at_s=state.now_s, stage=0, length="long", disks={**passed, **results[1]}),
        SelfTestsEnded(at_s=state.now_s, stage=2, length="long", after=True, disks=passed | results[1] | results[2]),
    ]
    reads = tuple(
        HealthRead(at_s=state.now_s, stage=0, disks={one: {"pending sectors": last * (one == ids[2])} for one in ids})
        for last in (0, 8)
    )
    return made, replace(state, self_tests=told[0], self_tests_after=told[1], healths=reads)


def _proof(differs: bool) -> Run:
    """RAID 6 that returned every block in each state, or another one in the third."""
    made = sweeps.plan("proof", 5, level="6")
    spans = {trial.id: trial.span_bytes for trial in made.trials}
    reads = {trial: Direction(iops=1.0, bytes_per_s=1e8, io_bytes=span) for trial, span in spans.items()}
    state = measured(sweeps.state(made), lambda trial, taken: {"read": reads[trial]})
    state = checked(made, state)
    if not differs:
        return made, state
    later = {trial.id for trial in made.trials if trial.state > 2}
    block = BlockDiffers(
        request_bytes=5 * MIB,
        offset_bytes=0,
        count_bytes=MIB,
        array_bytes=5 * MIB,
        member=made.members[3].id,
        member_bytes=7 * MIB,
        expected="11223344",
        found="00000000",
        kind="zeros",
    )
    event = BlocksDiffered(at_s=state.now_s, stage=0, state="2 disks out", blocks=(block,))
    reason = differing(event, made)
    lost = without(made, state, lambda trial: trial.id in later)
    return made, replace(lost, differed=(event,), outcome="failed", reason=reason)


def _cut(number: int, why_not: str = "") -> Run:
    """RAID 5 whose power was cut in the end, or was not."""
    made = sweeps.plan("proof", 4, level="5", proof=ProofAnswers(cut="witness", witness="/dev/ttyS0"))
    reads = {trial.id: Direction(iops=1.0, bytes_per_s=1e8, io_bytes=trial.span_bytes) for trial in made.trials}
    state = measured(sweeps.state(made), lambda trial, taken: {"read": reads[trial]})
    found_at_s = state.now_s if number else 0.0
    cut = PowerCut("ab", "boot", state.now_s, False, acknowledged=number, found=number, found_at_s=found_at_s)
    copies = CopiesAsked(copies=1, stripes=24107, left_out=2, why_not=why_not) if number else None
    return made, checked(made, replace(state, cut=replace(cut, copies=copies)))


def checked(plan: Plan, state: RunState) -> RunState:
    """In each state in which a proof's array was complete, md's check counted nothing before the first test."""
    begun = {trial.trial: trial.started_at_s for trial in state.trials}
    trials = {trial.state: trial.id for trial in reversed(plan.trials)}
    proofs = [stage.proof for stage in plan.stages if stage.proof]
    numbers = [number for proof in proofs for number, one in enumerate(proof.states, 1) if one.checked]
    counted = [MismatchesCounted(at_s=begun[trials[number]], sectors=0, final=True) for number in numbers]
    return replace(state, mismatches=tuple(counted))


def _broken() -> Run:
    """A run of two boots that failed: errors of a disk, one that may be slow, a busy CPU, a disturbed baseline."""
    jobs = ("seq_write", "seq_read", "rand_read_32", "rand_write_32")
    made = replace(sweeps.plan("disk-baseline", 4, jobs=jobs), boot_id="another")
    at_once, of_members = {"seq_read": 60.0, "seq_write": 600.0}, (100.0, 104.0, 94.0, 84.0)
    failed = next(trial.id for trial in made.trials if (trial.job, trial.target) == ("rand_write_32", "members"))

    def rate(stage: Stage, trial: Trial) -> float:
        if trial.target == "member":
            return of_members[trial.member or 0]
        return at_once.get(trial.job, 385.0)

    def counts(trial: str, taken: Measurement) -> Mapping[str, object]:
        cpu: dict[str, object] = {"cpu": {BUSIEST: 0.97, FIO: 0.12}}
        return cpu | {"status": "failed", "error": "boom", "write": None} if trial == failed else cpu

    message = Message("I/O error", "sdc", "critical medium error, dev sdc")
    told: dict[str, Any] = {"outcome": "failed", "reason": "md: boom", "damaged": 2, "kernel": {"t": (message,)}}
    return made, replace(measured(sweeps.state(made, rate), counts), **told)


def _stopped(after: str) -> Run:
    """Nothing but the disks was measured, or nothing at all."""
    made = handmade.plan()
    state = without(made, handmade.state(made), lambda trial: not after or trial.target not in ("member", after))
    return made, replace(state, outcome="stopped")


MADE_UP: dict[str, Callable[[], Run]] = {
    "made-up: levels-in-short": lambda: _levels(IN_SHORT),
    "made-up: levels-in-short, all alike": lambda: _levels(dict.fromkeys(IN_SHORT, (100.0,) * 4)),
    "made-up: disk-baseline, a slow disk": _disks,
    "made-up: qd-x-jobs": _queues,
    "made-up: burn-in": _burn_in,
    "made-up: proof": lambda: _proof(differs=False),
    "made-up: proof, power cut": lambda: _cut(48213),
    "made-up: proof, copies not asked": lambda: _cut(48213, "md began its resync first"),
    "made-up: proof, no power cut": lambda: _cut(0),
    "made-up: proof, a block differs": lambda: _proof(differs=True),
    "made-up: explain": lambda: (ablations.PLAN, ablations.measured({"wbt": 0.3}, base=0.7 * ablations.THEORY)),
    "made-up: disk-baseline, broken": _broken,
    "made-up: quick, stopped after the disks": lambda: _stopped("members"),
    "made-up: quick, stopped before all": lambda: _stopped(""),
}


def measured(state: RunState, changes: Callable[[str, Measurement], Mapping[str, object]]) -> RunState:
    """The run with other measurements: what changes of each trial's, by its name and what it is."""
    trials = tuple(
        replace(one, measurement=replace(taken, **changes(one.trial, taken)))
        for one in state.trials
        if (taken := one.measurement)
    )
    return replace(state, trials=trials)


def without(made: Plan, state: RunState, lacking: Callable[[Trial], bool]) -> RunState:
    """The run in which these trials were not measured."""
    left_out = {trial.id for trial in made.trials if lacking(trial)}
    return replace(state, trials=tuple(one for one in state.trials if one.trial not in left_out))


def reading(state: RunState, changes: Callable[[str, Direction], Mapping[str, object]]) -> RunState:
    """The run with other reads."""
    return measured(
        state,
        lambda trial, taken: {"read": replace(taken.read, **changes(trial, taken.read))} if taken.read else {},
    )


def later(state: RunState, times: Callable[[str], float]) -> RunState:
    """The run whose reads took so many times as long, trial by trial; at the same rate."""
    return reading(state, lambda trial, read: {"lat_mean_ns": times(trial) * (read.lat_mean_ns or 0.0)})


def of_kind(found: Answer, kind: type[F]) -> list[F]:
    """Its findings of one kind."""
    return [finding for finding in found.findings if isinstance(finding, kind)]


def runs() -> dict[str, Callable[[], Run]]:
    """Every run that is in the file, by its name."""
    folders = sorted(folder.name for folder in RUNS.iterdir() if (folder / "plan.json").exists())
    reports = {name: partial(kept.load, name) for name in kept.names()}
    return reports | {name: partial(_recorded, name) for name in folders} | MADE_UP


def _recorded(name: str) -> Run:
    recording = load(RUNS / name)
    return recording.plan, recording.view().state


@cache
def answers() -> dict[str, Answer]:
    """Of all runs."""
    return {name: answer_of(run()) for name, run in runs().items()}


def text() -> str:
    return "\n".join(line for name, found in answers().items() for line in (f"## {name}", *_lines(found), ""))


def _lines(found: Answer) -> Iterator[str]:
    yield from (found.title, *(f"- {line}" for line in found.lines))
    if found.table:
        heads, rows = numbers.cells(found.table)
        yield from (f"  | {' | '.join(row)}".rstrip() for row in (heads, *rows))
        yield from filter(None, [numbers.note(found.table)])
    yield from (f"+ {line}" for line in found.more)


if __name__ == "__main__":
    FILE.write_text(text())
