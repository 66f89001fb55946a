"""The text of Review: result, disks with what will be lost, time, notes, and every command in order. Pure.

What is going to be measured, in lines: the recipe's words, each test with what it asks, its time and bytes. Pure.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.disks import selection
from raidtui.core.disks.disk import marks
from raidtui.core.fio.job import Job
from raidtui.core.plan import member_steps, summary
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.kept.permanence import kept_words, mount_point
from raidtui.core.plan.model import ArrayPlan, Plan, Target, Trial, sections
from raidtui.core.plan.parsed_setup import level_of, titles, untitled
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.selection import journal_of, spares_of, write_mostly_of
from raidtui.core.plan.steps import resolve, shell
from raidtui.core.plan.summary import assumed_words, blocks_words, share_words, space_words
from raidtui.core.units import Units, format_bytes, format_duration
from raidtui.ui.render.cells import Line, capital, fit, fit_end, fit_right, inset, reflowed, wrap, wrapped
from raidtui.ui.render.parts import big, join, split_bar, swatch, title_line
from raidtui.ui.render.words import AFTER_THE_TESTS

_IN_PRACTICE = (
    "Practice machine: its disks and /etc are virtual, none of yours. Speed limits apply to reads and writes each,"
    " and each command takes 10 ms, so a resync is slower than on real disks of that speed."
)


class Review(msgspec.Struct, frozen=True):
    """All lines, and how many of them end with the last disk that holds something: so many have to be seen."""

    lines: tuple[Line, ...]
    to_see: int


def review_of(
    plan: Plan, units: Units, shape: tuple[int, bool], *, untouched: Sequence[str] = (),
    practice: bool = False, steps: bool = False, capacity: bool = False,
) -> Review:  # fmt: skip
    """`shape`: (width, large?). `untouched`: names of the machine's other disks. `steps`: with every command;
    `capacity`: with where the bytes of the disks go.
    """
    width, large = shape
    lines = [*_result(plan, units, width, large)]
    if capacity and (story := space_words(plan)):
        lines += [((f" {text}", ""),) for paragraph in story for text in _unbroken(paragraph, width - 2)]
    lines += [*_gap(large), *_erased(plan, units, width, untouched)]
    to_see = len(lines)
    lines += [*_gap(large), *_duration(plan, units, width)]
    if len({stage.setup for stage in plan.stages if stage.setup}) + len(plan.pruned) > 1:
        lines += [*_gap(large), _edge("Setups", "strong", width)]
        lines += [((" ", ""), *line) for line in setups_lines(plan, width - 2, len(plan.pruned))]
    notes = (*((_IN_PRACTICE,) if practice else ()), *plan.notes)
    if notes:
        lines += [*_gap(large), _edge("Notes", "strong", width)]
        published = (f"Published: {plan.source}",) if plan.source else ()
        for note in (*published, *notes):
            lines += wrapped(note, width - 5, "", "   ", " - ")
    lines += [*_gap(large), *_members(plan, units, width)]
    return Review((*lines, *((), *_commands(plan, width))) if steps else tuple(lines), to_see)


def _gap(large: bool) -> tuple[Line, ...]:
    return ((),) if large else ()


def _edge(title: str, look: str, width: int, after: str = "") -> Line:
    line = title_line(((f" {title}", f"*{look}"), (f"  {after}" if after else "", "strong")), width, low=True)
    return tuple((text, look if shape == "line" else shape) for text, shape in line)


def _result(plan: Plan, units: Units, width: int, large: bool) -> list[Line]:
    """What stands afterwards: its size, how many disks may fail, tests."""
    lines = [_edge("What you get", "array", width)]
    lines += inset(_built(plan), width, "strong")
    arrays = {stage.setup: stage.array for stage in plan.stages if stage.setup is not None and stage.array is not None}
    if len(arrays) == 1:
        ((setup, array),) = arrays.items()
        holds, raw = array.capacity, sum(member.size_bytes for member in plan.members)
        beside = f"usable{_other_unit(holds.array_bytes, units)} of {format_bytes(raw, units)}"
        if large:
            number, unit = format_bytes(holds.array_bytes, units).split()
            texts = ("", f" {unit} {beside}", "")
            lines += [
                join(((" ", ""), *line, (text, "*array")))
                for line, text in zip(big(number, "array"), texts, strict=True)
            ]
        else:
            lines.append(((f" {format_bytes(holds.array_bytes, units)} {beside}", "*array"),))
        parts = (holds.array_bytes, "data"), (holds.lost.parity_bytes, "parity"), (holds.lost.mirror_bytes, "mirror")
        bar = split_bar([(size / raw, role) for size, role in parts], width - 2)
        lines.append(join(((" ", ""), *bar)))
        lines += inset(f"✓ {_may_fail(setup, array)}", width, "ok")
    for words in (summary.measured(plan), _after_words(plan)):
        lines += inset(capital(words), width)
    return lines


def _other_unit(size_bytes: int, units: Units) -> str:
    return f" = {format_bytes(size_bytes, units.other())}"


def _may_fail(setup: Setup, array: ArrayPlan) -> str:
    count = member_steps.may_fail(setup, array.capacity.survives)
    may_fail = member_steps.may_fail_words(count)
    if count == 1 and level_of(setup).parity_disks:
        may_fail += ", no other until it is rebuilt"
    return may_fail + ("; read-only if its journal fails" if setup.bitmap == "journal" else "")


def _erased(plan: Plan, units: Units, width: int, untouched: Sequence[str]) -> list[Line]:
    """Bays of all disks, then each that holds something, with what; those that nothing is done to."""
    count = len(plan.members)
    title = f"ALL DATA ON {'THIS DISK' if count == 1 else f'THESE {count} DISKS'} WILL BE ERASED"
    blank = sum(member.found == "blank" for member in plan.members)
    now = f"{'all' if blank == count else blank} blank now; no undo" if count else ""
    lines = [_edge(title if count else "Nothing is erased", "bad", width, now)]
    if plan.disk_rule:
        chosen = f"selected by rule: {selection.words(plan.disk_rule)}"
        lines += inset(chosen, width)
    bay = max((len(member.name) for member in plan.members), default=3) + len(str(count)) + 4
    across = max(1, width // (bay + 1))
    for start in range(0, count, across):
        here = list(enumerate(plan.members, 1))[start : start + across]
        cells = (f"{'' if member.found == 'blank' else '!'}{member.name} {number}" for number, member in here)
        lines.append(join(piece for text in cells for piece in ((" ", ""), (fit(f" {text}", bay), "!*bad"))))
    for number, member in enumerate(plan.members, 1):
        if member.found != "blank" or member.warning:
            lines += _member_lines(plan, number, units, width)
    if untouched:
        more = f" and {len(untouched) - _UNTOUCHED} more" if len(untouched) > _UNTOUCHED else ""
        shown = ", ".join(untouched[:_UNTOUCHED]) + more
        lines += inset(f"Untouched: {shown}", width, "dim")
    return lines


_UNTOUCHED = 24  # names at most
_SECTIONS = 8  # lines of what is done


def _duration(plan: Plan, units: Units, width: int) -> list[Line]:
    """One bar of time, then what is done, in at most eight lines."""
    told = list(sections(plan))
    steps = sum(len(section.steps) for section in told)
    lines = [_edge("Duration and steps", "strong", width)]
    first = f"{format_duration(plan.estimate_s)}{_sync_words(plan)}; writes {written_words(plan, units)}"
    lines += inset(first, width, "strong")
    took = plan.estimated_s
    parts = (
        ("resync", took.get("sync", 0.0), "mirror"),
        ("tests", sum(took.get(part, 0.0) for part in ("trial", "fill")), "data"),
    )
    other_s = max(0.0, plan.estimate_s - sum(seconds for _, seconds, _ in parts))
    shares = [("build and other", other_s, "parity"), *parts]
    bar = split_bar([(seconds / max(1.0, plan.estimate_s), role) for _, seconds, role in shares], width - 2)
    legend = [(" ", "")]
    for name, seconds, role in shares:
        if seconds:
            legend += [swatch(role), (f" {name} {format_duration(round(seconds))}   ", "dim")]
    lines += [join(((" ", ""), *bar)), join(legend)]
    if took.get("sync", 0.0):
        words = "md allows use of an array during its initial resync; this run waits for the resync, then measures"
        lines += inset(words, width)
    for number, section in enumerate(told[:_SECTIONS], 1):
        stage_tests = 0 if section.undoing else len(plan.stages[section.stage].trials)
        tests = f", {stage_tests} tests" if stage_tests else ""
        text = fit(f"{section.title}: {len(section.steps)} steps{tests}", width - 5).rstrip()
        lines.append(((f" {number} ", "accent"), (text, "")))
    if len(told) > _SECTIONS:
        lines.append(((f"   and {len(told) - _SECTIONS} more parts", "dim"),))
    lines.append(((f" {steps} steps in all", "dim"),))
    return lines


def setups_lines(plan: Plan, width: int, most: int = 3) -> list[Line]:
    """`most` setups that are left out for each reason, then every setup that is built."""
    setups = plan.setups or tuple(dict.fromkeys(stage.setup for stage in plan.stages if stage.setup))
    texts = [(why, "dim") for why in summary.left_out(plan, most)]
    texts += [(name, "") for name in titles(setups, len(plan.members))]
    return [line for text, look in texts for line in wrapped(text, width, look)]


def _built(plan: Plan) -> str:
    """The plan's title; of one setup with what was chosen of it that the title does not say."""
    setups = {stage.setup for stage in plan.stages if stage.setup is not None}
    if len(setups) != 1:
        return plan.title
    (setup,) = setups
    usual = {"layout": ("", level_of(setup).default_layout), "bitmap": ("internal",)}
    unsaid = untitled(setup)
    chosen = [unsaid[field] for field in usual if field in unsaid and getattr(setup, field) not in usual[field]]
    return ", ".join((plan.title, *chosen))


