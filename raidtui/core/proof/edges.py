"""What a proof leaves at both ends of its device, between which its pattern lies. They are zeroed before the first part
is written: what is found there later was not there then. A mark in the first MiB says that the proof is not over: by
it an array whose first part was only begun is known from one with somebody's data.
"""

from raidtui.core.proof.pattern import LEFT_OUT_BYTES, ProofPlan

MARK_AT: int = LEFT_OUT_BYTES // 2  # no partition table, file system or layer has its own signature there
MARK = "raidtui run {run}, plan {code}: this array is being proved\n"  # a step's stdin


def begins(proof: ProofPlan, size_bytes: int) -> tuple[int, int]:
    """Where both begin. `size_bytes`: of the device, for a plan that does not tell."""
    return 0, (proof.room_bytes or size_bytes) - LEFT_OUT_BYTES


def is_marked(first: bytes, mark: bytes) -> bool:
    """Whether the first MiB holds the mark and zeros, as the proof leaves it."""
    return first == bytes(MARK_AT) + mark + bytes(LEFT_OUT_BYTES - MARK_AT - len(mark))
