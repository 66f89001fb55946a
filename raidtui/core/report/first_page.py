"""Page 1 of a report, at most 60 lines: the answer, then what stands behind it, a line each.

The part of a report on what was asked: the recipe and what differs from it, queues, settings, how the run stands.

What the run took: seconds and bytes of fio, builds, waiting and removal, beside the estimate.

How a report begins: the answer, one table, and what the setups' layouts are; further findings; setups ranked.
"""

from collections.abc import Iterator, Mapping, Sequence

from raidtui.core.answer import numbers, values
from raidtui.core.answer.answer import FURTHER
from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.ranking import Ranked, Ranking, left_open
from raidtui.core.arrays import monitor
from raidtui.core.disks.drive import described
from raidtui.core.page.blocks import Block, Bullets, Code, Heading, PageTable, Span, Strong, Text, Words, coded
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.estimate import Part
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.parsed_setup import level_of, level_title
from raidtui.core.plan.summary import axes_words
from raidtui.core.raid.levels import layout_summary
from raidtui.core.report.context import RunContext
from raidtui.core.report.facts import setup_words
from raidtui.core.report.series import proof, proof_covered, proof_line
from raidtui.core.report.setups import MARK, figure_cell, mark
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.run import disk_changes, kept, progress
from raidtui.core.run.proof import result
from raidtui.core.run.state import RunState
from raidtui.core.units import both, format_duration, format_percent, shown_in, signed_percent

_MOST_FIGURES = 50  # of setups on the page itself


def answer(run: RunContext) -> Iterator[Block]:
    """The lines and the table, the command of the next step in a form to be copied; what layouts of RAID 10 are."""
    answered = run.answer
    yield Heading(" · ".join(filter(None, ("Answer", answered.badge))))
    command = (Code(answered.next.command), " to ") if answered.next.command else ()
    yield Bullets([*_best(run), *answered.lines[:-1], ("Next: ", *command, answered.next.why)])
    if answered.table:
        yield from table(answered.table)
    layouts = sorted({layout for _, stage in run.built if stage.setup and (layout := _layout_of(stage.setup))})
    if meanings := [f"{layout}: {layout_summary(layout).partition(':')[0]}" for layout in layouts]:
        yield Text(f"{'; '.join(meanings)}.")


def _best(run: RunContext) -> Iterator[str]:
    """Of a sweep that ranks: the first setup with its figures, and how many are not told from it."""
    ranking = run.ranking
    if not run.ranks or not ranking.common:
        return
    best, *others = [setup for setup in ranking.ranked if setup.place]
    ranks = {row.test for grid in ranking.common for row in grid.rows}
    figures = [
        f"{numbers.lower(test_title(row))} {numbers.figure(row.array.value, unit_of(row))}"
        for row in best.rows
        if row.test in ranks
    ]
    tied = [setup for setup in others if setup.of_best.conclusion != "different"]
    undecided = left_open(tied)
    also = f"; {len(tied)} other{'' if len(tied) == 1 else 's'} n.s." if tied else ""
    by = "" if len(ranking.common) == 1 else f" by the mean of {len(ranking.common)} tests"
    title = f"{'No best' if undecided else 'Best'} of {len(others) + 1} setups{by}"
    if undecided:
        widest = max(undecided, key=lambda setup: setup.of_best.high or 0.0)
        also = f"; {len(tied)} other{'' if len(tied) == 1 else 's'} {numbers.in_words(widest.of_best)}"
    yield f"{title}: {best.name} ({', '.join(figures)}){also}"


def every_setup(run: RunContext) -> Iterator[Block]:
    """The setups ranked, where the answer's table does not have them and a page does."""
    shown = {row.name for row in run.answer.table.rows} if run.answer.table else set()
    count = len(run.ranking.ranked) * len(run.ranking.tests)
    if not {setup.name for setup in run.ranking.ranked} <= shown and count <= _MOST_FIGURES:
        yield from ranked(run)


def further(run: RunContext) -> Iterator[Block]:
    """The lines of the answer that have no room in it, and their tables; of a sweep these are attached."""
    answered = run.answer
    if answered.more or (answered.details and not run.is_sweep):
        yield Heading(FURTHER)
        yield Bullets(answered.more)
    if not run.is_sweep:
        yield from details(run)


def details(run: RunContext) -> Iterator[Block]:
    """The tables of further findings."""
    for of_values in run.answer.details:
        yield from table(of_values)


