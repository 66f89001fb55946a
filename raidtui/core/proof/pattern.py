"""The pattern of a proof: each request holds the run's tag and its own offset, so that dropped, stale and misplaced
blocks differ. As fio writes `verify_pattern=0xTAG%o0x5a` (%o: offset, little-endian); 17 bytes a period, so that pieces
moved within a request differ too.

What a proof leaves at both ends of its device, between which its pattern lies. They are zeroed before the first part
is written: what is found there later was not there then. A mark in the first MiB says that the proof is not over: by
it an array whose first part was only begun is known from one with somebody's data.

By which pass of a proof each sector was written. A request may hold sectors of two: its writer was killed, or power
was cut.
"""

import enum
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Annotated

import msgspec

from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.core.text import MOST_COUNTED
from raidtui.core.units import MIB

REQUEST_BYTES: int = MIB  # of fio; each begins with the pattern anew
LEFT_OUT_BYTES: int = MIB  # at both ends: the kernel may take a pattern there for a partition table
ZONE_BYTES: int = 16 * MIB  # of a share: long enough that a disk streams
PARTS = 3  # one is written again for each disk that is out
_END = b"\x5a"
_OFFSET_BYTES = 8
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNTED)]


class PatternSpan(msgspec.Struct, frozen=True):
    """Bytes of the verified device that hold tag number `tag`. `zone_bytes`: only zones are written, the next one
    `skip_bytes` behind (0: all of it); `written_bytes`: of them.
    """

    tag: int
    begin_bytes: int
    size_bytes: int
    written_bytes: int
    zone_bytes: int = 0
    skip_bytes: int = 0

    def with_tag(self, tag: int) -> "PatternSpan":
        return msgspec.structs.replace(self, tag=tag)

    def contains(self, address: int) -> bool:
        return self.begin_bytes <= address < self.begin_bytes + self.size_bytes

    def covers(self, address: int) -> bool:
        """Whether it was written there."""
        stride_bytes = self.zone_bytes + self.skip_bytes
        in_zone = not stride_bytes or (address - self.begin_bytes) % stride_bytes < self.zone_bytes
        return self.contains(address) and in_zone


class ProofState(msgspec.Struct, frozen=True):
    """A state of the array in which it is read back. `out`: members not in it; `spans`: as written by then. `checked`:
    md's check compares all copies and parity before.
    """

    words: str
    spans: tuple[PatternSpan, ...]
    out: tuple[int, ...] = ()
    checked: bool = False


class ProofPlan(msgspec.Struct, frozen=True):
    """`device`: placeholder of what is written and read; `tags`: 16 hexadecimal digits, or slots that become them.
    `first`: of its steps in the stage. `share`: of the device, 1 for all but both ends. `witness`: of the last state,
    in which power was cut ("": none such). `room_bytes`: of the device, whose ends were zeroed and marked before the
    first part is written (0: they were not).
    """

    device: str
    tags: tuple[str, ...]
    states: tuple[ProofState, ...]
    share: float = 1.0
    first: int = 0
    witness: str = ""
    room_bytes: int = 0

    @property
    def written_bytes(self) -> int:
        """Of the array, that are read back in each state."""
        return sum(span.written_bytes for span in self.states[0].spans)


class Found(enum.Enum):
    """What is there in place of a block."""

    ZEROS = "zeros"
    EARLIER = "an earlier write"
    ELSEWHERE = "the block of another offset"
    FLIPPED = "single bits differ"
    OTHER = "other data"
    PARITY = "wrong parity"
    COPIES = "copies that differ"


class Mismatch(msgspec.Struct, frozen=True):
    """First difference of a request: `offset` in it, `count` bytes to the end of the differing blocks of 4 KiB in a
    row. `from_bytes`: the offset that a misplaced block belongs to; `bits`: that differ, where few do.
    """

    offset: int
    count: int
    expected: bytes
    found: bytes
    kind: Found
    from_bytes: int | None = None
    bits: int = 0


class BlockDiffers(msgspec.Struct, frozen=True, kw_only=True):
    """First differing bytes of a request at `request_bytes` of the verified device. `array_bytes`: of the array.
    `member`: identity of the one that holds them ("": not known), at `member_bytes` of its disk or partition. `kind`:
    of `found`; `number`: of the acknowledged write. `again`: it differs when read a second time. `among`: identities
    of members whose copies differ from each other, which of them is wrong is not known.
    """

    request_bytes: Count
    offset_bytes: Count
    count_bytes: Count
    array_bytes: Count | None = None
    member: str = ""
    member_bytes: Count | None = None
    expected: str = ""
    found: str = ""
    kind: str = ""
    from_bytes: Count | None = None
    bits: Count = 0
    number: Count = 0
    again: bool = True
    among: tuple[str, ...] = ()


def option(tag: str) -> str:
    """fio's `verify_pattern`."""
    return f"0x{tag}%o0x5a"


