"""Arrays without a disk: what is left of each test, what users get beside a rebuild, and how long that takes."""

from collections.abc import Sequence

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part, Table
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import SetupGrid
from raidtui.core.results.series.rebuilds import RebuildRate, rebuilds
from raidtui.core.units import KIB, TB, format_bytes, format_duration

Tested = tuple[SetupGrid, list[Conclusion]]  # a test, and what it has beside a base
_BASE = {"failed": "whole", "rebuild_min_kib_s": "no rebuild"}


def failed(facts: Known) -> list[Part]:
    """Test by test what is left of each level without one disk, then without two."""
    tests = _tests(facts, "failed")
    return _parts(tests, "{} are left", "What is left, of the whole array") or best(facts, facts.ranked)


def rebuild(facts: Known) -> list[Part]:
    """What is left of each test beside a rebuild, and how long that takes beside users and by itself."""
    tests = _tests(facts, "rebuild_min_kib_s")
    title = "What users keep beside a rebuild, of what the same array gives that lacks the disk and is not rebuilt"
    parts = _parts(tests, "beside a {} users keep", title)
    pace = _pace(facts, rebuilds(facts.plan, facts.state))
    return [*([pace] if pace and parts else []), *parts] or best(facts, facts.ranked)


def _parts(tests: Sequence[Tested], said: str, title: str) -> list[Part]:
    """A sentence for each value of the field, and one table of all."""
    which = dict.fromkeys(conclusion.subject for _, found in tests for conclusion in found)
    parts = [_left(tests, one, said.format(one)) for one in which]
    if len({(conclusion.where, conclusion.subject) for _, found in tests for conclusion in found}) > 1:
        parts[0] = msgspec.structs.replace(parts[0], table=_table(tests, title))
    return parts


def _tests(facts: Known, field: str) -> list[Tested]:
    """The tests in which setups with something in this field stand beside one without."""
    return [(grid, found) for grid in facts.ranking.tests if (found := _over(facts, grid, field))]


def _left(tests: Sequence[Tested], which: str, said: str) -> Part:
    """Of each test the array that keeps the least of it, and the one that keeps the most."""
    told, words = [], []
    for grid, found in tests:
        mine = [conclusion for conclusion in found if conclusion.subject == which]
        if mine:
            words.append(_kept(mine, wording.lower(grid.title)))
            told += mine
    return Part(f"{said} {wording.listed(words)}", tuple(told))


def _kept(found: Sequence[Conclusion], title: str) -> str:
    """`39 % (RAID 10 n2) to 86 % (RAID 5, 33.2 of 38.4 IOPS) of random 4K write`: each share beside whose it is."""
    least, most = (pick(found, key=lambda one: one.share or 0.0) for pick in (min, max))
    low, high = (f"{100 * (conclusion.share or 0.0):.0f} %" for conclusion in (least, most))
    by = f"{most.where}, " if len(found) > 1 and low != high else ""
    unsure = ", not told from all" if most.verdict == "cannot tell" and high != "100 %" else ""
    said = f"{high} of {title} ({by}{wording.both(most, 'of')}{unsure})"
    if low == high:
        return said
    return f"{low} ({least.where}) to {high} ({by}{wording.both(most, 'of')}{unsure}) of {title}"


def _table(tests: Sequence[Tested], title: str) -> Table:
    """Each array without its disks or beside its rebuild, test by test."""
    places = dict.fromkeys((conclusion.where, conclusion.subject) for _, found in tests for conclusion in found)
    lines = [(f"{where} {which}", *(_cell(found, where, which) for _, found in tests)) for where, which in places]
    return Table(f"{title}. {cells.LEGEND}", ("Setup", *(cells.header(grid) for grid, _ in tests)), tuple(lines))


def _cell(found: Sequence[Conclusion], where: str, which: str) -> str:
    one = next((conclusion for conclusion in found if (conclusion.where, conclusion.subject) == (where, which)), None)
    return cells.over(one, "of", f"{100 * (one.share or 0.0):.0f} %") if one else ""


def _over(facts: Known, grid: SetupGrid, field: str) -> list[Conclusion]:
    """Each setup with something in this field over the one that has nothing in it and is else the same."""
    judged = of_figures(tuple(row.array for row in grid.rows))
    found = []
    for i, row in enumerate(grid.rows):
        base = next((at for at, other in enumerate(grid.rows) if _is_base(other, row, field)), None)
        known = row.array.value is not None and (row.stage, row.job) not in facts.beyond
        if base is None or row.cell is None or not known or grid.rows[base].array.value is None:
            continue
        found.append(
            of_difference(
                judged.over(i, base),
                kind="effect",
                subject=grid.phrase(i, field),
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


def _pace(facts: Known, found: list[RebuildRate]) -> Part | None:
    """How fast a rebuild is: by itself, and beside the test that holds it up most; what that makes of a TB."""
    known = [rebuild_rate for rebuild_rate in found if rebuild_rate.rebuilt_bytes]
    told, words = [], []
    for name, rates in (
        ("by itself", [rebuild_rate for rebuild_rate in known if not rebuild_rate.beside]),
        ("beside users", [rebuild_rate for rebuild_rate in known if rebuild_rate.beside]),
    ):
        if not rates:
            continue
        slowest, fastest = (pick(rates, key=lambda one: one.bytes_per_s) for pick in (min, max))
        pace = wording.figure(slowest.bytes_per_s, "bytes/s")
        if fastest is not slowest:
            pace = wording.pair(slowest.bytes_per_s, "to", fastest.bytes_per_s, "bytes/s")
        words.append(f"{pace} {name} (at worst, {_at_worst(facts, slowest)})")
        told += [_rate(fastest), _rate(slowest)]
    return Part(f"a rebuild writes {' and '.join(words)}", tuple(told)) if words else None


def _at_worst(facts: Known, slowest: RebuildRate) -> str:
    """Beside what, and how long a TB takes at that pace; where too little was seen of it, that."""
    stage = facts.plan.stages[slowest.stage]
    beside = ""
    if slowest.beside:
        beside = f"{facts.names.get(slowest.stage, slowest.setup)}, {wording.lower(slowest.beside)}: "
        if stage.setup and slowest.bytes_per_s < KIB * stage.setup.rebuild_min_kib_s:
            beside += "less than that minimum, below which md only stops holding back; "
    if slowest.scales:
        return f"{beside}1 TB in {format_duration(TB / slowest.bytes_per_s)}"
    return f"{beside}seen over {format_bytes(slowest.rebuilt_bytes)}, too little to scale to 1 TB"


def _rate(one: RebuildRate) -> Conclusion:
    return Conclusion(
        kind="figure",
        subject=one.setup,
        test=one.beside,
        where="a rebuild",
        figure=one.bytes_per_s,
        unit="bytes/s",
        base="seconds for the whole disk, scaled" if one.scales else "",
        base_figure=one.whole_s,
        runs=one.rebuilds,
    )
