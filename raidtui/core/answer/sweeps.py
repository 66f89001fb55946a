"""Questions that compare setups: level, chunk, alignment, layouts, what md's settings change, arrays without a disk.

What an axis of a run changes, as a finding with its tables.
"""

from collections.abc import Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from raidtui.core.answer import standings
from raidtui.core.answer.effects import distance, effects, supported, unit_of
from raidtui.core.answer.expected import published_over
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.numbers import lower
from raidtui.core.answer.ranking import Ranked
from raidtui.core.answer.values import (
    AnswerRow,
    AnswerTable,
    AxisChoice,
    Effect,
    Finding,
    ParsedSetup,
    Penalties,
    PlainFigure,
    Rank,
    Remark,
    Tails,
    Unit,
    Unsaturated,
    WritePenalty,
    cells_of,
)
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.parsed_setup import level_of, level_title
from raidtui.core.raid import theory, zfs
from raidtui.core.raid.ceilings import Limit
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.grid import SetupGrid

SETTINGS = ("wbt_lat_usec", "group_thread_cnt", "stripe_cache_size", "chunk")


class Part(msgspec.Struct, frozen=True):
    """What a question makes: findings, the table, and the tables for the report."""

    findings: Sequence[Finding | None] = ()
    table: AnswerTable | None = None
    details: Sequence[AnswerTable | None] = ()


def choice(
    facts: AnswerFacts, axis: str, source: str = "", contradicted: bool = False, **how: object
) -> AxisChoice | None:
    """The effects of an axis in all tests; None where the run does not vary it. `source`: the value that the source
    may be asked for; of no other is anything compared with it. `contradicted`: with figures that latency contradicts,
    marked. `how` as of `effects`.
    """
    tests = facts.ranking.with_doubts if contradicted else facts.ranking.tests

    def published(row: ResultRow, base: ResultRow) -> float | None:
        asked = row.cell and source in (level_title(row.cell), str(getattr(row.cell, axis)))
        return published_over(facts.plan, row, base) if asked else None

    how["published"] = published
    all_effects = [effect for grid in tests for effect in effects(grid, axis, **how)]  # type: ignore[arg-type]
    return AxisChoice(axis, FIELDS[axis].label.partition(",")[0], tuple(all_effects)) if all_effects else None


def settings(facts: AnswerFacts, axes: Sequence[str] = SETTINGS) -> Part:
    """Each of these axes by itself; that with the largest effect of all that the run varies is marked."""
    columns = facts.ranking.tests[0].columns if facts.ranking.tests else ()
    choices = {axis: found for axis in columns if (found := choice(facts, axis))}
    farthest = {
        axis: max((distance(effect) for effect in supported(found.effects) if not effect.single_run), default=0.0)
        for axis, found in choices.items()
    }
    most = max(farthest, key=lambda axis: farthest[axis], default="")
    own = [
        replace(choices[axis], most=axis == most and len(choices) > 1 and farthest[axis] > 0)
        for axis in axes
        if axis in choices
    ]
    return Part([_with_others(facts, found) for found in own], None, [by_setup(found) for found in own])


def _with_others(facts: AnswerFacts, found: AxisChoice) -> AxisChoice:
    """Its other values over the one with the largest effect: several may be as good."""
    subjects = {effect.subject for effect in found.effects}
    matters = supported(found.effects)
    if not matters or len(subjects) < 2:
        return found
    over = choice(facts, found.axis, base=max(matters, key=distance).label)
    own = [effect for effect in over.effects if effect.subject in subjects] if over else []
    return replace(found, others=tuple(own))


def by_setup(found: AxisChoice) -> AnswerTable:
    """Setup by setup the value with the largest effect in each test."""
    subject = max(supported(found.effects) or found.effects, key=distance).subject
    own = [effect for effect in found.effects if effect.subject == subject]
    tests = {effect.test: effect.unit for effect in own}
    rows = tuple(
        AnswerRow(place, tuple(_at(own, test=test, where=place) for test in tests))
        for place in dict.fromkeys(effect.where for effect in own)
    )
    return AnswerTable(tuple(tests.items()), rows, note=f"{versus(own[0])}.")