def table(of_values: values.AnswerTable) -> Iterator[Block]:
    yield PageTable(*numbers.cells(of_values))
    if note := numbers.note(of_values):
        yield Text(note)


def _layout_of(setup: Setup) -> str:
    row = level_of(setup)
    return (setup.layout or row.default_layout or "") if row.key == "10" else ""


def ranked(run: RunContext) -> Iterator[Block]:
    """The setups, best first, with the verdict of each against the best; nothing of fewer than two."""
    ranking, tests = run.ranking, run.ranking.tests
    if not run.ranks:
        return
    heads = ["Rank", "Setup", "Mean against the best" if len(tests) > 1 else "Against the best"]
    heads += [f"{test.title}, {shown_in(test.kind)[0]}" for test in tests]
    heads += ["May fail, disks", "Usable, %"]
    rows = [
        [
            str(setup.place or ""),
            setup.name,
            _verdict(setup, ranking),
            *(_figure(setup, test.rows[0], ranking) for test in tests),
            "" if setup.survives is None else str(setup.survives),
            format_percent(setup.usable),
        ]
        for setup in ranking.ranked
    ]
    many = len(ranking.common)
    left_out = [test.title for test in tests if test not in ranking.common]
    which = f"{many} tests" if not left_out else f"{many} of {len(tests)} tests that every ranked setup has"
    mean = f", by the geometric mean of the {which}" if many > 1 else f", by {ranking.common[0].title}" if many else ""
    order = f"Best first{mean}; all tests count the same. Differences are corrected for all pairs of setups."
    order = order if many else f"{ranking.why_none}."
    marked = f" {MARK} marks implausible figures." if ranking.doubted else ""
    if any(row.array.runs > 1 for setup in ranking.ranked for row in setup.rows):
        order += " Figures are medians of the repetitions; of means by pass the median."
    yield Heading("Setups ranked")
    yield Text(order + marked)
    yield PageTable(heads, rows, 2)


def _figure(setup: Ranked, test: ResultRow, ranking: Ranking) -> str:
    row = next((row for row in setup.rows if row.test == (test.job, test.direction)), None)
    if row is None:
        return ""
    return figure_cell(row.array, shown_in(row.kind)[1]) + mark(row, ranking)


def _verdict(setup: Ranked, ranking: Ranking) -> str:
    if setup.place is None:
        if any(stage == setup.stage for stage, _ in ranking.beyond_disks):
            return "not ranked: more than its disks can do"
        doubted = any(stage == setup.stage for stage, _ in ranking.doubted)
        return "not ranked: rate and latency contradict" if doubted else "not ranked: a test has no result"
    if setup.place == 1 and left_open(ranking.ranked):
        return "first, no best"
    if setup.place == 1:
        return "best of the ranked" if any(other.place is None for other in ranking.ranked) else "best"
    return numbers.in_words(setup.of_best)


_ON = {"member": "one disk", "members": "all disks at once", "existing": "what exists"}
_MOST_TESTS_NAMED = 4  # tests, one by one


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
    named = f": {', '.join(tests)}" if len(tests) <= _MOST_TESTS_NAMED else ""
    return f"{kind} ({len(tests)} of {len(tests_of_kind)} tests{named})"


_PARTS: dict[Part, str] = {
    "trial": "fio, with its start and end",
    "sync": "Waiting for the initial resync",
    "fill": "Writing test files",
    "build": "Arrays and partitions, wiping old signatures",
    "filesystem": "mkfs",
    "mount": "Mounting and unmounting",
    "self-test": "Self-tests of the disks",
    "look": "Reading disks and arrays, waiting for udev",
    "setting": "Changing settings, dropping the page cache",
    "boot": "Boot files, initramfs, assembling again",
    "person": "Waiting for the passphrase",
    "teardown": "Removal",
    "between": "Between steps: journal, reading disks again",
}


