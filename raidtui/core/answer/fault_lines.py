"""Faults in lines: a run's, a disk's or a figure's, one row a fault; a burn-in's verdicts."""

from collections.abc import Callable, Sequence

from raidtui.core.answer import numbers
from raidtui.core.answer.numbers import DASH, TIMES, figure, lower, pair, percent
from raidtui.core.answer.values import DisksJudged, Fault, FaultName, Method
from raidtui.core.results.expectation import LITTLE_DIFFERS

_MOST_DISKS = 6  # in lines of their own; the report has all
_MOST_NAMED = 3  # of what failed
_ORDER = ("passed", "failed", "no self-test", "not checked")


def _of(fault: Fault) -> str:
    return f"{fault.figure:.0f} of {fault.of:.0f}"


def _own(fault: Fault) -> str:
    return figure(fault.figure, fault.unit)


def _base(fault: Fault) -> str:
    return figure(fault.of, fault.unit)


def _slow(fault: Fault) -> str:
    if fault.base == "expected":
        return f"array {_own(fault)} of about {_base(fault)}"
    return f"{_own(fault)} vs median {_base(fault)}"


def _limit(fault: Fault) -> str:
    shown = (*((numbers.brief(fault.cause),) if fault.cause else ()), *fault.evidence)
    return (
        f"All disks at once slower than one: {_own(fault)} vs {_base(fault)}, {lower(fault.test)} ({'; '.join(shown)})"
    )


def _beyond(fault: Fault) -> str:
    where = f"{fault.subject or 'array'}, {lower(fault.test)}"
    return f"Excluded: {where}: {_own(fault)} exceeds {fault.base} ({_base(fault)})"


def _of_several(fault: Fault) -> str:
    """`RAID 5, random 4K write, 41 vs 53 IOPS (2 results)`, of `runs` results."""
    figures = pair(fault.figure or 0.0, fault.of or 0.0, fault.unit)
    count = f" ({fault.runs} results)" if fault.runs > 1 else ""
    return f"{', '.join(filter(None, (fault.subject, lower(fault.test), figures)))}{count}"


def _yardstick(fault: Fault) -> str:
    return f"Excluded: {fault.subject}, {lower(fault.test)} ({_own(fault)}), {fault.evidence[0]}"


def _contradicted(fault: Fault) -> str:
    return f"Excluded from ranking (!): {_of(fault)} results; {LITTLE_DIFFERS}"


_WORDS: dict[FaultName, Callable[[Fault], str]] = {
    "not whole": lambda fault: f"Run {fault.subject}: {_of(fault)} tests have a result",
    "failed": lambda fault: f"Failed: {_of(fault)} tests ({fault.subject}{'' if fault.figure == 1 else ', …'})",
    "errors": lambda fault: f"Disk errors: {'; '.join(fault.evidence)}",
    "damaged": lambda fault: f"Journal damaged: {fault.figure:.0f} lines unreadable",
    "resumed": lambda fault: "Resumed after a reboot: results are from two boots",
    "disturbed": lambda fault: f"Disturbed baseline, {lower(fault.test)}: one disk {_own(fault)}, all {_base(fault)}",
    "limit": _limit,
    "slow disk": lambda fault: f"Slow disk {fault.where} ({fault.subject}): {_slow(fault)}, {lower(fault.test)}",
    "unsure disk": lambda fault: f"Disk {fault.subject}: possibly slow (n.s.)",
    "beyond": _beyond,
    "yardstick": _yardstick,
    "two rates": lambda fault: f"fio vs kernel: {_of_several(fault)}",
    "slower": lambda fault: f"Slower than one disk: {_of_several(fault)}",
    "contradicted": _contradicted,
    "drift": lambda fault: f"Drift {percent(fault.figure or 1.0)} over {fault.runs} passes, {lower(fault.test)}",
    "unequal": lambda fault: f"Unequal disks ({_own(fault)} to {_base(fault)}): RAID 0 uses the ends of larger ones",
    "buffered": lambda fault: "Buffered I/O: results include the page cache",
}
_DETAIL: dict[FaultName, Callable[[Fault], str]] = {
    "beyond": lambda fault: "; ".join(filter(None, (fault.where, *fault.evidence))),
    "contradicted": lambda fault: ", ".join(filter(None, (lower(fault.test), fault.subject, *fault.evidence))),
    "disturbed": lambda fault: "; ".join(fault.evidence),
    "slow disk": lambda fault: f"Slow in {', '.join(fault.evidence)}",
}


def lines(faults: Sequence[Fault]) -> list[str]:
    """A line each, the worst first, and what proves it."""
    texts = []
    for fault in faults:
        detail = _DETAIL[fault.name](fault) if fault.name in _DETAIL else ""
        texts += [_WORDS[fault.name](fault), *([detail] if detail else [])]
    return texts


def headline(faults: Sequence[Fault]) -> str:
    """The slow disk, which says more than what it makes of each figure."""
    return next((_WORDS[fault.name](fault) for fault in faults if fault.name == "slow disk"), "")


def caveat(faults: Sequence[Fault]) -> str:
    """The worst that is no headline in one line, and how many more."""
    told = [fault for fault in faults if fault.name != "slow disk"]
    if not told:
        return ""
    more = f" (+{len(told) - 1} more)" if len(told) > 1 else ""
    return f"{_WORDS[told[0].name](told[0])}{more}"


def method(how: Method) -> str:
    low, high = how.queue or (0, 0)
    queue = f", QD{low}" + (f"{DASH}{high}" if high != low else "") if how.queue else ""
    if how.runs > 1:
        spread = tuple(f"{100 * share:.1f}" for share in how.spread) if how.spread else ()
        deviation = f", run-to-run SD {spread[0] if spread[0] == spread[1] else DASH.join(spread)} %" if spread else ""
        return f"Median of {how.runs} {TIMES} {how.seconds:.0f} s{queue}{deviation}"
    chance = "spread between disks judges differences" if how.by_disks else f"±{100 * (how.single or 0):.0f} %"
    return f"Single run, {how.seconds:.0f} s{queue}: {chance}{'' if how.by_disks else ' (SD 5 % assumed)'}"


def of_disks(found: DisksJudged) -> list[str]:
    counts = ", ".join(f"{found.verdicts[name]} {name}" for name in _ORDER if found.verdicts.get(name))
    texts = [f"FAILED, {serial}: {_what_failed(what)}" for serial, what in found.failed.items()]
    more = [f"{len(texts) - _MOST_DISKS} more disks failed (report)"] if len(texts) > _MOST_DISKS else []
    return [f"Disks: {counts} (of {found.disks})", *texts[:_MOST_DISKS], *more]


def _what_failed(what: tuple[str, ...]) -> str:
    more = f" and {len(what) - _MOST_NAMED} more" if len(what) > _MOST_NAMED else ""
    return f"{', '.join(what[:_MOST_NAMED])}{more}"