def _unbroken(text: str, width: int) -> list[str]:
    """A line of columns as it is, a sentence in as many lines as it takes."""
    return [text] if text.startswith("  ") else wrap(text, width)


def _members(plan: Plan, units: Units, width: int) -> list[Line]:
    """Each disk with its identity, in the array's order."""
    lines = [_edge("Disks in order", "strong", width)] if plan.members else []
    for number in range(1, len(plan.members) + 1):
        lines += _member_lines(plan, number, units, width)
    return lines


def _member_lines(plan: Plan, number: int, units: Units, width: int) -> list[Line]:
    setup = (plan.stages[plan.kept_stage].setup if plan.kept_stage is not None else None) or Setup()
    member = plan.members[number - 1]
    lines: list[Line] = [
        (
            (f" {number:>2} ", "dim"),
            (fit(member.name, 8) + " ", "strong"),
            (fit_right(format_bytes(member.size_bytes, units), 8) + "  ", ""),
            (fit(member.model, 20) + " ", ""),
            (fit_end(marks(plan.members)[member.id], 17) + " ", ""),
            (fit(f"now: {member.found}", max(8, width - 66)), "warn" if member.found != "blank" else "dim"),
        )
    ]
    if member in write_mostly_of(setup, plan.members):
        lines.append((("     write-mostly: read only if no other disk can be", "dim"),))
    if member in journal_of(setup, plan.members):
        lines.append((("     the array's journal", "dim"),))
    if member in spares_of(setup, plan.members):
        lines.append((("     spare", "dim"),))
    if member.volume:
        lines += wrapped(f"volume: {member.volume}", width - 6, "dim", "     ")
    if member.warning:
        lines += wrapped(member.warning, width - 6, "warn", "     ")
    return lines


