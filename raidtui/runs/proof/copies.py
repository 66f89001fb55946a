"""Members of a proof's array compared with the pattern, and with each other: which one is wrong, and where first.

What the members of a proof's array hold, by the array's addresses. Reads only, by direct I/O.
"""

from collections.abc import Callable, Iterator

import msgspec

from raidtui.core.disks.machine import SECTOR_BYTES, sysfs_name
from raidtui.core.plan.steps import resolve
from raidtui.core.proof import addresses, pattern
from raidtui.core.proof.addresses import Geography, MemberByte
from raidtui.core.proof.pattern import REQUEST_BYTES, BlockDiffers, Found, PatternSpan
from raidtui.core.raid.layers import LAYERS
from raidtui.runs.context import StageContext

_READ_BYTES = 4096  # the larger sectors of some disks


class MemberContents:
    """Of the array of the stage, as it is now. `slots`: slot in the array -> index of the member: md may give a blank
    disk another slot than it had. `geography`: None if not known, or if md lists no member.
    """

    def __init__(self, context: StageContext) -> None:
        stage = context.stage
        assert stage and stage.proof and stage.array
        self._context, self._stage = context, stage
        self._array = context.array or ""
        self._parts = {index: context.part_with(index) for index in range(len(context.plan.members))}
        self.is_encrypted = stage.layer is not None and stage.layer.kind == "luks"
        self.slots = self._members_by_slot()
        self.geography = self._geography() if self.slots else None
        self.start_bytes = self._start_bytes(stage.proof.device)

    def is_there(self, place: MemberByte) -> bool:
        return place.member in self.slots

    def identity(self, place: MemberByte) -> str:
        return self._context.plan.members[self.slots[place.member]].id

    def at(self, place: MemberByte) -> int:
        """Its byte of the member's disk or partition."""
        name, part = self._node(place).removeprefix("/dev/"), self._parts[self.slots[place.member]] or ""
        return place.offset + self._context.host.data_offset_bytes(part, name)

    def read(self, place: MemberByte, size_bytes: int) -> bytes:
        """From there on. OSError if it cannot be read."""
        at_bytes = self.at(place)
        down = at_bytes % _READ_BYTES
        whole = -(-(down + size_bytes) // _READ_BYTES) * _READ_BYTES
        return self._context.host.read_bytes(self._node(place), at_bytes - down, whole)[down : down + size_bytes]

    def copy(self, number: int, address: int, otherwise: bytes) -> bytes:
        """A copy of as many bytes of the array as `otherwise`, which stands in for members that are out."""
        assert self.geography
        found = bytearray(otherwise)
        for at, length in self.geography.pieces(address, len(otherwise)):
            place = self.geography.copies(at)[number]
            if self.is_there(place):
                found[at - address : at - address + length] = self.read(place, length)
        return bytes(found)

    def stripe(self, row: int) -> tuple[tuple[MemberByte, ...], dict[int, bytes]]:
        """Its places, and what each member has there. KeyError if one is out."""
        assert self.geography
        stripe = self.geography.stripe(row * self.geography.row_bytes)
        return stripe, {place.member: self.read(place, self.geography.chunk_bytes) for place in stripe}

    def of_array(self, address: int, size_bytes: int) -> bytes:
        return self._context.host.read_bytes(f"/dev/{self._array}", address, size_bytes)

    def _node(self, place: MemberByte) -> str:
        return self._context.node(self.slots[place.member])

    def _members_by_slot(self) -> dict[int, int]:
        slots, groups = {}, self._context.groups
        assert self._stage.array
        for index, part in self._parts.items():
            name, group = self._context.node(index).removeprefix("/dev/"), self._stage.array.group_with(index)
            slot = self._context.host.text(f"/sys/block/{part}/md/dev-{sysfs_name(name)}/slot")
            if slot.isdecimal():
                slots[int(slot) + (groups[group].members[0] if group else 0)] = index
        return slots

    def _geography(self) -> Geography | None:
        array, setup = self._stage.array, self._stage.setup
        assert array
        sizes = [self._context.plan.members[index].size_bytes for index in sorted(self.slots.values())]
        count = (setup.disks if setup else 0) or (
            len(self._context.plan.members) - self._stage.journals - self._stage.spares
        )
        used = array.capacity.member_used_bytes
        of_members = (sizes * count)[:count]
        return addresses.geography(array.level, array.layout, of_members, array.chunk_bytes, used, array.capacity.outer)

    def _start_bytes(self, device: str) -> int:
        """Where what is proved begins on the array."""
        if self._stage.layer:
            return LAYERS[self._stage.layer.kind].start_bytes(self._stage.layer.align_bytes)
        name = resolve(device, self._context.device_of).removeprefix("/dev/")
        start = self._context.host.text(f"/sys/class/block/{sysfs_name(name)}/start")
        return int(start) * SECTOR_BYTES if start.isdecimal() else 0


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
        return self._raw(
            address + at,
            Found.COPIES,
            among=tuple(self.contents.identity(place) for place in where.copies(address + at)),
        )

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
            return self._raw(data[0], Found.PARITY, among=tuple(self.contents.identity(one) for one in stripe))
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
