"""The part of a report on rebuilds: how fast, beside which test, and how long a whole disk takes at that pace."""

from collections.abc import Mapping, Sequence

from raidtui.core.report.tables import escape, number, table
from raidtui.core.results.series.rebuilds import RebuildRate
from raidtui.core.units import MB, both, format_duration


def pages(rates: Sequence[RebuildRate], names: Mapping[int, str]) -> list[str]:
    """A line a setup and test; nothing where nothing was rebuilt on purpose. `names` are the setups', by stage."""
    if not rates:
        return []
    lines = [
        [
            escape(names.get(rebuild_rate.stage) or rebuild_rate.setup),
            escape(rebuild_rate.beside) or "nothing",
            number(rebuild_rate.bytes_per_s, MB),
            f"{100 * rebuild_rate.share:.1f}",
            _scaled(rebuild_rate),
        ]
        for rebuild_rate in rates
    ]
    headers = ["Setup", "Beside it", "Rebuilt, MB/s of the disk", "Seen over, % of it", "Whole disk, scaled"]
    scaled = (
        f"Times for the whole disk ({escape(both(rates[0].whole_bytes))} to rebuild) are scaled from the pace that was"
        " seen, at its start: a rotating disk gets slower towards its end. †: scaled from little, a mean rebuild was"
        " seen over less than 5 % of it, and all together over less than 1 GB."
    )
    return ["## Rebuilds", table(headers, lines, word_columns=2), scaled]


def _scaled(rate: RebuildRate) -> str:
    if rate.whole_s is None:
        return "nothing was rebuilt"
    return f"{format_duration(rate.whole_s)}{'' if rate.scales else ' †'}"
