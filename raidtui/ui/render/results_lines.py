"""The text of Results: the sentence with its next step, and the tabs Why, Capacity and Report. Pure."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from raidtui.core.answer import faults, glance
from raidtui.core.answer import mark as marks
from raidtui.core.answer import numbers as cause_words
from raidtui.core.answer.answer import words_of
from raidtui.core.answer.mark import AtAGlance
from raidtui.core.arrays import monitor
from raidtui.core.page.blocks import Block
from raidtui.core.plan import summary
from raidtui.core.plan.kept import permanence
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.member_steps import may_fail, may_fail_words
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.raid.capacity import Capacity
from raidtui.core.report.context import RunContext
from raidtui.core.report.first_page import further, table
from raidtui.core.report.markdown import report
from raidtui.core.report.results import about_theory
from raidtui.core.report.series import explained, proof_covered, proof_line, proof_rows
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.differences import ASSUMED_SPREAD
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.run import kept, progress, proof
from raidtui.core.run.kept import is_permanent
from raidtui.core.run.progress import active_s
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, Units, both, format_bytes, format_duration
from raidtui.ui.render.card_lines import Card, verdict
from raidtui.ui.render.cells import Line, Piece, capital, fit, fit_right, inset, shortened, wrap, wrapped
from raidtui.ui.render.page_lines import BROKEN, page_lines
from raidtui.ui.render.parts import big, join, split_bar, swatch
from raidtui.ui.render.result_rows import pages, title

_NO_KEYS: Mapping[str, str] = {}
_KEPT_HERE = "Array kept: explaining would rebuild it. D removes it first, then x explains."
_KEPT = _KEPT_HERE + " To keep it: {mount}`raidtui explain {run} --target {folder}` (one test file there)."
_WITH_EMULATOR = 90
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_OUTCOMES = {"finished": ("Finished", "ok"), "stopped": ("Stopped", "warn"), "failed": ("FAILED", "bad")}


def outcome(state: RunState) -> tuple[Piece, str]:
    """`Finished` in its look, `after 2 min 17 s`."""
    word, look = _OUTCOMES.get(state.outcome, ("Not ended", "warn"))
    return (word, look), f"after {format_duration(state.taken_s or active_s(state))}"


def heading(run: RunContext, width: int) -> list[Piece]:
    """Of the sentence: what was built, how many tests are as expected, and that disks are emulated."""
    seen = [marks.glance(row, run.ranking.doubted) for row in run.comparison.rows]
    known = [one for one in seen if one.words not in ("no model", "not run")]
    good = sum(one.words == "as expected" for one in known)
    counted = f"{good} of {len(known)} as expected" if known else ""
    about = [run.answer.emulated if width >= _WITH_EMULATOR else "", run.answer.flushes]
    emulator = f" ({': '.join(filter(None, about))})" if any(about) else ""
    badge = f"! EMULATED disks{emulator}" if run.answer.emulated else ""
    look = "*ok" if marks.worst(known) == "ok" else "*warn"
    room = width - len(counted) - len(badge) - 9
    pieces = [(shortened(run.plan.title, max(10, room)), "strong"), (counted, look), (badge, "!*warn")]
    return [piece for text, of_text in pieces if text for piece in (("   ", ""), (text, of_text))][1:]


def lead(run: RunContext, units: Units, shape: tuple[int, bool], gone: str, keys: Mapping[str, str]) -> list[Card]:
    """The one green result: an array that is ready, else a proof that holds. `shape`: (width, high?). `gone`: why a
    kept one does not stay.
    """
    plan, state = run.plan, run.state
    proved, number = proof.result(plan, state), kept.kept_stage_number(plan, state)
    is_proved = proved is not None and proved.holds
    if state.outcome != "finished" or state.differed or plan.existing or plan.care or not (state.kept or is_proved):
        return []
    width, high = shape
    stage, needs = plan.stages[number], ""
    texts = ["; ".join(filter(None, (proof_line(plan, state), proof_covered(plan, state))))] if is_proved else []
    if state.kept:
        name, what, needs = (
            "Your array is ready",
            *_room_and_needs(run, stage, number, units, keys.get("hand_over", "")),
        )
        if stage.array:
            survives = may_fail_words(may_fail(stage.setup, stage.array.capacity.survives))
            texts = [capital(survives), *texts]
    else:
        name, what = "The proof holds", f"{len(proved.verified) if proved else 0} states, every written block read back"
    figure, _, words = what.partition(" ")
    lines = [line for text in texts for line in _hung("  ", text, "", width)]
    if high:
        beside = ("", f"  {words}", "")
        drawn = zip(big(figure, "ok"), beside, strict=True)
        lines = [*(join([*line, (text, "*ok")]) for line, text in drawn), *lines]
    else:
        lines = [join([("✓ ", "*ok"), (what, "*ok")]), *lines]
    needs = (gone or needs) if state.kept else ""
    lines += _hung("! ", needs, "warn", width) if needs else []
    if state.kept and "hand_over" in keys:
        lines += _pointed("enter", "handover", ": mount, mail alerts, a failed disk, removal", width)
    return [Card(name, stage.array.name if stage.array and state.kept else "", tuple(lines), "-good")]


def _room_and_needs(run: RunContext, stage: Stage, number: int, units: Units, key: str) -> tuple[str, str]:
    """Space of a kept array and where it is; what a person has yet to do. `key`: of the handover, "" without one."""
    plan, state = run.plan, run.state
    made, pool = state.filesystems.get(number), state.pools.get(number)
    room_bytes = stage.array.capacity.array_bytes if stage.array else 0
    room_bytes = made.free_bytes if made else pool.available_bytes if pool else room_bytes
    is_at_boot = is_permanent(plan, state)
    folder = mount_point(plan) if is_at_boot else ""
    where = f"free at {folder}" if folder else "free, not mounted" if stage.filesystem else "usable, no file system"
    needs = "" if is_at_boot else f"Nothing mounts it at boot: {key or 'the report'} has the commands"
    if is_at_boot and state.monitor and monitor.remedy(state.monitor):
        needs = f"Mail alerts: {monitor.words(state.monitor)}{f' ({key})' if key else ''}"
    return f"{format_bytes(room_bytes, units)} {where}", needs


def sentence_lines(
    run: RunContext, width: int, keys: Mapping[str, str] = _NO_KEYS, *,
    has_next: bool = True, high: bool = True, led: bool = False,
) -> list[Line]:  # fmt: skip
    """What became of a run that did not finish; the answer, what else is against it, the method, the next step. `keys`:
    action -> key, of what can be done now; `high`: is there room for more findings? `led`: a card has the answer.
    """
    answer, state = run.answer, run.state
    (word, look), took = outcome(state)
    lines: list[Line] = []
    if state.outcome != "finished":
        said = f"{word} {took}{f': {state.reason}' if state.reason else ''}"
        lines += _hung("✗ " if look == "bad" else "▼ ", said, f"*{look}", width)
    for text in (progress.damage(run.plan, state), *(f"Left behind: {left}" for left in state.left)):
        lines += _hung("✗ ", text, "bad", width) if text else []
    if state.outcome == "stopped" and not state.left and not state.kept:
        lines += _hung("  ", _disks_now(state), "", width)
    found = glance.sentence(answer, run.comparison, run.ranking.doubted)
    if not led and not (state.reason and state.reason in found.words):  # said above
        lines += _hung(f"{found.sign} ", found.words, "*strong", width, _look(found))
    suspected = "" if run.is_sweep else glance.suspects(run.comparison.rows, 3 if high else 1)
    method = faults.method_line(answer.method) if answer.method else ""
    caveat = faults.caveat(answer.faults)
    against_model = found.words not in answer.lines  # of one setup: the cards have its gains
    others = [] if against_model else [text for text in answer.lines[1:-1] if text not in (method, caveat)]
    for text in [suspected, *others][: 4 if high else 0 if caveat else 1]:
        lines += _hung("  ", text, "", width) if text else []
    lines += _hung("! ", caveat, "warn", width) if caveat else []
    if method:
        shown = " ".join(text for line in lines for text, _ in line) + method
        lines += _hung(
            "  ", "; ".join((method, *(f"{sign} = {what}" for sign, what in LEGEND if sign in shown))), "dim", width
        )
    return [*lines, *_next_lines(run, width, keys, suspected, high)] if has_next else lines


LEGEND = ("n.s.", "within measurement noise"), ("QD", "queue depth")


def _look(found: AtAGlance) -> str:
    return f"*{found.grade}" if found.grade != "dim" else "*strong"


def _hung(sign: str, text: str, look: str, width: int, of_sign: str = "") -> list[Line]:
    """Wrapped, its sign before the first line."""
    return [
        join([(sign if number == 0 else "  ", of_sign or look), (line, look)])
        for number, line in enumerate(wrap(text, width - 2))
    ]


def _next_lines(run: RunContext, width: int, keys: Mapping[str, str], said: str, high: bool) -> list[Line]:
    """The action by its one name, with the key that does it; else the command."""
    step = run.answer.next
    if step.why == "nothing":
        return []
    key, word, text = "", "", words_of(step).removeprefix("Next: ")
    if step.does == "explain" and "explain" in keys:
        what = glance.explained(run.plan, run.state, run.comparison, said, 3 if high else 2)
        if what:
            key, word, text = "enter", "explain", f": {what}; asks first"
    elif step.does == "resume" and "resume" in keys:
        key, word, text = "enter", "resume", f": {step.why}; asks first"
    return _pointed(key, word, text, width)


def _pointed(key: str, word: str, text: str, width: int) -> list[Line]:
    head = [("▸ ", "*accent"), ("Next: ", "*accent")]
    if key:
        head += [(key, "!*accent"), (f" {word}", "*accent")]
    used = sum(len(piece) for piece, _ in head)
    first, *others = wrap(text, width - used) if cell_len(text) > width - used else [text]
    others = wrap(" ".join(others), width - 2) if others else []
    return [join([*head, (first, "")]), *(((f"  {line}", ""),) for line in others)]


def why_lines(run: RunContext, width: int, kept_words: str = "") -> list[Line]:
    """Each test that differs with its causes and suspects; an explanation's steps; further findings; notes.
    `kept_words`: why nothing is explained at once.
    """
    lines: list[Line] = [*_hung(" ! ", kept_words, "warn", width - 2), ()] if kept_words else []
    for row in run.comparison.rows if not run.is_sweep else ():
        seen = marks.glance(row, run.ranking.doubted)
        lines.append(join([(f" {fit(title(row), min(44, width - 30))} ", "strong"), verdict(seen)]))
        for text in [row.array.error, *cause_words.lines(row.causes)]:
            lines += wrapped(text, width - 4, "", "   ") if text else []
    blocks: list[Block] = [*explained(run)] if run.ablations else []
    if run.answer.table:
        blocks += table(run.answer.table)
    blocks += further(run)
    if blocks:
        lines += [(), *page_lines(blocks, width, 1)]
    return lines + _notes(run.plan, run.comparison, width) or [((" No findings beside the results.", "dim"),)]


def below_lines(run: RunContext, width: int) -> list[Line]:
    """For the room below the table of one setup: causes of the tests that differ, and where the bytes are."""
    if run.is_sweep:
        return []
    lines: list[Line] = state_lines(run, width)
    for row in run.comparison.rows:
        seen = marks.glance(row, run.ranking.doubted)
        texts = [text for text in (row.array.error, *cause_words.lines(row.causes)) if text]
        if seen.grade in ("warn", "bad") and texts:
            lines += _hung(f"{seen.sign} ", f"{title(row)}: {'; '.join(texts)}", "", width, f"*{seen.grade}")
    return [*lines, *([()] if lines else []), *_bytes(run, width)]


_STATE, _OUT, _READ, _RATE = 24, 26, 10, 12  # columns of a proof


def state_lines(run: RunContext, width: int) -> list[Line]:
    """Of a proof: each state that the array was read back in."""
    lines: list[Line] = []
    for words, out, read, rate, ended in proof_rows(run):
        sign, look = _ENDED.get(ended, ("· ", ""))
        disks = "" if out == "none" else f"out: {out}"
        numbers = (fit(disks, _OUT), fit_right(read, _READ), fit_right(rate, _RATE))
        beside = "".join(numbers) if width > _STATE + _OUT + _READ + _RATE + 20 else numbers[2]
        state = (fit(words, _STATE), "*strong")
        lines.append(((sign, f"*{look}" if look else ""), state, (f"{beside}  ", ""), (ended, look)))
    return lines


_ENDED = {"0 blocks differ": ("✓ ", "ok"), "DIFFERS": ("✗ ", "bad")}


def _bytes(run: RunContext, width: int) -> list[Line]:
    """One setup's capacity in two lines."""
    stage = next((stage for stage in run.joined_plan.stages if stage.array is not None), None)
    if stage is None or stage.array is None:
        return []
    parts = _parts(stage.array.capacity)
    legend: list[Piece] = []
    for name, role, size in parts:
        words = both(size) if role == "data" else format_bytes(size)
        legend += [swatch(role), (f" {name} {words}   ", "*strong" if role == "data" else "")]
    raw = stage.array.capacity.raw_bytes
    return [split_bar([(size / raw, role) for _, role, size in parts], width), join(legend)]


