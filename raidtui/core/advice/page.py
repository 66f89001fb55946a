"""`raidtui advise` in 80 columns of ASCII: the choices as columns of one table, reasons, what is assumed. Pure."""

import re
import textwrap
from collections.abc import Sequence

from raidtui.core.advice.groups import Groups, groups_of, yearly
from raidtui.core.advice.proposals import Advice, Failing, Reasons, rationale
from raidtui.core.advice.wording import (
    BEGINNING,
    are_better,
    at_most,
    caveats,
    groups_named,
    heading,
    share_words,
    spare_count,
    spares_to_buy,
    times_words,
    without_redundancy,
)
from raidtui.core.disks.disk import Disk
from raidtui.core.raid.confidence import MARK
from raidtui.core.raid.disk_kinds import NVME
from raidtui.core.raid.purposes import Measure
from raidtui.core.raid.redundancy import MD_LIMIT_BYTES_PER_S, UNDER_LOAD
from raidtui.core.units import format_bytes, format_duration, format_iops, format_rate

WIDTH = 80
_LABEL = 9
_NONE = "-"
_SAME = 0.005  # figures within this share are equal
_GAINS = {
    Measure.SPACE: "Usable:",
    Measure.LONG_READS: "Sequential reads",
    Measure.SMALL_WRITES: "Small writes",
}
_OF_TIMES = {Measure.LONG_READS: "long_reads", Measure.SMALL_WRITES: "small_writes"}
_SHOWN = ("long_reads", "long_writes", "small_writes")


def page(advice: Advice, disks: Sequence[Disk], following: Sequence[str], about: str, afr: float | None) -> list[str]:
    """`following`: the next command, `about` it."""
    why = rationale(advice)
    found = groups_of(advice, disks)
    lines = [*_wrapped("", f"Proposed: {heading(advice.best)}", 0), "", *table(why, afr), ""]
    parts = [("Why", " ".join(in_short(why))), ("But", "; ".join(caveats(advice)))]
    if not why.failing.survives:
        parts.insert(0, ("Loss", without_redundancy(why.proposal)))
    if found:
        label = "Better" if are_better(found, why.proposal, afr) else "Groups"
        parts.append((label, _group_words(found, afr)))
    parts += [("Spares", spares_to_buy(advice, disks)), ("Given", _known(why, afr)), ("Assumed", _assumed(why, afr))]
    for label, text in parts:
        lines += _wrapped(label, text) if text else []
    first, *more = folded(following, WIDTH - _LABEL)
    lines += ["", f"{'Next':<{_LABEL}}{first}", *(" " * _LABEL + line for line in more), " " * _LABEL + f"# {about}"]
    more_options = "--why reasons" + ("   --by-hand ZFS pool" if found else "")
    return [*lines, f"{'More':<{_LABEL}}{more_options}"]


def table(why: Reasons, afr: float | None) -> list[str]:
    """Rows that no column has are left out."""
    sides = [_cells(side, afr) for side in (why, why.second) if side]
    rows = [(_disks(why), ["Proposed", "Second best"][: len(sides)])]
    rows += [(label, [side[label] for side in sides]) for label in sides[0]]
    rows = [(label, cells) for label, cells in rows if set(cells) != {_NONE}]
    label_width = max(len(label) for label, _ in rows)
    width = max(len(cell) for _, cells in rows for cell in cells) + 2
    return [label.ljust(label_width) + "".join(cell.rjust(width) for cell in cells) for label, cells in rows]


def _disks(why: Reasons) -> str:
    count = why.proposal.preview.disks
    return f"{count} disk{'' if count == 1 else 's'}"


def in_short(why: Reasons) -> list[str]:
    """Short ones; of a comparison only what the table's figures bear out."""
    found, failing, second = [f"{BEGINNING[why.use]}."], why.failing, why.second
    if failing.survives > failing.asked_for > 0:
        return [*found, f"Safety first: of {_disks(why)} a second may fail during a rebuild."]
    if second is None:
        return [*found, f"No second best of {_disks(why)}."]
    figures = {
        Measure.LONG_READS: (why.times.long_reads, second.times.long_reads),
        Measure.SMALL_WRITES: (why.times.small_writes, second.times.small_writes),
        Measure.SPACE: (why.proposal.capacity.array_bytes, second.proposal.capacity.array_bytes),
    }
    for measure in (why.measure, *figures):  # what counts for the purpose first
        of_times = _OF_TIMES.get(measure, "")
        if why.times.is_upper(of_times):
            continue  # an upper limit is no gain
        mine, other = figures[measure]
        if mine > (1 + _SAME) * other:
            least = "at least " if second.times.is_upper(of_times) else ""
            gain = f"{least}{times_words(mine / other)} those of"
            if measure is Measure.SPACE:
                gain = f"{format_bytes(int(mine - other))} more than"
            return [*found, f"{_GAINS[measure]} {gain} {second.proposal.named}."]
    return found


def by_hand(lines: Sequence[str]) -> list[str]:
    """Commands on lines that a shell reads as printed; a comment before its command."""
    printed: list[str] = []
    for line in lines:
        command, _, comment = line.partition("  # ")
        printed += [f"# {comment}"] if comment else []
        printed += folded(re.findall(r"'[^']*'|\S+", command), WIDTH)
    return printed


