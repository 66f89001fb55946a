"""Acknowledged writes of a proof: whole requests of the pattern, in order, each synced before a witness outside of this
machine gets its line. After a power cut all that the witness has must be there; what was written after that may be.
"""

import re
from collections.abc import Iterable

import msgspec

from raidtui.core.proof import pattern
from raidtui.core.proof.pattern import REQUEST_BYTES, Count, Mismatch, PatternSpan, ProofPlan
from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.core.text import brief, clean

WORDS = "power cut"  # of the state
SHOWN_DIGITS = 8  # of the tag, in a line
_LINE = re.compile(rf"([0-9a-f]{{{SHOWN_DIGITS}}}) ([0-9]{{1,15}})", re.ASCII)
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.%]{2,60}\]|[A-Za-z0-9._-]{1,253}):([0-9]{1,5})", re.ASCII)
_MOST_TAGS = 8  # of passes over the array, that a block is looked for in
_SECTORS = range(0, REQUEST_BYTES, SECTOR_BYTES)  # a disk writes each in one piece


def why_not_witness(witness: str) -> str:
    """Half a sentence; "" if it is the path of a device, or a host and a port."""
    port = _HOST.fullmatch(witness)
    is_path = witness.startswith("/") and clean(witness) == witness
    if is_path or (port and 1 <= int(port[1]) <= 65535):
        return ""
    return f'{brief(repr(witness))} is no witness; write a serial line such as "/dev/ttyS0", or "HOST:PORT"'


class CopiesAsked(msgspec.Struct, frozen=True, kw_only=True):
    """After a power cut, before md may write: each acknowledged write is on `copies` members. `stripes`: whose parity
    is right; `left_out`: those, or copies of writes, that the writer may have been in. `why_not`: not asked.
    """

    copies: Count = 0
    stripes: Count = 0
    left_out: Count = 0
    why_not: str = ""


class AcknowledgedWrites(msgspec.Struct, frozen=True):
    """Numbers count from 1. Once all `requests` from `begin_bytes` on are written, they are written again with the next
    tag: in each pass a block tells its number.
    """

    tag: str
    begin_bytes: int
    requests: int

    def tag_of(self, number: int) -> str:
        passes = (number - 1) // self.requests
        return f"{(int(self.tag, 16) + passes) % (1 << 64):016x}"

    def address(self, number: int) -> int:
        return self.begin_bytes + (number - 1) % self.requests * REQUEST_BYTES

    def line(self, number: int) -> str:
        return f"{self.tag[:SHOWN_DIGITS]} {number}\n"

    def due(self, acknowledged: int) -> range:
        """Numbers whose blocks must be there: of each place the last one that the witness has."""
        return range(max(1, acknowledged - self.requests + 1), acknowledged + 1)

    def expected(self, earlier: tuple[str, ...], acknowledged: int) -> tuple[tuple[str, ...], tuple[PatternSpan, ...]]:
        """Tags and spans of all that is due."""
        passes, last = divmod(acknowledged - 1, self.requests)
        tags = (*earlier, *(self.tag_of(1 + number * self.requests) for number in range(passes + 1)))[-_MOST_TAGS:]
        new_bytes, old_bytes = (last + 1) * REQUEST_BYTES, (self.requests - last - 1) * REQUEST_BYTES
        spans = [PatternSpan(len(tags) - 1, self.begin_bytes, new_bytes, new_bytes)]
        if passes and old_bytes:
            spans.append(PatternSpan(len(tags) - 2, self.begin_bytes + new_bytes, old_bytes, old_bytes))
        return tags, tuple(spans)

    def addresses(self, first: int, last: int) -> set[int]:
        """Addresses of the requests with these numbers, both included."""
        return {self.address(number) for number in range(first, min(last, first + self.requests - 1) + 1)}

    def is_begun(self, number: int, found: bytes) -> bool:
        """Whether any sector of this write is there."""
        new = pattern.content(self.tag_of(number), self.address(number))
        return any(found[at : at + SECTOR_BYTES] == new[at : at + SECTOR_BYTES] for at in _SECTORS)

    def compare(self, earlier: tuple[str, ...], number: int, found: bytes) -> Mismatch | None:
        """What differs from this write. A later one over it that the witness does not have may be there in part."""
        address = self.address(number)
        span = PatternSpan(len(earlier), address, REQUEST_BYTES, REQUEST_BYTES)
        mismatch = pattern.compare((*earlier, self.tag_of(number)), span, address, found)
        if mismatch is None:
            return None
        older, newer = (pattern.content(self.tag_of(one), address) for one in (number, number + self.requests))
        sectors = [slice(at, at + SECTOR_BYTES) for at in _SECTORS]
        is_either = len(found) == REQUEST_BYTES and all(found[at] in (older[at], newer[at]) for at in sectors)
        return None if is_either else mismatch


def writes_of(proof: ProofPlan, tag: str) -> AcknowledgedWrites:
    """Over all that the proof has between its first and its last part."""
    spans = proof.states[0].spans
    begin_bytes, last = spans[0].begin_bytes, spans[-1]
    return AcknowledgedWrites(tag, begin_bytes, (last.begin_bytes + last.size_bytes - begin_bytes) // REQUEST_BYTES)


def is_line(text: str) -> bool:
    return _LINE.fullmatch(text) is not None


def acknowledged(lines: Iterable[str], tag: str) -> int:
    """The highest number in the witness' lines of this tag; 0 without one. Other words on a serial line are passed."""
    matches = (_LINE.fullmatch(line.strip()) for line in lines)
    return max((int(match[2]) for match in matches if match and tag.startswith(match[1])), default=0)
