"""Suspects: settings and shapes that may limit an array or carry it beyond the model; none is measured."""

from collections.abc import Callable

from raidtui.core.plan.tunables import Case, Recorded, possible
from raidtui.core.raid.levels import layout10
from raidtui.core.results import deviation
from raidtui.core.results.deviation import Deviation, tight_link

SHORT_STROKE = 0.10
_FAR = -0.7
_EQUAL = 0.02  # of an array, that unequal members put on fewer disks and nobody notices


_Rule = Callable[[Deviation], deviation.Suspect | None]


def _other(name: deviation.OtherName, is_so: Callable[[Deviation], bool]) -> _Rule:
    return lambda facts: deviation.Other(name) if is_so(facts) else None


def _is_far_off(facts: Deviation) -> bool:
    """At random; parity writes are far below by themselves."""
    return facts.deviation < _FAR and facts.job.kind == "random" and not (facts.parity and facts.is_write)


def _settings(facts: Deviation) -> list[deviation.Suspect]:
    rw = f"{'' if facts.job.kind == 'sequential' else 'rand'}{facts.job.name}"
    cell = deviation.cell_of(facts.plan, facts.stage) if facts.stage.setup else None
    case = Case(cell, {"rw": rw, "direct": not facts.buffered}, len(facts.members))
    values = {row.key: row.suspected(case, Recorded(facts.detail)) for row in possible(case)}
    return [deviation.TunableValue(key, value) for key, value in values.items() if value]


def _bus_not_full(facts: Deviation) -> deviation.Link | None:
    link, is_full = tight_link(facts)
    return None if is_full else link


def _zones(facts: Deviation) -> deviation.UnequalDisks | None:
    """Of RAID 0 alone: it takes all of unequal disks, the end of the larger ones striped over these only."""
    if facts.stage.array is None or facts.stage.array.level != "0" or facts.job.kind != "sequential":
        return None
    sizes = [member.size_bytes for member in facts.members]
    share = 1 - len(sizes) * min(sizes) / sum(sizes)
    return deviation.UnequalDisks(share, len(sizes)) if share >= _EQUAL else None


def _short_strokes(facts: Deviation) -> deviation.ShortStrokes | None:
    holds = facts.stage.array.capacity.array_bytes if facts.stage.array else 0
    share = facts.job.trial.span_bytes / holds if holds and facts.job.trial.span_bytes else 1.0
    if facts.flash or facts.job.kind == "sequential" or share >= SHORT_STROKE:
        return None
    return deviation.ShortStrokes(share)


def _balancer(facts: Deviation) -> deviation.NearBalancer | None:
    """Of sequential reads of RAID 10 near; of small ones the model knows the balancer."""
    array = facts.stage.array
    if array is None or array.level != "10" or facts.is_write or facts.job.kind != "sequential":
        return None
    is_near = layout10(array.layout or None).kind == "near"
    return deviation.NearBalancer(lucky=facts.deviation > 0) if is_near else None


def _mirrors(facts: Deviation) -> deviation.MirrorReads | None:
    queue = (facts.job.trial.iodepth or 1) * (facts.job.trial.numjobs or 1)
    mirror = facts.stage.array is not None and facts.stage.array.level == "1"
    if not mirror or facts.is_write or facts.job.kind != "sequential" or queue < 2:
        return None
    return deviation.MirrorReads(queue)


def _are_write_caches_on(facts: Deviation) -> bool:
    return facts.is_write and facts.job.kind == "random" and facts.write_caches != {"write through"}


_OF_SLOWER: tuple[_Rule, ...] = (
    _other("file-start", lambda facts: facts.file_start),
    _bus_not_full,
    _other("controller", _is_far_off),
    _other("journal", lambda facts: facts.is_write and bool(facts.stage.journals)),
    _zones,
    _balancer,
    _other("read-ahead", lambda facts: facts.buffered and not facts.is_write),
)
_OF_FASTER: tuple[_Rule, ...] = (
    _short_strokes,
    _other("buffered", lambda facts: facts.buffered),
    _balancer,
    _mirrors,
    _other("zeros", lambda facts: facts.flash and "zero_buffers" in facts.options),  # some SSDs do not store them
    _other("write-caches", _are_write_caches_on),
)


def suspects(facts: Deviation) -> tuple[deviation.Suspect, ...]:
    slower = facts.deviation < 0
    others = (rule(facts) for rule in (_OF_SLOWER if slower else _OF_FASTER))
    return (*(_settings(facts) if slower else ()), *filter(None, others))
