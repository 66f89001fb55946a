"""A comparison's parts, by name; apart from handmade.py, which tests of plans use, for what those tests concern."""

from raidtui.core.results.analysis import Comparison, ResultRow


def row(comparison: Comparison, job: str, direction: str | None = None) -> ResultRow:
    """The only row of this job, and of its direction where it has two."""
    (only,) = [r for r in comparison.rows if r.job == job and direction in (None, r.direction)]
    return only
