"""Arrays without a disk: what is left of each test, what users get beside a rebuild, and how long that takes."""

from collections.abc import Sequence
from itertools import chain

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part, Table
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.grid import SetupGrid
from raidtui.core.results.series.rebuilds import RebuildRate, rebuilds
from raidtui.core.units import KIB, MB, TB, format_duration

Tested = tuple[SetupGrid, list[Conclusion]]  # a test, and what it has beside a base
_BELOW = "↓"
_BASE = {"failed": "whole", "rebuild_min_kib_s": "no rebuild"}


def failed(facts: Known) -> list[Part]:
    """Test by test what is left of each level without one disk, then without two."""
    tests = _tests(facts, "failed")
    heads = ("{which} are left", "{where} {which} keeps")
    return _parts(tests, heads, "What is left, of the whole array") or best(facts, facts.ranked)


def rebuild(facts: Known) -> list[Part]:
    """What is left of each test beside a rebuild, and how long that takes beside users and by itself."""
    tests = _tests(facts, "rebuild_min_kib_s")
    title = "What users keep beside a rebuild, of what the same array gives that lacks the disk and is not rebuilt"
    heads = ("beside a {which} users keep", "beside a {which} users of {where} keep")
    parts = _parts(tests, heads, title)
    pace = _pace(facts, [rate for rate in rebuilds(facts.plan, facts.state) if rate.rebuilt_bytes])
    return [*([pace] if pace and parts else []), *parts] or best(facts, facts.ranked)


def _parts(tests: Sequence[Tested], heads: tuple[str, str], title: str) -> list[Part]:
    """A sentence for each value of the field, and one table of all. `heads`: of several arrays, and of one alone."""
    which = dict.fromkeys(conclusion.subject for _, kept in tests for conclusion in kept)
    parts = [_left(tests, subject, heads) for subject in which]
    if len({(conclusion.where, conclusion.subject) for _, kept in tests for conclusion in kept}) > 1:
        parts[0] = msgspec.structs.replace(parts[0], table=_table(tests, title))
    return parts


def _tests(facts: Known, field: str) -> list[Tested]:
    """The tests in which setups with something in this field stand beside one without."""
    return [(grid, kept) for grid in facts.ranking.tests if (kept := _over(grid, field))]


def _left(tests: Sequence[Tested], which: str, heads: tuple[str, str]) -> Part:
    """Of each test the array that keeps the least of it, and the one that keeps the most."""
    kept = {
        grid.title: [conclusion for conclusion in conclusions_of if conclusion.subject == which]
        for grid, conclusions_of in tests
    }
    conclusions = tuple(conclusion for conclusions_of in kept.values() for conclusion in conclusions_of)
    where, *others = dict.fromkeys(conclusion.where for conclusion in conclusions)
    head = heads[0 if others else 1].format(which=which, where=where)
    words = [
        _kept(conclusions_of, wording.lower(title), bool(others))
        for title, conclusions_of in kept.items()
        if conclusions_of
    ]
    return Part(f"{head} {wording.listed(words)}", conclusions)


def _kept(kept: Sequence[Conclusion], title: str, named: bool) -> str:
    """`39 to 86 % of random 4K write (RAID 10 n2 33.8 of 87.7, RAID 5 33.2 of 38.4 IOPS)`: shares and their figures."""
    least, most = (pick(kept, key=lambda conclusion: conclusion.share or 0.0) for pick in (min, max))
    low, high = (f"{100 * (conclusion.share or 0.0):.0f}" for conclusion in (least, most))
    ends = [most] if low == high else [least, most]
    unit = " " + wording.both(most, "of").rpartition(" ")[2]
    figures = [
        (f"{conclusion.where} " if named else "")
        + wording.both(conclusion, "of").removesuffix("" if conclusion is most else unit)
        + (", not told from all" if conclusion.verdict == "cannot tell" and high != "100" else "")
        for conclusion in ends
    ]
    return f"{high if low == high else f'{low} to {high}'} % of {title} ({', '.join(figures)})"


def _table(tests: Sequence[Tested], title: str) -> Table:
    """Each array without its disks or beside its rebuild, test by test."""
    places = dict.fromkeys((conclusion.where, conclusion.subject) for _, kept in tests for conclusion in kept)
    lines = [(f"{where} {which}", *(_cell(kept, where, which) for _, kept in tests)) for where, which in places]
    return Table(f"{title}. {cells.LEGEND}", ("Setup", *(cells.header(grid) for grid, _ in tests)), tuple(lines))


def _cell(kept: Sequence[Conclusion], where: str, which: str) -> str:
    mine = next((conclusion for conclusion in kept if (conclusion.where, conclusion.subject) == (where, which)), None)
    return cells.over(mine, "of", f"{100 * (mine.share or 0.0):.0f} %") if mine else ""


