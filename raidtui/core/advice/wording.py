"""Reasons in words: three sentences and the second best, from values only.

What no figure of a proposal shows: one table of words, each with the proposals to which it applies.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from raidtui.core.advice.groups import Groups, divided, groups_of, spares, yearly, zfs_command
from raidtui.core.advice.preview import HELD, LevelPreview, PreviewSpeed, preview_level
from raidtui.core.advice.proposals import Advice, Failing, Price, Proposal, Reasons, rationale
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.member_steps import may_fail_words
from raidtui.core.raid import filesystems
from raidtui.core.raid.confidence import MARK
from raidtui.core.raid.disk_kinds import HDD, NVME
from raidtui.core.raid.levels import copies
from raidtui.core.raid.purposes import COUNTS, Measure, Workload
from raidtui.core.raid.redundancy import MD_LIMIT_BYTES_PER_S, UNDER_LOAD, Unreadable
from raidtui.core.units import both, format_bytes, format_duration, format_rate, format_round

USES: dict[Workload, tuple[str, str]] = {
    Workload.BACKUP: ("backup", "sequential writes, rarely read"),
    Workload.MEDIA: ("media", "large files, sequential reads"),
    Workload.FILES: ("shared files", "many users, more reads than writes"),
    Workload.VMS: ("virtual machines", "constant small writes"),
    Workload.DATABASES: ("databases", "small synchronous writes"),
    Workload.SCRATCH: ("scratch", "reproducible data; speed counts"),
}
BEGINNING: dict[Workload, str] = {
    Workload.BACKUP: "Backups are written sequentially and rarely read, so space counts more than speed",
    Workload.MEDIA: "Media files are read sequentially",
    Workload.FILES: "Shared files are read more than written, so space counts more than small writes",
    Workload.VMS: "Virtual machines write small blocks constantly, which parity slows down",
    Workload.DATABASES: "Databases wait for small writes, which parity slows down",
    Workload.SCRATCH: "Scratch data is reproducible, so speed counts",
}
_LEAST_SHARE = 1e-6  # below it what fails several disks at once decides: batch, firmware, controller, operator
_SECOND_MORE = 0.005  # a difference of bytes below this share of the disks is none


def heading(proposal: Proposal) -> str:
    chunk = proposal.preview.chunk_bytes
    parts = [proposal.named]
    parts += [f"chunk {format_round(chunk)}"] if chunk else []
    parts += [proposal.filesystem] if filesystems.filesystem(proposal.filesystem).program else []
    return f"{', '.join(parts)}: {both(proposal.capacity.array_bytes)} usable"


def sentences(advice: Advice) -> tuple[str, str, str]:
    why = rationale(advice)
    in_order = (_gain(why), _failing(why.failing, why.speed, why.proposal), _price(why.price, why))
    return in_order if why.failing.survives else (in_order[1], in_order[0], in_order[2])


def second_best(advice: Advice, afr: float | None = None) -> str:
    reasons = rationale(advice)
    runner_up = reasons.second
    if runner_up is None:
        return ""
    more_bytes = runner_up.proposal.capacity.array_bytes - reasons.proposal.capacity.array_bytes
    space = format_bytes(runner_up.proposal.capacity.array_bytes)
    if abs(more_bytes) > _SECOND_MORE * reasons.price.raw_bytes:
        space += f", {format_bytes(abs(more_bytes))} {'more' if more_bytes > 0 else 'less'}"
    sentence = f"Second best, {runner_up.proposal.named}: {space}; {may_fail_words(runner_up.failing.survives)};"
    small_writes = at_most(runner_up, "small_writes") + times_words(runner_up.times.small_writes)
    sentence += f" small writes {small_writes} one disk"
    sentence += " (limit: md's single parity thread)" if runner_up.times.held_by_md else ""
    if reasons.measure is Measure.LONG_READS:
        reads = times_words(runner_up.times.long_reads)
        sentence += f", sequential reads {at_most(runner_up, 'long_reads')}{reads}"
    sentence += f"; loss {share_words(yearly(runner_up.proposal.preview, afr).share)} a year"
    risk = risk_words(runner_up.failing)
    return f"{sentence}.{f' {risk}' if risk else ''}"


def yearly_words(advice: Advice, afr: float | None = None) -> str:
    """Loss by failing disks within a year; of an array with redundancy, also what md cannot repair."""
    view = advice.best.preview
    found = yearly(view, afr)
    source = "given" if afr is not None else f"{view.kind.title}, {view.kind.afr_source}"
    words = f"Loss by failing disks: {share_words(found.share)} a year (AFR {100 * found.afr:.3g} %, {source}"
    if not found.rebuild_s:
        return f"{words})."
    duration = format_duration(found.rebuild_s)
    words += f"; rebuild under load {duration}, {UNDER_LOAD:g} times idle, assumed"
    words += f"; {'common causes dominate' if found.share < _LEAST_SHARE else 'independent failures'})."
    return f"{words} md cannot tell which copy is right if two differ; ZFS and btrfs can (checksums)."


def loss_words(view: LevelPreview) -> str:
    return share_words(yearly(view).share)


def share_words(share: float) -> str:
    if share >= 0.001:
        return f"{100 * share:.2g} %"
    one_in = 1 / max(share, _LEAST_SHARE)
    return f"{'under ' if share < _LEAST_SHARE else ''}1 in {round(one_in, 1 - len(str(int(one_in)))):,.0f}"


def group_lines(advice: Advice, disks: Sequence[Disk], afr: float | None = None) -> list[str]:
    """What is recommended of many rotating disks in place of one wide array, with its command as a ZFS pool."""
    found = groups_of(advice, disks)
    if found is None:
        return []
    paths = [disk.path for disk in disks]
    share = share_words(found.loss(afr).share)
    first = (
        f"For {len(disks)} rotating disks: {groups_named(found)}{''.join(f', {part}' for part in spare_words(found))},"
    )
    first += f" {format_bytes(found.array_bytes)} usable, loss {share} a year. A rebuild reads {found.disks - 1} disks."
    built = " `--answers` writes them; as a ZFS pool by hand." if found.count > 1 else ""
    return [first + built, zfs_command(found, paths)]


def are_better(found: Groups, proposal: Proposal, afr: float | None = None) -> bool:
    """Where their printed loss is."""
    loss, wide = found.loss(afr).share, yearly(proposal.preview, afr).share
    return loss < wide and share_words(loss) != share_words(wide)


def with_groups(advice: Advice, disks: Sequence[Disk]) -> Advice:
    """Groups first, where they are better; of these disks the others are spares."""
    found = groups_of(advice, disks)
    if found is None or found.count == 1 or not are_better(found, advice.best):
        return advice
    view, (taken, _) = found.view, divided(disks, found.count * found.disks)
    whole = preview_level(view.key, view.layout, view.chunk_bytes, taken, advice.best.preview.speed, groups=found.count)
    assert whole.capacity
    best = Proposal(whole, whole.capacity, advice.best.filesystem)
    return msgspec.structs.replace(advice, ranked=(best, *advice.ranked))


def groups_named(found: Groups) -> str:
    return f"{found.count} groups of {found.disks}" if found.count > 1 else f"one RAID 6 of {found.disks}"


def spares_to_buy(advice: Advice, disks: Sequence[Disk]) -> str:
    """Where no groups are proposed: those name their own."""
    wanted = spares(disks)
    if not wanted or not advice.best.capacity.survives or groups_of(advice, disks):
        return ""
    return f"{wanted} to buy (1 per 24 disks, 1 per 12 above 12 TB)"


def spare_words(found: Groups) -> list[str]:
    """Spares among the disks, with the reason for more than the rule asks; spares to buy."""
    words = [spare_count(found.spares)] if found.spares else []
    if found.spares > found.wanted:
        words = [f"{words[0]} (no equal split of {found.count * found.disks + found.spares - found.wanted})"]
    return words + ([f"{spare_count(found.to_buy)} to buy"] if found.to_buy else [])


def spare_count(count: int) -> str:
    return f"{count} spare{'' if count == 1 else 's'}"


def rebuild_words(why: Failing, speed: PreviewSpeed) -> str:
    rebuild = why.rebuild
    if rebuild is None:
        return ""
    if rebuild.held_by_md:
        pace = f"md's speed_limit_max, {format_rate(MD_LIMIT_BYTES_PER_S)}"
    else:
        bytes_per_s = rebuild.written_bytes / rebuild.duration_s
        as_they_sync = bytes_per_s < 0.99 * speed.bytes_per_s  # `estimate.sync_share`
        source = "sync rate of these disks" if as_they_sync else speed_source(speed)
        pace = f"{format_rate(bytes_per_s)}, {source}"
    return f"at least {format_duration(rebuild.duration_s)} ({pace})"


def speed_source(speed: PreviewSpeed) -> str:
    if speed.kind == HELD:
        return "practice limits"
    return f"{speed.kind} assumed" if speed.kind else "as measured or given"


def risk_words(why: Failing) -> str:
    if not why.risk or not why.rebuild:
        return ""
    first, second = why.risk
    return (
        f"No redundancy during the rebuild: up to {100 * first.chance:.0f} of 100 rebuilds hit an unreadable sector"
        f" ({format_bytes(why.rebuild.read_bytes)}, upper limit at the maker's rate of 1 in {_power(first)} bits;"
        f" {100 * second.chance:.0f} at {_power(second)}, some desktop drives)."
    )


def _gain(why: Reasons) -> str:
    beginning, holds = BEGINNING[why.use], why.proposal.capacity
    if why.measure is Measure.SPACE:
        if why.failing.survives > why.failing.asked_for > 0:  # the next best has more space
            beginning += ", and safety more than both"
        return f"{beginning}: {format_bytes(holds.array_bytes)} of {format_bytes(why.price.raw_bytes)} usable."
    opens_with = "long_reads" if why.measure is Measure.LONG_READS else "small_writes"
    if why.times.is_upper(opens_with):  # an upper limit is no gain
        return f"{beginning}: {both(holds.array_bytes)} usable."
    if opens_with == "long_reads":
        reads, writes = (
            format_rate(times * why.speed.bytes_per_s) for times in (why.times.long_reads, why.times.long_writes)
        )
        of_each = f"{format_rate(why.speed.bytes_per_s)} each, {speed_source(why.speed)}"
        is_other = writes != reads and not why.times.is_upper("long_writes")
        also = f", sequential writes {writes}" if is_other else ""
        gain = f"{times_words(why.times.long_reads)} one disk"
        return f"{beginning}: sequential reads {reads}, {gain} ({of_each}){also}."
    sentence = f"{beginning}: small writes {times_words(why.times.small_writes)} one disk"
    if why.second:
        second = at_most(why.second, "small_writes") + times_words(why.second.times.small_writes)
        sentence += f", on {why.second.proposal.named} {second}"
    return f"{sentence}."


def _failing(why: Failing, speed: PreviewSpeed, proposal: Proposal) -> str:
    if not why.survives:
        return without_redundancy(proposal)
    sentence = may_fail_words(why.survives).capitalize()
    if proposal.preview.groups > 1:
        sentence = sentence.replace(" may", " of each group may")
    more = why.survives > why.asked_for > 0
    sentence += f": with {proposal.preview.disks} disks, a second may fail during a rebuild" if more else ""
    if why.luck:
        sentence += f" (one more in {why.luck.numerator} of {why.luck.denominator} cases)"
    if why.rebuild:
        sentence += f"; rebuild {rebuild_words(why, speed)}, reads {format_bytes(why.rebuild.read_bytes)}"
    risk = risk_words(why)
    return f"{sentence}.{f' {risk}' if risk else ''}"


def without_redundancy(proposal: Proposal) -> str:
    first = "If it fails, all data is lost" if proposal.preview.disks == 1 else "One failed disk loses all data"
    return f"{first}: keep a copy of irreplaceable data elsewhere."


def _price(price: Price, why: Reasons) -> str:
    view = why.proposal.preview
    idle = f" {format_bytes(price.unequal_bytes)} of larger disks unused." if price.unequal_bytes else ""
    if price.mirror_bytes:
        stored = copies(view.key, view.layout, view.disks)
        copies_of_raw = f"{format_bytes(price.mirror_bytes)} of {format_bytes(price.raw_bytes)}"
        return f"Cost: every block is stored {stored} times, copies take {copies_of_raw}.{idle}"
    if price.parity_bytes:
        count = view.raid.parity_disks
        disks = "one disk's" if count * view.groups == 1 else f"{count * view.groups} disks'"
        small_writes = f"write penalty {price.write_operations}"
        most = at_most(why, "small_writes")
        small_writes += f" (small writes {most}{times_words(why.times.small_writes)} one disk)"
        return f"Cost: {disks} space, {format_bytes(price.parity_bytes)}; {small_writes}.{idle}"
    return f"No redundancy: {both(why.proposal.capacity.array_bytes)} usable.{idle}"


def at_most(why: Reasons, name: str) -> str:
    return MARK if why.times.is_upper(name) else ""


def times_words(value: float) -> str:
    return f"{value:.1f}x" if value < 9.95 else f"{value:.0f}x"


def _power(limit: Unreadable) -> str:
    return f"10^{len(str(limit.bits_per_sector)) - 1}"


class Caveat(NamedTuple):
    """`in_table`: the table of `advise`, or what is assumed below it, has it already."""

    applies: Callable[[Advice], bool]
    words: str
    in_table: bool = False


def _survives(advice: Advice) -> bool:
    return advice.best.capacity.survives > 0


def _parities(advice: Advice) -> int:
    return advice.best.preview.raid.parity_disks


def _flash(advice: Advice) -> bool:
    return advice.best.preview.kind != HDD


def _unknown_sectors(advice: Advice) -> bool:
    """Flash, and a rebuild without redundancy: HDDs have a risk in figures."""
    rebuild = advice.best.preview.rebuild
    return _flash(advice) and rebuild is not None and not rebuild.spare_after


def _syncs(advice: Advice) -> bool:
    return _flash(advice) and COUNTS[advice.wish.use].measure is Measure.SMALL_WRITES


def _fast_streams(advice: Advice) -> bool:
    return advice.best.preview.kind == NVME and COUNTS[advice.wish.use].measure is Measure.LONG_READS


CAVEATS = (
    Caveat(_survives, "RAID is no backup"),
    Caveat(_survives, "check the array monthly"),
    Caveat(_survives, "no checksums in md"),  # a check cannot tell which copy is right
    Caveat(lambda advice: _parities(advice) == 1, "write hole after a crash while degraded (PPL closes it)"),
    Caveat(
        lambda advice: _parities(advice) > 1, "write hole after a crash while degraded (journal closes it, PPL cannot)"
    ),
    Caveat(lambda advice: _survives(advice) and not _flash(advice), "avoid SMR (shingled) disks"),
    Caveat(_unknown_sectors, "unreadable sectors not computed for flash, not zero", in_table=True),
    Caveat(_syncs, "sync writes need power-loss protection"),
    Caveat(_fast_streams, "rates without limits of CPU, memory, PCIe", in_table=True),
)


def caveats(advice: Advice) -> list[str]:
    """Those that the table does not have."""
    return [caveat.words for caveat in CAVEATS if caveat.applies(advice) and not caveat.in_table]


def caveat_line(advice: Advice) -> str:
    """One line; "" if none applies."""
    found = [caveat.words for caveat in CAVEATS if caveat.applies(advice)]
    return f"Besides: {'; '.join(found)}." if found else ""
