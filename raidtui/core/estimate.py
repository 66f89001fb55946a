"""How long a plan will take and how much it will write, before anything is measured.

Knows what disks are assumed to do and what short commands have been seen to take; the model is `theory`.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core import fiojob, theory
from raidtui.core.answers import FioOptions, Setup
from raidtui.core.capacity import Capacity
from raidtui.core.compared import directions
from raidtui.core.levels import Level, copies, level
from raidtui.core.steps import Check, Command, Step, Wait

ASSUMED_BYTES_PER_S = {True: 180e6, False: 450e6, None: 180e6}  # of a disk not measured yet, by `rotational`
_ASSUMED_IOPS = {True: 150.0, False: 50_000.0, None: 150.0}
TRIAL_S = 1.5  # fio's own start and end, and the look at the disks around it
_DIRTY_SHARE = 0.2  # of memory that may be dirty when a buffered job ends: vm.dirty_ratio
# Seconds of commands, medians of recorded runs; what is done to each member costs each time.
_COMMAND_S = {"mdadm --create": 3.0, "mkfs": 3.0, "mount": 1.0, "umount": 0.5, "sfdisk": 1.0}
_SHORT_S = 0.3
_SETTLE_S = 1.0
_LOOK_S = {"members-free": 1.0, "members-blank": 0.4}


class Pace(msgspec.Struct, frozen=True):
    """What one disk does, bytes/s and IOPS; how much memory the machine has (0: not known)."""

    bytes_per_s: float
    iops: float
    memory_bytes: int = 0


class Work(msgspec.Struct, frozen=True):
    """Of one trial: how long it lasts, and the bytes that its jobs write, all together, before parity and copies."""

    duration_s: float
    written_bytes: float


def assumed(rotational: bool | None, memory_bytes: int = 0, bytes_per_s: float = 0.0, iops: float = 0.0) -> Pace:
    """The pace of disks of this kind, unless it is known what they do."""
    return Pace(bytes_per_s or ASSUMED_BYTES_PER_S[rotational], iops or _ASSUMED_IOPS[rotational], memory_bytes)


def work_of(options: FioOptions, setup: Setup | None, disks: int, span_bytes: int, pace: Pace) -> Work:
    """What a job with these options does on a setup over `disks` disks (None: on that many bare ones).

    `span_bytes` is what all its jobs go over together. A job ends by its time, or before it with its size.
    """
    reading, writing = _rates(options, setup, disks, pace)
    ways = directions(str(options.get("rw", "read")))
    share = _written_share(ways)
    rate = 1 / ((1 - share) / reading + share / writing)
    by_size = span_bytes / rate
    runtime = fiojob.seconds(options, "runtime")
    lasts = runtime if options.get("time_based") else min(runtime or by_size, by_size)
    lasts += fiojob.seconds(options, "ramp_time")
    written = rate * share * lasts
    if written and options.get("end_fsync") and not options.get("direct"):
        lasts += min(written, _DIRTY_SHARE * pace.memory_bytes) / rate
    return Work(lasts, written)


def _written_share(ways: Sequence[str]) -> float:
    """Which share of its bytes a job writes: all, none, or of a mix half."""
    return ("write" in ways) / len(ways)


def _rates(options: FioOptions, setup: Setup | None, disks: int, pace: Pace) -> tuple[float, float]:
    """Bytes/s of reads and of writes, by the model."""
    key = setup.level if setup is not None and level(setup.level).md_name else "jbod"
    layout = (setup.layout or None) if setup is not None and key == "10" else None
    model = theory.predict(key, disks, pace.bytes_per_s, pace.iops, layout=layout)
    if fiojob.is_sequential(str(options.get("rw", "read"))):
        return model.seq_read_bytes_per_s, model.seq_write_bytes_per_s
    block = fiojob.block_bytes(options)
    # Small transfers are bound by operations, large ones by the disks' speed.
    return (
        min(model.rand_read_iops * block, model.seq_read_bytes_per_s),
        min(model.rand_write_iops * block, model.seq_write_bytes_per_s),
    )


def written_of(setup: Setup | None, disks: int, user_bytes: float) -> int:
    """What the members together are written for so many bytes of a user's, whole stripes."""
    if setup is None:
        return int(user_bytes)
    row = level(setup.level)
    stored = copies(row.key, setup.layout or row.default_layout, disks)
    return int(user_bytes * stored * disks / (disks - row.parity_disks))


def sync_bytes(row: Level, layout: str, disks: int, holds: Capacity) -> int:
    """What the first sync writes: every copy but the first, each parity."""
    redundant = row.parity_disks or disks * (1 - 1 / copies(row.key, layout or None, disks))
    return int(holds.member_used_bytes * redundant)


def step_s(step: Step, members: int) -> float:
    """How long a step may take that is no trial."""
    match step:
        case Wait(condition="settled"):
            return _SETTLE_S
        case Wait(estimate_s=estimate_s):
            return estimate_s
        case Check(question=question):
            return _LOOK_S.get(question, 0.0) * (members if question == "members-blank" else 1)
        case Command(argv=argv, estimate_s=estimate_s):
            named = " ".join(argv[:2]) if argv[0] == "mdadm" else argv[0].partition(".")[0]
            return estimate_s or _COMMAND_S.get(named, _SHORT_S)
    return 0.0
