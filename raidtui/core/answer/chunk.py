"""Does the chunk matter for small random operations, level by level."""

from collections.abc import Sequence
from statistics import median

from raidtui.core.answer import wording
from raidtui.core.answer.best import by_test
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.penalty import penalties
from raidtui.core.plan.cell import chunk_bytes, level_title
from raidtui.core.raid.ceilings import Limit
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import SetupGrid


def chunk(facts: Known) -> list[Part]:
    """Does the chunk matter, level by level; then what a small write costs."""
    told = [one for grid in facts.ranking.tests for one in _chunks(grid)]
    if not told:
        return by_test(facts, facts.ranked)
    matters = [one for one in told if one.verdict == "different"]
    equal = [one for one in told if one.verdict == "equal"]
    if matters:
        shown = [
            f"{wording.lower(one.test)} on {one.where} ({one.subject} over {one.base}: {wording.difference(one)})"
            for one in sorted(matters, key=lambda one: -(one.ratio or 1.0))
        ]
        verdict = f"the chunk matters for {wording.listed(shown, 2)}"
        if rest := len(told) - len(matters):
            verdict += f"; in {rest} of {len(told)} cases no difference can be told"
    elif len(equal) == len(told):
        verdict = "the chunk does not matter: at every level all chunks are equal within 3 %"
    else:
        most = max(told, key=lambda one: one.ratio or 1.0)
        verdict = (
            f"no chunk can be told from another at any level; furthest apart are {most.subject} and {most.base},"
            f" {wording.lower(most.test)} on {most.where}: {100 * ((most.ratio or 1.0) - 1):.0f} %"
        )
    return [Part(verdict, tuple(told)), *penalties(facts), *_by_level(facts)]


def _chunks(grid: SetupGrid) -> list[Conclusion]:
    """Of each level the two chunks that lie furthest apart."""
    judged = of_figures(tuple(row.array for row in grid.rows))
    levels: dict[str, list[int]] = {}
    for i, row in enumerate(grid.rows):
        if row.cell and row.array.value and chunk_bytes(row.cell):
            levels.setdefault(level_title(row.cell), []).append(i)
    found = []
    for level, indices in levels.items():
        chunks = {grid.rows[i].cell.chunk for i in indices}  # type: ignore[union-attr]
        if len(chunks) < 2:
            continue
        most = max(indices, key=lambda i: grid.rows[i].array.value or 0.0)
        least = min(indices, key=lambda i: grid.rows[i].array.value or 0.0)
        found.append(
            of_difference(
                judged.over(most, least),
                kind="effect",
                subject=f"chunk {grid.rows[most].cell.chunk}",  # type: ignore[union-attr]
                base=grid.rows[least].cell.chunk,  # type: ignore[union-attr]
                test=grid.title,
                where=level,
                figure=grid.rows[most].array.value,
                base_figure=grid.rows[least].array.value,
                unit=unit_of(grid.rows[most]),
            )
        )
    return found


def _by_level(facts: Known) -> list[Part]:
    """What each level gives, the median over its setups, against one disk."""
    parts = []
    for grid in facts.ranking.tests:
        levels: dict[str, list[ResultRow]] = {}
        for row in grid.rows:
            if row.cell and row.array.value:
                levels.setdefault(level_title(row.cell), []).append(row)
        words, told = [], []
        for level, rows in levels.items():
            value = median(row.array.value or 0.0 for row in rows)
            single = rows[0].single.value
            share = _share_of_first(rows, levels)
            there = f", {share}" if share else ""
            over = f" ({wording.over_one_disk(value / single)}{there})" if single else ""
            words.append(f"{level} {wording.figure(value, unit_of(rows[0]))}{over}")
            told.append(
                Conclusion(
                    kind="gain" if single else "figure",
                    subject=level,
                    test=grid.title,
                    figure=value,
                    unit=unit_of(rows[0]),
                    base="one disk" if single else "",
                    base_figure=single,
                    ratio=value / single if single else None,
                    certainty="single run" if rows[0].array.runs == 1 else "interval",
                    runs=rows[0].array.runs,
                )
            )
        if words:
            many = any(len(rows) > 1 for rows in levels.values())
            of = _short_queue([row for rows in levels.values() for row in rows])
            of += ", the median of all chunks" if many else ""
            parts.append(Part(f"{wording.lower(grid.title)}{of}: {', '.join(words)}", tuple(told)))
    return parts


def _share_of_first(rows: Sequence[ResultRow], levels: dict[str, list[ResultRow]]) -> str:
    """What this level is of the first one, here and in the source."""
    name, first = next(iter(levels.items()))
    if rows is first:
        return ""
    here, base = (median(row.array.value or 0.0 for row in of) for of in (rows, first))
    said = f"{100 * here / base:.0f} % of {name}"
    if rows[0].published and first[0].published:
        said += f", in the article {100 * rows[0].published / first[0].published:.0f} %"
    return said


def _short_queue(rows: Sequence[ResultRow]) -> str:
    """That the queue is shorter than the disks are many: then levels are not told apart by what the disks can do."""
    queue = rows[0].queue
    if not queue or any(row.expected.limited_by is not Limit.QUEUE for row in rows):
        return ""
    return f", with {queue} in flight, too few to keep {rows[0].disks} disks busy"
