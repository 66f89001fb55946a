"""What an md array goes by after a crash: a bitmap, nothing or a partial parity log, as mdadm and the kernel say it."""

import msgspec


class AfterCrash(msgspec.Struct, frozen=True, kw_only=True):
    """`policy`: the kernel's md/consistency_policy. `option` makes it, `away` takes it from an array that stands.

    `name` is what lies on the disks for it, "" where nothing does; `level` the only one that has it, "" for any with
    redundancy.
    """

    policy: str
    option: str
    away: str = ""
    name: str = ""
    words: str
    level: str = ""


AFTER_CRASH = {  # by what the answers call it
    "internal": AfterCrash(
        policy="bitmap", option="--bitmap=internal", away="--bitmap=none", name="bitmap", words="bitmap internal"
    ),
    "none": AfterCrash(policy="resync", option="--bitmap=none", words="no bitmap"),
    "ppl": AfterCrash(
        policy="ppl",
        option="--consistency-policy=ppl",
        away="--consistency-policy=resync",
        name="partial parity log",
        words="partial parity log",
        level="5",
    ),
}


def of_level(key: str) -> list[str]:
    """What an array of this level, one with redundancy, may go by."""
    return [name for name, row in AFTER_CRASH.items() if row.level in ("", key)]
