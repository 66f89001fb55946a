"""One UUID in its notations: libblkid writes groups of 8-4-4-4-12 digits, mdadm four words of eight."""

import re


def as_md(uuid: str) -> str:
    """A UUID in mdadm's notation: four words of eight digits."""
    bare = digits(uuid)
    return ":".join(bare[start : start + 8] for start in range(0, 32, 8))


def digits(uuid: str) -> str:
    """A UUID without the marks between its digits."""
    return re.sub("[:-]", "", uuid).lower()
