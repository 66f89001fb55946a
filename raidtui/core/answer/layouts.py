"""Separate disks or one array, by file system, and the tail of the latencies."""

from raidtui.core.answer import wording
from raidtui.core.answer.best import all_tests, over, standings
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.ranking import Ranked
from raidtui.core.plan.cell import level_of, level_title
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.differences import of_figures
from raidtui.core.results.figure import LEFT_OUT
from raidtui.core.results.grid import SetupGrid

_MORE_THAN_ALL = 1.1


def layouts(facts: Known) -> list[Part]:
    """Separate disks or a RAID 0, file system by file system; then what else is best, and the tail."""
    by_key = {(one.setup.level, one.setup.filesystem): one for one in facts.ranked}
    pairs = [
        (filesystem, one, by_key["0", filesystem])
        for (level, filesystem), one in by_key.items()
        if level == "jbod" and ("0", filesystem) in by_key
    ]
    parts = [_separate_or_striped(facts, pairs)] if pairs else []
    more = [part for part in (_tail(facts), _filesystems(facts)) if part]
    return [*parts, *_best_by_survival(facts), *more]


def _separate_or_striped(facts: Known, pairs: list[tuple[str, Ranked, Ranked]]) -> Part:
    """Separate disks over RAID 0 with each file system, reads and writes apart."""
    words = [
        found
        for filesystem, jbod, striped in pairs
        for grid in facts.ranking.tests
        if (found := _over_in(grid, jbod, striped, filesystem))
    ]
    told = [found for found, _ in words]
    sure = [one for one in told if one.verdict == "different"]
    ahead = [one for one in sure if (one.ratio or 1.0) > 1]
    verdict = "neither is faster, as far as these runs can tell"
    if sure and len(sure) == len(told):
        verdict = "separate disks are faster" if len(ahead) == len(sure) else "one RAID 0 is faster"
    if (sure and 0 < len(ahead) < len(sure)) or 0 < len(sure) < len(told):
        verdict = "that depends on the file system, or on reads and writes"
    said = [
        before + ", ".join(shown)
        for kind, before in (("different", ""), ("equal", "equal within 3 % "), ("cannot tell", "cannot be told "))
        if (shown := [text for one, text in words if one.verdict == kind])
    ]
    return Part(f"separate disks or RAID 0: {verdict}; separate over RAID 0 {'; '.join(said)}", tuple(told))


def _over_in(grid: SetupGrid, one: Ranked, base: Ranked, filesystem: str) -> tuple[Conclusion, str] | None:
    """One over the other in a test, and in words beside the article's."""
    at = {row.stage: index for index, row in enumerate(grid.rows)}
    a, b = grid.rows[at[one.stage]], grid.rows[at[base.stage]]
    over = of_figures(tuple(row.array for row in grid.rows)).over(at[one.stage], at[base.stage])
    if over.share is None:
        return None
    found = of_difference(
        over,
        kind="effect",
        subject="separate disks",
        base="RAID 0",
        test=grid.title,
        where=filesystem,
        figure=a.array.value,
        unit=unit_of(a),
        base_figure=b.array.value,
        runs=min(a.array.runs, b.array.runs),
    )
    there = f" (article {100 * (a.published / b.published - 1):+.0f} %)" if a.published and b.published else ""
    way = f"{a.direction}s" if a.mixed else wording.lower(grid.title)
    return found, f"{filesystem} {way} {100 * over.share:+.0f} %{there}"


def _best_by_survival(facts: Known) -> list[Part]:
    """The best of all, and of what survives a failed disk: each with its figures."""
    best = facts.ranked[:1] + [one for one in facts.ranked if one.survives][:1]
    if not best:
        return []
    text = f"most of all gives {best[0].name}: {all_tests(best[0])}"
    if together := _more_than_disks(best[0]):
        text += f", {together}"
    if best[-1] is not best[0]:
        text += f"; of what survives a failed disk {best[-1].name}: {all_tests(best[-1])}"
    elif best[0].survives:
        text += "; and it survives a failed disk"
    told = [
        over(grid, of_figures(tuple(row.array for row in grid.rows)), one, found[0])
        for grid in facts.ranking.tests
        if (found := standings(grid, facts.ranked))
        for one in found
        if one.ranked in best
    ]
    return [Part(text, tuple(told))]


