"""The part of a report on what was asked: the recipe and what differs from it, queues, settings, how the run stands."""

from collections.abc import Iterator, Mapping, Sequence

from raidtui.core.page.blocks import Block, Bullets, Heading, Span, Strong, Text
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.parsed_setup import level_title
from raidtui.core.plan.summary import axes_words
from raidtui.core.report.context import RunContext
from raidtui.core.report.facts import setup_words
from raidtui.core.report.proof import proof
from raidtui.core.run import disk_changes, kept, progress
from raidtui.core.run.state import RunState

_ON = {"member": "one disk", "members": "all disks at once", "existing": "what exists"}
_MOST_NAMED = 4  # tests, one by one


def asked(run: RunContext) -> Iterator[Block]:
    """Recipe, level or setup, source, own wishes, requests in flight, settings of the disks, and how the run ended."""
    plan, state = run.plan, run.state
    yield from proof(run)
    yield Heading("What was asked")
    yield Text(f"Recipe: {plan.recipe_title}.")
    levels = {level_title(stage.setup) for _, stage in run.built if stage.setup}
    if run.is_sweep and len(levels) == 1:
        yield Text(f"Level: {levels.pop()}.")
    arrays = [stage.array for _, stage in run.built if stage.array]
    if arrays and not run.is_sweep:
        yield Text(f"Setup: {setup_words(arrays[0])}.")
    if plan.source:
        has_article = any(row.published for row in run.comparison.rows)
        article_note = " Its figures are in the columns “Published”." if has_article else ""
        link = f" ({plan.link})" if plan.link else ""
        yield Text(f"After: {plan.source}{link}.{article_note}")
    if wishes := [*_wishes(plan)]:
        yield Text(f"Chosen: {'; '.join(wishes)}.")
    yield from in_flight(plan)
    yield from disk_settings(plan, state)
    yield from standing(plan, state)
    if damaged := progress.damage(plan, state):
        yield Text(Strong(f"{damaged}."))


def _wishes(plan: Plan) -> Iterator[str]:
    """In what this run is not the recipe as it stands: its variant, its repetitions, what the answers lay over it."""
    answers = plan.answers
    if answers.variant:
        yield f"variant {answers.variant}"
    times = max((trial.repetition for trial in plan.trials), default=1)
    if plan.blocks:
        yield f"{plan.blocks} passes, each with every setup, rebuilt and in another order"
    elif answers.explain and times > 1:
        yield f"{times} passes on one array, each with the unchanged test and every change, in another order"
    elif times > 1:
        yield f"each measured {times} times in a row"
    if answers.jobs:
        yield f"of its jobs {', '.join(answers.jobs)}"
    yield from (f"{key} = {value} in every job" for key, value in answers.fio.items())
    yield from (f"{key} = {value} in {job}" for job, options in answers.job.items() for key, value in options.items())
    if answers.explain:
        yield f"explain {', '.join(answers.explain)}"
    for axes in (answers.axes,) if isinstance(answers.axes, Axes) else answers.axes:
        yield f"instead of the recipe's: {axes_words(axes)}"


def standing(plan: Plan, state: RunState) -> Iterator[Block]:
    """What a reader must know before the first figure: that the run is not whole, or what it leaves standing."""
    words: tuple[Span, ...] = ()
    if not state.ended:
        doing = f" Last step: {state.step.what}." if state.step else ""
        words = Strong("This run has not ended: it is running, or was interrupted."), doing
    elif state.outcome != "finished":
        words = Strong(f"This run {state.outcome} before its end."), f" {state.reason}"
    elif stands := kept.sentence(plan, state):
        words = (stands,)
    if words:
        yield Text(words)


def in_flight(plan: Plan) -> Iterator[Text]:
    """Each test with its queue, jobs by depth; of tests that differ in little else the least and the most."""
    built = [trial for stage in plan.stages for trial in stage.trials if stage.setup is not None]
    tests: dict[str, dict[int, str]] = {}  # title -> queue -> how it is made up
    for trial in (trial for trial in built or plan.trials if not trial.state):
        title = trial.title.partition(",")[0] if trial.family else trial.title
        if trial.iodepth and trial.numjobs:
            jobs = f"{trial.numjobs} jobs" if trial.numjobs > 1 else "one job"
            queue = trial.iodepth * trial.numjobs
            of_each = f"{trial.disk_queue} per disk, {queue} in all" if trial.disk_queue else str(queue)
            tests.setdefault(title, {}).setdefault(queue, f"{of_each} ({jobs}, QD{trial.iodepth})")
    if tests:
        yield Text(f"Queue depth: {'; '.join(f'{title} {_range(made)}' for title, made in tests.items())}.")


def _range(made_up: dict[int, str]) -> str:
    return next(iter(made_up.values())) if len(made_up) == 1 else f"{min(made_up)} to {max(made_up)}"


def disk_settings(plan: Plan, state: RunState) -> Iterator[Block]:
    """A line for each value that differs from the one before the run, and the disks that had it in the same tests."""
    trials = {trial_state.trial: trial_state for trial_state in state.trials}
    measured_trials = [trial for name in trials if (trial := plan.trial(name))]
    before_run = disk_changes.before_run(plan, state)
    lines: dict[tuple[str, str], list[str]] = {}  # disks and value -> the tests
    for kind in dict.fromkeys(map(_kind, measured_trials)):
        tests_of_kind = [trial.id for trial in measured_trials if _kind(trial) == kind]
        alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # value, tests -> disks
        for disk in dict.fromkeys(disk for name in tests_of_kind for disk in trials[name].queues):
            for value, tests_with in _other_settings(
                before_run.get(disk, {}), {name: trials[name].queues.get(disk, {}) for name in tests_of_kind}
            ):
                alike.setdefault((value, tests_with), []).append(disk)
        for (value, tests_with), disks in alike.items():
            lines.setdefault((_disks(plan, disks), value), []).append(_tests(kind, tests_of_kind, tests_with))
    if lines:
        yield Text("Disk settings changed for the run:")
        yield Bullets([f"{disks}: {value}: {'; '.join(tests)}" for (disks, value), tests in lines.items()])


def _other_settings(
    before_run: Mapping[str, str], during: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, tuple[str, ...]]]:
    """One disk's values that are not those before the run, in words, and the tests that were measured with each."""
    tests_by_value: dict[str, list[str]] = {}
    for test, settings in during.items():
        for name, value in settings.items():
            told_twice = name == "caching" and settings.get("write cache") == value
            if (old := before_run.get(name)) not in (None, value) and not told_twice:
                tests_by_value.setdefault(f"{name} {value}, {old} before the run", []).append(test)
    return [(value, tuple(tests)) for value, tests in tests_by_value.items()]


def _disks(plan: Plan, disks: Sequence[str]) -> str:
    """Their serial numbers, or that it is all of them."""
    if len(disks) > 1 and len(disks) == len(plan.disks):
        return f"all {len(disks)} disks"
    serials = {member.id: member.serial or member.id for member in plan.disks}
    return ", ".join(serials.get(disk, disk) for disk in disks)


def _kind(trial: Trial) -> str:
    return f"{trial.title} on {_ON.get(trial.target, 'arrays')}"


def _tests(kind: str, tests_of_kind: Sequence[str], tests: Sequence[str]) -> str:
    if len(tests) == len(tests_of_kind):
        return kind
    named = f": {', '.join(tests)}" if len(tests) <= _MOST_NAMED else ""
    return f"{kind} ({len(tests)} of {len(tests_of_kind)} tests{named})"
