"""A written machine whose members hold real bytes: what is written to the array lies on them as md lays it out, and is
read from them as md reads it, degraded too. Parity by tables of its own.
"""

from collections.abc import Iterator, Sequence
from functools import cache, reduce
from pathlib import Path

from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Between, ProofAnswers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.proof import pattern
from raidtui.core.proof.addresses import Geography, MemberByte
from raidtui.runs.waiting import Ended
from tests.builders.machines import device, machine
from tests.builders.plans import planned
from tests.runs.proof.proving import ProofRig
from tests.runs.rig import Argv

MIB = 1 << 20
OFFSET = 8 * MIB  # of the data on a member
_LETTERS = "abcdefgh"
_FAILED = "verify failed at file /dev/md127 offset {at}, length 1 (requested block: offset={at})\n"


def seen_of(disks: int, size_bytes: int) -> Machine:
    sizes = {"size": str(size_bytes // 512)}
    return machine(*(device(f"sd{letter}", attributes=sizes) for letter in _LETTERS[:disks]))


def plan_of(
    seen: Machine, level: str, layout: str = "", proof: ProofAnswers | None = None, between: Between = ""
) -> Plan:
    chunk = "" if level == "1" else "64KiB"
    given = Setup(level=level, layout=layout, chunk=chunk, filesystem="ext4" if between else "none", between=between)
    return planned(disks_of(seen), given, recipe="proof", proof=proof or ProofAnswers())


@cache
def _table(factor: int) -> bytes:
    """Multiples of each byte in the field with 256 elements."""

    def times(byte: int) -> int:
        product, one = 0, factor
        for bit in range(8):
            product ^= one if byte >> bit & 1 else 0
            one = one << 1 ^ (0x11D if one & 0x80 else 0)
        return product

    return bytes(map(times, range(256)))


@cache
def _power(exponent: int) -> int:
    return 1 if not exponent else _table(2)[_power(exponent - 1)]


def _inverse(number: int) -> int:
    return _table(number).index(1)


def _sum(*blocks: bytes) -> bytes:
    total = reduce(lambda one, other: one ^ int.from_bytes(other, "little"), blocks, 0)
    return total.to_bytes(len(blocks[0]), "little")


def _times(factor: int, block: bytes) -> bytes:
    return block.translate(_table(factor))


class MemberRig(ProofRig):
    """`members`: what each holds behind its data offset; `prefers`: the copy that md reads, of those that are there."""

    def __init__(self, folder: Path, plan: Plan, seen: Machine) -> None:
        super().__init__(folder, plan, seen)
        array = self.plan.stages[-1].array
        assert array
        used = array.capacity.member_used_bytes
        self.where = Geography(array.level, array.layout, len(seen.devices), array.chunk_bytes or 0, used)
        self.logical = bytearray(array.capacity.array_bytes)
        self.members = [bytearray(used) for _ in seen.devices]
        self.prefers = 0

    def present(self) -> set[int]:
        return {_LETTERS.index(name[-1]) for name in self.slaves("md127")}

    # What md and fio do

    def _done(self, argv: Argv) -> Ended:
        ended = super()._done(argv)
        match argv[:2]:
            case ("mdadm", "--remove"):
                number = _LETTERS.index(argv[-1][-1])
                self.members[number] = bytearray(len(self.members[number]))
            case ("mdadm", "--add"):
                self._store(0, len(self.logical), {_LETTERS.index(argv[-1][-1])})
            case ("mdadm", "--action=check"):
                self.mismatches = "8" if self.unequal() else "0"
            case ("fio", _):
                options = dict(word.removeprefix("--").partition("=")[::2] for word in argv)
                return self._fio(options)
        return ended

    def _fio(self, options: dict[str, str]) -> Ended:
        begin, size = int(options["offset"]), int(options["size"])
        tag = options["verify_pattern"].removeprefix("0x").partition("%")[0]
        failed = []
        for at in range(begin, begin + size, MIB):
            expected = pattern.content(tag, at)
            if options["rw"] == "write":
                self.logical[at : at + MIB] = expected
                self._store(at, MIB, self.present())
            elif self.read(at, MIB) != expected:
                failed.append(at)
        return Ended(bool(failed), "".join(_FAILED.format(at=at) for at in failed))

    def write_array(self, at: int, piece: bytes) -> None:
        self.logical[at : at + len(piece)] = piece
        self._store(at, len(piece), self.present())

    def _store(self, address: int, size: int, on: set[int]) -> None:
        for at, length in self.where.pieces(address, size):
            for place in self.where.copies(at):
                if place.member in on:
                    self.members[place.member][place.offset : place.offset + length] = self.logical[at : at + length]
        for row in self.where.rows(address, size):
            data, parity = self._stripe(row)
            begins = [place.address or 0 for place in data]
            blocks = [bytes(self.logical[begin : begin + self.where.chunk_bytes]) for begin in begins]
            for place, block in zip(parity, self._parity(blocks), strict=False):
                if place.member in on:
                    self._chunk(place, block)

    def _stripe(self, row: int) -> tuple[list[MemberByte], list[MemberByte]]:
        stripe = self.where.stripe(row * self.where.row_bytes)
        return [one for one in stripe if one.address is not None], [one for one in stripe if one.address is None]

    def _parity(self, data: list[bytes]) -> list[bytes]:
        return [_sum(*data), _sum(*(_times(_power(number), block) for number, block in enumerate(data)))]

    def _chunk(self, place: MemberByte, block: bytes | None = None) -> bytes:
        there = slice(place.offset, place.offset + self.where.chunk_bytes)
        if block is not None:
            self.members[place.member][there] = block
        return bytes(self.members[place.member][there])

    def read(self, address: int, size: int) -> bytes:
        """As md gives it back."""
        present, found = self.present(), bytearray()
        for at, length in self.where.pieces(address, size):
            copies = [place for place in self.where.copies(at) if place.member in present]
            if copies:
                place = copies[self.prefers % len(copies)]
                found += self.members[place.member][place.offset : place.offset + length]
            else:
                within = at % self.where.chunk_bytes
                found += self._computed(at, present)[within : within + length]
        return bytes(found)

    def _computed(self, address: int, present: set[int]) -> bytes:
        """The chunk around an address whose disk is out."""
        data, parity = self._stripe(address // self.where.row_bytes)
        numbers = dict(enumerate(data))
        begin = address - address % self.where.chunk_bytes
        wanted = next(number for number, one in numbers.items() if one.address == begin)
        there = {number: self._chunk(one) for number, one in numbers.items() if one.member in present}
        others = [number for number in numbers if number not in there and number != wanted]
        if not others and parity[0].member in present:
            return _sum(self._chunk(parity[0]), *there.values())
        multiples = [_times(_power(number), block) for number, block in there.items()]
        of_q = _sum(self._chunk(parity[1]), *multiples)
        if not others:
            return _times(_inverse(_power(wanted)), of_q)
        (other,) = others
        of_p = _sum(self._chunk(parity[0]), *there.values())
        both = _sum(of_q, _times(_power(other), of_p))
        return _times(_inverse(_power(wanted) ^ _power(other)), both)

    def unequal(self) -> bool:
        """What md's check counts."""
        if self.where.row_bytes:
            rows = (self._stripe(row) for row in range(len(self.logical) // self.where.row_bytes))
            return any(
                self._chunk(place) != should
                for data, parity in rows
                for place, should in zip(parity, self._parity([self._chunk(one) for one in data]), strict=False)
            )
        step = self.where.chunk_bytes or MIB
        copies = (self.where.copies(at) for at in range(0, len(self.logical), step))
        return any(
            len({bytes(self.members[one.member][one.offset : one.offset + step]) for one in places}) > 1
            for places in copies
        )

    # What a host is asked

    def text(self, path: str | Path) -> str:
        parts = Path(path).parts
        if parts[-1] == "slot" and parts[-2].startswith("dev-sd"):
            name = parts[-2].removeprefix("dev-")
            return str(_LETTERS.index(name[-1])) if name in self.slaves("md127") else ""
        return super().text(path)

    def data_offset_bytes(self, array: str, member: str) -> int:
        return OFFSET

    def read_bytes(self, node: str, offset: int, size_bytes: int) -> bytes:
        assert not (offset % 4096 or size_bytes % 4096)  # disks with sectors of 4 KiB take nothing else
        if node == "/dev/md127":
            return self.read(offset, size_bytes)
        member = self.members[_LETTERS.index(node[-1])]
        return bytes(member[offset - OFFSET : offset - OFFSET + size_bytes])

    # Plantings

    def zero(self, member: int, places: Sequence[tuple[int, int]]) -> None:
        """Zeros over these offsets and lengths of a member."""
        for offset, length in places:
            self.members[member][offset : offset + length] = bytes(length)

    def chunks(self, member: int) -> Iterator[tuple[MemberByte, tuple[MemberByte, ...]]]:
        """Each chunk of a member, with all places that hold the same or are computed with it."""
        step = self.where.row_bytes or self.where.chunk_bytes or MIB
        for at in range(0, len(self.logical), step):
            together = self.where.stripe(at) if self.where.row_bytes else self.where.copies(at)
            yield from ((place, together) for place in together if place.member == member)
