"""Does the chunk matter for small random operations, level by level."""

from collections.abc import Sequence
from statistics import median

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, of_difference, published_over, unit_of
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.answer.penalty import penalties
from raidtui.core.plan.cell import chunk_bytes, level_title
from raidtui.core.raid.ceilings import Limit
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.grid import SetupGrid


def chunk(facts: AnswerFacts) -> list[AnswerPart]:
    """Does the chunk matter, level by level; then what a small write costs, and what each level gives."""
    chunk_effects = [conclusion for grid in facts.ranking.tests for conclusion in _chunks(grid)]
    if not chunk_effects:
        return best(facts, facts.ranked)
    matters = [conclusion for conclusion in chunk_effects if conclusion.verdict == "different"]
    if matters:
        differences = [
            f"{wording.lower(effect.test)} on {effect.where}"
            f" ({effect.subject} over {effect.base}: {wording.change(effect)})"
            for effect in sorted(matters, key=lambda effect: -(effect.share or 1.0))
        ]
        verdict = f"the chunk matters for {wording.listed(differences, 2)}"
        if untold_cases := len(chunk_effects) - len(matters):
            verdict += f"; in {untold_cases} of {len(chunk_effects)} cases no difference can be told"
    elif all(conclusion.verdict == "equal" for conclusion in chunk_effects):
        verdict = "the chunk does not matter: at every level all chunks are equal within 3 %"
    else:
        widest_percent = max(100 * ((conclusion.share or 1.0) - 1) for conclusion in chunk_effects)
        verdict = f"no chunk can be told from another at any level: they lie within {widest_percent:.0f} %"
    return [AnswerPart(verdict, tuple(chunk_effects)), *penalties(facts), *_by_level(facts)]


def _chunks(grid: SetupGrid) -> list[Conclusion]:
    """Of each level the two chunks that lie furthest apart."""
    judged = grid.judged
    levels: dict[str, list[int]] = {}
    for index, row in enumerate(grid.rows):
        if row.cell and row.array.value and chunk_bytes(row.cell):
            levels.setdefault(level_title(row.cell), []).append(index)
    chunk_effects = []
    for level, indices in levels.items():
        chunks = {grid.rows[index].cell.chunk for index in indices}  # type: ignore[union-attr]
        if len(chunks) < 2:
            continue
        fastest = max(indices, key=lambda index: grid.rows[index].array.value or 0.0)
        slowest = min(indices, key=lambda index: grid.rows[index].array.value or 0.0)
        chunk_effects.append(
            of_difference(
                judged.over(fastest, slowest),
                kind="effect",
                subject=f"chunk {grid.rows[fastest].cell.chunk}",  # type: ignore[union-attr]
                base=grid.rows[slowest].cell.chunk,  # type: ignore[union-attr]
                test=grid.title,
                where=level,
                figure=grid.rows[fastest].array.value,
                base_figure=grid.rows[slowest].array.value,
                unit=unit_of(grid.rows[fastest]),
            )
        )
    return chunk_effects


def _by_level(facts: AnswerFacts) -> list[AnswerPart]:
    """What each level gives, the median over its setups, over the first level in a table; of short queues a word."""
    tests = [(grid, levels) for grid in facts.ranking.tests if (levels := _levels(grid))]
    if not tests:
        return []
    ranks = [_level_rank(facts, grid, level, levels) for grid, levels in tests for level in levels]
    names = list(dict.fromkeys(conclusion.subject for conclusion in ranks))
    lines = tuple(
        (
            name,
            *(
                _cell(
                    [conclusion for conclusion in ranks if (conclusion.subject, conclusion.test) == (name, grid.title)]
                )
                for grid, _ in tests
            ),
        )
        for name in names
    )
    single_figures = [levels[names[0]][0].single for _, levels in tests if names[0] in levels]
    if any(figure.value for figure in single_figures):
        units = [unit_of(grid.rows[0]) for grid, _ in tests]
        lines = (
            (
                "one disk",
                *(cells.number(figure.value, unit) for figure, unit in zip(single_figures, units, strict=True)),
            ),
            *lines,
        )
    several_chunks = any(len(rows) > 1 for _, levels in tests for rows in levels.values())
    title = f"What each level gives{', the median of all chunks' if several_chunks else ''}; shares are of {names[0]}."
    table = Table(title, ("Level", *(cells.header(grid) for grid, _ in tests)), lines)
    return [
        AnswerPart(
            _short_queue(facts, [row for _, levels in tests for rows in levels.values() for row in rows], ranks),
            tuple(ranks),
            table,
        )
    ]


def _levels(grid: SetupGrid) -> dict[str, list[ResultRow]]:
    by_level: dict[str, list[ResultRow]] = {}
    for row in grid.rows:
        if row.cell and row.array.value:
            by_level.setdefault(level_title(row.cell), []).append(row)
    return by_level


def _level_rank(facts: AnswerFacts, grid: SetupGrid, level: str, levels: dict[str, list[ResultRow]]) -> Conclusion:
    """What a level gives, over the first one; beside the source's where the disks, not the queue, limit it."""
    first, rows = next(iter(levels)), levels[level]
    mine, base = (median(row.array.value or 0.0 for row in levels[name]) for name in (level, first))
    published = (
        published_over(facts.plan, rows[0], levels[first][0]) if level != first and not _is_short(rows) else None
    )
    return Conclusion(
        kind="rank",
        subject=level,
        test=grid.title,
        figure=mine,
        unit=unit_of(rows[0]),
        base=first,
        base_figure=base,
        ratio=mine / base,
        published=published,
        certainty="single run" if rows[0].array.runs == 1 else "interval",
        runs=rows[0].array.runs,
    )


def _cell(ranks: Sequence[Conclusion]) -> str:
    if not ranks:
        return ""
    (rank,) = ranks
    article_share = f", article {100 * rank.published:.0f} %" if rank.published else ""
    share = f" ({100 * (rank.share or 1.0):.0f} %{article_share})" if rank.subject != rank.base else ""
    return f"{cells.number(rank.figure, rank.unit)}{share}"


def _is_short(rows: Sequence[ResultRow]) -> bool:
    return bool(rows[0].queue) and all(row.expected.limited_by is Limit.QUEUE for row in rows)


def _short_queue(facts: AnswerFacts, rows: Sequence[ResultRow], ranks: Sequence[Conclusion]) -> str:
    """That the queue is shorter than the disks are many: then levels are not told apart by what the disks can do."""
    if not _is_short(rows):
        return ""
    too_few = f"{rows[0].queue} requests in flight are too few to keep {rows[0].disks} disks busy"
    costs = {cost.subject: (cost.figure, cost.test) for part in penalties(facts) for cost in part.conclusions}
    dear = max(costs, key=lambda level: costs[level][0] or 0.0, default="")
    cost, test = costs.get(dear, (None, ""))
    mine = next(
        (rank for rank in ranks if (rank.subject, rank.test) == (dear, test) and rank.subject != rank.base), None
    )
    base = costs.get(mine.base, (None, ""))[0] if mine else None
    if not mine or not mine.share or not cost or not base:
        return too_few
    return (
        f"{too_few}: what costs the disks more operations loses less here than it would with more in flight,"
        f" {dear} writes {100 * mine.share:.0f} % of {mine.base}, by its operations {100 * base / cost:.0f} %"
    )
