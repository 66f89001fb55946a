"""What fio prints of data that are not as written (verify.c)."""

import re

import msgspec

_WRONG = re.compile(r" at file (.+?) offset (\d+)")  # a bad checksum, magic, header or pattern
_PATTERN = re.compile(r"verify failed at file .+? offset (\d+)")
_WITHIN = re.compile(r"bad pattern block offset (\d+)")


class WrongBlock(msgspec.Struct, frozen=True):
    """A request with another pattern than written, from byte `within` of it on."""

    offset_bytes: int
    within_bytes: int


def first_by_path(printed: str) -> dict[str, int]:
    """Path -> first place, in the order of printing."""
    first: dict[str, int] = {}
    for path, offset in _WRONG.findall(printed):
        first.setdefault(path, int(offset))
    return first


def blocks(printed: str) -> list[WrongBlock]:
    """Each once."""
    offsets = dict.fromkeys(map(int, _PATTERN.findall(printed)))
    within = [*map(int, _WITHIN.findall(printed)), *([0] * len(offsets))]
    return [WrongBlock(*block) for block in zip(offsets, within, strict=False)]
