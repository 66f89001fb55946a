"""Causes and suspects in words. Judges nothing."""

from raidtui.core.answer.numbers import between, share
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.results import deviation
from raidtui.core.run import kernel
from raidtui.core.units import MB, change

_NAMES = {
    "journal": "write journal on one disk",
    "file-start": "file offset on the array",
    "controller": "controller",
    "read-ahead": "read-ahead",
    "buffered": "page cache",
    "zeros": "zeros written",
    "write-caches": "disk write caches",
}


def words(cause: deviation.Cause | deviation.Suspect) -> str:
    """A noun with its figures; of kernel messages their text."""
    match cause:
        case deviation.KernelMessages(messages):
            return kernel.words(messages)
        case deviation.SlowedByDisk(disk, of_typical):
            return f"slow disk {disk} ({share(of_typical)} of the typical disk)"
        case deviation.AlsoRead(of_writes, _, moved, of_limit):
            limit = f" ({moved / MB:.0f} MB/s in all, {share(of_limit)} of their limit)" if moved else ""
            return f"disks read {share(of_writes)} as many I/Os as they wrote{limit}"
        case deviation.Penalty(measured, model):
            split = f"{measured.reads:.1f} reads + {measured.writes:.1f} writes"
            return f"{measured.total:.1f} disk I/Os per write ({split}, model {model.total:.1f})"
        case deviation.Resync():
            return "resync or check running"
        case deviation.BusyDisk(disk, busy, least, most):
            return f"{disk} {share(busy)} busy (others {between(f'{100 * least:.0f}', f'{100 * most:.0f}')} %)"
        case deviation.FullThreads(threads):
            return ", ".join(f"thread {name} at {share(used)} of a CPU" for name, used in threads)
        case deviation.Cpu():
            return _cpu(cause)
        case deviation.Hot(disk, reached_c, limit_c):
            return f"{disk} throttles at {reached_c:.0f} °C (limit {limit_c:.0f})"
        case deviation.Link(link, disks):
            return link.describe(disks)
        case deviation.Shared(of_alone, of):
            part = f", part of {change(of)}" if of is not None else ""
            return f"shared link, controller or CPU (all disks at once {share(of_alone)}{part})"
        case deviation.PageCache(from_disks):
            return f"page cache (disks read {share(from_disks)} of it)"
        case deviation.TunableValue(tunable, value):
            return TUNABLES[tunable].describe(value)
        case deviation.UnequalDisks(of_array, disks):
            return f"unequal disks ({share(of_array)} of the array on fewer than {disks})"
        case deviation.NearBalancer():
            return "read balancing of RAID 10 near"
        case deviation.MirrorReads(queue):
            return f"RAID 1 reads at QD{queue} from several disks"
        case deviation.ShortStrokes(of_array):
            return f"short strokes ({100 * of_array:.1g} % of the array)"
        case deviation.Other(name):
            return _NAMES[name]


def _cpu(cause: deviation.Cpu) -> str:
    parts = [
        f"busiest core {share(cause.busiest)}",
        *(f"{name} {share(used)}" for name, used in cause.threads),
        f"{share(cause.all_at_once)} without md" if cause.all_at_once else f"headroom {share(cause.headroom)}",
    ]
    return f"CPU ({', '.join(filter(None, parts))})"


def brief(cause: deviation.Cause | deviation.Suspect) -> str:
    """For a line of an answer: kernel messages are counted."""
    if isinstance(cause, deviation.KernelMessages):
        return f"{len(cause.messages)} kernel message{'' if len(cause.messages) == 1 else 's'}"
    return words(cause)


def lines(causes: deviation.Causes) -> tuple[str, ...]:
    """Each cause, then each suspect; of a deviation within noise that, of one without either that it is unknown."""
    if causes.deviation is None:
        return ()
    if causes.chance:
        return ("n.s.",)
    evident = tuple(f"cause: {words(cause)}" for cause in causes.evident)
    return (*evident, *(f"suspect: {words(suspect)}" for suspect in causes.suspects)) or ("cause unknown",)
