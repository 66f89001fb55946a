"""Causes and suspects in words. Judges nothing."""

from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.results import deviation
from raidtui.core.results.causes import also_read
from raidtui.core.run import kernel
from raidtui.core.units import MB, signed_percent

_WHAT_EXPLAINS = "`raidtui explain` (on Results f, then x on its line)"
_OTHERS = {
    "file-start": "where the test file begins: theory takes that for the grid of its requests, off it each can take two"
    " disks",
    "controller": "what lies between the disks and the program (controller-bound?)",
    "read-ahead": "read-ahead, on which one stream through the page cache lives",
    "buffered": "the page cache, which may take part",
    "zeros": "the zeros that are written, which some SSDs do not store",
    "journal": "the journal, to whose one disk everything is written before it goes to the others",
    "write-caches": "the disks' own write caches, which take small writes",
}


def words(cause: deviation.Cause | deviation.Suspect) -> str:
    """Of a cause a clause, of a suspect a noun with what it does."""
    match cause:
        case deviation.KernelMessages(messages):
            return kernel.words(messages)
        case deviation.AlsoRead(share, parity, moved, of_limit):
            at_once = f"{100 * of_limit:.0f} % of what they do at once without md"
            limit = f"; so they moved {moved / MB:.0f} MB/s in all, {at_once}" if moved else ""
            return f"{also_read(share, parity)}{limit}"
        case deviation.Penalty(measured, model):
            return (
                f"the disks did {measured.total:.1f} operations for each write"
                f" ({measured.reads:.1f} reads + {measured.writes:.1f} writes),"
                f" the model has {model.total:.1f} ({model.reads:.1f} + {model.writes:.1f})"
            )
        case deviation.Resync():
            return "a sync or check was running"
        case deviation.BusyDisk(disk, busy, least, most):
            of_others = " to ".join(dict.fromkeys(f"{100 * share:.0f}" for share in (least, most)))
            return f"{disk} was at work {100 * busy:.0f} % of the time, the others {of_others} %"
        case deviation.FullThreads(threads):
            used = " and ".join(f"{name} used {100 * share:.0f} % of a CPU" for name, share in threads)
            return f"{used}, and cannot use more"
        case deviation.Cpu():
            return _cpu(cause)
        case deviation.Hot(disk, reached_c, limit_c):
            return f"{disk} reached {reached_c:.0f} °C of {limit_c:.0f}: it slows itself down"
        case deviation.Link(link, disks):
            return link.words(disks)
        case deviation.Shared(share, of):
            of_alone = f"only {100 * share:.0f} % of what they do alone in this test, added up"
            small = f", which explains only a part of the {signed_percent(of)} %" if of is not None else ""
            return f"without the array all disks at once reach {of_alone}: a shared link, controller or CPU{small}"
        case deviation.PageCache(share):
            return f"the disks read {100 * share:.0f} % of what the program got: the page cache gave the rest"
        case deviation.TunableValue(tunable, value, buffered):
            return TUNABLES[tunable].suspicion(value, buffered)
        case deviation.UnequalDisks(share, disks):
            return f"disks that differ in size: {100 * share:.0f} % of the array lies on fewer than all {disks} of them"
        case deviation.NearBalancer(lucky):
            what = "where it is lucky" if lucky else "which does not always take all disks"
            return f"the read balancer of RAID 10 near, {what}"
        case deviation.MirrorReads(queue):
            reads = f"RAID 1, which reads a queue of {queue} from more than one disk"
            return f"{reads}: theory's is one stream, one request at a time"
        case deviation.ShortStrokes(share):
            return f"short strokes: the test spans {100 * share:.1g} % of the array"
        case deviation.Other(name):
            return _OTHERS[name]


def _cpu(cause: deviation.Cpu) -> str:
    whose = [f"{name} {100 * share:.0f} %" for name, share in cause.threads]
    rest = "the rest was the kernel's, or other programs'" if cause.mostly_others else ""
    of_whom = "; ".join(filter(None, (", ".join(whose), rest)))
    return (
        f"the processor {'may have been' if cause.mostly_others else 'was'} the limit: a CPU was at work"
        f" {100 * cause.busiest:.0f} % of the time{f' ({of_whom})' if of_whom else ''}"
        f"{f', {100 * cause.all_at_once:.0f} % with all disks at once' if cause.all_at_once else ''},"
        f" and had time for {100 * cause.headroom:.0f} % more work at most"
    )


def suspected(causes: deviation.Causes) -> str:
    """Its suspects, or'ed; "" without."""
    return "; or ".join(map(words, causes.suspects))


def single(causes: deviation.Causes) -> tuple[str, ...]:
    """As `sentences`, but each suspect by itself."""
    if causes.chance:
        return sentences(causes)
    suspects = (f"could be {words(suspect)}" for suspect in causes.suspects)
    return (*map(words, causes.evident), *suspects) or sentences(causes)


def sentences(causes: deviation.Causes) -> tuple[str, ...]:
    """Each cause, then what could be one; that it may be chance; or that nothing recorded explains it."""
    if causes.deviation is None:
        return ()
    evident = tuple(map(words, causes.evident))
    if causes.chance:
        return (*evident, "may be chance: so few repetitions differ by as much")
    besides = "besides it " if evident else ""
    could = f"{besides}could be {suspected(causes)}: {_WHAT_EXPLAINS} would tell" if causes.suspects else ""
    told = (*evident, *((could,) if could else ()))
    return told or (f"nothing that was recorded explains it: {_WHAT_EXPLAINS} looks further",)
