"""Why a figure is not what the model says: the causes that the recorded facts of a run support, each as a sentence.

Knows where the model ends (see `theory`); names nothing that the run did not record.
"""

from collections.abc import Callable
from statistics import median

import msgspec

from raidtui.core.disks.buses import narrowest
from raidtui.core.fio.job import Kind
from raidtui.core.fio.measurement import BUSIEST, Measurement
from raidtui.core.plan import sweep
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, options_of
from raidtui.core.raid.levels import layout10, level
from raidtui.core.results.attempts import Compared
from raidtui.core.results.disk_operations import other_way
from raidtui.core.results.figure import good
from raidtui.core.run.state import RunState

OFF = 0.15
_OFF: dict[Kind, float] = {"sequential": 0.10, "random": OFF}
SHORT_STROKE = 0.10
_FAR = -0.7
_CPU_FULL = 0.9
_BUSY = 0.85  # of a trial's time: fio's own start and end are in it
_ENOUGH_STRIPE_CACHE = 4096
_EQUAL = 0.02  # of an array, that unequal members put on fewer disks and nobody notices


class Facts(msgspec.Struct, frozen=True):
    """What the run recorded around one row."""

    plan: Plan
    stage: Stage
    job: Compared
    options: dict[str, str]  # fio's, as run
    detail: dict[str, str]  # the array's settings
    measured: tuple[Measurement, ...]
    together_share: float | None  # all at once / (n x one), where that is less by more than chance
    flash: bool
    deviation: float

    @property
    def parity(self) -> bool:
        return has_parity(self.stage)

    @property
    def buffered(self) -> bool:
        """Through the page cache, as fio is unless told otherwise; False where its options are not known."""
        return bool(self.options) and self.options.get("direct", "0") == "0"

    @property
    def is_write(self) -> bool:
        return self.job.name == "write"


def likely_causes(
    plan: Plan,
    state: RunState,
    number: int,
    job: Compared,
    deviation: float | None,
    together_share: float | None,
    flash: bool,
) -> tuple[str, ...]:
    """The likely causes of a deviation of more than 15 %, of a sequential job 10 %; at least that none was recorded."""
    if deviation is None or abs(deviation) <= _OFF[job.kind]:
        return ()
    stage = plan.stages[number]
    built = state.arrays.get(number)
    facts = Facts(
        plan,
        stage,
        job,
        options_of(stage, job.trial.id),
        built.detail if built else {},
        tuple(good(job.array)),
        together_share,
        flash,
        deviation,
    )
    found = [said for cause in (_SLOWER if deviation < 0 else _FASTER) if (said := cause(facts))]
    return tuple(found) or ("nothing that was recorded explains it",)


def has_parity(stage: Stage) -> bool:
    """Is an array with parity built there?"""
    return stage.array is not None and bool(level(stage.array.level).parity_disks)


def _reads_too(facts: Facts) -> str:
    """Of small writes the model counts the reads already."""
    share = other_way(facts.measured) if facts.is_write and facts.job.kind == "sequential" else None
    return f"the disks also read, {100 * share:.0f} % as many operations as they wrote" if share else ""


def _controller(facts: Facts) -> str:
    far = facts.deviation < _FAR and facts.job.kind == "random"
    far = far and not (facts.parity and facts.is_write)  # parity writes are far below by themselves
    return (
        "far below what the disks can do together: something between them is the limit (controller-bound?)"
        if far
        else ""
    )


def _sync(facts: Facts) -> str:
    running = any("was running in the array" in text for one in facts.measured for text in one.warnings)
    return "a sync or check was running" if running else ""


def _bitmap(facts: Facts) -> str:
    has = facts.stage.array is not None and facts.stage.array.bitmap == "internal"
    return "the write-intent bitmap costs writes of its own" if has and facts.is_write else ""


def _shared(facts: Facts) -> str:
    share = facts.together_share
    if share is None:
        return ""
    reached = f"all disks at once reach only {100 * share:.0f} % of what they do alone, added up"
    return f"{reached}: a shared link, controller or CPU"


def _cpu(facts: Facts) -> str:
    """Of fio the busiest of its threads, of md its one thread: neither can use more than one CPU."""
    names = dict.fromkeys(name for one in facts.measured for name in one.cpu)
    most = {name: max(one.cpu.get(name, 0.0) for one in facts.measured) for name in names}
    busiest = most.pop(BUSIEST, 0.0)
    full = [f"{name} used {100 * share:.0f} % of a CPU" for name, share in most.items() if share >= _CPU_FULL]
    if full:
        return f"{' and '.join(full)}, and cannot use more"
    of_it = "".join(f", {name} {100 * share:.0f} %" for name, share in most.items())
    return f"a CPU was at work {100 * busiest:.0f} % of the time{of_it}: it is the limit" if busiest >= _BUSY else ""


def _hot(facts: Facts) -> str:
    """A disk that ended a trial at the temperature from which it slows itself down."""
    for one in facts.measured:
        for member in facts.plan.members:
            told = one.temperatures.get(member.id)
            if told and told.after_c is not None and told.limit_c is not None and told.after_c >= told.limit_c:
                named = f"{member.model} {member.serial}".strip() or member.id
                return f"{named} reached {told.after_c:.0f} °C, its limit is {told.limit_c:.0f}: it slows itself down"
    return ""