def _after_words(plan: Plan) -> str:
    kept = kept_words(plan)
    if plan.permanence is None:
        why = "see Notes" if plan.answers.permanent else "m: at boot"
        return f"{kept}, not mounted at boot ({why})" if kept else AFTER_THE_TESTS[plan.answers.after]
    folder, answers = mount_point(plan), plan.answers
    owned = "".join(f", {word}" for word in (answers.mount_owner, answers.mount_mode) if word)
    where = f"mounted at {folder}" if folder else "assembled under its name"
    mail = plan.mail_to or "nobody, mdadm.conf has no MAILADDR (change: Tests, m)"
    return f"{kept or 'array kept'}, at boot {where}{owned} (m: not at boot); mail alerts: {mail}"


def _sync_words(plan: Plan) -> str:
    """The initial resyncs' share of the time."""
    sync_s = plan.estimated_s.get("sync", 0.0)
    return f" (initial resync {format_duration(sync_s)})" if sync_s else ""


def written_words(plan: Plan, units: Units) -> str:
    """What the run writes, by the speed that its disks are taken to have; wear where disks wear."""
    raw = sum(member.size_bytes for member in plan.members)
    if not raw:  # what stands is measured: it has no members
        return format_bytes(plan.written_bytes, units)
    arrays = [stage.array.capacity for stage in plan.stages if stage.array]
    besides = " with copies and parity" if any(holds.survives for holds in arrays) else ""
    wear = "; wears flash" if any(member.rotational is False for member in plan.members) else ""
    share = share_words(plan.written_bytes, raw)
    return f"{format_bytes(plan.written_bytes, units)}{besides} ({share}){assumed_words(plan)}{wear}"