def cost(run: RunContext) -> Iterator[Block]:
    """Where the time of the run went, as seconds and as a share of all of it; then bytes written."""
    plan, state = run.plan, run.state
    took, expected = progress.seconds_taken(state), plan.estimated_s
    fio_s, whole_s = took["trial"], progress.active_s(state)
    if not fio_s or whole_s <= 0:
        return
    took["between"] = max(0.0, whole_s - sum(took.values()))
    named = [(part, name) for part, name in _PARTS.items() if took[part] or expected.get(part)]
    parts = [(name, took[part], expected.get(part)) for part, name in named]
    parts.append(("Everything but fio's measuring", whole_s - fio_s, plan.estimate_s - expected.get("trial", 0.0)))
    parts.append(("Total", whole_s, plan.estimate_s))
    heads = ["Part", "Time, s", "Of the run, %", *(["Estimated, s"] if expected else [])]
    rows = [
        [name, f"{took_s:.1f}", format_percent(took_s / whole_s, 1), "" if part_s is None else f"{part_s:.1f}"]
        for name, took_s, part_s in parts
    ]
    yield Heading("Duration and bytes written")
    yield PageTable(heads, [row[: len(heads)] for row in rows])
    if state.outcome == "finished" and plan.estimate_s:
        worked_s = whole_s - took["person"]
        estimated, truth = format_duration(plan.estimate_s), format_duration(worked_s)
        off = f"{signed_percent(worked_s / plan.estimate_s - 1)} %"
        program = f" on a machine where a short program took {plan.command_s:.2f} s" if expected else ""
        yield Text(f"Estimated {estimated}{program}, took {truth}: {off}.")
    if state.written_bytes and (raw := sum(disk.size_bytes for disk in plan.disks)):
        times = f"{state.written_bytes / raw:.2f} times their capacity"
        expected_bytes = f"{both(plan.written_bytes)} were estimated"
        expected_bytes += ", repeated measurements left out" if state.asked_again else ""
        yield Text(f"{both(state.written_bytes)} were written to the disks, {times}; {expected_bytes}.")


_MOST_NAMED = 4  # disks


def first_page(run: RunContext) -> Iterator[Block]:
    yield from answer(run)
    yield Heading("Summary")
    yield PageTable(("What", "Which"), list(_rows(run)), 2)


def _rows(run: RunContext) -> Iterator[tuple[str, Words]]:
    plan, state = run.plan, run.state
    yield "Ended", _ended(state)
    yield "Verdict", f"{run.answer.mark.sign} {run.answer.mark.words}"
    stages = [stage for _, stage in run.built]
    if len(stages) == 1:
        yield from _array(stages[0], state)
    if result(plan, state) or state.kept:
        yield "Proof", proof_line(plan, state)
        if covered := proof_covered(plan, state):
            yield "Compared", covered
    yield "Health", _health(run)
    if state.kept and state.watch:
        yield from _watched(state)
    if state.written_bytes:
        yield "Written to disks", both(state.written_bytes)


def _ended(state: RunState) -> str:
    if not state.ended:
        return "not yet"
    reason = f": {state.reason}" if state.reason else ""
    return f"{state.outcome}{'; array kept' if state.kept else ''}{reason}"


def _array(stage: Stage, state: RunState) -> Iterator[tuple[str, Words]]:
    if stage.array:
        yield "Array", setup_words(stage.array)
        if state.kept:
            yield "Node, UUID", f"/dev/md/{stage.array.name}, {stage.array.uuid}"
        yield "Usable", both(stage.array.capacity.array_bytes)
    if stage.filesystem and state.kept:
        yield "File system", f"{stage.filesystem.kind}, UUID {stage.filesystem.uuid}"


def _health(run: RunContext) -> str:
    """What the disks' own counters say of the run; a verdict of each is in the attachments."""
    plan, state = run.plan, run.state
    asked = sum(member.id in state.healths[-1].disks for member in plan.members) if state.healths else 0
    if not asked:
        return "not checked: no disk answered smartctl"
    worse = {
        member.serial or member.id: found
        for member in plan.members
        if (found := disk_changes.worsened(state, member.id))
    }
    of_all = f"{asked} of {len(plan.members)} disks read"
    if len(state.healths) < 2:
        return f"{of_all}, before the run only"
    if not worse:
        return f"{of_all} before and after: no error count grew"
    named = [
        f"{serial}: {', '.join(f'{name} {before} → {after}' for name, (before, after) in found.items())}"
        for serial, found in list(worse.items())[:_MOST_NAMED]
    ]
    further = f"; {len(worse) - _MOST_NAMED} disks more" if len(worse) > _MOST_NAMED else ""
    return f"{of_all}; WORSE: {'; '.join(named)}{further}"


def _watched(state: RunState) -> Iterator[tuple[str, Words]]:
    assert state.watch
    if state.monitor and (words := monitor.words(state.monitor)):
        yield "Disk failures", coded(words)
    if smartd := monitor.smartd_words(state.watch):
        yield "SMART", smartd
    if recoveries := [described(recovery) for recovery in state.watch.recoveries.values()]:
        yield "Error recovery", "; ".join(f"{recoveries.count(words)} × {words}" for words in dict.fromkeys(recoveries))
