"""The wizard's questions as plain lines, for a screen reader, a serial console or a log: `raidtui plan --ask`.

Each has its choices and a proposal, which an empty answer takes. What is no choice is a sentence, and asked again. An
answer file is written in the end, if it leads to a plan. Nothing else is changed.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from raidtui.cli.machine import machine_of, named_members

if TYPE_CHECKING:
    from raidtui.core.advice.preview import LevelPreview
    from raidtui.core.advice.proposals import Wish
    from raidtui.core.disks.disk import Disk
    from raidtui.core.disks.machine import Machine

Answer = TypeVar("Answer")
_QUESTIONS = 6
_CHUNKS_KIB = (64, 128, 256, 512, 1024)


def ask_and_write(file: Path, machine: Path | None) -> None:
    """ValueError, one sentence, and nothing is written, if an answer is missing, the file exists or no plan is made."""
    from tomli_w import dumps

    from raidtui.core.advice.answer_file import document_of
    from raidtui.core.advice.proposals import USUALLY_SURVIVED, Wish, advise
    from raidtui.core.plan.answers import Answers, Setup
    from raidtui.core.raid.purposes import COUNTS, Workload
    from raidtui.runs.planning import plan_for

    if file.exists():
        raise ValueError(f"{file} exists; give another file, or remove it first")
    seen = machine_of(machine)
    use = Workload(_choice(1, "What is the array for?", {use: COUNTS[use].words for use in Workload}, Workload.FILES))
    wish = Wish(use, USUALLY_SURVIVED[use])
    disks = _disks(wish, seen)
    best = advise(wish, disks).best.preview
    views = _levels(disks, best)
    words = {key: _level_words(view) for key, view in views.items()}
    view = views[_choice(3, "Which level?", words, _key(best))]
    chunk = _chunk(view, disks)
    filesystem = _filesystem(view)
    ends = {"keep": "the array stays; the file system is empty", "remove": "the disks are blank again"}
    after = _choice(6, "What comes after the tests (recipe quick, four of 5 s)?", ends, "keep")
    layout = view.layout if view.key == "10" else ""
    answers = Answers(
        disks=tuple(disk.id for disk in disks),
        use=use,
        after="keep" if after == "keep" else "teardown",
        setup=Setup(level=view.key, layout=layout or "", chunk=chunk, filesystem=filesystem),
    )
    plan_for(answers, seen)
    with file.open("x") as written:
        written.write(dumps(document_of(answers)))
    command = shlex.quote(str(file))
    print(f"Written: {file}. No disk was changed. The steps, and the run, which asks for the code:")
    print(f"    raidtui plan {command}\n    raidtui run {command}")


def _asked(number: int, question: str, lines: Sequence[str], proposal: str, taken: Callable[[str], Answer]) -> Answer:
    """The first answer that `taken` does not refuse; it returns what is meant, or raises ValueError with a sentence."""
    enter = f", or enter for {proposal}" if proposal else ""
    print(f"{number} of {_QUESTIONS}: {question}")
    for line in lines:
        print(f"    {line}")
    while True:
        try:
            typed = input(f"Answer{enter}: ").strip()
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


def _disks(wish: "Wish", machine: "Machine") -> "tuple[Disk, ...]":
    """Those that are named; the free ones are proposed, if there are any."""
    from raidtui.core.advice.proposals import advise
    from raidtui.core.disks.disk import State, Usability
    from raidtui.core.disks.verdicts import disks_of
    from raidtui.core.units import both

    disks = disks_of(machine)
    usable = [disk for disk in disks if disk.verdict.standing is not Usability.REFUSE]
    if not usable:
        raise ValueError("no disk here can be a member; `raidtui disks` has the reasons")
    lines = [f"{disk.name}: {both(disk.size_bytes)}, {disk.title}; on it: {disk.found}" for disk in usable]
    free = " ".join(disk.name for disk in usable if disk.state is State.FREE)

    def taken(typed: str) -> "tuple[Disk, ...]":
        members = named_members(typed.split(), disks)
        advise(wish, members)
        return members

    return _asked(2, "Which disks? All that is on them is lost.", lines, free, taken)


def _key(view: "LevelPreview") -> str:
    """What is typed for it."""
    return f"{view.key} {view.layout}" if view.key == "10" else view.key


def _levels(disks: "Sequence[Disk]", best: "LevelPreview") -> "dict[str, LevelPreview]":
    """Those of md that these disks can have, as proposed, by what is typed."""
    from raidtui.core.advice.preview import preview_level
    from raidtui.core.advice.proposals import proposed_chunk_bytes
    from raidtui.core.raid.levels import LAYOUTS_10, LEVELS

    rotating = any(disk.rotational for disk in disks)
    usual = [name for name, row in LAYOUTS_10.items() if row.usual]
    views = [
        preview_level(row.key, layout, proposed_chunk_bytes(row.key, len(disks), rotating), disks)
        for row in LEVELS
        if row.md_name
        for layout in (usual if row.key == "10" else [row.default_layout])
    ]
    return {_key(view): view for view in (*views, best) if view.capacity}


def _level_words(view: "LevelPreview") -> str:
    from raidtui.core.plan.member_steps import may_fail_words
    from raidtui.core.units import both

    assert view.capacity
    return f"{both(view.capacity.array_bytes)} usable, {may_fail_words(view.capacity.survives)}"


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
