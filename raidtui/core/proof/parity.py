"""Parity of one stripe from its data, as md computes it: P is the sum, Q the sum of multiples (raid6 in the kernel's
lib/raid6, order of the disks in raid5.c: `set_syndrome_sources`).
"""

from collections.abc import Mapping, Sequence

from raidtui.core.proof.addresses import MemberByte

_POLYNOMIAL = 0x1D  # of the field with 256 elements, without x^8
_OF_DDF = "ddf-"  # layouts whose multiples count all disks, parity too


def wrong(
    stripe: Sequence[MemberByte], contents: Mapping[int, bytes], layout: str | None, disks: int
) -> dict[MemberByte, bytes]:
    """Parity that is not that of the data -> as it should be. `contents`: of each member there, of equal length."""
    data = [place for place in stripe if place.address is not None]
    parity = [place for place in stripe if place.address is None]
    should = [_sum([contents[place.member] for place in data])]
    if len(parity) > 1:
        ordered = _multiplied(data, parity, layout, disks)
        should.append(_sum_of_multiples([contents[member] if member >= 0 else b"" for member in ordered]))
    there = zip(parity, should, strict=True)
    return {place: expected for place, expected in there if contents[place.member] != expected}


def _multiplied(data: Sequence[MemberByte], parity: Sequence[MemberByte], layout: str | None, disks: int) -> list[int]:
    """Members of the data by their power of two, from the lowest one on; -1: none of it."""
    of_data = {place.member for place in data}
    if (layout or "").startswith(_OF_DDF):
        return [member if member in of_data else -1 for member in range(disks)]
    begin = parity[1].member + 1
    around = [(begin + step) % disks for step in range(disks)]
    return [member for member in around if member in of_data]


def _sum(blocks: Sequence[bytes]) -> bytes:
    total = 0
    for block in blocks:
        total ^= int.from_bytes(block, "little")
    return total.to_bytes(max(map(len, blocks)), "little")


def _sum_of_multiples(blocks: Sequence[bytes]) -> bytes:
    """By Horner's rule, from the highest power down."""
    size_bytes = max(map(len, blocks))
    low, ones = (int.from_bytes(bytes((byte,)) * size_bytes, "little") for byte in (0x7F, 0x01))
    total = 0
    for block in reversed(blocks):
        total = ((total & low) << 1) ^ ((total >> 7 & ones) * _POLYNOMIAL)
        total ^= int.from_bytes(block, "little")
    return total.to_bytes(size_bytes, "little")
