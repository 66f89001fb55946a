"""What an answer is made of: values, findings that group them, tables of them. No sentence is here."""

from typing import Any, Literal, dataclass_transform

import msgspec

from raidtui.core.results.deviation import Cause, Suspect
from raidtui.core.results.differences import Difference

Unit = Literal["", "bytes/s", "IOPS", "bytes", "ns", "s", "disk I/Os", "trials", "disks", "share", "rounds"]
Verdict = Literal["", "different", "equal", "n.s."]
_VERDICTS: dict[str | None, Verdict] = {None: "", "different": "different", "equal": "equal", "cannot tell": "n.s."}
Closeness = Literal["as expected", "n.s.", "below", "above"]
FaultName = Literal[
    "not whole",
    "failed",
    "errors",
    "damaged",
    "resumed",
    "disturbed",
    "limit",
    "slow disk",
    "unsure disk",
    "beyond",
    "yardstick",
    "two rates",
    "slower",
    "contradicted",
    "drift",
    "unequal",
    "buffered",
]


NEAR = 0.05  # of expected: as expected


@dataclass_transform(frozen_default=True)
class AnswerValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """A figure of one test. `subject`: of what; `unit`: of all figures here; `runs`: how often it was measured."""

    subject: str = ""
    test: str = ""
    figure: float | None = None
    unit: Unit = ""
    runs: int = 0


class PlainFigure(AnswerValue, tag="figure"):
    """A figure that is over nothing. `where`: at what, such as peak or a queue depth; `queue`: of it."""

    where: str = ""
    queue: int | None = None
    latency_ns: float | None = None


class Over(AnswerValue):
    """A figure over its base: by medians where there are blocks; `low` to `high` is its 95 % interval."""

    base: str = ""
    base_figure: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: Verdict = ""
    single_run: bool = False  # 5 % are assumed from run to run
    repetitions: int | None = None  # of each setup that would tell
    published: float | None = None  # the source's ratio
    geometry: float = 1.0  # how many times that the model has for this number of disks

    @property
    def share(self) -> float | None:
        """The figure over its base as both are printed; else `ratio`."""
        return self.figure / self.base_figure if self.figure and self.base_figure else self.ratio


def judged(difference: Difference) -> dict[str, Any]:
    ratio, low, high = (None if x is None else x + 1 for x in (difference.share, difference.low, difference.high))
    return {
        "ratio": ratio,
        "low": low,
        "high": high,
        "verdict": _VERDICTS[difference.conclusion],
        "single_run": difference.assumed,
        "repetitions": difference.repetitions,
    }


class Gain(Over, tag="gain"):
    """An array over one disk; of all disks at once so many times one disk."""


class Rank(Over, tag="rank"):
    """A setup over another; `expected`: over what the model has of that one."""

    expected: bool = False


class Effect(Over, tag="effect"):
    """One value of an axis over another, all else alike: `where`, in the `group` it was asked for. `label`: the value
    as the setup field has it.
    """

    label: str = ""
    where: str = ""
    group: str = ""
    by_latency: float | None = None  # the ratio by their latencies, where these contradict one of the two
    work: tuple[float, float] | None = None  # disk I/Os for one of the user's, and of the base
    tail: tuple[tuple[str, float, float], ...] = ()  # p50, p99, max: of both, where p99 becomes another


class Expected(Over, tag="expected"):
    """A figure over the model's. `limits`: proved causes; `idle`: the work of the busiest disk, of its work without the
    array, where no disk is the limit; `above`: what lies above the disks then.
    """

    closeness: Closeness = "n.s."
    limits: tuple[Cause, ...] = ()
    idle: float | None = None
    above: tuple[str, ...] = ()
    suspects: tuple[Suspect, ...] = ()


class WritePenalty(AnswerValue, tag="penalty"):
    """Disk I/Os of one small write on a level; `model` with a full queue."""

    low: float = 0.0
    high: float = 0.0
    model: float | None = None


class UsableSpace(AnswerValue, tag="capacity"):
    """Usable bytes of `raw`, where the rest went, and how many disks may fail."""

    raw: float = 0.0
    lost: tuple[str, ...] = ()
    survives: int | None = None