def _parts(holds: Capacity) -> list[tuple[str, str, int]]:
    """(name, role, bytes) of those that are not 0."""
    lost = holds.lost
    metadata = lost.metadata_bytes + lost.rounding_bytes
    parts = [("usable", "data", holds.array_bytes), ("mirror copies", "mirror", lost.mirror_bytes),
             ("parity", "parity", lost.parity_bytes), ("metadata", "parity2", metadata),
             ("unequal disks", "lost", lost.unequal_bytes), ("not used", "lost", lost.outside_bytes)]  # fmt: skip
    return [part for part in parts if part[2]]


def capacity_lines(run: RunContext, width: int) -> list[Line]:
    """Each setup's bytes: usable, lost to what, the file system's own, failures that it survives."""
    stages = [stage for stage in run.joined_plan.stages if stage.array is not None]
    lines: list[Line] = []
    for stage in stages:
        lines += [*([()] if lines else []), *_capacity_of(run, stage, width, len(stages) > 1)]
    return lines or [((" No array was built.", "dim"),)]


def _capacity_of(run: RunContext, stage: Stage, width: int, several: bool) -> list[Line]:
    assert stage.array
    holds = stage.array.capacity
    parts = _parts(holds)
    shares = [(size / holds.raw_bytes, role) for _, role, size in parts]
    room = min(100, width - 2)
    failures = f"survives any {holds.survives} failed" if holds.survives else "✗ survives no failed disk"
    lines = [join([(f" {stage.title}   ", "strong"), (failures, "ok" if holds.survives else "bad")])]
    lines.append(join([(" ", ""), *split_bar(shares, room)]))
    if several:
        return [*lines, ((f" usable {both(holds.array_bytes)} of {format_bytes(holds.raw_bytes)}", ""),)]
    lines.append(())
    for name, role, size in parts:
        look = "*strong" if role == "data" else ""
        lines.append(join([(" ", ""), swatch(role), (f" {fit(name, 16)}", look), (both(size), look)]))
    lines.append(join([("   ", ""), (fit("disks", 16), "dim"), (both(holds.raw_bytes), "dim")]))
    built = {at for at, built_stage in enumerate(run.plan.stages) if built_stage.array}
    made = next((one for at, one in run.state.filesystems.items() if at in built), None)
    if made:
        own = holds.array_bytes - made.total_bytes
        lines += [(), ((f"   {fit(made.filesystem, 16)}{both(made.total_bytes)}, free {both(made.free_bytes)}", ""),)]
        lines += [((f"   {fit('its metadata', 16)}{both(own)}", "dim"),)] if own > 0 else []
    return lines


