"""Limits of a rate besides disks: narrowest link, submitters' CPUs, md's parity threads and its lock. Host costs are
measured in a run; before that assumed, and results limited by them are marked.
"""

import enum
import math
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from raidtui.core.raid.levels import copies, level
from raidtui.core.text import is_since


class Limit(enum.Enum):
    DISKS = "disks"
    QUEUE = "queue"
    LINK = "link"
    CPU = "cpu"
    MD_THREAD = "md-thread"
    MD_LOCK = "md-lock"


ASSUMED_OF_HOST = frozenset({Limit.CPU, Limit.MD_THREAD, Limit.MD_LOCK})
PAGE_BYTES = 4096  # of a stripe: md's unit of parity work
_UNLOCKED = (5, 14)  # Linux: no shared lock of small parity reads from here (raid5.c: raid5_read_one_chunk)
_LOCKED_READS_PER_S, _READS_PER_S = 1.2e6, 5.5e6


class HostLimits(msgspec.Struct, frozen=True):
    """CPU seconds per operation: fio's per request, md's per operation it issues. One process writes 225,000, 143,000,
    92,000 blocks/s in 1, 2, 4 copies. A RAID 4, 5, 6 thread does 58,000 to 70,000 small writes/s, 108,000 to 116,000
    pages of full stripes/s; one thread unless `group_thread_cnt` (kernel raid5.c: `raid5d`, `raid5_do_work`).
    `parity_reads_per_s`: small, of an array. `end_…`: of a request's further chunks, which end one by one. Sources:
    docs/theory.md, "Assumed of a host".
    """

    fio_s_per_operation: float = 2.5e-6
    md_s_per_operation: float = 2.1e-6
    end_s_per_chunk: float = 1.5e-6
    end_s_per_page: float = 0.12e-6
    processes: int = 1
    parity_threads: int = 1
    parity_writes_per_s: float = 65e3
    parity_pages_per_s: float = 110e3
    parity_reads_per_s: float = _READS_PER_S
    assumed: frozenset[Limit] = ASSUMED_OF_HOST  # which of its limits nobody measured


NO_LIMITS = HostLimits(
    fio_s_per_operation=1e-12,
    md_s_per_operation=0.0,
    end_s_per_chunk=0.0,
    end_s_per_page=0.0,
    parity_writes_per_s=math.inf,
    parity_pages_per_s=math.inf,
    parity_reads_per_s=math.inf,
)


def parity_reads_per_s(kernel: str) -> float:
    """By the kernel's release; "" or unknown: a recent one."""
    return _LOCKED_READS_PER_S if is_since(kernel, _UNLOCKED) is False else _READS_PER_S


def md_parities(key: str) -> int:
    row = level(key)
    return row.parity_disks if row.md_name else 0


def stripe_bytes_per_s(key: str, disks: int, host: HostLimits) -> float:
    """User bytes of full stripes that md's parity threads let through; infinite without parity."""
    parities = md_parities(key)
    pages = host.parity_threads * host.parity_pages_per_s
    return pages * (disks - parities) * PAGE_BYTES if parities else math.inf


class Traffic(NamedTuple):
    """Disk operations of one small write, and bytes of each; a small read is one."""

    written: int
    read_before: int
    block_bytes: int = PAGE_BYTES


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
    parity = md_parities(key) > 0
    if not endless:
        # md's parity levels hand writes to a thread of their own; mirrors' copies are handed on one by one.
        handed_on = read_share + write_share * (1 if parity else traffic.written)
        md_s = host.md_s_per_operation * handed_on if key != "jbod" else 0.0
        by_limit[Limit.CPU] = host.processes / (host.fio_s_per_operation + md_s)
    if parity and write_share:
        by_limit[Limit.MD_THREAD] = host.parity_threads * host.parity_writes_per_s / write_share
    if parity and read_share:
        by_limit[Limit.MD_LOCK] = host.parity_reads_per_s / read_share
    return by_limit


def stored_share(key: str, disks: int, layout: str | None) -> float:
    """Bytes written to members per user byte, in full stripes."""
    return copies(key, layout, disks) * disks / (disks - level(key).parity_disks)
