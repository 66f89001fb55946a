"""Untrusted text and numbers: made printable, or refused. Quoted text may hold anything, at any length."""

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

MOST_COUNTED = 2**63 - 1  # what the kernel counts in, and more seconds than there were

_RELEASE = re.compile(r"(?:Linux )?([0-9]{1,3})\.([0-9]{1,3})")


class OutOfBounds(ValueError):
    """One sentence: the invalid number."""


class Unseen(ValueError):
    """One sentence: place of an invisible character."""


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, bidi overrides, lone surrogates, line separators

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how one begins in a spreadsheet


_MOST_BRIEF = 300


def brief(value: object, limit: int = _MOST_BRIEF) -> str:
    """Over `limit` characters: beginning and end, where libraries name the place."""
    text = clean(" ".join(str(value).split()))
    return text if len(text) <= limit else f"{text[: limit - 60]} … {text[-57:]}"


def listed(names: Sequence[str], limit: int) -> str:
    """Comma-separated, at most `limit`, and number of others."""
    and_more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + and_more


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(data: bytes, errors: str = "strict") -> str:
    """With a byte-order mark, as PowerShell's `>` writes UTF-16; UnicodeDecodeError."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors)
    return data.decode(errors=errors)


def spreadsheet_cell(value: object) -> object:
    """Text without control characters, formulas quoted; others unchanged."""
    if isinstance(value, str):
        value = " ".join(clean(line) for line in value.splitlines())
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def clean(text: str) -> str:
    """Without control, direction characters, stripped. Everything from devices, labels, mounts passes here once."""
    return visible(text.strip()).strip()  # first: the line's end of a file is none that has to be looked for


def visible(text: str) -> str:
    """Without control characters, else unchanged, for printing a file of ours."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char for char in text if unicodedata.category(char) not in _UNSEEN)


def check_figures(value: object, least: int = 0) -> None:
    """OutOfBounds unless every number is within `least` and 63 bits."""
    if all(least <= leaf <= MOST_COUNTED for leaf in _flat(value) if isinstance(leaf, (int, float))):
        return
    for leaf, place in _leaves(value):
        if isinstance(leaf, int | float) and not least <= leaf <= MOST_COUNTED:  # nor NaN
            raise OutOfBounds(f"{_name(place)} is {brief(leaf)}, which cannot be")


def check_texts(value: object) -> None:
    """Unseen if a text or key has invisible or control characters; newlines may end it."""
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
    """With all nested values and keys; places are computed only if needed (5 times as slow)."""
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
    """Keys, texts and numbers with places, in any order. A plan has tens of thousands."""
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
    """members[0].size_bytes."""
    words = []
    while place is not None:
        place, key = place
        words.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return brief("".join(reversed(words)).lstrip(".")) or "it"


def printable(value: Any) -> Any:
    """Every text without control characters, before anything else."""
    if isinstance(value, str):
        return "\n".join(clean(line) for line in value.split("\n"))
    if isinstance(value, dict):
        return {clean(key): printable(inner) for key, inner in value.items()}
    return [printable(inner) for inner in value] if isinstance(value, list) else value


_IN_ASCII = str.maketrans(
    {
        **dict.fromkeys("─━╌┄▔┈–−═", "-"),
        **dict.fromkeys("│┃▏▌▎▐╞╡", "|"),
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛◆", "+"),
        **dict.fromkeys("█▓▉▊▋■▰", "#"),
        **dict.fromkeys("▒▇▆▅▀▄", "="),
        **dict.fromkeys("░▃▂▁·□▱", "."),
        **dict.fromkeys("›▸→≥»❯", ">"),
        **dict.fromkeys("←≤↵", "<"),
        **dict.fromkeys("✗×╳", "x"),
        **dict.fromkeys("○◌◇▪", "o"),
        **dict(zip("✓▼↓▲↑●◉…≈±½µ“”²⚠°╱", '*vv^^@*~~~/u""2! /', strict=True)),  # noqa: RUF001
    }
)


def in_ascii(text: str) -> str:
    """The same width: ≥ and ≤ take the blank behind them. What has no stand-in is "?"."""
    signs = text.replace("≥ ", ">=").replace("≤ ", "<=").translate(_IN_ASCII)
    return "".join(char if " " <= char <= "~" else "?" for char in signs)


def is_since(kernel: str, first: tuple[int, int]) -> bool | None:
    """Is a kernel's release, "7.2.7" or "Linux 7.2.7", this or a later one? None: not known."""
    match = _RELEASE.match(kernel)
    return (int(match[1]), int(match[2])) >= first if match else None