def _more_than_disks(one: Ranked) -> str:
    """Said where a setup gives more than its disks do by themselves: then not the disks alone gave it."""
    ratios = [row.array.value / row.all_at_once.value for row in one.rows if row.array.value and row.all_at_once.value]
    most = min(ratios, default=0.0)
    if most <= _MORE_THAN_ALL:
        return ""
    return f"{wording.times(most)} times what the disks do all at once: more than the disks alone gave"


def _filesystems(facts: Known) -> Part | None:
    """The largest difference that the file system makes on one level, in one test."""
    found = []
    for grid in facts.ranking.tests:
        judged = of_figures(tuple(row.array for row in grid.rows))
        for one in standings(grid, facts.ranked):
            setup = one.ranked.setup
            for base in standings(grid, facts.ranked):
                if base is not one and base.ranked.setup.level == setup.level and not level_of(setup).pool:
                    found.append((grid.title, one, base, judged.over(one.index, base.index)))
    if not found:
        return None
    title, one, base, most = max(found, key=lambda four: four[3].share or 0.0)
    told = of_difference(
        most,
        kind="effect",
        test=title,
        subject=one.ranked.setup.filesystem,
        base=base.ranked.setup.filesystem,
        where=level_title(one.ranked.setup),
    )
    of = f"{told.subject} over {told.base} on {told.where}, {wording.lower(title)}"
    return Part(f"the file system matters most with {of}: {wording.difference(told)}", (told,))


def _tail(facts: Known) -> Part | None:
    """p99 of the setups with the shortest and the longest, of reads where there are any; what it leaves out, if so."""
    rows = [row for row in facts.rows if row.latency.percentiles_ns.get("99") and row.cell]
    rows = [row for row in rows if row.direction == "read"] or rows
    if len(rows) < 2:
        return None
    names = {one.stage: one.name for one in facts.ranked}
    short = [row for row in rows if row.latency.leaves_out]
    if short:
        return _tail_by_mean(rows, short[0], names)
    ordered = sorted(rows, key=lambda row: row.latency.percentiles_ns["99"])
    told = [_late(row, names, "p99", row.latency.percentiles_ns["99"]) for row in (ordered[0], ordered[-1])]
    shown = [f"{wording.figure(one.figure, 'ns')} with {one.subject}" for one in told]
    return Part(f"the tail: 99 of 100 {rows[0].direction}s are done within {shown[0]}, {shown[1]}", tuple(told))


def _tail_by_mean(rows: list[ResultRow], short: ResultRow, names: dict[int, str]) -> Part:
    """Where percentiles leave out so much of the wait that a mean is above them, they order nothing."""
    ordered = sorted(rows, key=lambda row: row.latency.mean_ns or 0.0)
    told = [_late(row, names, "mean", row.latency.mean_ns) for row in (ordered[0], ordered[-1])]
    shown = [f"{wording.figure(one.figure, 'ns')} with {one.subject}" for one in told]
    of = f"p99 {LEFT_OUT}, and with {names.get(short.stage, short.setup)} the mean is above it"
    way = rows[0].direction
    return Part(f"the tail is not known: {of}; on average a {way} takes {shown[0]}, {shown[1]}", tuple(told))


def _late(row: ResultRow, names: dict[int, str], which: str, ns: float | None) -> Conclusion:
    return Conclusion(
        kind="tail",
        subject=names.get(row.stage, row.setup),
        test=test_title(row),
        where=which,
        figure=ns,
        unit="ns",
        certainty="single run" if row.array.runs == 1 else "interval",
        runs=row.array.runs,
    )
