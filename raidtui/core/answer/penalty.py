"""What a small write costs in operations of the disks, as it was counted, beside the model's figure."""

from statistics import median

from raidtui.core.answer.conclusions import Conclusion
from raidtui.core.answer.facts import AnswerFacts, AnswerPart
from raidtui.core.plan.cell import level_of, level_title
from raidtui.core.raid import theory
from raidtui.core.results.analysis import ResultRow, test_title


def penalties(facts: AnswerFacts) -> list[AnswerPart]:
    """Disk operations for each small write, counted at the disks, beside the model's."""
    rows_by_level = writes_by_level(facts)
    costs = [_penalty(level, rows) for level, rows in rows_by_level.items()]
    words = [f"{cost.subject} {_span(rows_by_level[cost.subject])}{_beside_model(cost)}" for cost in costs]
    return [AnswerPart(f"disk operations for each small write: {', '.join(words)}", tuple(costs))] if costs else []


def writes_by_level(facts: AnswerFacts) -> dict[str, list[ResultRow]]:
    """The small writes of each level that have the disks' operations counted."""
    levels: dict[str, list[ResultRow]] = {}
    for row in facts.rows:
        if row.kind == "random" and row.direction == "write" and not row.mixed and row.cell and row.operations:
            levels.setdefault(level_title(row.cell), []).append(row)
    return levels


def _penalty(level: str, rows: list[ResultRow]) -> Conclusion:
    """The median over a level's setups."""
    cost = median(row.operations.total for row in rows if row.operations)
    model = _model_penalty(rows[0])
    return Conclusion(
        kind="penalty",
        subject=level,
        test=test_title(rows[0]),
        figure=cost,
        unit="disk operations",
        base="the model",
        base_figure=model,
        ratio=cost / model if model else None,
        evidence=("operations that the kernel counted at the disks, for each write of fio's",),
    )


def _span(rows: list[ResultRow]) -> str:
    """`6.1`, or of setups that differ in it `6.0 to 6.2`."""
    low, high = (f"{pick(row.operations.total for row in rows if row.operations):.1f}" for pick in (min, max))
    return low if low == high else f"{low} to {high}"


def _beside_model(cost: Conclusion) -> str:
    """Said where it is not what the model has."""
    model = cost.base_figure
    return "" if model is None or f"{model:.1f}" == f"{cost.figure:.1f}" else f" (model {model:g})"


def _model_penalty(row: ResultRow) -> float | None:
    """What a full queue of small writes costs on this level, in disk operations a write."""
    if row.cell is None or level_of(row.cell).pool:
        return None
    try:
        expected = theory.predict(row.cell.level, row.disks, 1.0, 1.0, layout=row.cell.layout or None)
    except ValueError:
        return None
    return row.disks / expected.rand_write_iops if expected.rand_write_iops else None
