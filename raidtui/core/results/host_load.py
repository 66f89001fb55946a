"""CPU time an operation, as a run measured it of fio's and md's threads; where they used little, the assumed
one stays.
"""

from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from raidtui.core.fio.measurement import BUSIEST, FIO, Measurement
from raidtui.core.raid.ceilings import HostLimits, Limit, parity_reads_per_s

_FEWEST = 0.5  # of a processor: less says little about what an operation costs
_POLLING = "hipri"  # of fio: a thread that polls is always busy


def host_limits(
    measured: Sequence[Measurement],
    options: Mapping[str, str],
    processes: int,
    threads: int | None,
    kernel: str = "",
    stripe_pages: float = 0.0,
) -> HostLimits:
    """From the array's own tests: service demand law, X <= 1 / D (Denning, Buzen 1978), D = busy share / rate.
    `processes` submit, `threads`: md's `group_thread_cnt` (None: not set); `stripe_pages` of parity work an operation
    of full stripes is, 0 of a small one.
    """
    reads = parity_reads_per_s(kernel)
    limits = HostLimits(processes=processes, parity_threads=threads or 1, parity_reads_per_s=reads)
    if options.get(_POLLING, "0") == "0" and (fio := _seconds_each(measured, FIO)):
        # A thread's system time has md's part of submitting in it.
        measured_limits = msgspec.structs.replace(limits, fio_s_per_operation=fio * processes, md_s_per_operation=0.0)
        limits = _measured(measured_limits, Limit.CPU)
    md = {name for measurement in measured for name in measurement.cpu if name not in (FIO, BUSIEST)}
    # With threads of its own group, others than md's named one do the work.
    if not threads and len(md) == 1 and (seconds_each := _seconds_each(measured, md.pop(), writes_only=True)):
        of_thread = "parity_pages_per_s" if stripe_pages else "parity_writes_per_s"
        measured_rate = {of_thread: (stripe_pages or 1) / seconds_each}
        limits = _measured(msgspec.structs.replace(limits, **measured_rate), Limit.MD_THREAD)
    return limits


def _measured(limits: HostLimits, limit: Limit) -> HostLimits:
    return msgspec.structs.replace(limits, assumed=limits.assumed - {limit})


def _seconds_each(measured: Sequence[Measurement], thread: str, *, writes_only: bool = False) -> float | None:
    """Seconds of a processor for each of the user's operations, where the thread was busy enough to tell."""
    seconds_each = []
    for measurement in measured:
        by_direction = [measurement.write] if writes_only else [measurement.read, measurement.write]
        rate = sum(transfers.iops for transfers in by_direction if transfers)
        share = measurement.cpu.get(thread, 0.0)
        if rate and share >= _FEWEST:
            seconds_each.append(share / rate)
    return median(seconds_each) if seconds_each else None
