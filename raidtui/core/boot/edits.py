"""Lines added to a file of the system's, and taken out again: byte for byte where nobody changed it meanwhile.

At its end, or before all else where the first of its kind holds. They stand between two comments that carry a mark of
their own, by which they are found again. A file is its bytes, None where it is not there. Knows nothing of which file
it is, nor of writing it.
"""

import difflib
import hashlib
from collections.abc import Sequence

_FIRST, _LAST = "# {mark}: from here", "# {mark}: to here"


class LinesChanged(ValueError):
    """The lines that were added are not as they were: half a sentence, and what to do."""


def block(lines: Sequence[str], mark: str) -> bytes:
    """What is added, its comments included."""
    return "".join(f"{line}\n" for line in (_FIRST.format(mark=mark), *lines, _LAST.format(mark=mark))).encode()


def with_lines(before: bytes | None, lines: Sequence[str], mark: str, *, at_top: bool = False) -> bytes:
    """The file with the lines at its end, or `at_top`; as it is where they stand in it. LinesChanged where others stand
    for them.
    """
    before, added = before or b"", block(lines, mark)
    if holds(before, lines, mark):
        return before
    if _marks(before, mark):
        raise _changed(mark)
    if at_top:
        return added + before
    between = b"" if not before or before.endswith(b"\n") else b"\n"
    return before + between + added


def holds(content: bytes | None, lines: Sequence[str], mark: str) -> bool:
    """Do these lines stand in it, whole, once, and as lines of their own?"""
    added, content = block(lines, mark), content or b""
    start = content.find(added)
    alone = content.count(added) == 1 and _marks(content, mark) == 2
    return alone and (start == 0 or content[start - 1 : start] == b"\n")


def _marks(content: bytes, mark: str) -> int:
    """How many lines of it say that the run's begin or end there."""
    mark_lines = {text.format(mark=mark).encode() for text in (_FIRST, _LAST)}
    return sum(line in mark_lines for line in content.split(b"\n"))


def _changed(mark: str) -> LinesChanged:
    return LinesChanged(f"the lines between “{_FIRST.format(mark=mark)}” and “to here” were changed since")


def without_lines(
    now: bytes | None, before: bytes | None, lines: Sequence[str], mark: str, *, at_top: bool = False
) -> bytes | None:
    """The file without the lines. What was there `before` them, byte for byte, where nothing else was changed since.

    Else `now` without them, and everything that others wrote stays. LinesChanged where something was changed in them.
    """
    if now in (before, None) or now == with_lines(before, lines, mark, at_top=at_top):
        return before if now is not None else None
    assert now is not None
    if not _marks(now, mark):
        return now  # somebody took them out
    if not holds(now, lines, mark):
        raise _changed(mark)
    start = now.index(block(lines, mark))
    rest = now[:start] + now[start + len(block(lines, mark)) :]
    return rest if rest or before is not None else None


def diff(path: str, old: bytes | None, new: bytes | None) -> tuple[str, ...]:
    """A unified diff for a person to read; () where nothing changes."""
    (before, old_name), (after, new_name) = _shown(path, old), _shown(path, new)
    return tuple(difflib.unified_diff(before, after, old_name, new_name, lineterm=""))


def _shown(path: str, content: bytes | None) -> tuple[list[str], str]:
    """Its lines, and its name above them."""
    return (content or b"").decode(errors="replace").splitlines(), path if content is not None else "/dev/null"


def sha256(content: bytes | None) -> str:
    """What tells contents apart; "" where there is no file."""
    return "" if content is None else hashlib.sha256(content).hexdigest()
