"""Arrays without a disk: what is left of each test, what users get beside a rebuild, and how long that takes."""

from collections.abc import Callable

import msgspec

from raidtui.core.answer import wording
from raidtui.core.answer.best import by_test
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import SetupGrid
from raidtui.core.results.series.rebuilds import RebuildRate, rebuilds
from raidtui.core.units import format_bytes, format_duration

_MOST_SETUPS = 6
_BASE = {"failed": "whole", "rebuild_min_kib_s": "no rebuild"}


def failed(facts: Known) -> list[Part]:
    """Test by test what is left of each level without one disk, then without two."""
    parts = _parts(
        facts,
        "failed",
        lambda test: f"of {test} is left",
        lambda one: f"{one.where} without {one.subject} {_left(one)}",
    )
    return parts or by_test(facts, facts.ranked)


def rebuild(facts: Known) -> list[Part]:
    """What is left of each test beside a rebuild, and how long that takes beside users and by itself."""
    parts = _parts(
        facts,
        "rebuild_min_kib_s",
        lambda test: f"beside a rebuild is left of {test}, by sync_speed_min",
        lambda one: f"{one.where} {_left(one)} at {one.subject}",
    )
    pace = _pace(rebuilds(facts.plan, facts.state), {one.stage: one.name for one in facts.ranking.ranked})
    return [*([pace] if pace and parts else []), *parts] or by_test(facts, facts.ranked)


def _parts(facts: Known, field: str, said: Callable[[str], str], words_of: Callable[[Conclusion], str]) -> list[Part]:
    """A part for each test in which setups with something in this field stand beside one without."""
    found = [(wording.lower(grid.title), _over(grid, field)) for grid in facts.ranking.tests]
    return [
        Part(f"{said(test)}: {wording.listed([words_of(one) for one in told], _MOST_SETUPS)}", tuple(told))
        for test, told in found
        if told
    ]


def _over(grid: SetupGrid, field: str) -> list[Conclusion]:
    """Each setup with something in this field over the one that has nothing in it and is else the same."""
    judged = of_figures(tuple(row.array for row in grid.rows))
    found = []
    for i, row in enumerate(grid.rows):
        base = next((at for at, other in enumerate(grid.rows) if _is_base(other, row, field)), None)
        if base is None or row.cell is None or row.array.value is None or grid.rows[base].array.value is None:
            continue
        found.append(
            of_difference(
                judged.over(i, base),
                kind="effect",
                subject=_subject(row.cell, field),
                where=level_title(row.cell),
                test=grid.title,
                figure=row.array.value,
                base=_BASE[field],
                base_figure=grid.rows[base].array.value,
                unit=unit_of(row),
                runs=min(row.array.runs, grid.rows[base].array.runs),
            )
        )
    return found


def _is_base(other: ResultRow, row: ResultRow, field: str) -> bool:
    if other.cell is None or row.cell is None or not getattr(row.cell, field) or getattr(other.cell, field):
        return False
    return msgspec.structs.replace(row.cell, **{field: 0}) == other.cell


def _subject(setup: Setup, field: str) -> str:
    if field == "failed":
        return "a disk" if setup.failed == 1 else f"{setup.failed} disks"
    return f"{setup.rebuild_min_kib_s} KiB/s"


def _left(found: Conclusion) -> str:
    """`62 %`, with what is not sure of it."""
    shown = f"{100 * (found.ratio or 0.0):.0f} %"
    return {"equal": f"{shown} (equal within 3 %)", "cannot tell": f"{shown} (no difference can be told)"}.get(
        found.verdict, shown
    )


def _pace(found: list[RebuildRate], names: dict[int, str]) -> Part | None:
    """How long a whole disk takes, scaled: by itself, and beside the test that holds the rebuild up most."""
    known = [one for one in found if one.whole_s is not None]
    alone = [one for one in known if not one.beside]
    beside = [one for one in known if one.beside]
    told, words = [], []
    for name, rates in (("by itself", alone), ("beside users", beside)):
        if not rates:
            continue
        fastest, slowest = (pick(rates, key=lambda one: one.bytes_per_s) for pick in (max, min))
        least, most = format_duration(fastest.whole_s or 0.0), format_duration(slowest.whole_s or 0.0)
        load = f", {wording.lower(slowest.beside)}" if slowest.beside else ""
        slow = f"{names.get(slowest.stage, slowest.setup)}{load}"
        words.append(f"{name} {least}" + (f" to {most} (slowest: {slow})" if most != least else ""))
        told += [_rate(fastest), _rate(slowest)]
    if not words:
        return None
    disk = f"a whole disk ({format_bytes(known[0].whole_bytes)})"
    return Part(f"a rebuild of {disk}, scaled from what was seen of it, takes {' and '.join(words)}", tuple(told))


def _rate(one: RebuildRate) -> Conclusion:
    return Conclusion(
        kind="figure",
        subject=one.setup,
        test=one.beside,
        where="a rebuild",
        figure=one.bytes_per_s,
        unit="bytes/s",
        base="seconds for the whole disk, scaled",
        base_figure=one.whole_s,
        runs=one.rebuilds,
    )