def _over(grid: SetupGrid, field: str) -> list[Conclusion]:
    """Each setup with something in this field over the one that has nothing in it and is else the same."""
    judged = grid.judged
    conclusions = []
    for i, row in enumerate(grid.rows):
        base = next((at for at, other in enumerate(grid.rows) if _is_base(other, row, field)), None)
        if base is None or row.cell is None or not row.array.value or not grid.rows[base].array.value:
            continue
        conclusions.append(
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
    return conclusions


def _is_base(other: ResultRow, row: ResultRow, field: str) -> bool:
    if other.cell is None or row.cell is None or not getattr(row.cell, field) or getattr(other.cell, field):
        return False
    return msgspec.structs.replace(row.cell, **{field: 0}) == other.cell


def _pace(facts: Known, rates: Sequence[RebuildRate]) -> Part | None:
    """How fast a rebuild is by itself and beside users, level by level, and what that makes of a TB."""
    alone = [rate for rate in rates if not rate.beside]
    levels: dict[str, list[RebuildRate]] = {}
    for rate in rates:
        if rate.beside:
            levels.setdefault(level_title(facts.plan.stages[rate.stage].setup or Setup()), []).append(rate)
    words = [f"{_paces(alone)} by itself{_times(alone)}"] if alone else []
    beside = [
        f"{_paces(mine)}{f' on {level}' if len(levels) > 1 else ''}{_times(mine)}" for level, mine in levels.items()
    ]
    words += [f"beside users {wording.listed(beside)}"] if beside else []
    conclusions = tuple(map(_rate, (*alone, *chain(*levels.values()))))
    return Part(f"a rebuild writes {'; '.join(words)}", conclusions, _paces_table(facts, rates)) if words else None


def _paces(rates: Sequence[RebuildRate]) -> str:
    slowest, fastest = (pick(rate.bytes_per_s for rate in rates) for pick in (min, max))
    same = wording.figure(slowest, "bytes/s") == wording.figure(fastest, "bytes/s")
    return wording.figure(slowest, "bytes/s") if same else wording.pair(slowest, "to", fastest, "bytes/s")


def _times(rates: Sequence[RebuildRate]) -> str:
    """How long a TB takes at these paces, of those that were seen over enough of the disk."""
    scaled = sorted(TB / rate.bytes_per_s for rate in rates if rate.scales)
    if not scaled:
        return " (too little seen to scale to 1 TB)"
    least, most = (format_duration(took_s) for took_s in (scaled[0], scaled[-1]))
    some = ", where enough was seen to scale" if len(scaled) < len(rates) else ""
    return f" (1 TB in {least if least == most else f'{least} to {most}'}{some})"


def _paces_table(facts: Known, rates: Sequence[RebuildRate]) -> Table:
    """Setup by setup the pace by itself and beside each test."""
    tests = list(dict.fromkeys(rate.beside for rate in sorted(rates, key=lambda rate: bool(rate.beside))))
    lines = []
    for stage in dict.fromkeys(rate.stage for rate in rates):
        mine = {rate.beside: _pace_cell(facts, rate) for rate in rates if rate.stage == stage}
        lines.append((facts.names.get(stage) or rates[0].setup, *(mine.get(test, "") for test in tests)))
    title = "How fast a rebuild writes the new disk, and 1 TB at that pace, where enough was seen to scale it"
    below = (
        f" {_BELOW}: below the minimum that was set; md then holds back for nobody, and users still take their share."
    )
    marked = any(cell.endswith(_BELOW) for line in lines for cell in line)
    headers = ("Setup", *(f"Beside {wording.lower(test)}, MB/s" if test else "By itself, MB/s" for test in tests))
    return Table(f"{title}.{below if marked else ''}", headers, tuple(lines))


def _pace_cell(facts: Known, rate: RebuildRate) -> str:
    setup = facts.plan.stages[rate.stage].setup
    took = f" ({format_duration(TB / rate.bytes_per_s)})" if rate.scales else ""
    below = f" {_BELOW}" if rate.beside and setup and rate.bytes_per_s < KIB * setup.rebuild_min_kib_s else ""
    return f"{rate.bytes_per_s / MB:.1f}{took}{below}"


def _rate(rate: RebuildRate) -> Conclusion:
    return Conclusion(
        kind="figure",
        subject=rate.setup,
        test=rate.beside,
        where="a rebuild",
        figure=rate.bytes_per_s,
        unit="bytes/s",
        base="seconds for the whole disk, scaled" if rate.scales else "",
        base_figure=rate.whole_s,
        runs=rate.rebuilds,
    )
