"""What is chosen of: rows of a list with mark, value, what it is good for; words in a row. Pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.purposes import Workload
from raidtui.ui.render import words
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, of_terminal


class Option(msgspec.Struct, frozen=True):
    """`key` goes into the answers, `title` is shown. `problem` says why it cannot be taken here."""

    key: str
    title: str
    words: str = ""
    problem: str = ""


def option_sheet(heading: str, options: Sequence[Option], taken: str, width: int) -> Sheet:
    glyphs = of_terminal()
    title = max(len(option.title) for option in options) + 2
    rows = []
    for option in options:
        is_taken = option.key == taken
        explained = option.problem or option.words
        rows.append(
            Row(
                (
                    (
                        (f" {glyphs.picked if is_taken else glyphs.free} ", "accent" if is_taken else "dim"),
                        (fit(option.title, title), "dim" if option.problem else "strong" if is_taken else ""),
                        (fit(explained, max(1, width - title - 3)), "dim"),
                    ),
                ),
                not option.problem,
            )
        )
    return Sheet(((f" {heading}", "head"),), tuple(rows))


class WordGroup(NamedTuple):
    """`before`, the words, and which is taken; `after`."""

    before: str
    words: tuple[str, ...]
    taken: int
    after: str = ""


def words_line(groups: Sequence[WordGroup]) -> Line:
    """The taken word in brackets and reversed."""
    pieces: list[Piece] = []
    for group in groups:
        pieces.append((group.before, "dim"))
        for number, word in enumerate(group.words):
            pieces.append((f"[{word}]", "!*accent") if number == group.taken else (f" {word} ", ""))
        pieces.append((group.after, "dim"))
    return tuple(pieces)


def purpose_groups(use: Workload, survive: int, wide: bool) -> tuple[WordGroup, ...]:
    """The purposes, and how many failed disks must be survived."""
    from raidtui.core.advice.proposals import MOST_SURVIVED  # the first picture is of no level

    uses, counts = tuple(words.PURPOSES.values()), tuple(str(count) for count in range(MOST_SURVIVED + 1))
    before, survives, after = (
        (" Purpose  ", "   Survive at least ", " failed disks") if wide else (" for ", "  survive ≥ ", "")
    )
    return (
        WordGroup(before, uses, list(words.PURPOSES).index(use)),
        WordGroup(survives, counts, survive, after),
    )


def titled(titles: Mapping[str, str], explained: Mapping[str, str]) -> list[Option]:
    """In the order of the explanations."""
    return [Option(key, titles[key], text) for key, text in explained.items()]


def between_options() -> list[Option]:
    """What may lie between the array and its file system."""
    return titled({"": "the array"} | {str(kind): row.title for kind, row in LAYERS.items()}, words.BETWEEN)


def reserved_options() -> list[Option]:
    """How much of ext4 only root may fill."""
    return titled({"": "by size", "0": "0 %", "1": "1 %", "5": "5 %"}, words.RESERVED)
