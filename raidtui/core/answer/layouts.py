"""Separate disks or one array, by file system, and the tail of the latencies."""

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.axis import of_pairs
from raidtui.core.answer.best import best, standings
from raidtui.core.answer.conclusions import Conclusion, of_difference, published_over
from raidtui.core.answer.facts import Known, Part, Table
from raidtui.core.plan.cell import level_of, level_title
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.figure import LEFT_OUT
from raidtui.core.results.grid import SetupGrid


def layouts(facts: Known) -> list[Part]:
    """Separate disks or a RAID 0, file system by file system; then the tail, what else is best, and file systems."""
    separate = _separate_or_striped(facts)
    more = [part for part in (_tail(facts), _best(facts), _filesystems(facts)) if part]
    return [*([separate] if separate else []), *more]


def _separate_or_striped(facts: Known) -> Part | None:
    """Separate disks over RAID 0 with each file system, reads and writes apart."""
    tests = [(grid, _by_filesystem(facts, grid)) for grid in facts.ranking.tests]
    told = [conclusion for _, found in tests for conclusion in found]
    if not told:
        return None
    sure = [conclusion for conclusion in told if conclusion.verdict == "different"]
    ahead = [conclusion for conclusion in sure if (conclusion.ratio or 1.0) > 1]
    if all(conclusion.verdict == "equal" for conclusion in told):
        verdict = "equal within 3 %"
    elif not sure:
        least = max(abs((bound or 1.0) - 1) for conclusion in told for bound in (conclusion.low, conclusion.high))
        verdict = f"no difference can be told, and one below {100 * least:.0f} % would not show"
    elif len(sure) < len(told) or 0 < len(ahead) < len(sure):
        verdict = "that depends on the file system, or on reads and writes"
    else:
        verdict = f"{'separate disks are' if ahead else 'one RAID 0 is'} faster, {wording.range_of(sure)}"
    lines = tuple(
        (name, *(_cell([conclusion for conclusion in found if conclusion.where == name]) for _, found in tests))
        for name in dict.fromkeys(conclusion.where for conclusion in told)
    )
    headers = ("File system", *(cells.header(grid) for grid, _ in tests))
    table = Table(f"Separate disks beside one RAID 0. {cells.LEGEND}", headers, lines)
    return Part(f"separate disks or RAID 0: {verdict}", tuple(told), table)


def _cell(found: list[Conclusion]) -> str:
    return cells.over(found[0], "and", wording.percent(found[0].share or 1.0)) if found else ""


def _by_filesystem(facts: Known, grid: SetupGrid) -> list[Conclusion]:
    """Separate disks over RAID 0 in one test, beside the source's."""
    at = {(row.cell.level, row.cell.filesystem): i for i, row in enumerate(grid.rows) if row.cell}
    judged = grid.judged
    pairs = [(name, i, at["0", name]) for (level, name), i in at.items() if level == "jbod" and ("0", name) in at]
    found = [
        msgspec.structs.replace(
            of_pairs(grid, judged, [(i, base)], claims=len(pairs), subject="separate disks", base="RAID 0", where=name),
            published=published_over(facts.plan, grid.rows[i], grid.rows[base]),
        )
        for name, i, base in pairs
    ]
    return [conclusion for conclusion in found if conclusion.ratio is not None]


def _best(facts: Known) -> Part | None:
    """The best of all, and of what survives a failed disk."""
    safe = [ranked for ranked in facts.ranked if ranked.survives]
    parts = best(facts, facts.ranked) + (best(facts, safe, "survives a failed disk") if safe else [])
    told = tuple(conclusion for part in parts for conclusion in part.conclusions)
    return Part("; ".join(part.sentence for part in parts), told) if parts else None


def _filesystems(facts: Known) -> Part | None:
    """The largest difference that the file system makes on one level, in one test."""
    found = []
    for grid in facts.ranking.tests:
        judged = grid.judged
        for one in standings(grid, facts.ranked):
            setup = one.ranked.setup
            for base in standings(grid, facts.ranked):
                if base is not one and base.ranked.setup.level == setup.level and not level_of(setup).pool:
                    found.append((grid.title, one, base, judged.over(one.index, base.index)))
    if not found:
        return None
    title, one, base, most = max(found, key=lambda four: four[3].share or 0.0)
    told = of_difference(
        most,
        kind="effect",
        test=title,
        subject=one.ranked.setup.filesystem,
        base=base.ranked.setup.filesystem,
        where=level_title(one.ranked.setup),
    )
    of = f"{told.subject} over {told.base} on {told.where}, {wording.lower(title)}"
    return Part(f"the file systems furthest apart are {of}: {wording.difference(told)}", (told,))


def _tail(facts: Known) -> Part | None:
    """The longest wait of any request, layout by layout; p99 of all beside it, where that leaves nothing out."""
    rows = [row for row in facts.rows if row.latency.max_ns and row.cell]
    by_layout: dict[str, list[ResultRow]] = {}
    for row in rows:
        by_layout.setdefault(level_title(row.cell), []).append(row)  # type: ignore[arg-type]
    if len(by_layout) < 2:
        return None
    told = [_longest(name, of) for name, of in by_layout.items()]
    told.sort(key=lambda conclusion: conclusion.figure or 0.0)
    text = f"the longest wait: {', '.join(f'{one.subject} {wording.figure(one.figure, one.unit)}' for one in told)}"
    p99 = [ns for row in rows if (ns := row.latency.percentiles_ns.get("99"))]
    if any(row.latency.leaves_out for row in rows):
        text += f"; p99 tells less: it {LEFT_OUT}"
    elif p99:
        text += f"; 99 of 100 requests are done within {wording.pair(min(p99), 'to', max(p99), 'ns')}"
    return Part(text, tuple(told))


def _longest(layout: str, rows: list[ResultRow]) -> Conclusion:
    longest = max(rows, key=lambda row: row.latency.max_ns or 0.0)
    return Conclusion(
        kind="tail",
        subject=layout,
        test=test_title(longest),
        where="longest",
        figure=longest.latency.max_ns,
        unit="ns",
        certainty="single run" if longest.array.runs == 1 else "interval",
        runs=longest.array.runs,
    )
