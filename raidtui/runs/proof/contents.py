"""What the members of a proof's array hold, by the array's addresses. Reads only, by direct I/O."""

from raidtui.core.disks.machine import SECTOR_BYTES, sysfs_name
from raidtui.core.plan.steps import resolve
from raidtui.core.proof import addresses
from raidtui.core.proof.addresses import Geography, MemberByte
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
        name = self._node(place).removeprefix("/dev/")
        return place.offset + self._context.host.data_offset_bytes(self._array, name)

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
        slots = {}
        for index in range(len(self._context.plan.members)):
            name = self._context.node(index).removeprefix("/dev/")
            slot = self._context.host.text(f"/sys/block/{self._array}/md/dev-{sysfs_name(name)}/slot")
            if slot.isdecimal():
                slots[int(slot)] = index
        return slots

    def _geography(self) -> Geography | None:
        array, setup = self._stage.array, self._stage.setup
        assert array
        sizes = [self._context.plan.members[index].size_bytes for index in sorted(self.slots.values())]
        count = (setup.disks if setup else 0) or (
            len(self._context.plan.members) - self._stage.journals - self._stage.spares
        )
        used = array.capacity.member_used_bytes
        return addresses.geography(array.level, array.layout, (sizes * count)[:count], array.chunk_bytes, used)

    def _start_bytes(self, device: str) -> int:
        """Where what is proved begins on the array."""
        if self._stage.layer:
            return LAYERS[self._stage.layer.kind].start_bytes(self._stage.layer.align_bytes)
        name = resolve(device, self._context.device_of).removeprefix("/dev/")
        start = self._context.host.text(f"/sys/class/block/{sysfs_name(name)}/start")
        return int(start) * SECTOR_BYTES if start.isdecimal() else 0
