"""Separate disks or one array, by file system, and the tail of the latencies."""

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.levels import all_tests, article_over, over_best
from raidtui.core.answer.ranking import Ranked
from raidtui.core.plan.cell import level_of, level_title
from raidtui.core.results.analysis import test_title


def layouts(facts: Known) -> list[Part]:
    """Separate disks or a RAID 0, file system by file system; then what else is best, and the tail."""
    ranking = facts.ranking
    by_key = {(one.setup.level, one.setup.filesystem): one for one in facts.ranked}
    pairs = [
        (filesystem, one, by_key["0", filesystem])
        for (level, filesystem), one in by_key.items()
        if level == "jbod" and ("0", filesystem) in by_key
    ]
    parts = []
    if pairs:
        told, words = [], []
        for filesystem, jbod, striped in pairs:
            found = of_difference(
                ranking.over(jbod.stage, striped.stage),
                kind="effect",
                subject="separate disks",
                base="RAID 0",
                where=filesystem,
                figure=jbod.rows[0].array.value,
                unit=unit_of(jbod.rows[0]),
                base_figure=striped.rows[0].array.value,
            )
            article = article_over(jbod, striped)
            there = f" and in the article {100 * (article - 1):+.0f} %" if article else ""
            words.append(f"with {filesystem} {wording.difference(found)}{there}")
            told.append(found)
        sure = [one for one in told if one.verdict == "different"]
        ahead = [one for one in sure if (one.ratio or 1.0) > 1]
        verdict = "neither is faster, as far as these runs can tell"
        if sure and len(sure) == len(told):
            verdict = "separate disks are faster" if len(ahead) == len(sure) else "one RAID 0 is faster"
        if (sure and 0 < len(ahead) < len(sure)) or 0 < len(sure) < len(told):
            verdict = "that depends on the file system"
        parts.append(Part(f"separate disks or RAID 0: {verdict}; separate over RAID 0 {', '.join(words)}", tuple(told)))
    parts += _best_by_survival(facts)
    more = [part for part in (_tail(facts), _filesystems(facts)) if part]
    return [*parts, *more]


def _best_by_survival(facts: Known) -> list[Part]:
    best = facts.ranked[:1] + [one for one in facts.ranked if one.survives][:1]
    if not best:
        return []
    told = [over_best(facts, one.name, one, best[0]) for one in best]
    text = f"most of all gives {best[0].name}: {all_tests(best[0])}"
    if together := _more_than_disks(best[0]):
        text += f", {together}"
    if best[-1] is not best[0]:
        text += f"; of what survives a failed disk {best[-1].name}, {wording.more_or_less(told[-1].ratio or 1.0)}"
    elif best[0].survives:
        text += "; and it survives a failed disk"
    return [Part(text, tuple(told))]


def _more_than_disks(one: Ranked) -> str:
    """Said where a setup gives more than its disks do by themselves: then not the disks alone gave it."""
    ratios = [row.array.value / row.all_at_once.value for row in one.rows if row.array.value and row.all_at_once.value]
    most = min(ratios, default=0.0)
    return f"{wording.times(most)} times what the disks themselves do all at once" if most > 1.1 else ""


def _filesystems(facts: Known) -> Part | None:
    """The largest difference that the file system makes on one level."""
    found = []
    for one in facts.ranked:
        same = [
            other for other in facts.ranked if other.setup.level == one.setup.level and not level_of(one.setup).pool
        ]
        for other in same:
            over = facts.ranking.over(one.stage, other.stage)
            if other is not one and over.share is not None and over.share > 0:
                found.append((over.share, one, other, over))
    if not found:
        return None
    _, one, other, over = max(found, key=lambda four: four[0])
    told = of_difference(
        over, kind="effect", subject=one.setup.filesystem, base=other.setup.filesystem, where=level_title(one.setup)
    )
    of = f"{told.subject} over {told.base} on {told.where}"
    return Part(f"the file system matters most with {of}: {wording.difference(told)}", (told,))


def _tail(facts: Known) -> Part | None:
    """p99 of the setups with the shortest and the longest, of reads where there are any."""
    rows = [row for row in facts.rows if row.latency.percentiles_ns.get("99") and row.cell]
    rows = [row for row in rows if row.direction == "read"] or rows
    if len(rows) < 2:
        return None
    names = {one.stage: one.name for one in facts.ranked}
    ordered = sorted(rows, key=lambda row: row.latency.percentiles_ns["99"])
    told = [
        Conclusion(
            kind="tail",
            subject=names.get(row.stage, row.setup),
            test=test_title(row),
            where="p99",
            figure=row.latency.percentiles_ns["99"],
            unit="ns",
            certainty="single run" if row.array.runs == 1 else "interval",
            runs=row.array.runs,
        )
        for row in (ordered[0], ordered[-1])
    ]
    shown = [f"{wording.figure(one.figure, 'ns')} with {one.subject}" for one in told]
    return Part(f"the tail: 99 of 100 {rows[0].direction}s are done within {shown[0]}, {shown[1]}", tuple(told))
