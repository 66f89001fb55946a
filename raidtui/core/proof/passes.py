"""By which pass of a proof each sector was written. A request may hold sectors of two: its writer was killed, or power
was cut.
"""

from collections.abc import Collection, Iterator

import msgspec

from raidtui.core.proof.pattern import REQUEST_BYTES, PatternSpan, ProofPlan, content
from raidtui.core.raid.capacity import SECTOR_BYTES

_SAMPLES = 8  # requests of a span
_TAG_BYTES, _PERIOD_BYTES = 8, 17
_MOST_PASSES = 1 << 20  # of acknowledged writes over the whole array
OTHER = ""  # in place of a tag: no pattern


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
        return tag != OTHER and any((int(tag, 16) - int(cut, 16)) % (1 << 64) < _MOST_PASSES for cut in self.cuts)


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
            zone_requests = span.zone_bytes // REQUEST_BYTES or count
            zone, within = divmod(number, zone_requests)
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
    return tag if len(tag) == 2 * _TAG_BYTES and sector == content(tag, request, start, len(sector)) else OTHER
