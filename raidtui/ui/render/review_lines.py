"""The text of Review: members with what will be lost, notes, and every command in order. Pure."""

from raidtui.core.disks import selection
from raidtui.core.disks.disk import marks
from raidtui.core.plan import failures, summary
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan, sections
from raidtui.core.plan.parsed_setup import level_of, untitled
from raidtui.core.plan.selection import journal_of, spares_of
from raidtui.core.plan.steps import resolve, shell
from raidtui.core.plan.summary import assumed_words, blocks_words, share_words, space_words
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.units import Units, both, format_bytes, format_duration
from raidtui.ui.render.cells import Line, fit, fit_end, wrap
from raidtui.ui.render.words import AFTER_THE_TESTS

_VERB = 9
_IN_PRACTICE = (
    "Practice machine: its disks and /etc are virtual, none of yours. Speed limits apply to reads and writes each,"
    " and each command takes 10 ms, so a resync is slower than on real disks of that speed."
)


def review_lines(plan: Plan, units: Units, width: int, *, practice: bool = False) -> list[Line]:
    """All of the plan at one width. `practice`: what is done is done to the practice machine."""
    lines = members_lines(plan, units, width)
    if story := space_words(plan):
        lines += [(), *(((f" {text}", ""),) for paragraph in story for text in _unbroken(paragraph, width - 2))]
    notes = (*((_IN_PRACTICE,) if practice else ()), *plan.notes)
    if notes:
        lines += [(), ((" Notes", "head"),)]
        published = (f"Published: {plan.source}",) if plan.source else ()
        for note in (*published, *notes):
            wrapped = wrap(note, width - 5)
            lines += [((f" {'-' if first == 0 else ' '} {text}", ""),) for first, text in enumerate(wrapped)]
    return [*lines, (), *_commands(plan, width)]


def _in_short(plan: Plan, units: Units, width: int) -> list[Line]:
    rows = {
        "Create": _built(plan),
        "Usable": _usable(plan, units),
        "Test": _measured_words(plan),
        "Time": f"{format_duration(plan.estimate_s)}{_sync_words(plan)}",
        "Writes": written_words(plan, units),
        "Result": _after_words(plan),
    }
    lines: list[Line] = []
    for verb, sentence in rows.items():
        wrapped = wrap(sentence[:1].upper() + sentence[1:], width - _VERB - 2) if sentence else []
        lines += [
            ((f" {fit('' if index else verb, _VERB)}", "dim"), (text, "" if index or verb != "Create" else "strong"))
            for index, text in enumerate(wrapped)
        ]
    return lines


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


def _measured_words(plan: Plan) -> str:
    """The tests; of an explanation which test, and what is changed for it, one at a time."""
    words = f"{summary.experiment(plan)}, {len(plan.trials)} test{'' if len(plan.trials) == 1 else 's'}"
    if not plan.answers.explain:
        return words
    changes = "; ".join(TUNABLES[key].changed for key in plan.answers.explain)
    return f"{words}, unchanged and with one change at a time: {changes}"


def _usable(plan: Plan, units: Units) -> str:
    """The array's bytes of the disks', and how many may fail, where one is built; empty where there are several."""
    arrays = {stage.setup: stage.array for stage in plan.stages if stage.setup is not None and stage.array is not None}
    if len(arrays) != 1:
        return ""
    ((setup, array),) = arrays.items()
    raw = sum(member.size_bytes for member in plan.members)
    count = failures.may_fail(setup, array.capacity.survives)
    may_fail = failures.may_fail_words(count)
    if count == 1 and level_of(setup).parity_disks:
        may_fail += ", no other until it is rebuilt"
    journal = "; read-only if its journal fails" if setup.bitmap == "journal" else ""
    return f"{both(array.capacity.array_bytes)} of {format_bytes(raw, units)}; {may_fail}{journal}"


def _unbroken(text: str, width: int) -> list[str]:
    """A line of columns as it is, a sentence in as many lines as it takes."""
    return [text] if text.startswith("  ") else wrap(text, width)


def members_lines(plan: Plan, units: Units, width: int) -> list[Line]:
    """What it begins with: what is done in short, and each disk with what will be lost on it."""
    count = len(plan.members)
    marked = marks(plan.members)
    lines = [*_in_short(plan, units, width), ()]
    lines.append(((f" ALL DATA ON {'THIS DISK' if count == 1 else f'THESE {count} DISKS'} WILL BE ERASED", "head"),))
    if plan.disk_rule:
        chosen = f"selected by rule: {selection.words(plan.disk_rule)}"
        lines += [((f"     {text}", ""),) for text in wrap(chosen, width - 6)]
    setup = (plan.stages[plan.kept_stage].setup if plan.kept_stage is not None else None) or Setup()
    beside = {one.id: "the array's journal" for one in journal_of(setup, plan.members)}
    beside |= {one.id: "spare" for one in spares_of(setup, plan.members)}
    for number, member in enumerate(plan.members, 1):
        width_left = width - 4 - 9 - 9 - 20 - 18 - 6
        lines.append(
            (
                (f" {number:>2} ", "dim"),
                (fit(member.name, 8) + " ", "strong"),
                (fit(format_bytes(member.size_bytes, units), 8, right=True) + "  ", ""),
                (fit(member.model, 20) + " ", ""),
                (fit_end(marked[member.id], 17) + " ", ""),
                (fit(f"now: {member.found}", max(8, width_left)), "warn" if member.found != "blank" else "dim"),
            )
        )
        if part := beside.get(member.id):
            lines.append(((f"     {part}", "dim"),))
        if member.volume:
            lines += [((f"     {text}", "dim"),) for text in wrap(f"volume: {member.volume}", width - 6)]
        if member.warning:
            lines += [((f"     {text}", "warn"),) for text in wrap(member.warning, width - 6)]
    return lines


def _after_words(plan: Plan) -> str:
    if plan.permanence is None:
        by_hand = "array kept, not mounted at boot (change: Measure > At boot)"
        return by_hand if plan.kept_stage is not None else AFTER_THE_TESTS[plan.answers.after]
    folder, answers = mount_point(plan), plan.answers
    owned = "".join(f", {word}" for word in (answers.mount_owner, answers.mount_mode) if word)
    where = f"mounted at {folder}" if folder else "assembled under its name"
    mail = answers.mailaddr or "as in mdadm.conf (change: Measure > Mail alerts to)"
    return f"array kept, at boot {where}{owned}; mail alerts: {mail}"


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
    share = f"{share_words(plan.written_bytes, raw)}{assumed_words(plan)}"
    return f"{format_bytes(plan.written_bytes, units)}{besides}, {share}{wear}"


def _commands(plan: Plan, width: int) -> list[Line]:
    plan_sections = list(sections(plan))
    duration = format_duration(plan.estimate_s)
    count = sum(len(section.steps) for section in plan_sections)
    lines: list[Line] = [((f" Commands: {count} steps, {duration}", "head"),)]
    lines += [
        ((f" {text}", ""),)
        for sentence in blocks_words(plan)
        for text in wrap(sentence[:1].upper() + sentence[1:], width - 2)
    ]
    for section in plan_sections:
        lines += [(), *(((f" {text}", "strong"),) for text in wrap(section.title, width - 2))]
        for step in section.steps:
            lines += [((f"   # {text}", "dim"),) for text in wrap(_named(step.what, plan), width - 6)]
            wrapped = wrap(shell(step), width - 6)
            lines += [((f"   {'' if first == 0 else '  '}{text}", ""),) for first, text in enumerate(wrapped)]
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
