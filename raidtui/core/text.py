"""What a library says of bad input, as part of a sentence of ours: one line, no control characters, not too long.

The words quote the input, which may hold anything and be of any length.
"""

from raidtui.core.disks.machine import clean

_MOST = 300


def brief(said: object) -> str:
    """`said` as text; a long one keeps its beginning and its end, where libraries name the place."""
    text = clean(" ".join(str(said).split()))
    return text if len(text) <= _MOST else f"{text[: _MOST - 60]} … {text[-57:]}"