def _commands(plan: Plan, width: int) -> list[Line]:
    plan_sections = list(sections(plan))
    duration = format_duration(plan.estimate_s)
    count = sum(len(section.steps) for section in plan_sections)
    lines: list[Line] = [((f" Commands: {count} steps, {duration}", "head"),)]
    lines += [line for text in blocks_words(plan) for line in inset(capital(text), width)]
    for section in plan_sections:
        lines += [(), *inset(section.title, width, "strong")]
        for step in section.steps:
            lines += wrapped(_named(step.what, plan), width - 6, "dim", "   # ")
            lines += wrapped(shell(step), width - 6, "", "     ", "   ")
    return lines


def _named(text: str, plan: Plan) -> str:

    def name(placeholder: str) -> str:
        kind, *numbers = placeholder.split(":")
        match kind:
            case "member":
                return plan.members[int(numbers[0])].name
            case "part":
                return f"{plan.members[int(numbers[0])].name}, partition {numbers[1]}"
            case "beneath":
                return plan.beneath[int(numbers[0])].name
            case _:
                return f"the {kind}"

    return resolve(text, name)


_TIMES, _TIME, _BYTES = 6, 13, 10
_LEAST_ON, _MOST_ON = 14, 32  # of the column of what is measured; where it has less, it is left out
_ON: dict[Target, str] = {
    "member": "one disk",
    "members": "all",
    "array": "array",
    "filesystem": "file system",
    "existing": "existing",
}


def trial_lines(recipe: Recipe, plan: Plan | None, units: Units, width: int) -> list[Line]:
    """All that the recipe does; time and bytes of each test where there is a plan."""
    lines: list[Line] = [((recipe.title, "head"),), *reflowed(recipe.summary, width)]
    if plan is not None:
        lines += [(), *_table(recipe, plan.trials, units, width)]
        lines += [(), (("Total", "head"),)]
        lines += [line for text in summary.cost(plan) for line in reflowed(capital(text), width)]
    lines += [(), (("Tests", "head"),)]
    return lines + [line for text in summary.doing(recipe) for line in reflowed(text, width)]


def _table(recipe: Recipe, trials: Sequence[Trial], units: Units, width: int) -> list[Line]:
    tests = tests_of(recipe, trials)
    figures_wide = _TIMES + _TIME + _BYTES
    title = min(width - figures_wide, 2 + max((len(job.title or job.name) for job, _ in tests), default=4))
    room = width - title - figures_wide
    on_wide = min(room, _MOST_ON) if room >= _LEAST_ON else 0
    heading = f"{fit('test', title)}{fit('on', on_wide)}{fit_right('times', _TIMES)}"
    heading += f"{fit_right('time', _TIME)}{fit_right('written', _BYTES)}"
    lines: list[Line] = [((heading, "dim"),)]
    for job, own_test in tests:
        on = ", ".join(dict.fromkeys(_ON[trial.target] for trial in own_test))
        figures = f"{fit_right(str(len(own_test)), _TIMES)}"
        figures += fit_right(format_duration(sum(trial.expected_s for trial in own_test)), _TIME)
        figures += fit_right(format_bytes(sum(trial.written_bytes for trial in own_test), units), _BYTES)
        lines.append(((fit(job.title or job.name, title), "strong"), (fit(on, on_wide), "dim"), (figures, "")))
        lines += wrapped(summary.asks_words(job), width - 2, "dim", "  ")
    return lines


def tests_of(recipe: Recipe, trials: Sequence[Trial]) -> list[tuple[Job, list[Trial]]]:
    """By their jobs, in the recipe's order."""
    by_job = [
        (job, [trial for trial in trials if (trial.family or trial.recipe_job) == job.name]) for job in recipe.job
    ]
    return [(job, own) for job, own in by_job if own]
