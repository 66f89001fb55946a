"""The text of Results: what came of the run, the figures side by side, bars, and what to do next. Pure."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from raidtui.core.arrays import monitor
from raidtui.core.page.blocks import PageTable, Strong, Words
from raidtui.core.plan import summary
from raidtui.core.plan.kept import permanence
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.report.ablation import explained
from raidtui.core.report.context import RunContext
from raidtui.core.report.results import about_theory
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.differences import ASSUMED_SPREAD
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import Figure
from raidtui.core.run import kept, progress
from raidtui.core.run.permanence import is_permanent
from raidtui.core.run.progress import active_s
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, Units, both, format_duration, shown_in, signed_percent
from raidtui.ui.render.card_lines import answer_lines, bar_lines, tile_lines
from raidtui.ui.render.cells import Line, wrap
from raidtui.ui.render.page_lines import page_lines
from raidtui.ui.render.result_rows import number, pages, standing, theory, whose

_NO_KEYS: Mapping[str, str] = {}
_SHOWN_ARRAYS = 3
_KINDS = ("Sequential", "Random")  # headings of the pages of a single setup
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def results_lines(
    run: RunContext,
    report: str,
    units: Units,
    width: int,
    *,
    keys: Mapping[str, str] = _NO_KEYS,
    practice: bool = False,
    not_here: bool = False,
    clearing: bool = False,
) -> list[Line]:
    """All of Results at one width. `keys`: action -> key; `practice`: the machine ends with the program; `not_here`:
    disks of another practice machine; `clearing`: what it built is being removed.
    """
    plan, state, comparison = run.plan, run.state, run.comparison
    lines = [
        *_headline(plan, state, width, practice, not_here),
        (),
        *answer_lines(run.answer, width, keys, has_next=not clearing),
    ]
    if run.ablations:
        lines += [(), *page_lines(explained(run), width, 1)]
    lines += tile_lines(comparison, run.ranking.doubted, units, width)
    for page in pages(comparison):
        heading = f"{page.heading}, {shown_in(page.kind, units)[0]}"
        lines += [
            (),
            ((f" {heading}", "head"),),
            *page_lines([_table(page.named, units, comparison.members)], width, 1),
        ]
    if state.kept and not_here:
        lines += [(), ((" Its array belongs to another practice machine.", "head"),)]
    else:
        lines += _permanence(plan, state, report, width, practice)
    lines += _notes(plan, comparison, width)
    return lines + _bars(comparison, units, width)


def _headline(plan: Plan, state: RunState, width: int, practice: bool, not_here: bool) -> list[Line]:
    duration = format_duration(state.taken_s or active_s(state))
    words = {"finished": ("Finished", "good"), "stopped": ("Stopped", "warn"), "failed": ("FAILED", "bad")}
    word, look = words.get(state.outcome, ("Not ended", "warn"))
    lines: list[Line] = [((f" {word} ", look), (f"after {duration}: {summary.experiment(plan)}.", "strong"))]
    if state.reason:
        lines += [((f" {text}", look),) for text in wrap(state.reason, width - 2)]
    if damaged := progress.damage(plan, state):
        lines += [((f" {text}", "bad"),) for text in wrap(f"{damaged}.", width - 2)]
    arrays = [stage for stage in plan.stages if stage.array is not None]
    for stage in arrays[:_SHOWN_ARRAYS]:
        assert stage.array
        lines.append(((f" {stage.title}: {both(stage.array.capacity.array_bytes)}", ""),))
    if len(arrays) > _SHOWN_ARRAYS:
        more = len(arrays) - _SHOWN_ARRAYS
        lines.append(((f" and {more} more setup{'' if more == 1 else 's'}", ""),))
    if not not_here and (stands := kept.sentence(plan, state)):
        lines += [((f" {text}", "good"),) for text in wrap(stands, width - 2)]
    if not not_here and kept.was_cleared(plan, state):
        lines.append(((" Array removed since; its disks were blank.", ""),))
    if state.outcome == "stopped" and not state.left and not state.kept:
        lines += [((f" {text}", ""),) for text in wrap(_disks_now(plan, state), width - 2)]
    if state.outcome == "stopped" and state.worker and not practice:
        lines.append(((f" `raidtui resume {state.worker.run}` continues with the missing tests.", ""),))
    for text in state.left:
        lines += [((f" Left behind: {line}", "bad"),) for line in wrap(text, width - 15)]
    return lines


def _disks_now(plan: Plan, state: RunState) -> str:
    """What is on the disks of a stopped run; blank they are if the worker looked last of all, and found them so."""
    if kept.found_blank(state):
        return "No array. The disks are blank (no signatures)."
    if state.trials:
        return "No array. Disks not checked: they may contain test data."
    return "No array, nothing measured."


def _table(named_rows: Sequence[tuple[str, ResultRow]], units: Units, members: int) -> PageTable:
    """What one disk, all at once and the array do, what that is over one disk, and how far from expected."""
    heads = ["", "one disk", f"all {members}", whose(named_rows), "gain", "gain/disk", "expected", "diff."]
    rows: list[list[Words]] = [
        [
            name,
            *(_figure(figure, row, units) for figure in (row.single, row.all_at_once)),
            Strong(_figure(row.array, row, units)),
            f"{row.gain:.2f}x" if row.gain is not None else "-",
            f"{row.efficiency * 100:.0f} %" if row.efficiency is not None else "-",
            theory(row, units),
            f"{signed_percent(row.deviation)} %" if row.deviation is not None else "-",
        ]
        for name, row in named_rows
    ]
    return PageTable(heads, rows)


def _figure(figure: Figure, row: ResultRow, units: Units) -> str:
    return standing(figure) if figure.value is None else number(figure.value, row, units)


def _notes(plan: Plan, comparison: Comparison, width: int) -> list[Line]:
    notes = list(filter(None, [about_theory(comparison.rows, comparison.flash)]))
    rows = [(name if page.heading in _KINDS else f"{page.heading}, {name}", row) for page in pages(comparison)
            for name, row in page.named]  # fmt: skip
    notes += _once([(name, text) for name, row in rows for text in _against(row)])
    notes += [
        f"Slow disk: {plan.members[slow.member].name} ({slow.model} {slow.serial}), {slow.job}:"
        f" {slow.bytes_per_s / MB:.1f} MB/s, the median is {slow.median_bytes_per_s / MB:.1f} MB/s."
        for slow in comparison.slow_members
    ]
    notes += comparison.warnings
    lines: list[Line] = [(), ((" Notes", "head"),)] if notes else []
    for text in notes:
        wrapped = wrap(text, width - 5)
        lines += [((f" {'-' if first == 0 else ' '} {line}", "warn"),) for first, line in enumerate(wrapped)]
    return lines


def _against(row: ResultRow) -> list[str]:
    reservations = [row.array.error] if row.array.error else []
    if row.array.deviation is not None and row.array.deviation > ASSUMED_SPREAD:
        reservations.append(f"run-to-run SD {100 * row.array.deviation:.0f} % ({row.array.runs} runs)")
    if row.little_off:
        reservations.append(f"{LITTLE_DIFFERS} (Little's law)")
    return [*reservations, *filter(None, (row.latency.straggler_words,)), *row.flags]


def _once(named_texts: Sequence[tuple[str, str]]) -> list[str]:
    """Sentences that differ in their numbers alone once, with the first row that they are of and how many more."""
    texts_alike: dict[str, list[tuple[str, str]]] = {}
    for name, text in named_texts:
        texts_alike.setdefault(_NUMBER.sub("#", text), []).append((name, text))
    once = []
    for (name, text), *others in texts_alike.values():
        also = {other: None for other, _ in others if other != name}
        named = next(iter(also)) if len(also) == 1 else f"{len(also)} others"
        differing = "" if all(other_text == text for _, other_text in others) else ", other values"
        once.append(f"{name}: {text} (also {named}{differing})" if also else f"{name}: {text}")
    return once


def _bars(comparison: Comparison, units: Units, width: int) -> list[Line]:
    chart_pages = pages(comparison)
    if any(page.heading not in _KINDS for page in chart_pages):
        sentence = "f: results test by test, sorted and compared; enter there: charts"
        return [(), *(((f" {text}", "dim"),) for text in wrap(sentence, width - 2))]
    lines: list[Line] = []
    for page in chart_pages:
        lines += [(), *bar_lines(page.named, units, min(width, 100))]
    return lines


def _handed_over(report: str, width: int) -> list[Line]:
    page = posixpath.join(posixpath.dirname(report), "commissioning.md")
    sentence = f"Handover document (h): {page}"
    return [((f" {text}", ""),) for text in wrap(sentence, width - 2)]


def _permanence(plan: Plan, state: RunState, report: str, width: int, practice: bool) -> list[Line]:
    """A line that is broken is a line that cannot be copied: all of them fit, or none is shown."""
    if not state.kept:
        return []
    if is_permanent(plan, state):
        folder = mount_point(plan)
        where = f", mounted at {folder}" if folder else ""
        where += ", after its passphrase is typed at boot" if plan.answers.setup.between == "luks" else ""
        sentence = f"Array in mdadm.conf/fstab{where}. D removes these entries, then the array;"
        sentence += f" `raidtui undo {state.run}` removes only the entries."
        sentence += " All gone when the practice machine ends." if practice else ""
        mails = []
        if state.monitor and not (plan.answers.mailaddr and monitor.remedy(state.monitor)):  # else it is a warning
            mails = wrap(monitor.sentence(state.monitor), width - 2)
        head = [(), *(((f" {text}", "head"),) for text in wrap(sentence, width - 2))]
        return [*head, *(((f" {text}", ""),) for text in mails), *_handed_over(report, width)]
    if practice:
        kept_words = " Array kept, not mounted; gone when the practice machine ends."
        return [(), ((kept_words, "head"),), *_handed_over(report, width)]
    lines: list[Line] = [(), ((" Array kept, not mounted.", "head"),)]
    lines += _handed_over(report, width)
    commands = permanence.shell_lines(plan)
    if not commands:
        return lines
    all_fit = all(cell_len(command) <= width - 4 for command in commands)
    sentence = f"To mount it at boot{':' if all_fit else f', run the commands at the end of {report}'}"
    lines += [((f" {text}", ""),) for text in wrap(sentence, width - 2)]
    return lines + [((f"   {command}", ""),) for command in commands if all_fit]
