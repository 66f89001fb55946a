"""Disk I/Os of a small write, counted at the disks, beside the model's."""

from statistics import median

from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.values import Penalties, WritePenalty
from raidtui.core.plan.parsed_setup import level_of, level_title
from raidtui.core.raid import theory
from raidtui.core.results.analysis import ResultRow, test_title


def penalties(facts: AnswerFacts) -> Penalties | None:
    """Level by level the median over its setups; None where nothing was counted."""
    levels: dict[str, list[ResultRow]] = {}
    for row in facts.rows:
        if row.kind == "random" and row.direction == "write" and not row.mixed and row.cell and row.operations:
            levels.setdefault(level_title(row.cell), []).append(row)
    return Penalties(tuple(_penalty(level, rows) for level, rows in levels.items())) if levels else None


def _penalty(level: str, rows: list[ResultRow]) -> WritePenalty:
    totals = [row.operations.total for row in rows if row.operations]
    return WritePenalty(
        subject=level,
        test=test_title(rows[0]),
        figure=median(totals),
        unit="disk I/Os",
        low=min(totals),
        high=max(totals),
        model=_model_penalty(rows[0]),
    )


def _model_penalty(row: ResultRow) -> float | None:
    """Disk I/Os of a small write on this level with a full queue."""
    if row.cell is None or level_of(row.cell).pool:
        return None
    try:
        expected = theory.predict(row.cell.level, row.disks, 1.0, 1.0, layout=row.cell.layout or None)
    except ValueError:
        return None
    return row.disks / expected.rand_write_iops if expected.rand_write_iops else None
