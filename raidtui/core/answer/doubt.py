"""What may be said of figures that their own latencies contradict: what holds by the rates, and by the latencies too.

A figure is in doubt where queue / rate and the mean latency are more than 10 % apart, whatever the reason. Figures that
are not in doubt are judged by their rates alone.
"""

from collections.abc import Sequence
from math import exp, log
from statistics import fmean

import msgspec

from raidtui.core.answer.conclusions import Conclusion, of_difference
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import Difference


def of_rows(difference: Difference, pairs: Sequence[tuple[ResultRow, ResultRow]], **about: object) -> Conclusion:
    """A difference of rows over their bases as a conclusion, with its doubt; `about` are its other fields."""
    conclusion = of_difference(difference, **about)
    times = _times(pairs)
    if times is None or conclusion.share is None:
        return conclusion
    judged = of_difference(_by_either(difference, times), **about)
    return msgspec.structs.replace(judged, by_latency=times * conclusion.share)


def _times(pairs: Sequence[tuple[ResultRow, ResultRow]]) -> float | None:
    """How many times the ratio of these rows is by their latencies what it is by their rates; None without a doubt."""
    doubts = [
        log(row.by_latency / base.by_latency) if row.little_off or base.little_off else 0.0
        for row, base in pairs
        if row.by_latency and base.by_latency
    ]
    return exp(fmean(doubts)) if any(doubts) else None


def _by_either(difference: Difference, times: float) -> Difference:
    """As far as rates and latencies agree on it: the interval has room for both, and nothing is equal."""
    if difference.low is None or difference.high is None:
        return difference
    low = min(difference.low, times * (1 + difference.low) - 1)
    high = max(difference.high, times * (1 + difference.high) - 1)
    different = difference.conclusion == "different" and (low > 0 or high < 0)
    conclusion = "different" if different else "cannot tell"
    return msgspec.structs.replace(difference, low=low, high=high, conclusion=conclusion, repetitions=None)
