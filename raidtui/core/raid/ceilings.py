"""Limits of a rate besides disks: narrowest link, submitters' CPUs, md's writing thread. Host costs are measured in a
run; before that assumed, and results limited by them are marked.
"""

import enum
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from raidtui.core.raid.levels import copies, level


class Limit(enum.Enum):
    DISKS = "disks"
    QUEUE = "queue"
    LINK = "link"
    CPU = "cpu"
    MD_THREAD = "md-thread"


ASSUMED_OF_HOST = frozenset({Limit.CPU, Limit.MD_THREAD})


class HostLimits(msgspec.Struct, frozen=True):
    """CPU seconds per operation: fio's per request, md's per operation it issues. Assumed 3 us and 1 us, so one process
    reads about 250,000 blocks/s (libaio: 200,000 to 500,000 seen per CPU). A RAID 4, 5, 6 thread writes about 10^5/s;
    one thread unless `group_thread_cnt` (kernel raid5.c: `raid5d`, `raid5_do_work`).
    """

    fio_s_per_operation: float = 3e-6
    md_s_per_operation: float = 1e-6
    processes: int = 1
    parity_threads: int = 1
    parity_writes_per_s: float = 1e5
    assumed: frozenset[Limit] = ASSUMED_OF_HOST  # which of its limits nobody measured


class Traffic(NamedTuple):
    """Disk operations of one small write, and bytes of each; a small read is one."""

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
    """IOPS allowed by each existing limit. `endless`: unlimited submitters. A link carries both directions at once:
    writes of copies and parity, reads before parity writes.
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
    """Bytes written to members per user byte, in full stripes."""
    return copies(key, layout, disks) * disks / (disks - level(key).parity_disks)
