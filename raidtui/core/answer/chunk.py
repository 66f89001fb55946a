"""Does the chunk matter for small random operations, level by level."""

from statistics import median

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.levels import ranking
from raidtui.core.answer.penalty import penalties
from raidtui.core.plan.cell import chunk_bytes, level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import SetupGrid


def chunk(facts: Known) -> list[Part]:
    """Does the chunk matter, level by level; then what a small write costs."""
    told = [one for grid in facts.ranking.tests for one in _chunks(grid)]
    if not told:
        return ranking(facts)
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
            article = _published_share(rows[0], levels)
            there = f", {article}" if article else ""
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
            parts.append(Part(f"{wording.lower(grid.title)}: {', '.join(words)}", tuple(told)))
    return parts


def _published_share(row: ResultRow, levels: dict[str, list[ResultRow]]) -> str:
    """What the source's figure of this level is over its first level's, where that says more than 1."""
    first = next(iter(levels.values()))[0]
    if row is first or not row.published or not first.published or row.published == first.published:
        return ""
    share = 100 * row.published / first.published
    return f"in the article {share:.0f} % of {next(iter(levels))}"