def parts(size_bytes: int, share: float = 1.0) -> tuple[PatternSpan, ...]:
    """The device in `PARTS` parts, whole requests each. ValueError if too small for that."""
    requests = (size_bytes - 2 * LEFT_OUT_BYTES) // REQUEST_BYTES
    if requests < PARTS:
        raise ValueError(f"a proof needs {(PARTS * REQUEST_BYTES + 2 * LEFT_OUT_BYTES) // MIB} MiB or more")
    bounds = [LEFT_OUT_BYTES + requests * part // PARTS * REQUEST_BYTES for part in range(PARTS + 1)]
    return tuple(_span(begin, end - begin, share) for begin, end in pairwise(bounds))


def _span(begin_bytes: int, size_bytes: int, share: float) -> PatternSpan:
    """The first zone begins where the part does, the last one ends within a request per zone of its end."""
    zone_bytes = min(ZONE_BYTES, max(REQUEST_BYTES, size_bytes // 64 // REQUEST_BYTES * REQUEST_BYTES))
    zones = max(2, round(share * size_bytes / zone_bytes))
    stride_bytes = (size_bytes - zone_bytes) // (zones - 1) // REQUEST_BYTES * REQUEST_BYTES
    if share >= 1 or stride_bytes <= zone_bytes:
        return PatternSpan(0, begin_bytes, size_bytes, size_bytes)
    return PatternSpan(0, begin_bytes, size_bytes, zones * zone_bytes, zone_bytes, stride_bytes - zone_bytes)


def joined(spans: tuple[PatternSpan, ...]) -> tuple[PatternSpan, ...]:
    """Neighbours of one tag as one, unless they have zones: fewer passes over the device."""
    made: list[PatternSpan] = []
    for span in spans:
        last = made[-1] if made else None
        if last and not (last.zone_bytes or span.zone_bytes) and last.tag == span.tag:
            size_bytes = last.size_bytes + span.size_bytes
            made[-1] = PatternSpan(last.tag, last.begin_bytes, size_bytes, size_bytes)
        else:
            made.append(span)
    return tuple(made)


def request_of(span: PatternSpan, address: int) -> int:
    """Offset of the request that wrote `address`."""
    return address - (address - span.begin_bytes) % REQUEST_BYTES


def content(tag: str, request: int, start: int = 0, size_bytes: int = REQUEST_BYTES) -> bytes:
    """Bytes `start` to `start + size_bytes` of the request at offset `request`."""
    period = bytes.fromhex(tag) + request.to_bytes(_OFFSET_BYTES, "little") + _END
    phase = start % len(period)
    return (period * (size_bytes // len(period) + 2))[phase : phase + size_bytes]


def compare(tags: tuple[str, ...], span: PatternSpan, request: int, found: bytes) -> Mismatch | None:
    """What differs in a whole request; None if nothing does."""
    expected = content(tags[span.tag], request, 0, len(found))
    blocks = range(0, len(found), _BLOCK_BYTES)
    differing = [found[at : at + _BLOCK_BYTES] != expected[at : at + _BLOCK_BYTES] for at in blocks]
    if not any(differing):
        return None
    begin = differing.index(True)
    end = next((at for at in range(begin, len(differing)) if not differing[at]), len(differing))
    first = next(_differing(expected, found, blocks[begin]))
    last = max(_differing(expected, found, blocks[end - 1]))
    of_first = slice(first, min(last + 1, blocks[begin] + _BLOCK_BYTES))  # what follows may be another disk's
    there, wanted = found[of_first], expected[of_first]
    kind, from_bytes, bits = _kind(tags, span.tag, request, first, wanted, there)
    return Mismatch(first, last - first + 1, wanted[:_SHOWN], there[:_SHOWN], kind, from_bytes, bits)


def located(request: int, mismatch: Mismatch) -> BlockDiffers:
    """Where on the device that is proved."""
    return BlockDiffers(
        request_bytes=request,
        offset_bytes=mismatch.offset,
        count_bytes=mismatch.count,
        expected=mismatch.expected.hex(),
        found=mismatch.found.hex(),
        kind=mismatch.kind.value,
        from_bytes=mismatch.from_bytes,
        bits=mismatch.bits,
    )


_BLOCK_BYTES = 4096
_SHOWN = 8
_MOST_BYTES = 1 << 60  # of an array
_MOST_BITS = 64  # that are counted as single ones
_FEW_BYTES = 8  # that may be zeros, or an earlier pass, by chance


def _differing(expected: bytes, found: bytes, start: int) -> Iterator[int]:
    return (at for at in range(start, min(start + _BLOCK_BYTES, len(found))) if found[at] != expected[at])


def _kind(
    tags: tuple[str, ...], tag: int, request: int, first: int, wanted: bytes, there: bytes
) -> tuple[Found, int | None, int]:
    is_long = len(there) >= _FEW_BYTES
    if is_long and not any(there):
        return Found.ZEROS, None, 0
    for other in tags[:tag] if is_long else ():
        if there == content(other, request, first, len(there)):
            return Found.EARLIER, None, 0
    bits = sum((a ^ b).bit_count() for a, b in zip(wanted, there, strict=True))
    if (from_bytes := _origin(tags, there)) is not None and from_bytes != request:
        return Found.ELSEWHERE, from_bytes, 0
    return (Found.FLIPPED, None, bits) if bits <= _MOST_BITS else (Found.OTHER, None, 0)


def _origin(tags: tuple[str, ...], there: bytes) -> int | None:
    """Offset of the request whose pattern this is; None where it only looks like one."""
    for tag in map(bytes.fromhex, tags):
        at = there.find(tag)
        number = there[at + len(tag) : at + len(tag) + _OFFSET_BYTES]
        if at >= 0 and there[at + len(tag) + _OFFSET_BYTES :].startswith(_END + tag[:1]):
            origin = int.from_bytes(number, "little")
            return origin if origin % REQUEST_BYTES == 0 and origin < _MOST_BYTES else None
    return None


MARK_AT: int = LEFT_OUT_BYTES // 2  # no partition table, file system or layer has its own signature there
MARK = "raidtui run {run}, plan {code}: this array is being proved\n"  # a step's stdin


def begins(proof: ProofPlan, size_bytes: int) -> tuple[int, int]:
    """Where both begin. `size_bytes`: of the device, for a plan that does not tell."""
    return 0, (proof.room_bytes or size_bytes) - LEFT_OUT_BYTES


def is_marked(first: bytes, mark: bytes) -> bool:
    """Whether the first MiB holds the mark and zeros, as the proof leaves it."""
    return first == bytes(MARK_AT) + mark + bytes(LEFT_OUT_BYTES - MARK_AT - len(mark))


_SAMPLES = 8  # requests of a span
_TAG_BYTES, _PERIOD_BYTES = 8, 17
_MOST_PASSES = 1 << 20  # of acknowledged writes over the whole array
NO_TAG = ""  # in place of a tag: no pattern


class Passes(msgspec.Struct, frozen=True):
    """`spans`: as written by the last verified state, or by the first part. `filled`: that part was written to its end.
    `begun`: spans of the state that was being written (empty: none was). `cuts`: tags of acknowledged writes.
    """

    tags: tuple[str, ...]
    spans: tuple[PatternSpan, ...]
    filled: bool
    begun: tuple[PatternSpan, ...] = ()
    cuts: tuple[str, ...] = ()

    def is_of_plan(self, tag: str) -> bool:
        return tag in self.tags or self._is_cut(tag)

    def may_be(self, tag: str, address: int) -> bool:
        """Whether the journal explains this tag at this address. Before all is filled anything may be there, also the
        pattern of an earlier run on these disks.
        """
        spans = [span for span in (*self.spans, *self.begun) if span.covers(address)]
        is_old = not self.filled and not self.is_of_plan(tag)
        return tag in {self.tags[span.tag] for span in spans} or self._is_cut(tag) or is_old

    def is_later(self, tag: str) -> bool:
        """Of a pass that the journal does not tell of: the array is newer."""
        used = max(span.tag for span in (*self.spans, *self.begun))
        return tag in self.tags[used + 1 :]

    def _is_cut(self, tag: str) -> bool:
        return tag != NO_TAG and any((int(tag, 16) - int(cut, 16)) % (1 << 64) < _MOST_PASSES for cut in self.cuts)


def at_rest(proof: ProofPlan, verified: int, *, filled: bool, writing: bool, cuts: tuple[str, ...]) -> Passes:
    """After so many verified states. `writing`: the next one's pass was begun."""
    written = [state.spans for state in proof.states if state.spans]
    spans = written[min(max(verified, 1), len(written)) - 1]
    begun = written[verified] if writing and 0 < verified < len(written) else ()
    return Passes(proof.tags, spans, filled, begun, cuts)


def sampled(spans: Collection[PatternSpan]) -> Iterator[int]:
    """Offsets of requests: of each span the first, the last, and some between."""
    for span in spans:
        count = span.written_bytes // REQUEST_BYTES
        numbers = {round(step * (count - 1) / (_SAMPLES - 1)) for step in range(_SAMPLES)}
        for number in sorted(numbers):
            zone, within = divmod(number, span.zone_bytes // REQUEST_BYTES or count)
            yield span.begin_bytes + zone * (span.zone_bytes + span.skip_bytes) + within * REQUEST_BYTES


def tags_in(request: int, found: bytes) -> frozenset[str]:
    """The tags of a whole request's sectors, each at its own place; OTHER for each that holds none."""
    first = found[:_TAG_BYTES].hex()
    if found == content(first, request, 0, len(found)):
        return frozenset((first,))
    starts = range(0, len(found), SECTOR_BYTES)
    return frozenset(_tag(request, start, found[start : start + SECTOR_BYTES]) for start in starts)


def _tag(request: int, start: int, sector: bytes) -> str:
    first = -start % _PERIOD_BYTES
    tag = sector[first : first + _TAG_BYTES].hex()
    return tag if len(tag) == 2 * _TAG_BYTES and sector == content(tag, request, start, len(sector)) else NO_TAG