def _bus(facts: Facts) -> str:
    """A link that carries less than its disks did alone; a disk that was not measured is taken for one that was."""
    alone = {
        member: median(values)
        for member, attempts in facts.job.alone.items()
        if (values := [value for one in good(attempts) if (value := facts.job.value(one))])
    }
    if facts.job.kind != "sequential" or not alone:
        return ""
    usual = median(alone.values())
    members = facts.plan.members
    speeds = [alone.get(index, usual) for index in range(len(members))]
    tight = narrowest([member.buses for member in members], speeds)
    return tight.words(len(members)) if tight else ""


def _stripe_cache(facts: Facts) -> str:
    pages = facts.detail.get("stripe_cache_size", "")
    small = pages.isdigit() and int(pages) < _ENOUGH_STRIPE_CACHE
    if not (small and facts.parity and facts.is_write and facts.job.kind == "sequential"):
        return ""
    return f"the stripe cache has {pages} pages: sequential parity writes want 4096 or more"


def _throttled(facts: Facts) -> str:
    """The kernel throttles a member's writes, but not direct ones: those that carry REQ_SYNC and REQ_IDLE.

    RAID 0 and linear hand them on as they are, the other levels make their own, without REQ_IDLE; what goes through the
    page cache never has it. Sources: kernel block/blk-wbt.c, wbt_should_throttle; drivers/md/raid10.c,
    raid10_write_one_disk.
    """
    held = facts.detail.get("wbt_lat_usec", "")
    own = facts.stage.array is not None and facts.stage.array.level not in ("0", "linear")
    if not (facts.is_write and held.strip("0")):
        return ""
    if facts.buffered:
        return f"the kernel throttles what the page cache writes to the disks (wbt_lat_usec {held} in their queues)"
    if not own:
        return ""
    return (
        f"the kernel throttles what md writes to its members, not what a program writes to a disk (wbt_lat_usec {held}"
        " in their queues; 0 switches it off)"
    )


def _zones(facts: Facts) -> str:
    """Of RAID 0 alone: it takes all of unequal disks, the end of the larger ones striped over these only."""
    if facts.stage.array is None or facts.stage.array.level != "0" or facts.job.kind != "sequential":
        return ""
    sizes = [member.size_bytes for member in sweep.taken(facts.stage.setup or Setup(), facts.plan.members)]
    share = 1 - len(sizes) * min(sizes) / sum(sizes)
    if share < _EQUAL:
        return ""
    return f"the disks differ in size: {100 * share:.0f} % of the array lies on fewer than all {len(sizes)} of them"


def _read_ahead(facts: Facts) -> str:
    streaming = facts.buffered and not facts.is_write
    return "one stream through the page cache lives on read-ahead" if streaming else ""


def _short_strokes(facts: Facts) -> str:
    holds = facts.stage.array.capacity.array_bytes if facts.stage.array else 0
    share = facts.job.trial.span_bytes / holds if holds and facts.job.trial.span_bytes else 1.0
    if facts.flash or facts.job.kind == "sequential" or share >= SHORT_STROKE:
        return ""
    return f"the test spans {100 * share:.1g} % of the array: short strokes"


def _page_cache(facts: Facts) -> str:
    return "the page cache takes part: the job is not direct" if facts.buffered else ""


def _is_near_read(facts: Facts) -> bool:
    array = facts.stage.array
    if array is None or array.level != "10" or facts.is_write:
        return False
    return layout10(array.layout or None).kind == "near"


def _balancer(facts: Facts) -> str:
    streaming = _is_near_read(facts) and facts.job.kind == "sequential"  # of small reads the model knows it
    return "RAID 10 near reads faster where its read balancer is lucky" if streaming else ""


def _mirrors(facts: Facts) -> str:
    queue = (facts.job.trial.iodepth or 1) * (facts.job.trial.numjobs or 1)
    mirror = facts.stage.array is not None and facts.stage.array.level == "1"
    if not mirror or facts.is_write or facts.job.kind != "sequential" or queue < 2:
        return ""
    return f"RAID 1 reads a queue of {queue} from more than one disk; theory's is one stream, one request at a time"


def _unlucky_balancer(facts: Facts) -> str:
    streaming = _is_near_read(facts) and facts.job.kind == "sequential"
    return "RAID 10 near reads from as many disks as its read balancer takes, not always from all" if streaming else ""


def _zeros(facts: Facts) -> str:
    return "zeros are written, which some SSDs do not store" if facts.flash and "zero_buffers" in facts.options else ""


def _write_caches(facts: Facts) -> str:
    return "the disks' own write caches may take small writes" if facts.is_write and facts.job.kind == "random" else ""


_SLOWER: tuple[Callable[[Facts], str], ...] = (
    _reads_too,
    _sync,
    _stripe_cache,
    _throttled,
    _cpu,
    _hot,
    _bus,
    _shared,
    _controller,
    _bitmap,
    _zones,
    _unlucky_balancer,
    _read_ahead,
)
_FASTER: tuple[Callable[[Facts], str], ...] = (
    _short_strokes,
    _page_cache,
    _balancer,
    _mirrors,
    _zeros,
    _write_caches,
)
