"""What could hold an array back, or carry it beyond theory: settings and shapes that are so, each as half a sentence.

Knows where the model ends (see `theory`). None of these is a cause: nothing of it was measured, an ablation would tell.
"""

from collections.abc import Callable

from raidtui.core.raid.levels import layout10
from raidtui.core.results.deviation import Deviation, tight_link

SHORT_STROKE = 0.10
_FAR = -0.7
_ENOUGH_STRIPE_CACHE = 4096
_EQUAL = 0.02  # of an array, that unequal members put on fewer disks and nobody notices


def _controller(facts: Deviation) -> str:
    far = facts.deviation < _FAR and facts.job.kind == "random"
    far = far and not (facts.parity and facts.is_write)  # parity writes are far below by themselves
    return "what lies between the disks and the program (controller-bound?)" if far else ""


_OF_BITMAP = {
    "internal": "the write-intent bitmap, which costs writes of its own",
    "ppl": "the partial parity log, which is written before each stripe that is not written whole",
    "journal": "the journal, to whose one disk everything is written before it goes to the others",
}


def _bitmap(facts: Deviation) -> str:
    kept = facts.stage.array.bitmap if facts.stage.array is not None and facts.is_write else ""
    return _OF_BITMAP.get(kept, "")


def _bus_not_full(facts: Deviation) -> str:
    words, is_full = tight_link(facts)
    return "" if is_full else words


def _stripe_cache(facts: Deviation) -> str:
    pages = facts.detail.get("stripe_cache_size", "")
    small = pages.isdigit() and int(pages) < _ENOUGH_STRIPE_CACHE
    if not (small and facts.parity and facts.is_write and facts.job.kind == "sequential"):
        return ""
    return f"the stripe cache of {pages} pages: sequential parity writes want 4096 or more"


def _throttled(facts: Deviation) -> str:
    """The kernel throttles a member's writes, but not direct ones: those that carry REQ_SYNC and REQ_IDLE.

    RAID 0 and linear hand them on as they are, the other levels make their own, without REQ_IDLE; what goes through the
    page cache never has it. Sources: kernel block/blk-wbt.c, wbt_should_throttle; drivers/md/raid10.c,
    raid10_write_one_disk.
    """
    wbt_us = facts.detail.get("wbt_lat_usec", "")
    is_redundant = facts.stage.array is not None and facts.stage.array.level not in ("0", "linear")
    if not (facts.is_write and wbt_us.strip("0")):
        return ""
    in_queues = f"wbt_lat_usec {wbt_us} in their queues"
    if facts.buffered:
        return f"the kernel's throttling of what the page cache writes to the disks ({in_queues})"
    if not is_redundant:
        return ""
    return f"the kernel's throttling of md's writes to its members ({in_queues})"


def _zones(facts: Deviation) -> str:
    """Of RAID 0 alone: it takes all of unequal disks, the end of the larger ones striped over these only."""
    if facts.stage.array is None or facts.stage.array.level != "0" or facts.job.kind != "sequential":
        return ""
    sizes = [member.size_bytes for member in facts.members]
    share = 1 - len(sizes) * min(sizes) / sum(sizes)
    if share < _EQUAL:
        return ""
    return f"disks that differ in size: {100 * share:.0f} % of the array lies on fewer than all {len(sizes)} of them"


def _read_ahead(facts: Deviation) -> str:
    streaming = facts.buffered and not facts.is_write
    return "read-ahead, on which one stream through the page cache lives" if streaming else ""


def _short_strokes(facts: Deviation) -> str:
    holds = facts.stage.array.capacity.array_bytes if facts.stage.array else 0
    share = facts.job.trial.span_bytes / holds if holds and facts.job.trial.span_bytes else 1.0
    if facts.flash or facts.job.kind == "sequential" or share >= SHORT_STROKE:
        return ""
    return f"short strokes: the test spans {100 * share:.1g} % of the array"


def _is_buffered(facts: Deviation) -> str:
    return "the page cache, which may take part" if facts.buffered else ""


def _is_near_read(facts: Deviation) -> bool:
    array = facts.stage.array
    if array is None or array.level != "10" or facts.is_write:
        return False
    return layout10(array.layout or None).kind == "near"


def _balancer(facts: Deviation) -> str:
    streaming = _is_near_read(facts) and facts.job.kind == "sequential"  # of small reads the model knows it
    return "the read balancer of RAID 10 near, where it is lucky" if streaming else ""


def _mirrors(facts: Deviation) -> str:
    queue = (facts.job.trial.iodepth or 1) * (facts.job.trial.numjobs or 1)
    mirror = facts.stage.array is not None and facts.stage.array.level == "1"
    if not mirror or facts.is_write or facts.job.kind != "sequential" or queue < 2:
        return ""
    return (
        f"RAID 1, which reads a queue of {queue} from more than one disk: theory's is one stream, one request at a time"
    )


def _unlucky_balancer(facts: Deviation) -> str:
    streaming = _is_near_read(facts) and facts.job.kind == "sequential"
    return "the read balancer of RAID 10 near, which does not always take all disks" if streaming else ""


def _zeros(facts: Deviation) -> str:
    return (
        "the zeros that are written, which some SSDs do not store"
        if facts.flash and "zero_buffers" in facts.options
        else ""
    )


def _file_start(facts: Deviation) -> str:
    return (
        "where the test file begins: theory takes that for the grid of its requests, off it each can take two disks"
        if facts.file_start
        else ""
    )


def _write_caches(facts: Deviation) -> str:
    could = facts.is_write and facts.job.kind == "random" and facts.write_caches != {"write through"}
    return "the disks' own write caches, which take small writes" if could else ""


OF_SLOWER: tuple[Callable[[Deviation], str], ...] = (
    _file_start,
    _stripe_cache,
    _throttled,
    _bus_not_full,
    _controller,
    _bitmap,
    _zones,
    _unlucky_balancer,
    _read_ahead,
)
OF_FASTER: tuple[Callable[[Deviation], str], ...] = (
    _short_strokes,
    _is_buffered,
    _balancer,
    _mirrors,
    _zeros,
    _write_caches,
)