def folded(words: Sequence[str], width: int) -> list[str]:
    """One command on lines that end in a backslash; a word longer than a line stays whole."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= width - 2:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}" if lines else word)
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:]]


def _cells(why: Reasons, afr: float | None) -> dict[str, str]:
    """One choice by the label of its rows."""
    holds, price, rebuild, speed = why.proposal.capacity, why.price, why.failing.rebuild, why.speed
    taken, kind = (price.mirror_bytes, "copies") if price.mirror_bytes else (price.parity_bytes, "parity")
    return {
        "level": why.proposal.named,
        "usable": format_bytes(holds.array_bytes),
        "cost": f"{kind}, {format_bytes(taken)} ({100 * taken / price.raw_bytes:.0f} %)" if taken else "no redundancy",
        "unused of larger disks": format_bytes(price.unequal_bytes) if price.unequal_bytes else _NONE,
        "disks that may fail": _may_fail(why.failing),
        "rebuild, at least": _marked(format_duration(rebuild.duration_s), "limit", rebuild.held_by_md)
        if rebuild
        else _NONE,
        "rebuild reads": format_bytes(rebuild.read_bytes) if rebuild else _NONE,
        "bad sector, 1/10^15 bits": _unreadable(why, 0),
        "- 1/10^14, some desktop": _unreadable(why, 1) if why.proposal.preview.rotating else _NONE,
        "data loss a year": share_words(yearly(why.proposal.preview, afr).share),
        "sequential reads": at_most(why, "long_reads") + format_rate(why.times.long_reads * speed.bytes_per_s),
        "sequential writes": at_most(why, "long_writes") + format_rate(why.times.long_writes * speed.bytes_per_s),
        "small writes": at_most(why, "small_writes")
        + _marked(f"{format_iops(why.times.small_writes * speed.iops)} IOPS", "thread", why.times.held_by_md),
        f'rates "{MARK.strip()}"': "limit, not confirmed" if any(map(why.times.is_upper, _SHOWN)) else _NONE,
        "disk I/Os per write": str(price.write_operations),
    }


def _marked(value: str, of_md: str, held: bool) -> str:
    return f"{value}, md's {of_md}" if held else value


def _may_fail(failing: Failing) -> str:
    survives, luck = failing.survives, failing.luck
    if not survives:
        return "none"
    share = f"{luck.numerator} of {luck.denominator}" if luck.denominator < 100 else f"{int(100 * luck)} % of"
    return f"any {survives}{f', {survives + 1} in {share} cases' if luck else ''}"


def _unreadable(why: Reasons, index: int) -> str:
    rebuild, risk = why.failing.rebuild, why.failing.risk
    if rebuild is None:
        return _NONE
    if rebuild.spare_after:
        return "redundancy left"
    percent = max(0.01, 100 * risk[index].chance) if risk else 0
    return f"up to {percent:.{0 if percent >= 1 else 2}f} % of rebuilds" if risk else "not computed, not 0"


def _group_words(found: Groups, afr: float | None) -> str:
    own = [(found.spares, ""), (found.to_buy, " to buy")]
    named = ", ".join((groups_named(found), *(f"{spare_count(count)}{where}" for count, where in own if count)))
    held = f"{format_bytes(found.array_bytes)}, loss {share_words(found.loss(afr).share)} a year"
    return f"{named}: {held}"


def _known(why: Reasons, afr: float | None) -> str:
    words = ", ".join(words for words, assumed in _rates(why, afr) if not assumed)
    return f"each disk {words}" if words else ""


def _assumed(why: Reasons, afr: float | None) -> str:
    """Conditions of the table's figures, for what it shows."""
    kind = why.proposal.preview.kind
    words = ", ".join(words for words, assumed in _rates(why, afr) if assumed)
    rebuilds = [side.failing for side in (why, why.second) if side and side.failing.rebuild]
    parts = [f"{kind.title} {words}"] if words else []
    parts.append("independent failures")
    parts += [f"rebuild under load {UNDER_LOAD:g}x slower"] if rebuilds else []
    if any(one.rebuild and one.rebuild.held_by_md for one in rebuilds):
        parts.append(f"md's limit {format_rate(MD_LIMIT_BYTES_PER_S)}")
    parts += ["CPU, memory, PCIe no limit"] if kind == NVME else []
    return "; ".join(parts)


def _rates(why: Reasons, afr: float | None) -> tuple[tuple[str, str], ...]:
    """What is known of one disk, each with the kind it is assumed of."""
    speed, kind = why.speed, why.proposal.preview.kind
    failing = (
        f"{100 * kind.afr:.3g} % fail a year ({kind.afr_source})" if afr is None else f"{100 * afr:.3g} % fail a year"
    )
    return (
        (f"{format_rate(speed.bytes_per_s)}", speed.kind),
        (f"{format_iops(speed.iops)} IOPS", speed.iops_kind),
        (failing, kind.title if afr is None else ""),
    )


def _wrapped(label: str, text: str, indent: int = _LABEL) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH - 1,
        initial_indent=label.ljust(indent),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
