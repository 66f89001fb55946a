"""Text and figures from outside, made fit to print or refused: one line, no control characters, length and bounds.

Sentences quote what a person or a program wrote, which may hold anything and be of any length.
"""

import codecs
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

MOST_COUNTED = 2**63 - 1  # what the kernel counts in, and more seconds than there were


class OutOfBounds(ValueError):
    """One sentence: which figure is none."""


class Unseen(ValueError):
    """One sentence: where a text holds a character that nobody sees."""


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, bidi overrides, lone surrogates, line separators

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how one begins in a spreadsheet


_MOST_BRIEF = 300


def brief(value: object, limit: int = _MOST_BRIEF) -> str:
    """`value` as text; one of over `limit` characters keeps beginning and end, where libraries name the place."""
    text = clean(" ".join(str(value).split()))
    return text if len(text) <= limit else f"{text[: limit - 60]} … {text[-57:]}"


def listed(names: Sequence[str], limit: int) -> str:
    """The names with commas; of more than `limit` the first ones, and how many more there are."""
    and_more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + and_more


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(data: bytes, errors: str = "strict") -> str:
    """The text of a file that a byte-order mark may begin (PowerShell's `>` writes UTF-16); UnicodeDecodeError."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors)
    return data.decode(errors=errors)


def spreadsheet_cell(value: object) -> object:
    """Text without what a terminal obeys, a quote before what a spreadsheet would take for a formula; others as is."""
    if isinstance(value, str):
        value = " ".join(clean(line) for line in value.splitlines())
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def clean(text: str) -> str:
    """Device text as it may be shown and stored: without control and direction characters, outer spaces cut off.

    Everything that a device, a label or a mount point says passes through here once, where it comes in.
    """
    return visible(text.strip()).strip()  # first: the line's end of a file is none that has to be looked for


def visible(text: str) -> str:
    """The text without them, and nothing else changed: what stands in a file of ours, before it is printed."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if unicodedata.category(char) not in _UNSEEN)


def check_figures(value: object, least: int = 0) -> None:
    """OutOfBounds, where a number in there is not from `least` to what 63 bits hold."""
    if all(least <= leaf <= MOST_COUNTED for leaf in _flat(value) if isinstance(leaf, (int, float))):
        return
    for leaf, place in _leaves(value):
        if isinstance(leaf, int | float) and not least <= leaf <= MOST_COUNTED:  # nor NaN
            raise OutOfBounds(f"{_name(place)} is {brief(leaf)}, which cannot be")


def check_texts(value: object) -> None:
    """Unseen, where a text or a key in there holds what nobody sees and a terminal may obey; a line may end."""
    if all(leaf.replace("\n", "").isprintable() for leaf in _flat(value) if isinstance(leaf, str)):
        return
    for leaf, place in _leaves(value):
        if not isinstance(leaf, str) or leaf.isprintable():
            continue
        if sign := next((char for char in leaf if char != "\n" and unicodedata.category(char) in _UNSEEN), ""):
            raise Unseen(f"{_name(place)} holds U+{ord(sign):04X}, which cannot be seen; take it out")


# Where something stands: what it stands in, and its key there. Put into words only where that is asked for.
_Place: TypeAlias = "tuple[_Place, object] | None"


def _flat(value: object) -> list[object]:
    """The value and all that is in it, keys too: whether a place is wanted at all is seen in a fifth of the time."""
    values_inside = [value]
    for inner in values_inside:
        if isinstance(inner, str):  # most are
            continue
        if isinstance(inner, dict):
            values_inside += inner
            values_inside += inner.values()
        elif isinstance(inner, (list, tuple)):
            values_inside += inner
    return values_inside


def _leaves(value: object) -> Iterator[tuple[object, _Place]]:
    """Every key, text and number, in no particular order, with its place. A plan has tens of thousands."""
    pending: list[tuple[object, _Place]] = [(value, None)]
    while pending:
        value, place = pending.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                yield key, place
                pending.append((inner, (place, key)))
        elif isinstance(value, list | tuple):
            pending += [(inner, (place, number)) for number, inner in enumerate(value)]
        else:
            yield value, place


def _name(place: _Place) -> str:
    """As members[0].size_bytes."""
    words = []
    while place is not None:
        place, key = place
        words.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return brief("".join(reversed(words)).lstrip(".")) or "it"


def printable(value: Any) -> Any:
    """Every text in a document without what a terminal obeys: it is shown before anything is done with it."""
    if isinstance(value, str):
        return "\n".join(clean(line) for line in value.split("\n"))
    if isinstance(value, dict):
        return {clean(key): printable(inner) for key, inner in value.items()}
    return [printable(inner) for inner in value] if isinstance(value, list) else value
