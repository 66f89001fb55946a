"""The mark of figures that are not to be relied on, in every table that has setups: one rule, the ranking's."""

from raidtui.core.answer.ranking import Ranking
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.grid import SetupGrid

MARK = " !"


def mark(row: ResultRow, ranking: Ranking) -> str:
    """The mark where this figure is contradicted by its latency, or more than its disks do; else nothing."""
    return MARK if (row.stage, row.job) in ranking.doubted else ""


def mark_words(grid: SetupGrid, ranking: Ranking) -> str:
    """What the mark means in this test, of the reasons that there are; nothing where none has it."""
    tested_by_reason = {
        "whose rate and latency contradict each other by over 10 %": {
            (row.stage, row.job) for row in ranking.contradicted
        },
        "that gave more than its disks do": ranking.beyond_disks.keys(),
    }
    tested_here = {(row.stage, row.job) for row in grid.rows}
    words = [reason for reason, tested in tested_by_reason.items() if tested_here & tested]
    return f"{MARK} marks a setup {', or one '.join(words)}." if words else ""