def kept_words(plan: Plan, state: RunState, run: str, practice: bool) -> str:
    """Why a kept array is not explained at once; with a file system also what keeps it."""
    stage = plan.stages[plan.kept_stage] if plan.kept_stage is not None else None
    if practice or stage is None or stage.filesystem is None:
        return _KEPT_HERE
    if is_permanent(plan, state):
        return _KEPT.format(mount="", run=run, folder=mount_point(plan))
    line = permanence.mount_line(plan, plan.stages.index(stage), "/mnt")
    mount = f"`{line}`, then " if line else "mount it at /mnt, then "
    return _KEPT.format(mount=mount, run=run, folder="/mnt")


def handover_lines(run: RunContext, path: str, report: str, width: int, *, practice: bool) -> list[Line]:
    """Where the array is mounted, and the handover document, which is at `path`."""
    from raidtui.core.handover.commissioning import page

    broken = f"{BROKEN}marks lines wider than this window; copy them from {path}."
    lines = wrapped(broken, width, "dim")
    lines += array_lines(run.plan, run.state, report, width, practice)
    return [*lines, (), *page_lines(list(page(run.plan, run.state)), width)]


GONE = "Gone when the practice machine ends"


def elsewhere(demo: bool, not_here: bool) -> str:
    """Where a kept array is that is not on this machine's disks; "": on these."""
    if demo:
        return "Its array is on the recorded machine, not here."
    return "Its array belongs to another practice machine." if not_here else ""


