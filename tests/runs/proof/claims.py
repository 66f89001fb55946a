"""What a state of a proof claims with members out, by md's own rules of reading (docs/recipes.md)."""

from collections.abc import Sequence

from raidtui.core.proof.addresses import MemberByte


def is_needed(place: MemberByte, together: Sequence[MemberByte], out: tuple[int, ...]) -> bool:
    """Whether md reads it where these are out: the only copy left, data, parity that data are computed from."""
    parity = [one for one in together if one.address is None]
    if not parity:
        return all(one.member in out for one in together if one.member != place.member)
    lost = [one for one in together if one.member in out]
    lost_data = [one for one in lost if one.address is not None]
    is_q = len(parity) == 2 and place == parity[1]
    return place.address is not None or (bool(lost_data) and (len(lost) == 2 or not is_q))
