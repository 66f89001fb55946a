"""Arrays without a disk: what is left of each test, what users get beside a rebuild, and how long that takes."""

from collections.abc import Sequence
from itertools import chain

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, unit_of
from raidtui.core.answer.doubt import of_rows
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.grid import SetupGrid
from raidtui.core.results.series.rebuilds import RebuildRate, rebuilds
from raidtui.core.units import KIB, MB, TB, format_duration

Tested = tuple[SetupGrid, list[Conclusion]]  # a test, and what it has beside a base
_BELOW_MIN = "↓"
_LITTLE = "†"
_SOME = {False: ", the slow end from little of the disk", True: ", some of it from little of the disk"}
_MOST_PACES = 4  # in the sentence; all stand in the table
_BASE = {"failed": "whole", "rebuild_min_kib_s": "no rebuild"}


def failed(facts: AnswerFacts) -> list[AnswerPart]:
    """Test by test what is left of each level without one disk, then without two."""
    tests = _tests(facts, "failed")
    heads = ("{which} are left", "{where} {which} keeps")
    return _parts(tests, heads, "What is left, of the whole array") or best(facts, facts.ranked)


def rebuild(facts: AnswerFacts) -> list[AnswerPart]:
    """What is left of each test beside a rebuild, and how long that takes beside users and by itself."""
    tests = _tests(facts, "rebuild_min_kib_s")
    title = "What users keep beside a rebuild, of what the same array gives that lacks the disk and is not rebuilt"
    heads = (
        "beside a {which} users keep, of what they get without the disk and no rebuild,",
        "beside a {which} users of {where} keep, of what they get without the disk and no rebuild,",
    )
    parts = _parts(tests, heads, title)
    pace = _pace(facts, [rate for rate in rebuilds(facts.plan, facts.state) if rate.rebuilt_bytes])
    return [*([pace] if pace and parts else []), *parts] or best(facts, facts.ranked)


def _parts(tests: Sequence[Tested], heads: tuple[str, str], title: str) -> list[AnswerPart]:
    """A sentence for each value of the field, and one table of all. `heads`: of several arrays, and of one alone."""
    subjects = dict.fromkeys(conclusion.subject for _, conclusions in tests for conclusion in conclusions)
    parts = [_kept_of_subject(tests, subject, heads) for subject in subjects]
    if len({(conclusion.where, conclusion.subject) for _, conclusions in tests for conclusion in conclusions}) > 1:
        parts[0] = msgspec.structs.replace(parts[0], table=_table(tests, title))
    return parts


def _tests(facts: AnswerFacts, field: str) -> list[Tested]:
    """The tests in which setups with something in this field stand beside one without."""
    return [(grid, kept) for grid in facts.ranking.with_doubts if (kept := _over(grid, field))]


def _kept_of_subject(tests: Sequence[Tested], subject: str, heads: tuple[str, str]) -> AnswerPart:
    """Of each test the array that keeps the least of it, and the one that keeps the most; of what is in doubt only
    what holds all the same."""
    by_test = {
        grid.title: [conclusion for conclusion in conclusions_of if conclusion.subject == subject]
        for grid, conclusions_of in tests
    }
    conclusions = tuple(conclusion for conclusions_of in by_test.values() for conclusion in conclusions_of)
    where, *other_places = dict.fromkeys(conclusion.where for conclusion in conclusions)
    head = heads[0 if other_places else 1].format(which=subject, where=where)
    words = [
        _kept_words(holding, wording.lower(title), bool(other_places))
        for title, conclusions_of in by_test.items()
        if (holding := [conclusion for conclusion in conclusions_of if _holds(conclusion)])
    ]
    return AnswerPart(f"{head} {wording.listed(words)}" if words else "", conclusions)


def _holds(conclusion: Conclusion) -> bool:
    return conclusion.by_latency is None or conclusion.verdict == "different"


def _kept_words(conclusions: Sequence[Conclusion], title: str, named: bool) -> str:
    """`39 to 86 % of random 4K write (RAID 10 n2 33.8 of 87.7, RAID 5 33.2 of 38.4 IOPS)`: shares and their figures."""
    least_kept, most_kept = (pick(conclusions, key=lambda conclusion: conclusion.share or 0.0) for pick in (min, max))
    low, high = (f"{100 * (conclusion.share or 0.0):.0f}" for conclusion in (least_kept, most_kept))
    ends = [most_kept] if low == high else [least_kept, most_kept]
    unit = " " + wording.both(most_kept, "of").rpartition(" ")[2]
    figures = [
        (f"{conclusion.where} " if named else "")
        + wording.both(conclusion, "of").removesuffix("" if conclusion is most_kept else unit)
        + (", may be all" if conclusion.verdict == "cannot tell" else "")
        + (f", {_share(conclusion.by_latency)} by latency" if conclusion.by_latency is not None else "")
        for conclusion in ends
    ]
    return f"{high if low == high else f'{low} to {high}'} % of {title} ({', '.join(figures)})"


def _table(tests: Sequence[Tested], title: str) -> Table:
    """Each array without its disks or beside its rebuild, test by test."""
    kept_shares = [conclusion for _, conclusions in tests for conclusion in conclusions]
    lines = [
        (f"{where} {subject}", *(_cell(conclusions, where, subject) for _, conclusions in tests))
        for where, subject in dict.fromkeys((conclusion.where, conclusion.subject) for conclusion in kept_shares)
    ]
    headers = ("Setup", *(cells.header(grid) for grid, _ in tests))
    return Table(f"{title}. {cells.legend(kept_shares)}", headers, tuple(lines))