def report_lines(run: RunContext, path: str, width: int, *, practice: bool = False, elsewhere: str = "") -> list[Line]:
    """Where it is, what became of the run and its array, then all of the report. `elsewhere`: as its function."""
    plan, state = run.plan, run.state
    lines = [*_hung(" ", f"Report: {path} (e: copy)", "dim", width)]
    lines += _headline(plan, state, width, practice, bool(elsewhere))
    if state.kept and elsewhere:
        lines += [(), ((f" {elsewhere}", "head"),)]
    else:
        lines += array_lines(plan, state, path, width, practice)
    return [*lines, (), *page_lines(report(run), width, 1)]


def _headline(plan: Plan, state: RunState, width: int, practice: bool, not_here: bool) -> list[Line]:
    (word, look), took = outcome(state)
    lines: list[Line] = [((f" {word} ", look), (f"{took}: {summary.experiment(plan)}.", "strong"))]
    if not not_here and (stands := kept.sentence(plan, state)):
        lines += inset(stands, width, "good")
    if not not_here and kept.was_cleared(plan, state):
        lines.append(((" Array removed since; its disks were blank.", ""),))
    if state.outcome == "stopped" and state.worker and not practice:
        lines.append(((f" `raidtui resume {state.worker.run}` continues with the missing tests.", ""),))
    return lines


