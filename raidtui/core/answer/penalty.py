"""What a small write costs in operations of the disks, as it was counted, beside the model's figure."""

from statistics import median

from raidtui.core.answer import conclusions
from raidtui.core.answer.conclusions import Conclusion
from raidtui.core.answer.facts import Known, Part
from raidtui.core.plan.cell import level_of, level_title
from raidtui.core.raid import theory
from raidtui.core.results.analysis import ResultRow, test_title


def penalties(facts: Known) -> list[Part]:
    """Disk operations for each small write, counted at the disks, beside the model's."""
    levels: dict[str, list[tuple[ResultRow, float]]] = {}
    for row in facts.rows:
        if row.kind == "random" and row.direction == "write" and not row.mixed and row.cell:
            work = conclusions.disk_work(facts.plan, row, conclusions.measured_of(facts.plan, facts.state, row))
            if work:
                levels.setdefault(level_title(row.cell), []).append((row, work))
    told, words = [], []
    for level, found in levels.items():
        row = found[0][0]
        model = _model_penalty(row)
        cost = median(work for _, work in found)
        told.append(
            Conclusion(
                kind="penalty",
                subject=level,
                test=test_title(row),
                figure=cost,
                unit="disk operations",
                base="the model",
                base_figure=model,
                ratio=cost / model if model else None,
                evidence=("bytes that the kernel counted at the disks over bytes that fio wrote",),
            )
        )
        words.append(f"{level} {cost:.1f}" + (f" (model {model:g})" if model else ""))
    return [Part(f"disk operations for each small write: {', '.join(words)}", tuple(told))] if told else []


def _model_penalty(row: ResultRow) -> float | None:
    """What a full queue of small writes costs on this level, in disk operations a write."""
    if row.cell is None or level_of(row.cell).pool:
        return None
    try:
        expected = theory.predict(
            row.cell.level, row.disks, 1.0, 1.0, layout=(row.cell.layout or None) if row.cell.level == "10" else None
        )
    except ValueError:
        return None
    return row.disks / expected.rand_write_iops if expected.rand_write_iops else None
