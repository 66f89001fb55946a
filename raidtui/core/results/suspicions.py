"""What could hold an array back, or carry it beyond the model: settings and shapes that are so.

Knows where the model ends (see `theory`). None of these is a cause: nothing of it was measured, an ablation would tell.
"""

from collections.abc import Callable

from raidtui.core.raid.levels import layout10
from raidtui.core.results import deviation
from raidtui.core.results.deviation import Deviation, tight_link

SHORT_STROKE = 0.10
_FAR = -0.7
_ENOUGH_STRIPE_CACHE = 4096
_EQUAL = 0.02  # of an array, that unequal members put on fewer disks and nobody notices


def _controller(facts: Deviation) -> deviation.Other | None:
    far = facts.deviation < _FAR and facts.job.kind == "random"
    far = far and not (facts.parity and facts.is_write)  # parity writes are far below by themselves
    return deviation.Other("controller") if far else None


def _bitmap(facts: Deviation) -> deviation.ConsistencyWrites | None:
    kept = facts.stage.array.bitmap if facts.stage.array is not None and facts.is_write else ""
    return deviation.ConsistencyWrites(kept) if kept in ("internal", "ppl", "journal") else None


def _bus_not_full(facts: Deviation) -> deviation.Link | None:
    link, is_full = tight_link(facts)
    return None if is_full else link


def _stripe_cache(facts: Deviation) -> deviation.StripeCache | None:
    pages = facts.detail.get("stripe_cache_size", "")
    small = pages.isdigit() and int(pages) < _ENOUGH_STRIPE_CACHE
    if not (small and facts.parity and facts.is_write and facts.job.kind == "sequential"):
        return None
    return deviation.StripeCache(int(pages))


def _throttled(facts: Deviation) -> deviation.WriteThrottling | None:
    """The kernel throttles a member's writes, but not direct ones: those that carry REQ_SYNC and REQ_IDLE.

    RAID 0 and linear hand them on as they are, the other levels make their own, without REQ_IDLE; what goes through the
    page cache never has it. Sources: kernel block/blk-wbt.c, wbt_should_throttle; drivers/md/raid10.c,
    raid10_write_one_disk.
    """
    wbt_us = facts.detail.get("wbt_lat_usec", "")
    is_redundant = facts.stage.array is not None and facts.stage.array.level not in ("0", "linear")
    if not (facts.is_write and wbt_us.strip("0") and (facts.buffered or is_redundant)):
        return None
    return deviation.WriteThrottling(wbt_us, facts.buffered)


def _zones(facts: Deviation) -> deviation.UnequalDisks | None:
    """Of RAID 0 alone: it takes all of unequal disks, the end of the larger ones striped over these only."""
    if facts.stage.array is None or facts.stage.array.level != "0" or facts.job.kind != "sequential":
        return None
    sizes = [member.size_bytes for member in facts.members]
    share = 1 - len(sizes) * min(sizes) / sum(sizes)
    return deviation.UnequalDisks(share, len(sizes)) if share >= _EQUAL else None


def _read_ahead(facts: Deviation) -> deviation.Other | None:
    return deviation.Other("read-ahead") if facts.buffered and not facts.is_write else None


def _short_strokes(facts: Deviation) -> deviation.ShortStrokes | None:
    holds = facts.stage.array.capacity.array_bytes if facts.stage.array else 0
    share = facts.job.trial.span_bytes / holds if holds and facts.job.trial.span_bytes else 1.0
    if facts.flash or facts.job.kind == "sequential" or share >= SHORT_STROKE:
        return None
    return deviation.ShortStrokes(share)


def _is_buffered(facts: Deviation) -> deviation.Other | None:
    return deviation.Other("buffered") if facts.buffered else None


def _near_streaming(facts: Deviation) -> bool:
    """Sequential reads of RAID 10 near; of small ones the model knows the balancer."""
    array = facts.stage.array
    if array is None or array.level != "10" or facts.is_write or facts.job.kind != "sequential":
        return False
    return layout10(array.layout or None).kind == "near"


def _balancer(facts: Deviation) -> deviation.NearBalancer | None:
    return deviation.NearBalancer(lucky=facts.deviation > 0) if _near_streaming(facts) else None


def _mirrors(facts: Deviation) -> deviation.MirrorReads | None:
    queue = (facts.job.trial.iodepth or 1) * (facts.job.trial.numjobs or 1)
    mirror = facts.stage.array is not None and facts.stage.array.level == "1"
    if not mirror or facts.is_write or facts.job.kind != "sequential" or queue < 2:
        return None
    return deviation.MirrorReads(queue)


def _zeros(facts: Deviation) -> deviation.Other | None:
    """Some SSDs do not store zeros."""
    return deviation.Other("zeros") if facts.flash and "zero_buffers" in facts.options else None


def _file_start(facts: Deviation) -> deviation.Other | None:
    return deviation.Other("file-start") if facts.file_start else None


def _write_caches(facts: Deviation) -> deviation.Other | None:
    could = facts.is_write and facts.job.kind == "random" and facts.write_caches != {"write through"}
    return deviation.Other("write-caches") if could else None


OF_SLOWER: tuple[Callable[[Deviation], deviation.Suspect | None], ...] = (
    *(_file_start, _stripe_cache, _throttled, _bus_not_full, _controller, _bitmap, _zones, _balancer, _read_ahead),
)
OF_FASTER: tuple[Callable[[Deviation], deviation.Suspect | None], ...] = (
    *(_short_strokes, _is_buffered, _balancer, _mirrors, _zeros, _write_caches),
)
