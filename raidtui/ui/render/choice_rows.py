"""The rows of a list of which one is taken: mark, value, what it is good for. Pure."""

from collections.abc import Sequence

import msgspec

from raidtui.ui.render.cells import Row, Sheet, fit
from raidtui.ui.render.glyphs import of_terminal


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
        words = option.problem or option.words
        rows.append(
            Row(
                (
                    (
                        (f" {glyphs.picked if is_taken else glyphs.free} ", "accent" if is_taken else "dim"),
                        (fit(option.title, title), "dim" if option.problem else "strong" if is_taken else ""),
                        (fit(words, max(1, width - title - 3)), "dim"),
                    ),
                ),
                not option.problem,
            )
        )
    return Sheet(((f" {heading}", "head"),), tuple(rows))
