"""A comparison of measurements as markdown: a table and bars for each test, and what was in no table."""

from collections.abc import Sequence

from raidtui.core.report.tables import (
    bars,
    bullets,
    cell,
    escape,
    fenced,
    latency_cells,
    latency_headers,
    number,
    table,
)
from raidtui.core.results.comparison import Entry, Matched, Series
from raidtui.core.results.figure import TIMES
from raidtui.core.units import MB


def markdown(series: Sequence[Series], matched: Sequence[Matched]) -> str:
    """The comparison as tables and bars, and what was in no table."""
    blocks = ["# Compared", "MB/s = 10^6 bytes a second. What is over what stands in each table's last columns."]
    for one in matched:
        latencies = [entry.latency for entry in one.entries]
        headers = [
            "Result",
            "MB/s",
            "IOPS",
            *latency_headers(latencies),
            f"Over {escape(one.base)}, %",
            f"As factor, {TIMES}",
        ]
        lines = [
            [
                escape(entry.series),
                cell(entry.bytes_per_s, MB),
                cell(entry.iops, 1.0),
                *latency_cells(entry.latency, latencies),
                entry.over_base.words or ("base" if entry.series == one.base else ""),
                entry.over_base.times,
            ]
            for entry in one.entries
        ]
        blocks += [f"## {escape(one.title)}", table(headers, lines), fenced(bars([_bar(one, e) for e in one.entries]))]
    if not matched:
        blocks.append("No test stands in more than one of these results: there is nothing to compare.")
    blocks.append(bullets(f"{escape(one.name)}: {len(one.tests)} tests" for one in series))
    return "\n\n".join(blocks) + "\n"


def _bar(test: Matched, entry: Entry) -> tuple[str, float | None, str]:
    judged, unit, scale = (entry.iops, "IOPS", 1.0) if test.kind == "random" else (entry.bytes_per_s, "MB/s", MB)
    return entry.series, judged.value, f"{number(judged.value, scale)} {unit}" if judged.value else judged.standing
