"""Findings in lines of at most 20 words: number, comparison, verdict. The first of a finding is the most telling."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from raidtui.core.answer import faults
from raidtui.core.answer.effects import distance, supported
from raidtui.core.answer.numbers import (
    DASH,
    between,
    brief,
    figure,
    floored,
    lower,
    named,
    pair,
    percent,
    share,
    times,
    upper,
    verdict,
)
from raidtui.core.answer.sweeps import versus
from raidtui.core.answer.values import (
    AxisChoice,
    Best,
    DisksJudged,
    Effect,
    Expected,
    Explained,
    Finding,
    Gain,
    Gains,
    Limited,
    LoadCurve,
    Model,
    Over,
    Penalties,
    Proved,
    Queues,
    Rank,
    RebuildPace,
    Rebuilds,
    Remark,
    SourceRatios,
    Steadiness,
    Tails,
    Unsaturated,
    Usable,
    UsableSpace,
    Verified,
    WritePenalty,
)
from raidtui.core.plan.member_steps import may_fail_words
from raidtui.core.results.deviation import Shared
from raidtui.core.units import MINUS, TB, format_bytes, format_duration

MOST_WORDS = 20  # in a line
_NAMED = ("partition_start_sectors", "offset")


def lines(finding: Finding) -> Iterable[str]:
    """A finding in one line or few, the most telling first."""
    match finding:
        case AxisChoice(kept=True):
            return _kept(finding)
        case AxisChoice():
            return _choice(finding)
        case Best():
            return _best(finding)
        case Penalties(levels):
            costs = [f"{level.subject} {_between(level.low, level.high)}{_model(level)}" for level in levels]
            return _split("Write penalty", costs)
        case Unsaturated():
            return _unsaturated(finding)
        case Model():
            return _model_lines(finding)
        case SourceRatios():
            return _source(finding)
        case Usable(capacity):
            return _usable(capacity)
        case Gains():
            return _gains(finding)
        case Limited(gain, cpu):
            cause = brief(cpu) if cpu else "shared resource"
            return [f"All disks at once: {share(gain.ratio)} of {gain.base}, {lower(gain.test)}; limit: {cause}"]
        case Tails():
            return _tails(finding)
        case Queues(test, fastest, enough):
            latency = f", latency {figure(enough.latency_ns, 'ns')}" if enough.latency_ns else ""
            return [
                f"{test}: max {figure(fastest.figure, fastest.unit)} at QD{fastest.queue};"
                f" QD{enough.queue} is within 3 %{latency}"
            ] + ([f"{test}: QD{enough.queue} = {enough.where}"] if enough.queue else [])
        case Rebuilds(paces):
            return _paces(paces)
        case LoadCurve():
            return _load(finding)
        case Steadiness():
            return _steady(finding)
        case Verified():
            return _verified(finding)
        case DisksJudged():
            return faults.of_disks(finding)
        case Proved():
            return _proved(finding)
        case Explained():
            return _explained(finding)
        case Remark(text):
            return [text]


def _split(head: str, texts: Sequence[str], by: str = ", ") -> list[str]:
    made: list[str] = []
    for text in texts:
        longer = f"{made[-1]}{by}{text}" if made else ""
        if longer and len(longer.split()) <= MOST_WORDS:
            made[-1] = longer
        else:
            made.append(f"{head}: {text}")
    return made


def _between(low: float, high: float) -> str:
    return between(f"{low:.1f}", f"{high:.1f}")


def _model(level: WritePenalty) -> str:
    """Where it differs from the counted one as printed."""
    model = level.model
    return "" if model is None or f"{model:.1f}" == f"{level.figure:.1f}" else f" (model {model:g})"


def _kept(found: AxisChoice) -> Iterator[str]:
    """What is left, in all tests, at least and at most, and of what the least; nothing of what latency contradicts."""
    for subject in dict.fromkeys(effect.subject for effect in found.effects):
        own = [effect for effect in found.effects if effect.subject == subject and effect.by_latency is None]
        if not own:
            continue
        own.sort(key=lambda effect: effect.share or 0.0)
        left = between(f"{100 * (own[0].share or 0):.0f}", f"{100 * (own[-1].share or 0):.0f}")
        least = " ".join(filter(None, (own[0].group, lower(own[0].test))))
        yield f"{upper(subject)}: {left} % left (least: {least})"


def _choice(found: AxisChoice) -> list[str]:
    """One line of the value with the largest effect, of each test where the tests differ; then the other values."""
    matters = supported(found.effects)
    if not matters:
        return [_unsupported(found)]
    largest = max(matters, key=distance)
    own = [effect for effect in found.effects if effect.subject == largest.subject]
    ways = {(effect.share or 1.0) > 1 for effect in own if effect.verdict == "different"}
    tests = dict.fromkeys(effect.test for effect in own if effect in matters)
    told = [(f", {lower(test)}", [effect for effect in own if effect.test == test]) for test in tests]
    if len(ways) == 1 < len(tests):
        told = [("", own)]
    most = ", largest effect" if found.most else ""
    texts = [f"{_head(found, largest)}{test}: {verdict(of_test)}{most}" for test, of_test in told]
    texts += [upper(found.advice)] if found.advice else []
    texts += [_tail(largest)] if largest.tail and (len(own) > 1 or not largest.single_run) else []
    others = found.others or [effect for effect in found.effects if effect not in own]
    for subject in dict.fromkeys(other.subject for other in others):
        alike = [other for other in others if other.subject == subject]
        texts.append(f"{_head(found, alike[0])}: {verdict(alike)}")
    return texts


def _head(found: AxisChoice, effect: Effect) -> str:
    """`Stripe cache 4096 vs 256`, `wbt off vs 2 ms`; with the axis of values that do not speak for themselves."""
    pair_words = versus(effect)
    if found.axis in _NAMED:
        return f"{found.name}: {pair_words}"
    return pair_words if pair_words.startswith("wbt") else upper(pair_words)


def _unsupported(found: AxisChoice) -> str:
    """Nothing differs, or in one pair of single runs alone."""
    odd = max((effect for effect in found.effects if effect.verdict == "different"), key=distance, default=None)
    if odd is None:
        heads = {_head(found, effect) for effect in found.effects}
        return f"{heads.pop() if len(heads) == 1 else found.name}: {verdict(found.effects)}"
    beside = [effect for effect in found.effects if (effect.test, effect.subject) == (odd.test, odd.subject)]
    count = f"{sum(effect.verdict == 'different' for effect in beside)} of {len(beside)} pairs"
    return f"{found.name}: inconclusive ({percent(odd.share or 1.0)} in {count}, single runs)"


def _tail(effect: Effect) -> str:
    points = [f"{name} {pair(mine, base, 'ns')}" for name, mine, base in effect.tail]
    return f"Latency, {effect.where}: {', '.join(points)}" if effect.where else f"Latency: {', '.join(points)}"


def _best(found: Best) -> list[str]:
    """Which is best in most tests, what it holds, and what others hold more; else the best of each test."""
    alike = [[rank.subject for rank in order if rank.verdict != "different"] for order in found.orders]
    if all(len(names) == len(order) > 1 for names, order in zip(alike, found.orders, strict=True)):
        return [f"{found.of}: {verdict([rank for order in found.orders for rank in order[1:]])}", *_sizes(found, [])]
    leads = {name: sum(name in names for names in alike) for name in dict.fromkeys(chain.from_iterable(alike))}
    most, tests = max(leads.values()), len(found.orders)
    if most < 2 <= tests:
        winners = [
            f"{order[0].test}: {named(names)} {figure(order[0].figure, order[0].unit)}"
            for names, order in zip(alike, found.orders, strict=True)
        ]
        return [*winners, *_sizes(found, [])]
    first = [name for name, count in leads.items() if count == most]
    how = "best or tied" if any(len(names) > 1 for names in alike) else "best"
    counted = f"{most} of {tests} test{'' if tests == 1 else 's'}"
    left_out = f", {found.left_out} left out (implausible results)" if found.left_out else ""
    return [f"{found.of}: {named(first)} {how} in {counted}{left_out}", *_sizes(found, first)]


def _sizes(found: Best, first: Sequence[str]) -> list[str]:
    """What the best one holds, and others that hold or survive more; where none leads what each holds."""
    holds = {held.subject: held for held in found.holds}
    if not first:
        each = [f"{held.subject} {_space(held)} ({may_fail_words(held.survives or 0)})" for held in found.holds]
        return _split("Usable", each)
    if first[0] not in holds:
        return []
    own = holds[first[0]]
    texts = [f"{own.subject}: {_space(own)} usable, {may_fail_words(own.survives or 0)}"]
    others = [more for name, held in holds.items() if name not in first and (more := _more(held, own))]
    return texts + _split("Trade-offs", others, "; ")


def _space(held: UsableSpace) -> str:
    unit = " " + figure(held.raw, "bytes").rpartition(" ")[2]
    return f"{figure(held.figure, 'bytes').removesuffix(unit)} of {figure(held.raw, 'bytes')}"


def _more(other: UsableSpace, own: UsableSpace) -> str:
    size, own_size = figure(other.figure, "bytes"), figure(own.figure, "bytes")
    more = [
        f"{size} usable" if (other.figure or 0) > (own.figure or 0) and size != own_size else "",
        may_fail_words(other.survives or 0) if (other.survives or 0) > (own.survives or 0) else "",
    ]
    return f"{other.subject} ({', '.join(filter(None, more))})" if any(more) else ""


def _usable(capacity: UsableSpace) -> list[str]:
    of_raw = f" ({share((capacity.figure or 0) / capacity.raw)})" if capacity.raw else ""
    lost = f"; rest: {', '.join(capacity.lost)}" if capacity.lost else ""
    return [f"Usable: {_space(capacity)}{of_raw}{lost}"]


def _gains(found: Gains) -> list[str]:
    """`Sequential read 3.0x, random 4K write 0.09x one disk`; without a single disk the figures."""
    gains = [gain for gain in found.gains if isinstance(gain, Gain)]
    if found.together:
        told = [f"{lower(gain.test)} {share(gain.share)}" for gain in gains]
        same = " (n.s.)" if all(gain.verdict != "different" for gain in gains) else ""
        return [f"All at once vs {gains[0].base}: {_first(told, 12)}{same}"]
    if gains:
        return [f"{upper(_first([f'{lower(gain.test)} {times(gain.share or 0.0)}' for gain in gains]))} one disk"]
    return [upper(_first([f"{lower(gain.test)} {figure(gain.figure, gain.unit)}" for gain in found.gains]))]


def _first(texts: Sequence[str], words: int = MOST_WORDS - 2) -> str:
    """As many of them as these words hold; their table has all."""
    fitting = [at for at in range(1, len(texts) + 1) if len(", ".join(texts[:at]).split()) <= words]
    return ", ".join(texts[: max(fitting, default=1)])


def _unsaturated(found: Unsaturated) -> Iterator[str]:
    rank = found.rank
    yield f"QD{found.queue} cannot saturate {found.disks} disks"
    if rank:
        yield f"{rank.subject} writes {share(rank.share)} of {rank.base}, by write penalty {share(found.by_penalty)}"


def _tails(found: Tails) -> list[str]:
    texts = _split("Max latency", [f"{tail.subject} {figure(tail.figure, 'ns')}" for tail in found.longest])
    excluded = " (implausible results left out)" if found.excluded else ""
    low, high = found.p99_ns or (0.0, 0.0)
    return texts + ([f"p99: {between(figure(low, 'ns'), figure(high, 'ns'))}{excluded}"] if found.p99_ns else [])


def _model_lines(found: Model) -> list[str]:
    """How many differ from expected, which most; then its cause, of one setup that of each."""
    off = [value for value in found.figures if value.closeness in ("below", "above")]
    if not off:
        surely = all(value.closeness == "as expected" for value in found.figures)
        one, count = len(found.figures) == 1, len(found.figures)
        if surely:
            return [f"{'The only result matches' if one else f'All {count} results match'} expected (±5 %)"]
        return [f"{'The only result' if one else f'All {count} results'} within noise of expected ({_noise(found)})"]
    worst, *_ = found.off
    place = ", ".join(filter(None, (worst.subject if found.setups else "", lower(worst.test))))
    differ = "differs" if len(off) == 1 else "differ"
    largest = f"; largest {percent(worst.ratio or 1)} ({place})"
    counted = f"{len(off)} of {len(found.figures)} results {differ} from expected{largest}"
    below = [value for value in found.off if value.closeness == "below"]
    heads = [", ".join(filter(None, (value.test, value.subject if found.setups else ""))) for value in below]
    told = [f"{head}: {text}" for head, value in zip(heads, below, strict=True) for text in causes(value)]
    return [counted, *told, f"Noise of a result vs expected: {_noise(found)}"]


def _noise(found: Model) -> str:
    """`-13 to +15 %`; where results have each their own, from the least to the most: `±5-12 % by result`."""
    least, most = found.noise
    down, up = (percent(ratio) for ratio in (1 / most, most))
    if percent(least) == up:
        return f"{down.removesuffix(' %')} to {up}"
    return f"±{between(f'{100 * (1 - 1 / least):.0f}', f'{100 * (most - 1):.0f}')} % by result"


def causes(off: Expected) -> list[str]:
    """`cause: CPU (busiest core 88 %)`, each by itself; what nothing shows is unknown."""
    texts = [f"cause: {brief(limit)}" for limit in off.limits]
    if off.above:
        texts.append(f"limit above the disks ({', '.join(off.above)}), busiest disk at {share(off.idle)}")
    elif off.idle is not None:
        texts.append(f"busiest disk at {share(off.idle)}")
    suspects = [brief(suspect) for suspect in off.suspects]
    if off.limits and all(isinstance(limit, Shared) and limit.of is not None for limit in off.limits):
        return [*texts, "rest: cause unknown"]
    return texts or [f"cause unknown (suspect: {_first(suspects, 9)})" if suspects else "cause unknown"]


def source_name(found: SourceRatios) -> str:
    """`Louwrentius 2013`: author and year, without the title; of how many disks."""
    name = " ".join(part.strip() for part in found.name.split(",")[-2:])
    return f"{name}, {found.disks} disks" if found.disks else name


def _source(found: SourceRatios) -> list[str]:
    name = source_name(found)
    if not found.refuted:
        return [f"Matches published ({name})"]
    worst, *others = found.refuted
    claimed, ours = (_ratio(worst, ratio) for ratio in (worst.published or 1.0, worst.share or 1.0))
    also = f"; {len(found.refuted)} of {len(found.compared)} differ" if others else ""
    work = worst.work if isinstance(worst, Effect) else None
    return [
        f"Published ({name}): {_claim(worst)} {claimed}, here {ours}{also}",
        *([f"Disk I/Os per request: {work[0]:.1f} vs {work[1]:.1f}"] if work else ()),
    ]


def _claim(over: Over) -> str:
    where = over.where if isinstance(over, Effect) else over.subject if isinstance(over, Rank) else ""
    return ", ".join(filter(None, (lower(over.test), where)))


def _ratio(over: Over, ratio: float) -> str:
    if isinstance(over, Gain):
        return times(ratio)
    if isinstance(over, Rank):
        return share(ratio)
    return f"{round(100 * (ratio - 1), 1) or 0.0:+.3g} %".replace("-", MINUS)  # as the source prints it


def _paces(paces: Sequence[RebuildPace]) -> Iterator[str]:
    """By itself and under load, from the slowest to the fastest; the time for 1 TB where all saw enough of a disk."""
    for title, own in (
        ("Rebuild", [pace for pace in paces if not pace.test]),
        ("Rebuild under load", [pace for pace in paces if pace.test]),
    ):
        if own:
            slow, fast = (pick(own, key=lambda pace: pace.figure or 0.0) for pick in (min, max))
            rates = between(figure(slow.figure, slow.unit), figure(fast.figure, fast.unit))
            long, short = (format_duration(TB / (pace.figure or 1.0)) for pace in (slow, fast))
            took = short if short == long else f"{short} {DASH} {long}"
            yield f"{title}: {rates}{'' if any(pace.little for pace in own) else f' (≈ {took} per TB)'}"


def _load(found: LoadCurve) -> Iterator[str]:
    """The peak, the load up to which latency is flat, and both percentiles by load."""
    where = f" ({found.peak.subject})" if found.peak.subject else ""
    head = f"{found.peak.test}{where}: peak {figure(found.peak.figure, 'IOPS')}"
    if found.held is None:
        yield f"{head}; latency at lower load unknown"
        return
    yield f"{head}; {found.by} flat to {found.held} % load"
    for name, points in (("p50", found.p50), ("p99", found.p99)):
        if points:
            at_loads = [f"{figure(ns, 'ns')} at {percent_of} %" for percent_of, ns in points]
            yield f"{found.peak.test}, {name}: {', '.join(at_loads)}"
    if found.served is not None:
        yield f"Offered {figure(found.offered, 'IOPS')}: {share(found.served)} achieved"


def _steady(found: Steadiness) -> Iterator[str]:
    last = found.last
    state = {True: "Steady state", False: "Not steady", None: "Steady state unknown"}[found.steady]
    of_first = f" ({share(last.ratio)} of round 1)" if last.ratio else ""
    yield f"{state}: {lower(last.test)} {figure(last.figure, last.unit)}{of_first}"
    if found.decides or not found.steady:
        ranges = (
            f"; last 5 range {share(found.range)}, drift {percent(1 + found.drift)}"
            if found.range is not None and found.drift is not None
            else ""
        )
        yield f"{found.rounds} of at most {found.most} rounds{ranges}"
    if found.very_last is not None:
        yield f"Last round: {lower(last.test)} {figure(found.very_last, last.unit)}"


def _verified(found: Verified) -> list[str]:
    passes = f"{found.passed} of {found.of} passes"
    if found.share is None:
        return [f"Verified: {passes} read back every block as written"]
    return [f"{upper(found.subject)} returned its data: {passes}, {floored(found.share)} of {found.whole} verified"]


def _proved(found: Proved) -> list[str]:
    share, states = f" ({floored(found.share)} of the array)" * (found.share < 1), len(found.states)
    of_states = "1 state" if states == 1 else f"{states} states of the array"
    written = f"{format_bytes(int(found.written_bytes))} written{share}, verified in {of_states}"
    if found.differs:
        return [f"DIFFERS, {found.differs}", f"Before: {written}"]
    cut = [] if found.acknowledged is None else [f"Power cut: {found.covered or 'not tested'}"]
    return [f"{written}: 0 blocks differ" if states == found.of else f"{written}, of {found.of}", *cut]


def _explained(found: Explained) -> list[str]:
    off = "" if found.deviation is None else f" ({percent(1 + found.deviation)} vs expected)"
    head = f"{found.test}{off}"
    told = [
        f"{head}: cause: {name}; {effect.subject}: {percent(effect.share or 1.0)}"
        for name, effect in zip(found.proven, found.effects, strict=False)
    ]
    told += [f"{head}: cause: {text}" for text in [*found.slow, *map(brief, found.evident)]]
    if not told:
        why = "above expected, cause unknown" if found.above_expected else ""
        told = [f"{head}: {why or ('as expected, no limit' if found.as_expected else 'cause unknown')}"]
    unproven = found.effects[len(found.proven) :]
    if len(found.effects) > 1 and not found.proven:
        told.append(f"None of {len(found.effects)} changes is significantly faster")
    elif unproven:
        told.append(f"Other changes: {named([e.subject for e in unproven])}: {verdict(unproven)}")
    return told
