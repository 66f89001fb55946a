"""What a library says of bad input, as part of a sentence of ours: one line, no control characters, not too long.

The words quote the input, which may hold anything and be of any length.
"""

import unicodedata
from collections.abc import Iterator

MOST = 2**63 - 1  # what the kernel counts in, and more seconds than there were


class OutOfBounds(ValueError):
    """One sentence: which figure is none."""


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, bidi overrides, lone surrogates, line separators


_MOST = 300


def brief(said: object) -> str:
    """`said` as text; a long one keeps its beginning and its end, where libraries name the place."""
    text = clean(" ".join(str(said).split()))
    return text if len(text) <= _MOST else f"{text[: _MOST - 60]} … {text[-57:]}"


def clean(text: str) -> str:
    """Device text as it may be shown and stored: without control and direction characters, outer spaces cut off.

    Everything that a device, a label or a mount point says passes through here once, where it comes in.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    return "".join(char for char in text if unicodedata.category(char) not in _UNSEEN).strip()


def check_figures(value: object, least: int = 0) -> None:
    """OutOfBounds, where a number in there is not from `least` to what 63 bits hold."""
    for where, figure in _figures(value):
        if not least <= figure <= MOST:  # nor NaN
            raise OutOfBounds(f"{where.lstrip('.')} is {brief(figure)}, which cannot be")


def _figures(value: object, where: str = "") -> Iterator[tuple[str, float]]:
    """Every number with its place, as .members[0].size_bytes."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _figures(inner, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _figures(inner, f"{where}[{number}]")
    elif isinstance(value, int | float):
        yield where, value
