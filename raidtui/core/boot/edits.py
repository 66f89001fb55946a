"""Lines added to a file of the system's, and taken out again: byte for byte where nobody changed it meanwhile.

At its end, or before all else where the first of its kind holds. They stand between two comments that carry a mark of
their own, by which they are found again. A file is its bytes, None where it is not there. Knows nothing of which file
it is, nor of writing it.
"""

from collections.abc import Sequence

from raidtui.core import digest

_FIRST, _LAST = "# {mark}: from here", "# {mark}: to here"


class LinesChanged(ValueError):
    """The lines that were added are not as they were: half a sentence, and what to do."""


def block(lines: Sequence[str], mark: str) -> bytes:
    """What is added, its comments included."""
    return "".join(f"{line}\n" for line in (_FIRST.format(mark=mark), *lines, _LAST.format(mark=mark))).encode()


def with_lines(old_content: bytes | None, lines: Sequence[str], mark: str, *, at_top: bool = False) -> bytes:
    """The file with the lines at its end, or `at_top`; as it is where they stand in it. LinesChanged where others stand
    for them.
    """
    old_content, added = old_content or b"", block(lines, mark)
    if holds(old_content, lines, mark):
        return old_content
    if _marks(old_content, mark):
        raise _changed(mark)
    at = _top(old_content) if at_top else len(old_content)
    return _ended(old_content[:at]) + added + old_content[at:]


def _top(content: bytes) -> int:
    """Where its first line may be put: below those indented ones that begin it, which would go on with that line.

    Comments and empty lines end nothing.
    """
    insert_at = next_line = 0
    for line in content.splitlines(keepends=True):
        if not line[:1].isspace() and not line.startswith(b"#"):
            break
        next_line += len(line)
        insert_at = next_line if line.strip() and line[:1].isspace() else insert_at
    return insert_at


def _ended(content: bytes) -> bytes:
    """With an end to its last line."""
    return content + b"\n" if content and not content.endswith(b"\n") else content


def holds(content: bytes | None, lines: Sequence[str], mark: str) -> bool:
    """Do these lines stand in it, whole, once, and as lines of their own?"""
    added, content = block(lines, mark), content or b""
    at = content.find(added)
    alone = content.count(added) == 1 and _marks(content, mark) == 2
    return alone and (at == 0 or content[at - 1 : at] == b"\n")


def _marks(content: bytes, mark: str) -> int:
    """How many lines of it say that the run's begin or end there."""
    mark_lines = {text.format(mark=mark).encode() for text in (_FIRST, _LAST)}
    return sum(line in mark_lines for line in content.split(b"\n"))


def _changed(mark: str) -> LinesChanged:
    return LinesChanged(f"the lines between “{_FIRST.format(mark=mark)}” and “to here” were changed since")


def without_lines(current: bytes | None, content_before: bytes | None, lines: Sequence[str], mark: str) -> bytes | None:
    """The file without the lines: `content_before`, byte for byte, where nothing else was changed since.

    Else `current` without them, and all that others wrote stays. LinesChanged where something was changed in them.
    """
    if current is None or not _marks(current, mark):
        return current  # or somebody took them out
    if not holds(current, lines, mark):
        raise _changed(mark)
    without_block = current.replace(block(lines, mark), b"")
    return content_before if without_block == _ended(content_before or b"") else without_block


def diff(path: str, old: bytes | None, new: bytes | None) -> tuple[str, ...]:
    """A unified diff for a person to read; () where nothing changes."""
    (old_lines, old_name), (new_lines, new_name) = _lines_and_name(path, old), _lines_and_name(path, new)
    from difflib import unified_diff

    return tuple(unified_diff(old_lines, new_lines, old_name, new_name, lineterm=""))


def _lines_and_name(path: str, content: bytes | None) -> tuple[list[str], str]:
    """Its lines, and its name above them."""
    return (content or b"").decode(errors="replace").splitlines(), path if content is not None else "/dev/null"


def sha256(content: bytes | None) -> str:
    """What tells contents apart; "" where there is no file."""
    return "" if content is None else digest.sha256(content).hexdigest()
