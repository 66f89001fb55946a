"""What is sent to the terminal, with fewer of the sequences that set looks (SGR: ECMA-48, 8.3.117).

Textual ends each piece of a line with a reset and begins the next with all of its look. The same cells look the same
with the differences alone: a third of a picture's bytes. No terminal is assumed to know more than what came in.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_SGR = re.compile(r"\x1b\[([\d;]*)m")
_ON_LETTERS = frozenset("123")  # bold, faint, italic: not seen on a blank
_MARKS = frozenset((*_ON_LETTERS, *"456789", "21", "51", "52", "53"))  # all that rich sets


class _Look(NamedTuple):
    """`fore` and `back` are "" for the terminal's own."""

    fore: str = ""
    back: str = ""
    marks: frozenset[str] = frozenset()


_PLAIN = _Look()


def fewer(sent: str) -> str:
    """Begins and ends in the look in which `sent` does, which is taken to begin in the plain one."""
    text, *rest = _SGR.split(sent)
    parts, has, wanted = [text], _PLAIN, _PLAIN
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        after = _after(wanted, codes)
        if after is None:
            return sent
        wanted = after
        if not text:
            continue
        needed = wanted
        if not text.strip(" ") and (wanted.marks | has.marks) <= _ON_LETTERS:
            needed = has._replace(back=wanted.back)
        parts += (_change(has, needed), text)
        has = needed
    return "".join((*parts, _change(has, wanted)))


@lru_cache(maxsize=1024)
def _after(look: _Look, codes: str) -> _Look | None:
    """None after a code that is not known here."""
    fore, back, marks = look
    numbers = codes.split(";")
    while numbers:
        code = numbers.pop(0)
        if code in ("38", "48"):
            count = 2 if numbers[:1] == ["5"] else 4
            code, numbers = ";".join((code, *numbers[:count])), numbers[count:]
        tens = code[:-1]
        if code in ("", "0"):
            fore, back, marks = _PLAIN
        elif code.startswith("38;") or tens in ("3", "9"):
            fore = "" if code == "39" else code
        elif code.startswith("48;") or tens in ("4", "10"):
            back = "" if code == "49" else code
        elif code in _MARKS:
            marks |= {code}
        else:
            return None
    return _Look(fore, back, marks)


@lru_cache(maxsize=4096)
def _change(has: _Look, wanted: _Look) -> str:
    """The shorter of what differs and a reset with the whole look."""
    if has == wanted:
        return ""
    codes = ";".join(("0", *sorted(wanted.marks), *filter(None, (wanted.fore, wanted.back))))
    if has.marks <= wanted.marks:
        changed = sorted(wanted.marks - has.marks)
        changed += [wanted.fore or "39"] if has.fore != wanted.fore else []
        changed += [wanted.back or "49"] if has.back != wanted.back else []
        codes = min(";".join(changed), codes, key=len)
    return f"\x1b[{codes}m"
