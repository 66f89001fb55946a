"""Lines added to a system file between marked comments, at its end or top, and removed byte for byte unless others
edited the file. Content is bytes, None: no file. No I/O.
"""

from collections.abc import Sequence

from raidtui.core import digest

_FIRST, _LAST = "# {mark}: from here", "# {mark}: to here"


class LinesChanged(ValueError):
    """Half a sentence, with the fix."""


def block(lines: Sequence[str], mark: str) -> bytes:
    return "".join(f"{line}\n" for line in (_FIRST.format(mark=mark), *lines, _LAST.format(mark=mark))).encode()


def with_lines(old_content: bytes | None, lines: Sequence[str], mark: str, *, at_top: bool = False) -> bytes:
    """Unchanged if they are in it. LinesChanged if others are in their place."""
    old_content, added = old_content or b"", block(lines, mark)
    if holds(old_content, lines, mark):
        return old_content
    if _marks(old_content, mark):
        raise _changed(mark)
    at = _top(old_content) if at_top else len(old_content)
    return _ended(old_content[:at]) + added + old_content[at:]


def _top(content: bytes) -> int:
    """Insert position: after leading indented lines, which would continue an inserted one."""
    insert_at = next_line = 0
    for line in content.splitlines(keepends=True):
        if not line[:1].isspace() and not line.startswith(b"#"):
            break
        next_line += len(line)
        insert_at = next_line if line.strip() and line[:1].isspace() else insert_at
    return insert_at


def _ended(content: bytes) -> bytes:
    return content + b"\n" if content and not content.endswith(b"\n") else content


def holds(content: bytes | None, lines: Sequence[str], mark: str) -> bool:
    """Complete, once, as own lines."""
    added, content = block(lines, mark), content or b""
    at = content.find(added)
    alone = content.count(added) == 1 and _marks(content, mark) == 2
    return alone and (at == 0 or content[at - 1 : at] == b"\n")


def _marks(content: bytes, mark: str) -> int:
    mark_lines = {text.format(mark=mark).encode() for text in (_FIRST, _LAST)}
    return sum(line in mark_lines for line in content.split(b"\n"))


def _changed(mark: str) -> LinesChanged:
    return LinesChanged(f"the lines between “{_FIRST.format(mark=mark)}” and “to here” were changed since")


def without_lines(current: bytes | None, content_before: bytes | None, lines: Sequence[str], mark: str) -> bytes | None:
    """`content_before` if nothing else changed; else `current`, others' edits kept. LinesChanged if edited."""
    if current is None or not _marks(current, mark):
        return current  # or somebody took them out
    if not holds(current, lines, mark):
        raise _changed(mark)
    without_block = current.replace(block(lines, mark), b"")
    return content_before if without_block == _ended(content_before or b"") else without_block


def diff(path: str, old: bytes | None, new: bytes | None) -> tuple[str, ...]:
    (old_lines, old_name), (new_lines, new_name) = _lines_and_name(path, old), _lines_and_name(path, new)
    from difflib import unified_diff

    return tuple(unified_diff(old_lines, new_lines, old_name, new_name, lineterm=""))


def _lines_and_name(path: str, content: bytes | None) -> tuple[list[str], str]:
    return (content or b"").decode(errors="replace").splitlines(), path if content is not None else "/dev/null"


def sha256(content: bytes | None) -> str:
    return "" if content is None else digest.sha256(content).hexdigest()