def grouped(found: AxisChoice, first: str = "Setup") -> AnswerTable:
    """Group by group the effect of the axis on each test, of several setups as one span."""
    tests = {effect.test: effect.unit for effect in found.effects}
    groups = dict.fromkeys((effect.group, effect.subject) for effect in found.effects)
    several = len({subject for _, subject in groups}) > 1 or found.kept
    rows = tuple(
        AnswerRow(
            f"{group} {subject}".strip() if several else group,
            tuple(_at(found.effects, test=test, group=group, subject=subject) for test in tests),
        )
        for group, subject in groups
    )
    return AnswerTable(tuple(tests.items()), rows, first, "" if several else f"{versus(found.effects[0])}.", found.kept)


def _at(of_axis: Sequence[Effect], **fields: str) -> tuple[Effect, ...]:
    return tuple(effect for effect in of_axis if all(getattr(effect, key) == value for key, value in fields.items()))


def versus(effect: Effect) -> str:
    mine, base = effect.subject.split(), effect.base.split()
    same = next((at for at, (own, other) in enumerate(zip(mine, base, strict=False)) if own != other), 0)
    shortened = base[same:] if same and base[0] != "RAID" and base[same][0].isdigit() else base
    return f"{effect.subject} vs {' '.join(shortened)}"


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
        layout, groups = row.cell.layout or None, row.cell.groups
        expected = theory.predict(row.cell.level, row.disks, 1.0, 1.0, layout=layout, groups=groups)
    except ValueError:
        return None
    return row.disks / expected.rand_write_iops if expected.rand_write_iops else None


_GRID_SECTORS, _USUAL_SECTORS = 8, 2048  # of 4 KiB; 1 MiB: where today's tools let a first partition start
FAULT_TOLERANT = "Fault-tolerant levels"


def ranked(facts: AnswerFacts) -> Part:
    """The setups in their order; without one what was measured, and why."""
    found = standings.best(facts, facts.ranked, "Setups")
    if found or len(facts.names) < 2:
        return Part([found], standings.table(facts, facts.ranked, None)) if found else Part()
    return Part([Remark(facts.ranking.why_none)], standings.table(facts, facts.ranking.ranked, None))


def levels(facts: AnswerFacts) -> Part:
    """Of the levels that survive a failed disk the best setup of each, over one that survives none; then settings."""
    safe = [setup for setup in facts.ranked if setup.survives]
    bare = next((setup for setup in facts.ranked if not setup.survives), None)
    if not safe:
        return ranked(facts)
    setups = standings.one_a_level(facts, safe, bare)
    sequential = all(grid.kind == "sequential" for grid in facts.ranking.tests)
    small = Remark("Small random requests were not measured") if sequential else None
    found = settings(facts)
    best = standings.best(facts, setups, FAULT_TOLERANT, with_space=True)
    return Part([best, *found.findings, penalties(facts), small], standings.table(facts, setups, bare), found.details)


def settings_and_best(facts: AnswerFacts) -> Part:
    """What md's threads, its stripe cache and the chunk change, each by itself; then the best setups."""
    found, best = settings(facts), ranked(facts)
    return Part([*found.findings, *best.findings], best.table, found.details)


def chunk(facts: AnswerFacts) -> Part:
    """In each case the fastest chunk over the slowest; then the price of a small write, and each level."""
    found = choice(facts, "chunk", extremes=True)
    if found is None:
        return ranked(facts)
    costs = penalties(facts)
    table, ranks, rows = _by_level(facts)
    return Part([found, costs, _unsaturated(rows, ranks, costs)], table)


def _by_level(facts: AnswerFacts) -> tuple[AnswerTable, list[Rank], list[ResultRow]]:
    """Each level, the median over its setups, over the first level."""
    columns: dict[str, dict[str, ParsedSetup]] = {}
    all_rows: list[ResultRow] = []
    for grid in facts.ranking.tests:
        by_level: dict[str, list[ResultRow]] = {}
        for row in grid.rows:
            if row.cell and row.array.value:
                by_level.setdefault(level_title(row.cell), []).append(row)
        if not by_level:
            continue
        (first, *_), of_test = by_level, columns.setdefault(grid.title, {})
        if single := by_level[first][0].single.value:
            of_test["one disk"] = PlainFigure(subject="one disk", test=grid.title, figure=single, unit=_unit(grid))
        for level, rows in by_level.items():
            of_test[level] = _level_rank(facts, grid, (level, rows), (first, by_level[first]))
            all_rows += rows
    names = dict.fromkeys(name for of_test in columns.values() for name in of_test)
    ranks = [value for of_test in columns.values() for value in of_test.values() if isinstance(value, Rank)]
    table = AnswerTable(
        tuple((grid.title, _unit(grid)) for grid in facts.ranking.tests if grid.title in columns),
        tuple(AnswerRow(name, tuple((of[name],) if name in of else () for of in columns.values())) for name in names),
        "Level",
        f"% of {ranks[0].base or ranks[0].subject}{', median of its setups' if len(all_rows) > len(ranks) else ''}.",
    )
    return table, ranks, all_rows


