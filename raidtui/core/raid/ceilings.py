"""What limits a rate besides the disks: the narrowest link, the submitters' processors, md's one writing thread.

Knows rates only, no bus and no machine. What a host takes per operation is measured in a run; before one it is assumed,
and figures that it limits are marked so.
"""

import enum
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from raidtui.core.raid.levels import copies, level


class Limit(enum.Enum):
    """What a figure is limited by."""

    DISKS = "disks"
    QUEUE = "queue"
    LINK = "link"
    CPU = "cpu"
    MD_THREAD = "md-thread"


ASSUMED_OF_HOST = frozenset({Limit.CPU, Limit.MD_THREAD})


class HostLimits(msgspec.Struct, frozen=True):
    """Processor seconds an operation: fio's for a user's, md's for each that it hands on; who submits and who writes.

    Until measured, assumed: 3 us and 1 us, so that one process reads about 250,000 blocks a second (a job of libaio is
    seen at 200,000 to 500,000 a processor); a thread of RAID 4, 5, 6 writes of the order of 10^5 a second, and there
    is one unless `group_thread_cnt` says otherwise (kernel raid5.c: `raid5d`, `raid5_do_work`).
    """

    fio_s_per_operation: float = 3e-6
    md_s_per_operation: float = 1e-6
    processes: int = 1
    parity_threads: int = 1
    parity_writes_per_s: float = 1e5
    assumed: frozenset[Limit] = ASSUMED_OF_HOST  # which of its limits nobody measured


class Traffic(NamedTuple):
    """Operations on disks for one small write of a user's, and the bytes of each; a small read is one."""

    written: int
    read_before: int
    block_bytes: int = 4096


def ceilings(
    key: str,
    traffic: Traffic,
    read_share: float,
    host: HostLimits,
    link_bytes_per_s: float | None,
    endless: bool,
) -> Mapping[Limit, float]:
    """The IOPS that each lets through; only those that there are. `endless`: as many processes submit as it takes.

    A link carries both ways at once: what is written to copies and parity, what is read before parity is written.
    """
    write_share = 1 - read_share
    by_limit: dict[Limit, float] = {}
    if link_bytes_per_s is not None:
        towards = write_share * traffic.written
        back = read_share + write_share * traffic.read_before
        by_limit[Limit.LINK] = link_bytes_per_s / traffic.block_bytes / max(towards, back)
    parity = level(key).parity_disks > 0
    if not endless:
        # md's parity levels hand writes to a thread of their own; mirrors' copies are handed on one by one.
        handed_on = read_share + write_share * (1 if parity else traffic.written)
        md_s = host.md_s_per_operation * handed_on if key != "jbod" else 0.0
        by_limit[Limit.CPU] = host.processes / (host.fio_s_per_operation + md_s)
    if parity and write_share:
        by_limit[Limit.MD_THREAD] = host.parity_threads * host.parity_writes_per_s / write_share
    return by_limit


def stored_share(key: str, disks: int, layout: str | None) -> float:
    """Bytes that members are written for each byte of a user's, in whole stripes."""
    return copies(key, layout, disks) * disks / (disks - level(key).parity_disks)
