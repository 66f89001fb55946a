"""Separate disks or one array, by file system, and the tail of the latencies."""

from collections.abc import Mapping

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.axis import axis, effects_of_axes, of_pairs, with_figures
from raidtui.core.answer.best import best, standings
from raidtui.core.answer.conclusions import Conclusion, of_difference, published_over, unit_of
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.plan.cell import level_of, level_title
from raidtui.core.raid import zfs
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.grid import SetupGrid

_FAILED = "a failed disk takes its own files with it, of RAID 0 all files"


def layouts(facts: AnswerFacts) -> list[AnswerPart]:
    """Separate disks or a RAID 0, which file system, the price of copies; then the tail, and what else is best."""
    answered_parts = [part for part in (_separate_or_striped(facts), _filesystems(facts), _price(facts)) if part]
    further_parts = [part for part in (_record_size(facts), _tail(facts), _best(facts)) if part]
    if not answered_parts:
        measured = any(setup.setup.level == "jbod" for setup in facts.ranking.ranked)
        return further_parts if measured else _without_separate_disks(further_parts)
    table = next((part.table for part in answered_parts if part.table), None)
    answered = tuple(conclusion for part in answered_parts for conclusion in part.conclusions)
    return [AnswerPart("; ".join(part.sentence for part in answered_parts), answered, table), *further_parts]


def _without_separate_disks(parts: list[AnswerPart]) -> list[AnswerPart]:
    """That half of the question was not asked of the disks, before all that was."""
    if not parts:
        return parts
    words = f"separate disks were not measured in this run; {parts[0].sentence}"
    return [msgspec.structs.replace(parts[0], sentence=words), *parts[1:]]


def _record_size(facts: AnswerFacts) -> AnswerPart | None:
    """What the recordsize of pools makes, where none but pools have such a setting."""
    units = [setup.setup for setup in facts.ranking.ranked if setup.setup.allocation_unit]
    if not units or any(level_of(setup).filesystem != zfs.KIND for setup in units):
        return None
    return axis(effects_of_axes(facts), "allocation_unit", name="the recordsize")


def _separate_or_striped(facts: AnswerFacts) -> AnswerPart | None:
    """Separate disks over RAID 0 with each file system, reads and writes apart."""
    tests = [(grid, _by_filesystem(facts, grid)) for grid in facts.ranking.tests]
    filesystem_effects = [conclusion for _, test_effects in tests for conclusion in test_effects]
    if not filesystem_effects:
        return None
    different = [conclusion for conclusion in filesystem_effects if conclusion.verdict == "different"]
    ahead = [conclusion for conclusion in different if (conclusion.ratio or 1.0) > 1]
    if all(conclusion.verdict == "equal" for conclusion in filesystem_effects):
        verdict = "equal within 3 %"
    elif not different:
        least_told = max(
            abs((bound or 1.0) - 1) for conclusion in filesystem_effects for bound in (conclusion.low, conclusion.high)
        )
        verdict = f"no difference can be told, and one below {100 * least_told:.0f} % would not show"
    elif len(different) < len(filesystem_effects) or 0 < len(ahead) < len(different):
        verdict = "that depends on the file system, or on reads and writes"
    else:
        verdict = f"{'separate disks are' if ahead else 'one RAID 0 is'} faster, {wording.range_of(different)}"
    lines = tuple(
        (
            name,
            *(
                _cell([conclusion for conclusion in test_effects if conclusion.where == name])
                for _, test_effects in tests
            ),
        )
        for name in dict.fromkeys(conclusion.where for conclusion in filesystem_effects)
    )
    headers = ("File system", *(cells.header(grid) for grid, _ in tests))
    table = Table(f"Separate disks beside one RAID 0. {cells.LEGEND}", headers, lines)
    return AnswerPart(f"separate disks or RAID 0: {verdict} ({_FAILED})", tuple(filesystem_effects), table)


def _cell(conclusions: list[Conclusion]) -> str:
    return cells.over(conclusions[0], "and", wording.percent) if conclusions else ""


def _by_filesystem(facts: AnswerFacts, grid: SetupGrid) -> list[Conclusion]:
    """Separate disks over RAID 0 in one test, beside the source's."""
    index_of = {(row.cell.level, row.cell.filesystem): i for i, row in enumerate(grid.rows) if row.cell}
    judged = grid.judged
    pairs = [
        (name, i, index_of["0", name])
        for (level, name), i in index_of.items()
        if level == "jbod" and ("0", name) in index_of
    ]
    return [
        msgspec.structs.replace(
            of_pairs(grid, judged, [(i, base)], claims=len(pairs), subject="separate disks", base="RAID 0", where=name),
            published=published_over(facts.plan, grid.rows[i], grid.rows[base]),
        )
        for name, i, base in pairs
        if with_figures(grid, [(i, base)])
    ]


def _best(facts: AnswerFacts) -> AnswerPart | None:
    """The best of all, and of what survives a failed disk."""
    safe = [ranked for ranked in facts.ranked if ranked.survives]
    parts = best(facts, facts.ranked) + (best(facts, safe, "survives a failed disk") if safe else [])
    ranks = tuple(conclusion for part in parts for conclusion in part.conclusions)
    return AnswerPart("; ".join(part.sentence for part in parts), ranks) if parts else None


