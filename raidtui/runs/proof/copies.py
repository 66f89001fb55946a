"""Members of a proof's array compared with the pattern, and with each other: which one is wrong, and where first."""

from collections.abc import Callable, Iterator

import msgspec

from raidtui.core.proof import addresses, pattern
from raidtui.core.proof.addresses import Geography, MemberByte
from raidtui.core.proof.pattern import REQUEST_BYTES, BlockDiffers, Found, PatternSpan
from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.runs.proof.contents import MemberContents

_SHOWN = 8


class PatternedMembers:
    """`spans` with `tags`: the pattern of what is proved, as it should be there now."""

    def __init__(self, contents: MemberContents, tags: tuple[str, ...], spans: tuple[PatternSpan, ...]) -> None:
        self.contents, self._tags, self._spans = contents, tags, spans

    def of_copies(self, request: int, otherwise: bytes) -> BlockDiffers | None:
        """The first copy of a request that differs, with its member. `otherwise`: stands in for members that are out;
        of ciphertext copies that differ from each other.
        """
        where = self.contents.geography
        if where is None:
            return None
        if self.contents.is_encrypted:
            return self._unequal(where, self.contents.start_bytes + request, REQUEST_BYTES)
        address = self.contents.start_bytes + request
        found = ((number, self.contents.copy(number, address, otherwise)) for number in range(where.count))
        return next((block for number, copy in found if (block := self.of_copy(request, number, copy))), None)

    def differs(self, place: MemberByte) -> bool:
        """Whether the member holds something else than the array should have there. False where nothing was written."""
        assert place.address is not None
        down = self.contents.at(place) % SECTOR_BYTES
        address = place.address - self.contents.start_bytes - down
        span = self._span(address)
        if span is None:
            return False
        request = pattern.request_of(span, address)
        expected = pattern.content(self._tags[span.tag], request, address - request, SECTOR_BYTES)
        begin = MemberByte(place.member, place.offset - down, place.address - down)
        return self.contents.read(begin, SECTOR_BYTES) != expected

    def first(self, array_bytes: int, goes_on: Callable[[], bool]) -> BlockDiffers | None:
        """Of what a check of the whole array counts one difference, where the pattern tells the disk before elsewhere:
        copies that differ, parity that is wrong.
        """
        where = self.contents.geography
        found = (self._first(where, step) for step in self._steps(where, array_bytes)) if where else iter(())
        while goes_on():
            try:
                if block := next(found):
                    return block
            except StopIteration:
                break
        return None

    def _steps(self, where: Geography, array_bytes: int) -> Iterator[tuple[int, int]]:
        size = where.row_bytes or REQUEST_BYTES
        for is_known in (True, False):
            for at in range(0, array_bytes, size):
                if (self._span(at - self.contents.start_bytes) is not None) == is_known:
                    yield at, min(size, array_bytes - at)

    def _first(self, where: Geography, step: tuple[int, int]) -> BlockDiffers | None:
        return self.of_stripe(step[0] // where.row_bytes) if where.row_bytes else self._unequal(where, *step)

    def _unequal(self, where: Geography, address: int, size_bytes: int) -> BlockDiffers | None:
        """Copies that are not equal; the wrong one where the pattern tells."""
        first = self.contents.copy(0, address, bytes(size_bytes))
        others = (self.contents.copy(number, address, first) for number in range(1, where.count))
        at = min((_first_difference(first, other) for other in others if other != first), default=None)
        if at is None:
            return None
        if block := self._by_pattern(address + at):
            return block
        members = tuple(self.contents.identity(place) for place in where.copies(address + at))
        return self._raw(address + at, Found.COPIES, among=members)

    def of_stripe(self, row: int) -> BlockDiffers | None:
        """Parity that is wrong, or data of it that differs from the pattern."""
        where = self.contents.geography
        assert where
        stripe, found = self.contents.stripe(row)
        if not (wrong := addresses.wrong(stripe, found, where.layout, where.disks)):
            return None
        place, expected = next(iter(wrong.items()))
        at = _first_difference(found[place.member], expected)
        data = [one.address + at for one in stripe if one.address is not None]
        named = (self._by_pattern(address) for address in data)
        if block := next((block for block in named if block), None):
            return block
        is_known = all(self._span(address - self.contents.start_bytes) for address in data)
        if not (is_known and not self.contents.is_encrypted) and len(wrong) == len(stripe) - len(data):
            members = tuple(self.contents.identity(one) for one in stripe)
            return self._raw(data[0], Found.PARITY, among=members)
        return self._raw(data[0], Found.PARITY, place, at, expected[at:], found[place.member][at:])

    def _by_pattern(self, address: int) -> BlockDiffers | None:
        """The first copy that differs from the pattern, of the request over this byte of the array."""
        request = (address - self.contents.start_bytes) // REQUEST_BYTES * REQUEST_BYTES
        span = self._span(request)
        if span is None or self.contents.is_encrypted:
            return None
        return self.of_copies(request, pattern.content(self._tags[span.tag], request))

    def of_copy(self, request: int, number: int, found: bytes) -> BlockDiffers | None:
        """How what was `found` as this copy of a request differs, with its member."""
        span = self._span(request)
        assert span and self.contents.geography
        mismatch = pattern.compare(self._tags, span, request, found)
        if mismatch is None:
            return None
        address = self.contents.start_bytes + request + mismatch.offset
        place = self.contents.geography.copies(address)[number]
        return msgspec.structs.replace(
            pattern.located(request, mismatch),
            array_bytes=address,
            member=self.contents.identity(place),
            member_bytes=self.contents.at(place),
        )

    def _span(self, address: int) -> PatternSpan | None:
        return next((span for span in self._spans if span.covers(address)), None)

    def _raw(
        self,
        address: int,
        kind: Found,
        place: MemberByte | None = None,
        within: int = 0,
        expected: bytes = b"",
        found: bytes = b"",
        among: tuple[str, ...] = (),
    ) -> BlockDiffers:
        return BlockDiffers(
            request_bytes=max(0, address - self.contents.start_bytes),
            offset_bytes=0,
            count_bytes=1,
            array_bytes=address,
            member=self.contents.identity(place) if place else "",
            member_bytes=self.contents.at(place) + within if place else None,
            expected=expected[:_SHOWN].hex(),
            found=found[:_SHOWN].hex(),
            kind=kind.value,
            among=among,
        )


def _first_difference(one: bytes, other: bytes) -> int:
    return next(at for at in range(len(one)) if one[at : at + 1] != other[at : at + 1])