class RebuildPace(AnswerValue, tag="pace"):
    """A rebuild in bytes/s, beside the test or by itself; `whole_s` of the whole disk, seen over `little` of it."""

    whole_s: float | None = None
    little: bool = False
    below_min: bool = False  # slower than the minimum that was set


class Fault(AnswerValue, tag="fault"):
    """A fault of the run, a disk or a figure, in `figure` of `of` cases or with `figure` over `of`."""

    name: FaultName
    where: str = ""
    base: str = ""
    of: float | None = None
    cause: Cause | None = None
    evidence: tuple[str, ...] = ()


@dataclass_transform(frozen_default=True)
class _Finding(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind"):
    pass


class AxisChoice(_Finding, tag="choice"):
    """The effects of an axis, and its other values over the one with the largest (`others`). `most`: largest effect of
    all axes; `kept`: shares of the base that are left, not changes.
    """

    axis: str
    name: str
    effects: tuple[Effect, ...]
    others: tuple[Effect, ...] = ()
    advice: str = ""
    most: bool = False
    kept: bool = False


class Best(_Finding, tag="best"):
    """Setups in the order of each test, over its first, and what each holds; `of`: which setups these are.
    `left_out`: tests in which some setup has no figure, or an excluded one.
    """

    of: str
    orders: tuple[tuple[Rank, ...], ...]
    holds: tuple[UsableSpace, ...] = ()
    left_out: int = 0


class Penalties(_Finding, tag="penalties"):
    levels: tuple[WritePenalty, ...]


class Unsaturated(_Finding, tag="unsaturated"):
    """A queue that is too short for the disks: what a level's share is, and would be by its disk I/Os."""

    queue: int
    disks: int
    rank: Rank | None = None
    by_penalty: float | None = None


class Model(_Finding, tag="model"):
    """All figures over the model's; `off`: those whose limit was looked for, the furthest first. `setups`: is it of
    several?
    """

    figures: tuple[Expected, ...]
    off: tuple[Expected, ...] = ()
    setups: bool = False

    @property
    def noise(self) -> tuple[float, float]:
        """How many times expected a result is at least before it differs (5 %, or its interval): least, most."""
        known = [(value.low, value.high) for value in self.figures if value.low and value.high]
        each = [max(1 + NEAR, (high / low) ** 0.5) for low, high in known] or [1 + NEAR]
        return min(each), max(each)


class SourceRatios(_Finding, tag="source"):
    """The ratios that the recipe's source has, too; `refuted`: those that differ here, the furthest first. `disks`: of
    how many it is, where that is another number.
    """

    name: str
    compared: tuple[Gain | Rank | Effect, ...]
    refuted: tuple[Gain | Rank | Effect, ...]
    disks: int | None = None


class Usable(_Finding, tag="usable"):
    capacity: UsableSpace


class Gains(_Finding, tag="gains"):
    """Each test over one disk. `together`: all disks at once over so many times one."""

    gains: tuple[Gain | PlainFigure, ...]
    together: bool = False


class Limited(_Finding, tag="limited"):
    """All disks at once, less than so many times one; `cpu` where a CPU was the limit."""

    gain: Gain
    cpu: Cause | None = None


class Tails(_Finding, tag="tails"):
    """Max latency of each layout, over its mean; `p99_ns`: from least to most, where it leaves nothing out."""

    longest: tuple[Rank, ...]
    p99_ns: tuple[float, float] | None = None
    excluded: bool = False


class Queues(_Finding, tag="queues"):
    """Of one job the fastest queue, and the shortest within 3 % of it."""

    test: str
    fastest: PlainFigure
    enough: PlainFigure


class Rebuilds(_Finding, tag="rebuilds"):
    paces: tuple[RebuildPace, ...]


class LoadCurve(_Finding, tag="load"):
    """A test flat out, and its latencies by offered load in percent: p50 and p99. `held`: the highest at which they
    hardly rise, by percentile `by`; None where too little is known. `served`: of the most that was offered.
    """

    peak: PlainFigure
    held: int | None = None
    by: str = ""
    p50: tuple[tuple[int, float], ...] = ()
    p99: tuple[tuple[int, float], ...] = ()
    offered: float | None = None
    served: float | None = None


class Steadiness(_Finding, tag="steady"):
    """A job in rounds: the last ones' median over the first. `steady` None: too few rounds to tell. `decides`: it ended
    the run's rounds, after `rounds` of at most `most`.
    """

    last: Rank
    steady: bool | None
    decides: bool
    rounds: int
    most: int
    range: float | None = None
    drift: float | None = None
    very_last: float | None = None


class Verified(_Finding, tag="verified"):
    """Passes that gave back what was written, the least share of `whole` that was read back."""

    passed: int
    of: int
    subject: str = ""
    whole: str = ""
    share: float | None = None


class DisksJudged(_Finding, tag="disks-judged"):
    """A burn-in's verdicts: how many disks have each. `failed`: serial -> what failed."""

    disks: int
    verdicts: dict[str, int] = {}
    failed: dict[str, tuple[str, ...]] = {}


class Proved(_Finding, tag="proved"):
    """States of an array in which all `written_bytes` were equal, of `of`; `share`: of the array. `differs`: the last
    difference in a line ("": none). `acknowledged`: writes that were there after the power cut (0: none tested; None:
    no power cut asked for); `covered`: on how many copies, or why not, in words.
    """

    written_bytes: float
    states: tuple[str, ...]
    of: int
    share: float = 1.0
    differs: str = ""
    acknowledged: int | None = None
    covered: str = ""


class Explained(_Finding, tag="explained"):
    """A test of an ablation: `deviation` from expected; changes over the unchanged test, those that are a `proven`
    cause first; counters' `evident` causes; serials of `slow` disks.
    """

    test: str
    deviation: float | None
    effects: tuple[Effect, ...]
    proven: tuple[str, ...] = ()
    evident: tuple[Cause, ...] = ()
    slow: tuple[str, ...] = ()
    above_expected: bool = False
    as_expected: bool = False


class Remark(_Finding, tag="note"):
    """A finding without a figure: that something was not measured."""

    text: str


Finding = (
    AxisChoice
    | Best
    | Penalties
    | Unsaturated
    | Model
    | SourceRatios
    | Usable
    | Gains
    | Limited
    | Tails
    | Queues
    | Rebuilds
    | LoadCurve
    | Steadiness
    | Verified
    | DisksJudged
    | Proved
    | Explained
    | Remark
)
ParsedSetup = PlainFigure | Gain | Rank | Effect | Expected | RebuildPace


def cells_of(unit: Unit, *figures: float | None) -> tuple[tuple[ParsedSetup, ...], ...]:
    """A cell of each figure, empty where it is not known."""
    return tuple((PlainFigure(figure=figure, unit=unit),) if figure else () for figure in figures)


class AnswerRow(msgspec.Struct, frozen=True):
    """A line of a table; of each column nothing, one value, or several of one case."""

    name: str
    cells: tuple[tuple[ParsedSetup, ...], ...]


class AnswerTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """Values by rows and columns. `unit` of a column whose cells leave it out; `bases`: what its shares are of; `kept`:
    shares, not changes.
    """

    columns: tuple[tuple[str, Unit], ...]
    rows: tuple[AnswerRow, ...]
    first: str = "Setup"
    note: str = ""
    kept: bool = False
    bases: tuple[str, ...] = ()


class Method(msgspec.Struct, frozen=True, omit_defaults=True):
    """How often, how long and how deep each test ran; SD of a run, least and largest by test.
    `single`: bound of a single figure; `by_disks`: the spread between disks judges differences.
    """

    runs: int
    seconds: float
    queue: tuple[int, int] | None = None
    spread: tuple[float, float] | None = None
    single: float | None = None
    by_disks: bool = False


class Next(msgspec.Struct, frozen=True, omit_defaults=True):
    """The one next step, the command where one does it, and what that is, for a screen with a key."""

    why: str
    command: str = ""
    does: Literal["", "resume", "again", "explain"] = ""