def _price(facts: AnswerFacts) -> AnswerPart | None:
    """What levels with copies give instead of RAID 0 on the same file system, over all tests."""
    conclusions = []
    for grid in facts.ranking.tests:
        index_of = {(level_title(row.cell), row.cell.filesystem): i for i, row in enumerate(grid.rows) if row.cell}
        pairs = {
            (name, kind): with_figures(grid, [(i, index_of["RAID 0", kind])])
            for (name, kind), i in index_of.items()
            if ("RAID 0", kind) in index_of and (setup := grid.rows[i].cell) and setup.level not in ("0", "jbod")
        }
        complete_pairs = {place: pair for place, pair in pairs.items() if pair}
        conclusions += [
            of_pairs(grid, grid.judged, pair, claims=len(complete_pairs), subject=name, base="RAID 0", where=kind)
            for (name, kind), pair in complete_pairs.items()
        ]
    different = [conclusion for conclusion in conclusions if conclusion.verdict == "different"]
    if not different:
        return None
    levels = dict.fromkeys(conclusion.subject for conclusion in different)
    words = [
        f"{level} gives {wording.range_of([conclusion for conclusion in different if conclusion.subject == level])}"
        for level in levels
    ]
    return AnswerPart(f"instead of RAID 0 {wording.listed(words)}", tuple(conclusions))


def _filesystems(facts: AnswerFacts) -> AnswerPart | None:
    """The largest difference that the file system makes on one level, in one test; one that is told, if any is."""
    conclusions = [
        of_difference(
            grid.judged.over(mine.index, base.index),
            kind="effect",
            test=grid.title,
            subject=mine.ranked.setup.filesystem,
            base=base.ranked.setup.filesystem,
            where=level_title(mine.ranked.setup),
            figure=mine.row.array.value,
            base_figure=base.row.array.value,
            unit=unit_of(mine.row),
        )
        for grid in facts.ranking.tests
        for mine in standings(grid, facts.ranked)
        for base in standings(grid, facts.ranked)
        if base.index != mine.index
        and base.ranked.setup.level == mine.ranked.setup.level
        and not level_of(mine.ranked.setup).pool
    ]
    if not conclusions:
        return None
    different = [conclusion for conclusion in conclusions if conclusion.verdict == "different"]
    largest = max(different or conclusions, key=lambda conclusion: conclusion.share or 0.0)
    pair = f"{largest.subject} over {largest.base} on {largest.where}"
    if different:
        return AnswerPart(
            f"file systems: at most {wording.difference(largest)}, {pair}, {wording.lower(largest.test)}", (largest,)
        )
    if all(conclusion.verdict == "equal" for conclusion in conclusions):
        return AnswerPart("file systems: equal within 3 %", (largest,))
    size = wording.percent(largest.share or 1.0)
    return AnswerPart(f"file systems: no difference can be told (at most {size}, {pair})", (largest,))


def _tail(facts: AnswerFacts) -> AnswerPart | None:
    """The longest wait of any request, layout by layout, and the mean of the same test on the same setup; p99 of all,
    where that leaves nothing out."""
    rows = [row for row in facts.rows if row.latency.max_ns and row.cell]
    by_layout: dict[str, list[ResultRow]] = {}
    for row in rows:
        by_layout.setdefault(level_title(row.cell), []).append(row)  # type: ignore[arg-type]
    if len(by_layout) < 2:
        return None
    tails = [_longest(of, facts.names) for of in by_layout.values()]
    tails.sort(key=lambda conclusion: conclusion.figure or 0.0)
    tests = {tail.test for tail in tails}
    of_one_test = f" (each in {wording.lower(tests.pop())})" if len(tests) == 1 else ""
    text = f"the longest wait of each layout: {', '.join(map(_waits, tails))}{of_one_test}"
    p99 = [ns for row in rows if (ns := row.latency.percentiles_ns.get("99"))]
    if len(p99) == len(rows) and not any(row.latency.leaves_out for row in rows):
        text += f"; 99 of 100 requests are done within {wording.pair(min(p99), 'to', max(p99), 'ns')}"
    if facts.ranking.doubted:
        text += "; what is not to be relied on is left out"
    return AnswerPart(text, tuple(tails))


def _waits(longest: Conclusion) -> str:
    """`JBOD ext4 771 ms (mean 88.2 ms)`: a short tail may stand beside the longest mean."""
    mean = f" (mean {wording.figure(longest.base_figure, 'ns')})" if longest.base_figure else ""
    return f"{longest.subject} {wording.figure(longest.figure, longest.unit)}{mean}"


def _longest(rows: list[ResultRow], names: Mapping[int, str]) -> Conclusion:
    longest = max(rows, key=lambda row: row.latency.max_ns or 0.0)
    return Conclusion(
        kind="tail",
        subject=names.get(longest.stage, longest.setup),
        test=test_title(longest),
        where="longest",
        figure=longest.latency.max_ns,
        unit="ns",
        base="the mean",
        base_figure=longest.latency.mean_ns,
        certainty="single run" if longest.array.runs == 1 else "interval",
        runs=longest.array.runs,
    )
