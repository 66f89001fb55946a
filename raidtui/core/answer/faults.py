"""What stands against a run as a whole, and how often and how long it measured: the limits of what it can tell."""

from statistics import median

from raidtui.core.answer.conclusions import Conclusion, measured_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.together import less_than_one
from raidtui.core.plan.model import Plan
from raidtui.core.plan.trials import options_of
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.differences import drift, of_figures
from raidtui.core.results.figure import Figure
from raidtui.core.run import kernel
from raidtui.core.run.events import SelfTestResult
from raidtui.core.run.health import Count, worsened
from raidtui.core.run.state import RunState
from raidtui.core.units import format_iops, format_latency

_EQUAL_SIZES = 0.98


def faults(plan: Plan, state: RunState, comparison: Comparison) -> list[Conclusion]:
    """All that stands against the run as a whole: first that its disks are no hardware, then the worst."""
    trials = [(trial, state.measured(trial.id)) for trial in plan.trials]
    ended = [trial for trial, measurement in trials if measurement and measurement.status == "ok"]
    failed = [(trial, measurement) for trial, measurement in trials if measurement and measurement.status == "failed"]
    conclusions = []
    if emulators := [disk.emulator for disk in plan.disks if disk.emulator]:
        conclusions.append(
            Conclusion(
                kind="emulated",
                subject=emulators[0],
                figure=len(emulators),
                unit="disks",
                base_figure=len(plan.disks),
            )
        )
    if not state.ended or state.outcome != "finished":
        conclusions.append(
            Conclusion(
                kind="not whole",
                subject=state.outcome or ("going on or cut off"),
                figure=len(ended),
                unit="trials",
                base_figure=len(trials),
                evidence=(state.reason,) if state.reason else (),
            )
        )
    if failed:
        first = failed[0][0]
        conclusions.append(
            Conclusion(
                kind="failed",
                subject=first.id,
                test=first.title,
                figure=len(failed),
                unit="trials",
                base_figure=len(trials),
                evidence=tuple(dict.fromkeys(measurement.error or "" for _, measurement in failed)),
            )
        )
    if errors := _errors(plan, state):
        conclusions.append(Conclusion(kind="errors", evidence=errors))
    if state.damaged:
        conclusions.append(Conclusion(kind="damaged", subject="journal", figure=state.damaged))
    if state.worker and plan.boot_id and state.worker.boot_id != plan.boot_id:
        conclusions.append(Conclusion(kind="resumed", subject="another boot"))
    for row in comparison.rows:
        if row.disturbed:
            conclusions.append(Conclusion(kind="disturbed", test=test_title(row), evidence=(row.disturbed,)))
            break
    conclusions += less_than_one(plan, state, comparison)[:1]
    slow: dict[int, list[str]] = {}
    for slow_member in comparison.slow_members:
        slow.setdefault(slow_member.member, []).append(slow_member.job)
    for member, tests in slow.items():
        rates = [slow_member for slow_member in comparison.slow_members if slow_member.member == member]
        worst = min(rates, key=lambda rate: rate.bytes_per_s / rate.median_bytes_per_s)
        conclusions.append(
            Conclusion(
                kind="slow disk",
                subject=worst.serial or plan.disks[member].id,
                test=worst.job,
                figure=worst.bytes_per_s,
                unit="bytes/s",
                base="the median disk",
                base_figure=worst.median_bytes_per_s,
                ratio=worst.bytes_per_s / worst.median_bytes_per_s,
                evidence=tuple(tests),
            )
        )
    conclusions += [Conclusion(kind="unsure disk", subject=serial) for _, serial in comparison.unsure]
    return conclusions