def _disks_now(state: RunState) -> str:
    """What is on the disks of a stopped run; blank they are if the worker looked last of all, and found them so."""
    if kept.found_blank(state):
        return "No array. The disks are blank (no signatures)."
    if state.trials:
        return "No array. Disks not checked: they may contain test data."
    return "No array, nothing measured."


def _notes(plan: Plan, comparison: Comparison, width: int) -> list[Line]:
    notes = list(filter(None, [about_theory(comparison.rows, comparison.flash)]))
    tables = pages(comparison)
    named_rows = [(name, row, page) for page in tables for name, row in page.named]
    rows = [(name if len(tables) == 1 else f"{page.heading}, {name}", row) for name, row, page in named_rows]
    notes += _once([(name, text) for name, row in rows for text in _against(row)])
    notes += [
        f"Slow disk: {plan.members[slow.member].name} ({slow.model} {slow.serial}), {slow.job}:"
        f" {slow.bytes_per_s / MB:.1f} MB/s, the median is {slow.median_bytes_per_s / MB:.1f} MB/s."
        for slow in comparison.slow_members
    ]
    notes += comparison.warnings
    lines: list[Line] = [(), ((" Notes", "head"),)] if notes else []
    return lines + [line for text in notes for line in wrapped(text, width - 5, "warn", "   ", " - ")]


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


def _handed_over(report: str, width: int) -> list[Line]:
    page = posixpath.join(posixpath.dirname(report), "commissioning.md")
    sentence = f"Handover document (h): {page}"
    return inset(sentence, width)


def array_lines(plan: Plan, state: RunState, report: str, width: int, practice: bool) -> list[Line]:
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
        mails: list[Line] = []
        if state.monitor and not (plan.answers.mailaddr and monitor.remedy(state.monitor)):  # else it is a warning
            mails = inset(monitor.sentence(state.monitor), width)
        return [(), *inset(sentence, width, "head"), *mails, *_handed_over(report, width)]
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
    lines += inset(sentence, width)
    return lines + [((f"   {command}", ""),) for command in commands if all_fit]