def _unit(grid: SetupGrid) -> Unit:
    return unit_of(grid.rows[0])


def _level_rank(
    facts: AnswerFacts, grid: SetupGrid, level: tuple[str, list[ResultRow]], first: tuple[str, list[ResultRow]]
) -> Rank:
    """Beside the source's where the disks, not the queue, limit it; the first level has no base."""
    (name, rows), (base, base_rows) = level, first
    mine, of_base = (median(row.array.value or 0.0 for row in of) for of in (rows, base_rows))
    is_first = name == base
    return Rank(
        subject=name,
        test=grid.title,
        figure=mine,
        unit=unit_of(rows[0]),
        base="" if is_first else base,
        base_figure=of_base,
        ratio=mine / of_base,
        runs=rows[0].array.runs,
        single_run=rows[0].array.runs == 1,
        published=published_over(facts.plan, rows[0], base_rows[0]) if not is_first and not _is_short(rows) else None,
    )


def _is_short(rows: Sequence[ResultRow]) -> bool:
    return bool(rows[0].queue) and all(row.expected.limited_by is Limit.QUEUE for row in rows)


def _unsaturated(rows: Sequence[ResultRow], ranks: Sequence[Rank], costs: Penalties | None) -> Unsaturated | None:
    """That the queue is shorter than the disks are many: then levels do not differ by what the disks can do."""
    if not rows or not _is_short(rows):
        return None
    by_level = {cost.subject: cost for cost in costs.levels} if costs else {}
    dear = max(by_level.values(), key=lambda cost: cost.figure or 0.0, default=None)
    rank = next((rank for rank in ranks if dear and (rank.subject, rank.test) == (dear.subject, dear.test)), None)
    base = by_level.get(rank.base) if rank else None
    if not rank or not dear or not dear.figure or not base or not base.figure:
        return Unsaturated(rows[0].queue or 0, rows[0].disks)
    return Unsaturated(rows[0].queue or 0, rows[0].disks, rank, base.figure / dear.figure)


def alignment(facts: AnswerFacts) -> Part:
    """Each aligned start over the first that is off the 4 KiB grid, chunk by chunk; then the allocation unit."""
    axis = "partition_start_sectors"
    sectors = sorted(
        {row.cell.partition_start_sectors for test in facts.ranking.tests for row in test.rows if row.cell}
    )
    off, on = ([sector for sector in sectors if bool(sector % _GRID_SECTORS) is is_off] for is_off in (True, False))
    aligned = str(on[-1]) if on else ""
    found = (
        choice(facts, axis, source=aligned, values=(aligned,), base=str(off[0]), by=("level", "chunk"))
        if off and on
        else None
    )
    if found is None:
        return ranked(facts)
    different = [effect for effect in found.effects if effect.verdict == "different"]
    advice = ""
    if different and not _USUAL_SECTORS % on[-1] and all((effect.share or 1.0) > 1 for effect in different):
        usual = "" if on[-1] == _USUAL_SECTORS else f" (sfdisk, parted: {_USUAL_SECTORS})"
        advice = f"start at a multiple of sector {aligned}{usual}"
    levels_of = {level_title(setup.setup) for setup in facts.ranked}
    only = f" on {levels_of.pop()}" if len(levels_of) == 1 else ""
    found = replace(found, name=f"Alignment{only}", advice=advice)
    units = settings(facts, ("allocation_unit",))
    return Part([found, *units.findings], grouped(found), [by_setup(found), *units.details])


def layouts(facts: AnswerFacts) -> Part:
    """Separate disks and each level over RAID 0 with the same file system, file systems, the tail, and the best."""
    separate_over, copies_over = (
        choice(facts, "level", source="JBOD", values=values, base="RAID 0", by=("filesystem",))
        for values in (("JBOD",), _with_copies(facts))
    )
    separate = any(setup.setup.level == "jbod" for setup in facts.ranking.ranked)
    findings: list[Finding | None] = [
        None if separate else Remark("Separate disks were not measured"),
        separate_over,
        copies_over,
        Remark("A failed disk: JBOD loses its own files, RAID 0 all") if separate_over else None,
        _filesystems(facts),
        record_size := _record_size(facts),
        tails := _tails(facts),
        *(standings.best(facts, setups, of) for setups, of in _of_all_and_safe(facts)),
    ]
    effects = [effect for found in (separate_over, copies_over) if found for effect in found.effects]
    table = grouped(AxisChoice("level", "", tuple(effects)), "File system") if effects else None
    return Part(
        findings, table, [by_setup(record_size) if record_size else None, _tails_table(tails) if tails else None]
    )


