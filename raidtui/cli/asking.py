"""The wizard's questions as plain lines, for a screen reader, a serial console or a log: `raidtui plan --ask`.

Each has its choices and a proposal, which an empty answer takes. What is no choice is a sentence, and asked again. An
answer file is written in the end, if it leads to a plan. Nothing else is changed.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.cli.machine import free_or_named, machine_of

if TYPE_CHECKING:
    from raidtui.core.advice.preview import LevelPreview
    from raidtui.core.advice.proposals import Advice
    from raidtui.core.disks.disk import Disk

_QUESTIONS = 6
_CHUNKS_KIB = (64, 128, 256, 512, 1024)


def ask_and_write(file: Path, machine: Path | None) -> None:
    """ValueError, one sentence, and nothing is written, if an answer is missing, the file exists or no plan is made."""
    from tomli_w import dumps

    from raidtui.core.plan.answers import Answers, Setup, given_fields, to_document
    from raidtui.core.raid.purposes import COUNTS, Workload
    from raidtui.runs.planning import plan_for

    if file.exists():
        raise ValueError(f"{file} exists; give another file, or remove it first")
    use = Workload(_choice(1, "What is the array for?", {use: COUNTS[use].words for use in Workload}, Workload.FILES))
    disks, advice = _disks(use, machine)
    views = _levels(disks, advice)
    words = {key: _level_words(view) for key, view in views.items()}
    view = views[_choice(3, "Which level?", words, _key(advice.best.preview.key, advice.best.preview.layout))]
    chunk = _chunk(view, disks)
    filesystem = _filesystem(view)
    ends = {"keep": "the array stays; the file system is empty", "remove": "the disks are blank again"}
    after = _choice(6, "What comes after the tests (recipe quick, four of 5 s)?", ends, "keep")
    layout = view.layout if view.key == "10" and view.layout else ""
    answers = Answers(
        disks=tuple(disk.id for disk in disks),
        use=use,
        after="keep" if after == "keep" else "teardown",
        setup=Setup(level=view.key, layout=layout, chunk=chunk, filesystem=filesystem),
    )
    plan_for(answers, machine_of(machine))
    document, given = to_document(answers), given_fields(answers.setup)
    document["setup"] = {key: value for key, value in document["setup"].items() if key in given}
    with file.open("x") as written:
        written.write(dumps(document))
    command = shlex.quote(str(file))
    print(f"Written: {file}. No disk was changed. The steps, and the run, which asks for the code:")
    print(f"    raidtui plan {command}\n    raidtui run {command}")


def _asked(number: int, question: str, lines: Sequence[str], proposal: str, taken: Callable[[str], str]) -> str:
    """The first answer that `taken` does not refuse; it returns what is meant, or raises ValueError with a sentence."""
    print(f"{number} of {_QUESTIONS}: {question}")
    for line in lines:
        print(f"    {line}")
    while True:
        try:
            typed = input(f"Answer, or enter for {proposal}: ").strip()
        except EOFError:
            print()
            raise ValueError(f"no answer to question {number}; nothing was written") from None
        try:
            return taken(typed or proposal)
        except ValueError as error:
            print(error)


def _choice(number: int, question: str, choices: Mapping[str, str], proposal: str) -> str:
    def taken(typed: str) -> str:
        if typed in choices:
            return typed
        raise ValueError(f"{typed!r} is none of these: {', '.join(choices)}")

    return _asked(number, question, [f"{key}: {words}" for key, words in choices.items()], proposal, taken)


def _disks(use: str, machine: Path | None) -> "tuple[tuple[Disk, ...], Advice]":
    """Those that are named, and what is proposed of them; asked again where that is nothing."""
    from raidtui.core.advice import proposals
    from raidtui.core.disks.disk import Usability
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.raid.purposes import Workload
    from raidtui.core.units import both

    wish = proposals.Wish(Workload(use), proposals.USUALLY_SURVIVED[Workload(use)])
    usable = [disk for disk in disks_of(machine_of(machine)) if disk.verdict.standing is not Usability.REFUSE]
    lines = [f"{disk.name}: {both(disk.size_bytes)}, {disk.title}; on it: {disk.found}" for disk in usable]
    free = free_or_named([], machine)

    def taken(typed: str) -> str:
        members = free_or_named(typed.split(), machine)
        proposals.advise(wish, members)
        return " ".join(disk.name for disk in members)

    named = _asked(2, "Which disks? All that is on them is lost.", lines, " ".join(disk.name for disk in free), taken)
    members = free_or_named(named.split(), machine)
    return members, proposals.advise(wish, members)


def _key(key: str, layout: str | None) -> str:
    return f"{key} {layout}" if key == "10" and layout else key


def _levels(disks: "Sequence[Disk]", advice: "Advice") -> "dict[str, LevelPreview]":
    """Those of md that these disks can have, as proposed, by what is typed."""
    from raidtui.core.advice.preview import preview_level
    from raidtui.core.advice.proposals import proposed_chunk_bytes
    from raidtui.core.raid.levels import LAYOUTS_10, LEVELS

    rotating = any(disk.rotational for disk in disks)
    usual = [name for name, row in LAYOUTS_10.items() if row.usual]
    views = {
        _key(row.key, layout): preview_level(
            row.key, layout or row.default_layout, proposed_chunk_bytes(row.key, len(disks), rotating), disks
        )
        for row in LEVELS
        if row.md_name
        for layout in (usual if row.key == "10" else [None])
    }
    views[_key(advice.best.preview.key, advice.best.preview.layout)] = advice.best.preview
    return {key: view for key, view in views.items() if view.capacity}


def _level_words(view: "LevelPreview") -> str:
    from raidtui.core.units import both

    assert view.capacity
    survives = view.capacity.survives
    failing = {0: "one failed disk loses data", 1: "any one disk may fail"}.get(
        survives, f"any {survives} disks may fail"
    )
    return f"{both(view.capacity.array_bytes)} usable, {failing}"


def _chunk(view: "LevelPreview", disks: "Sequence[Disk]") -> str:
    """As an answer file has it; "" where the level has none, which is said."""
    from raidtui.core.advice.preview import preview_level
    from raidtui.core.advice.proposals import chunk_reason
    from raidtui.core.units import KIB, parse_bytes

    if not view.raid.has_chunk or view.chunk_bytes is None:
        print(f"4 of {_QUESTIONS}: {view.level} has no chunk.")
        return ""

    def taken(typed: str) -> str:
        if problem := preview_level(view.key, view.layout, parse_bytes(typed), disks).problem:
            raise ValueError(problem)
        return typed

    reason = chunk_reason(view.key, view.chunk_bytes, view.rotating)
    lines = [f"{' '.join(f'{kib}KiB' for kib in _CHUNKS_KIB)}, or another size", f"proposed: {reason}"]
    return _asked(4, "Which chunk?", lines, f"{view.chunk_bytes // KIB}KiB", taken)


def _filesystem(view: "LevelPreview") -> str:
    from raidtui.core.raid import filesystems

    assert view.capacity
    shape = filesystems.geometry(view.key, view.disks, view.chunk_bytes, view.layout)
    can = {key: filesystems.possible(key, view.capacity.array_bytes, shape) for key in filesystems.TO_KEEP}
    choices = {key: reason or "possible" for key, (possible, reason) in can.items() if possible}
    proposal = next(iter(choices), filesystems.NONE)
    return _choice(5, "Which file system?", choices | {filesystems.NONE: "the array alone"}, proposal)
