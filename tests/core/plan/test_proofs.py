"""The recorded proofs of the model: each figure is near theory, or the run shows or suspects why it is not."""

import pytest

from raidtui.core.results.analysis import ResultRow, compare
from tests.recordings.reports import kept

RANDOM = ["0", "10", "5", "6"]
THROTTLED = {(level, held) for level in RANDOM for held in (2000, 0)}
LEVELS = {(level, None) for level in ("0", "1", "4", "5", "6", "10 n2", "10 o2", "10 f2")}

Built = tuple[str, int | None]  # level with its layout, write throttling


def rows_of(name: str, job: str) -> dict[Built, ResultRow]:
    rows = [row for row in compare(*kept.load(name)).rows if row.job == job and row.cell]
    return {(f"{row.cell.level} {row.cell.layout}".strip(), row.cell.wbt_lat_usec): row for row in rows if row.cell}


@pytest.mark.parametrize(
    "name, job, limit, built",
    [
        ("levels-94", "seq_write", 0.10, LEVELS),
        ("levels-94", "seq_read", 0.10, LEVELS),
        ("random-100", "rand_write", 0.15, THROTTLED),
        ("random-100", "rand_read", 0.15, THROTTLED),
    ],
)
def test_near_theory_or_explained(name: str, job: str, limit: float, built: set[Built]) -> None:
    rows = rows_of(name, job)
    assert set(rows) == built
    off = {key: row for key, row in rows.items() if row.deviation is None or abs(row.deviation) > limit}
    assert [key for key, row in off.items() if not (row.causes.evident or row.causes.suspects)] == []


def test_without_the_kernels_throttling_random_writes_are_what_the_model_says() -> None:
    off = {built: row.deviation or 0 for built, row in rows_of("random-100", "rand_write").items()}
    assert [built for built, deviation in off.items() if built[1] == 0 and abs(deviation) > 0.15] == []
    assert off["10", 2000] < -0.15


def test_all_levels_by_chunk_are_near_theory_at_the_articles_queue() -> None:
    """Three blocks, without throttling: 5 % in the median of all cells, none over 15 %."""
    rows = [row for row in compare(*kept.load("levels-random-4k")).rows if row.cell]
    off = sorted(abs(row.deviation) for row in rows if row.deviation is not None)
    assert len(off) == len(rows) == 24 and {row.array.runs for row in rows} == {3}
    assert off[12] < 0.05 and off[-1] < 0.15