def _with_copies(facts: AnswerFacts) -> tuple[str, ...]:
    """The levels beside RAID 0 and separate disks; one that no run has, where there is none."""
    titles = dict.fromkeys(level_title(setup.setup) for setup in facts.ranking.ranked)
    return tuple(title for title in titles if title not in ("RAID 0", "JBOD")) or ("none",)


def _of_all_and_safe(facts: AnswerFacts) -> list[tuple[list[Ranked], str]]:
    safe = [setup for setup in facts.ranked if setup.survives]
    all_setups = (facts.ranked, "Setups")
    return [all_setups, (standings.one_a_level(facts, safe, None), FAULT_TOLERANT)] if safe else [all_setups]


def _filesystems(facts: AnswerFacts) -> AxisChoice | None:
    """On each level the fastest file system over the slowest; pools, which are their own, are left out."""
    found = choice(facts, "filesystem", extremes=True)
    pools = {level_title(s.setup) for s in facts.ranking.ranked if level_of(s.setup).pool}
    own = tuple(effect for effect in found.effects if effect.group not in pools) if found else ()
    return replace(found, effects=own) if found and own else None


def _record_size(facts: AnswerFacts) -> AxisChoice | None:
    """The recordsize of pools, where none but pools have such a setting."""
    units = [setup.setup for setup in facts.ranking.ranked if setup.setup.allocation_unit]
    if not units or any(level_of(setup).filesystem != zfs.KIND for setup in units):
        return None
    found = choice(facts, "allocation_unit")
    return replace(found, name="Recordsize") if found else None


def _tails(facts: AnswerFacts) -> Tails | None:
    """Max latency of any request, layout by layout, over the mean of the same test; p99 of all, where that leaves
    nothing out.
    """
    rows = [row for row in facts.rows if row.latency.max_ns and row.cell]
    by_layout: dict[str, list[ResultRow]] = {}
    for row in rows:
        by_layout.setdefault(level_title(row.cell), []).append(row)  # type: ignore[arg-type]
    if len(by_layout) < 2:
        return None
    tails = [_longest(facts, max(of, key=lambda row: row.latency.max_ns or 0.0)) for of in by_layout.values()]
    p99 = [ns for row in rows if (ns := row.latency.percentiles_ns.get("99"))]
    whole = len(p99) == len(rows) and not any(row.latency.leaves_out for row in rows)
    return Tails(
        tuple(sorted(tails, key=lambda tail: tail.figure or 0.0)),
        (min(p99), max(p99)) if whole else None,
        bool(facts.ranking.doubted),
    )


def _tails_table(tails: Tails) -> AnswerTable:
    rows = (
        AnswerRow(f"{tail.subject}, {lower(tail.test)}", cells_of("ns", tail.figure, tail.base_figure))
        for tail in tails.longest
    )
    return AnswerTable((("max latency", ""), ("mean", "")), tuple(rows))


def _longest(facts: AnswerFacts, row: ResultRow) -> Rank:
    return Rank(
        subject=facts.names.get(row.stage, row.setup),
        test=test_title(row),
        figure=row.latency.max_ns,
        unit="ns",
        base="mean",
        base_figure=row.latency.mean_ns,
        runs=row.array.runs,
        single_run=row.array.runs == 1,
    )


def failed(facts: AnswerFacts) -> Part:
    """What is left of each level without one disk, then without two."""
    return kept(facts, "failed", "none", "% of the healthy array.") or ranked(facts)


def kept(facts: AnswerFacts, axis: str, base: str, note: str) -> Part | None:
    """What is left of each test by setup, of the one with `base` that is else the same; the table of several."""
    found = choice(facts, axis, contradicted=True, base=base, by=("level",))
    if found is None:
        return None
    found = replace(found, kept=True)
    several = len({(effect.group, effect.subject) for effect in found.effects}) > 1
    return Part([found], replace(grouped(found), note=note) if several else None)