def _cell(conclusions: Sequence[Conclusion], where: str, subject: str) -> str:
    mine = next(
        (conclusion for conclusion in conclusions if (conclusion.where, conclusion.subject) == (where, subject)), None
    )
    return cells.over(mine, "of", _share) if mine else ""


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"


def _over(grid: SetupGrid, field: str) -> list[Conclusion]:
    """Each setup with something in this field over the one that has nothing in it and is else the same."""
    judged = grid.judged
    conclusions = []
    for index, row in enumerate(grid.rows):
        base = next(
            (base_index for base_index, candidate in enumerate(grid.rows) if _is_base(candidate, row, field)), None
        )
        if base is None or row.cell is None or not row.array.value or not grid.rows[base].array.value:
            continue
        conclusions.append(
            of_rows(
                judged.over(index, base),
                [(row, grid.rows[base])],
                kind="effect",
                subject=grid.phrase(index, field),
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


def _is_base(candidate: ResultRow, row: ResultRow, field: str) -> bool:
    if candidate.cell is None or row.cell is None or not getattr(row.cell, field) or getattr(candidate.cell, field):
        return False
    return msgspec.structs.replace(row.cell, **{field: 0}) == candidate.cell


def _pace(facts: AnswerFacts, rates: Sequence[RebuildRate]) -> AnswerPart | None:
    """How fast a rebuild is by itself and beside users, setup by setup, and what that makes of a TB."""
    alone = [rate for rate in rates if not rate.beside]
    setups: dict[int, list[RebuildRate]] = {}
    for rate in rates:
        if rate.beside:
            setups.setdefault(rate.stage, []).append(rate)
    words = [f"{_paces(alone)} by itself{_times_a_tb(alone)}"] if alone else []
    alike = len({(_paces(setup_rates), _times_a_tb(setup_rates)) for setup_rates in setups.values()}) == 1
    beside_users = [
        f"{_paces(setup_rates)}{'' if alike else f' on {facts.names.get(stage) or setup_rates[0].setup}'}"
        f"{_times_a_tb(setup_rates)}"
        for stage, setup_rates in setups.items()
    ]
    words += [f"beside users {wording.listed(list(dict.fromkeys(beside_users)), _MOST_PACES)}"] if setups else []
    conclusions = tuple(map(_rate, (*alone, *chain(*setups.values()))))
    return (
        AnswerPart(f"a rebuild writes {'; '.join(words)}", conclusions, _paces_table(facts, rates)) if words else None
    )


def _paces(rates: Sequence[RebuildRate]) -> str:
    slowest, fastest = (pick(rate.bytes_per_s for rate in rates) for pick in (min, max))
    same_words = wording.figure(slowest, "bytes/s") == wording.figure(fastest, "bytes/s")
    return wording.figure(slowest, "bytes/s") if same_words else wording.pair(slowest, "to", fastest, "bytes/s")


def _times_a_tb(rates: Sequence[RebuildRate]) -> str:
    """How long a TB takes at these paces, and of which of them little was seen."""
    slowest_first = sorted(rates, key=lambda rate: rate.bytes_per_s)
    longest, shortest = (format_duration(TB / rate.bytes_per_s) for rate in (slowest_first[0], slowest_first[-1]))
    scaling = [rate.scales for rate in slowest_first]
    little = "" if all(scaling) else ", from little of the disk" if not any(scaling) else _SOME[scaling[0]]
    return f" (1 TB in {shortest if shortest == longest else f'{shortest} to {longest}'}{little})"


def _paces_table(facts: AnswerFacts, rates: Sequence[RebuildRate]) -> Table:
    """Setup by setup the pace by itself and beside each test."""
    tests = list(dict.fromkeys(rate.beside for rate in sorted(rates, key=lambda rate: bool(rate.beside))))
    lines = []
    for stage in dict.fromkeys(rate.stage for rate in rates):
        mine = {rate.beside: _pace_cell(facts, rate) for rate in rates if rate.stage == stage}
        lines.append((facts.names.get(stage) or rates[0].setup, *(mine.get(test, "") for test in tests)))
    marks = {
        _LITTLE: "seen over less than 5 % of the disk and less than 1 GB in all.",
        _BELOW_MIN: "below the minimum that was set: md aims at it, and the disks may do less beside users.",
    }
    texts = [cell for line in lines for cell in line[1:]]
    legend = [f" {mark}: {words}" for mark, words in marks.items() if any(mark in cell for cell in texts)]
    headers = ("Setup", *(f"Beside {wording.lower(test)}, MB/s" if test else "By itself, MB/s" for test in tests))
    title = "How fast a rebuild writes the new disk, and 1 TB at that pace."
    return Table(f"{title}{''.join(legend)}", headers, tuple(lines))


def _pace_cell(facts: AnswerFacts, rate: RebuildRate) -> str:
    setup = facts.plan.stages[rate.stage].setup
    took = f" ({format_duration(TB / rate.bytes_per_s)}{'' if rate.scales else f' {_LITTLE}'})"
    below = f" {_BELOW_MIN}" if rate.beside and setup and rate.bytes_per_s < KIB * setup.rebuild_min_kib_s else ""
    return f"{rate.bytes_per_s / MB:.1f}{took}{below}"


def _rate(rate: RebuildRate) -> Conclusion:
    return Conclusion(
        kind="figure",
        subject=rate.setup,
        test=rate.beside,
        where="a rebuild",
        figure=rate.bytes_per_s,
        unit="bytes/s",
        base=f"seconds for the whole disk, scaled{'' if rate.scales else ' from little'}",
        base_figure=rate.whole_s,
        runs=rate.rebuilds,
    )
