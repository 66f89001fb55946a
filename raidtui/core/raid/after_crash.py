"""Crash consistency of md arrays: bitmap, none, PPL or journal, in the words of mdadm and the kernel."""

import msgspec


class AfterCrash(msgspec.Struct, frozen=True, kw_only=True):
    """`policy`: md/consistency_policy. `option` sets it, `away` removes it from an existing array. `disk_option` names
    its own disk to mdadm, after all other devices: data start where the first named one has room. `name`: of what is on
    the members, or "". `levels`: the only ones that have it; empty: all with redundancy.
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
        return 1 if self.disk_option else 0

    @property
    def only_of(self) -> str:
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
    return [name for name, row in AFTER_CRASH.items() if not row.levels or key in row.levels]
