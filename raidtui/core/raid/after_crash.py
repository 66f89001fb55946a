"""What an md array goes by after a crash: a bitmap, nothing, a log or a journal, as mdadm and the kernel say it."""

import msgspec


class AfterCrash(msgspec.Struct, frozen=True, kw_only=True):
    """`policy`: the kernel's md/consistency_policy. `option` makes it, `away` takes it from an array that stands.

    `disk_option`, where it is on a disk of its own, is what names that to mdadm, behind all other devices: their data
    begin where the first one that is named has room for it. `name` is what lies on the array's disks for it, "" where
    nothing does; `levels` are the only ones that have it, none for all with redundancy.
    """

    policy: str
    option: str = ""
    disk_option: str = ""
    away: str = ""
    name: str = ""
    words: str
    levels: tuple[str, ...] = ()

    @property
    def disks(self) -> int:
        """How many disks it takes beside those that hold the array's data."""
        return 1 if self.disk_option else 0

    @property
    def only_of(self) -> str:
        """The levels that have it, in words: `RAID 4, 5 and 6`."""
        *others, last = self.levels
        return f"RAID {', '.join(others)}{' and ' if others else ''}{last}"


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
        levels=("5",),
    ),
    "journal": AfterCrash(
        policy="journal",
        disk_option="--write-journal=",
        words="journal on a disk of its own",
        levels=("4", "5", "6"),
    ),
}


def of_level(key: str) -> list[str]:
    """What an array of this level, one with redundancy, may go by."""
    return [name for name, row in AFTER_CRASH.items() if not row.levels or key in row.levels]
