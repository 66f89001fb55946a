"""UUID notations: libblkid 8-4-4-4-12 digits, mdadm four words of 8, LVM 6-4-4-4-4-4-6."""

import re
from itertools import pairwise

_OF_LVM = (0, 6, 10, 14, 18, 22, 26, 32)  # where its groups begin; it takes letters, too (lib/uuid/uuid.c)


def as_md(uuid: str) -> str:
    bare = digits(uuid)
    if not bare:
        return ""
    return ":".join(bare[start : start + 8] for start in range(0, 32, 8))


def as_lvm(uuid: str) -> str:
    bare = digits(uuid)
    return "-".join(bare[start:end] for start, end in pairwise(_OF_LVM))


def digits(uuid: str) -> str:
    return re.sub("[:-]", "", uuid).lower()