def _errors(plan: Plan, state: RunState) -> tuple[str, ...]:
    """What tells that a disk, or the way to it, fails: the disks' own tests, their counts, the kernel."""
    tests = state.self_tests.disks if state.self_tests else {}
    names = {member.id: member.serial or member.id for member in plan.members}
    errors = [f"disk {name} failed its own test" for member, name in names.items() if _failed(tests.get(member))]
    for member, name in names.items():
        errors += [
            f"disk {name}: {count} {_told(before)} before the tests, {_told(after)} after"
            for count, (before, after) in worsened(state, member).items()
        ]
    told = [message for messages in state.kernel.values() for message in messages if message.kind != "throttling"]
    return (*errors, *((kernel.words(dict.fromkeys(told)),) if told else ()))


def _told(count: Count) -> str:
    return count if isinstance(count, str) else f"{count:g}"


def _failed(result: SelfTestResult | None) -> bool:
    return result is not None and result.passed is False


def doubts(facts: AnswerFacts) -> list[Conclusion]:
    """What stands against single figures: that rate and latency contradict each other, that a test's figures drift."""
    off = facts.contradicted
    conclusions = []
    if off:
        conclusions.append(
            Conclusion(
                kind="contradicted",
                subject=facts.names.get(off[0].stage, ""),
                test=test_title(off[0]),
                evidence=_by_littles_law(off[0]),
                figure=len(off),
                base="figures that have a latency",
                base_figure=sum(
                    bool(row.little_ns and row.array.value and not row.share_of) for row in facts.comparison.rows
                ),
            )
        )
    for row in {test_title(row): row for row in facts.rows}.values():
        if rise := drift(of_figures(row.beside)):
            conclusions.append(Conclusion(kind="drift", test=test_title(row), ratio=1 + rise.share, runs=rise.blocks))
    return [*conclusions, *_of_all_setups(facts)]


def _of_all_setups(facts: AnswerFacts) -> list[Conclusion]:
    """What makes levels differ by more than themselves: disks of several sizes, and the page cache."""
    stages = [stage for stage in facts.plan.stages if stage.array and stage.trials]
    if not stages or not facts.rows:
        return []
    sizes = [disk.size_bytes for disk in facts.plan.disks]
    conclusions = []
    if min(sizes) < _EQUAL_SIZES * max(sizes):
        conclusions.append(Conclusion(kind="unequal", figure=min(sizes), base_figure=max(sizes), unit="bytes"))
    if all(options_of(stage, trial.id).get("direct", "0") == "0" for stage in stages for trial in stage.trials):
        conclusions.append(Conclusion(kind="buffered"))
    return conclusions


def _by_littles_law(row: ResultRow) -> tuple[str, ...]:
    """What the latency must be, and what was measured, as tables have it; these tell a mix's by direction alone."""
    if row.mixed or not row.queue or not row.little_ns or not row.latency.mean_ns:
        return ()
    rate = format_iops(row.queue / row.little_ns * 1e9)
    must, was = format_latency(row.little_ns), format_latency(row.latency.mean_ns)
    return (f"{row.queue} in flight at {rate} IOPS take {must} each, {was} were measured",)


def measured(plan: Plan, state: RunState, comparison: Comparison) -> Conclusion | None:
    """How often and for how long each test was measured: `runs`, and `figure` seconds.

    `ratio` is the spread of a test from run to run, pooled over its setups, of the middle test; `low` and `high` those
    of the calmest and the wildest.
    """
    rows = [row for row in comparison.rows if row.array.value is not None]
    seconds = [(measurement.runtime_ms or 0) / 1000 for row in rows for measurement in measured_of(plan, state, row)]
    if not rows or not seconds:
        return None
    tests = dict.fromkeys(row.beside or (row.array,) for row in rows)
    spreads = [spread for figures in tests if (spread := _spread(figures)) is not None]
    return Conclusion(
        kind="measured",
        figure=median(seconds),
        unit="s",
        runs=min(row.array.runs for row in rows),
        ratio=median(spreads) if spreads else None,
        low=min(spreads, default=None),
        high=max(spreads, default=None),
        certainty="interval" if spreads else "single run",
    )


def _spread(figures: tuple[Figure, ...]) -> float | None:
    """What no setup and no block explains, as in the tables; of one setup how its repetitions differ."""
    return figures[0].deviation if len(figures) == 1 else of_figures(figures).spread
