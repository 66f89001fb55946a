"""Questions that compare setups, as values: alignment, chunk, level, layouts, arrays without a disk."""

from types import SimpleNamespace
from typing import Any

import pytest

from raidtui.core.answer import values
from raidtui.core.answer.answer import Answer
from raidtui.core.answer.sweeps import _is_short
from raidtui.core.answer.values import AxisChoice, Best, Penalties, Rank, SourceRatios, Tails
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Trial
from raidtui.core.raid.ceilings import Limit
from tests.builders import sweeps
from tests.builders.answers import answered, repeated
from tests.core.answer import golden
from tests.core.answer.golden import Rate, answer_of, later, of_kind, reading, setups

STRIPES = "stripe-x-allocation-unit-x-offset"
Verdicts = dict[str, set[str]]


def verdicts(found: Answer, axis: str) -> Verdicts:
    """Of an axis, by where it is told."""
    told: Verdicts = {}
    for effect in (effect for choice in of_kind(found, AxisChoice) if choice.axis == axis for effect in choice.effects):
        told.setdefault(effect.where, set()).add(effect.verdict)
    return told


def cells(table: values.AnswerTable | None, column: int = 0) -> dict[str, tuple[float | None, ...]]:
    """Of one column, by row: figure, share, and the source's."""
    assert table
    return {
        row.name: (
            round(cell.figure or 0.0, 1),
            round(cell.share or 0.0, 2) if isinstance(cell, Rank) and cell.base else None,
            round(cell.published, 2) if isinstance(cell, Rank) and cell.published else None,
        )
        for row in table.rows
        for cell in row.cells[column]
        if isinstance(cell, Rank | values.PlainFigure)
    }


def late(*chunks: str, by: float = 1.5, aligned: str = "") -> Rate:
    """150, and so many times less from sector 63 with these chunks, but for this allocation unit."""

    def rate(setup: Setup, _: Trial) -> float:
        is_late = setup.partition_start_sectors == 63 and setup.chunk in chunks and setup.allocation_unit != aligned
        return 150.0 / (by if is_late else 1.0)

    return setups(rate)


@pytest.mark.parametrize(
    "rate, repeat, told, advice",
    [
        (late("4KiB", "8KiB"), 3, ["different", "different", "equal", "equal"], True),
        (late(), 3, ["equal"] * 4, False),
        (late("4KiB", "8KiB", "64KiB", "128KiB", by=1.05), 1, ["n.s."] * 4, False),
    ],
)
def test_alignment_is_told_chunk_by_chunk(rate: Rate, repeat: int, told: list[str], advice: bool) -> None:
    found = answered(STRIPES, 4, rate, repeat)
    assert found.kind == "alignment" and verdicts(found, "partition_start_sectors") == {
        f"chunk {chunk}KiB": {verdict} for chunk, verdict in zip((4, 8, 64, 128), told, strict=True)
    }
    choice = of_kind(found, AxisChoice)[0]
    assert {(effect.base, effect.label, effect.single_run) for effect in choice.effects} == {
        ("from sector 63", "2048", repeat == 1)
    }
    assert bool(choice.advice) is advice and ("2048" in choice.advice) is advice


def test_units_that_tell_another_tale_are_not_averaged() -> None:
    told = verdicts(answered(STRIPES, 4, late("8KiB", aligned="4KiB")), "partition_start_sectors")
    assert told["chunk 8K 8K-unit"] == {"different"}
    assert told["chunk 8K 4K-unit"] == told["chunk 4KiB"] == {"equal"}


@pytest.mark.parametrize(
    "recipe, axes",
    [
        (STRIPES, Axes(partition_start_sectors=(63,))),
        ("levels-random-4k", Axes(chunk=("64KiB",))),
        ("degraded", (Axes(level=("5", "6"), first_sync=("skip",)),)),
    ],
)
def test_without_the_axis_to_compare_it_is_another_question(recipe: str, axes: Axes) -> None:
    assert answered(recipe, 4, late(), axes=axes).kind == "levels"


def test_a_source_that_found_little_is_refuted_with_the_work_that_was_counted() -> None:
    axes = Axes(partition_start_sectors=(63, 128), chunk=("64KiB", "128KiB"))
    found = answered(STRIPES, 4, late("64KiB", "128KiB", by=2.0), axes=axes)
    (source,) = of_kind(found, SourceRatios)
    assert [over.test for over in source.refuted] == ["Random 8K write", "Random 8K read"]
    assert source.refuted[0].published == pytest.approx(1.055) and source.refuted[0].share == pytest.approx(2, rel=0.02)


PENALTY = {"0": 1, "10": 2, "5": 4, "6": 6}


def of_model(setup: Setup, trial: Trial) -> float:
    return 600.0 / (PENALTY[setup.level] if trial.rw == "randwrite" else 1)


by_the_model = setups(of_model, disks=6)


def test_chunks_that_do_the_same_are_equal_and_levels_are_over_the_first() -> None:
    found = answered("levels-random-4k", 6, by_the_model)
    assert verdicts(found, "chunk") == {level: {"equal"} for level in ("RAID 0", "RAID 10 n2", "RAID 5", "RAID 6")}
    shares = {"RAID 10 n2": 0.5, "RAID 5": 0.25, "RAID 6": 0.17}
    assert cells(found.table) == {"one disk": (100.0, None, None), "RAID 0": (600.0, None, None)} | {
        level: (600.0 // PENALTY[level.split()[1]], share, None) for level, share in shares.items()
    }
    (penalties,) = of_kind(found, Penalties)  # handmade disks move what the user wrote, once
    counted = {one.subject: (round(one.figure or 0.0, 2), one.model) for one in penalties.levels}
    assert counted == {"RAID 0": (1.0, 1), "RAID 10 n2": (1.0, 2), "RAID 5": (1.0, 4), "RAID 6": (1.0, 6)}


def test_a_chunk_that_matters_is_named_with_its_level() -> None:
    def one_slow(setup: Setup, trial: Trial) -> float:
        slow = (setup.level, setup.chunk, trial.rw) == ("5", "4KiB", "randread")
        return of_model(setup, trial) * (0.5 if slow else 1.0)

    (choice, *_) = of_kind(answered("levels-random-4k", 6, setups(one_slow, disks=6)), AxisChoice)
    (odd,) = [effect for effect in choice.effects if effect.verdict == "different"]
    assert (odd.where, odd.base, odd.test) == ("RAID 5", "chunk 4KiB", "Random 4K read") and len(choice.effects) == 8
    assert odd.share == pytest.approx(2.0, rel=0.02)


def test_a_queue_that_is_too_short_is_told_and_the_source_is_not_asked() -> None:
    chunks = ("4KiB", "64KiB")
    axes = tuple(Axes(level=(level,), chunk=chunks, first_sync=("skip",), filesystem=("xfs",)) for level in ("10", "5"))
    found = answered("levels-random-4k", 6, by_the_model, axes=axes)
    assert [(one.queue, one.disks, one.rank) for one in of_kind(found, values.Unsaturated)] == [(4, 6, None)]
    assert cells(found.table)["RAID 5"] == (150.0, 0.5, None) and not of_kind(found, SourceRatios)
    fair = tuple(Axes(level=(level,), chunk=chunks, first_sync=("skip",)) for level in ("0", "6"))
    long = answered("levels-random-4k", 6, by_the_model, variant="fair", axes=fair)
    assert cells(long.table)["RAID 6"] == (100.0, 0.17, 0.17) and not of_kind(long, values.Unsaturated)
    assert cells(long.table, 1)["RAID 6"] == (600.0, 1.0, 1.0)


ALL_DISKS = Axes(disks=(0,), stripe_cache_size=(256,))
RATES = {"0": 400.0, "1": 100.0, "4": 199.0, "5": 200.0, "10": 150.0}


def test_levels_that_survive_a_failed_disk_are_over_one_that_does_not() -> None:
    found = answered("levels-sequential", 4, setups(lambda setup, _: RATES[setup.level]), axes=ALL_DISKS)
    (best,) = of_kind(found, Best)
    for order in best.orders:
        assert {rank.subject for rank in order if rank.verdict != "different"} == {"RAID 5", "RAID 4"}
        assert "RAID 0" not in {rank.subject for rank in order}
        last = order[-1]
        assert (last.subject, last.verdict) == ("RAID 1", "different") and last.low and last.high
        assert last.low < 0.5 < last.high
    survives = {one.subject: one.survives for one in best.holds}
    assert (survives.pop("RAID 1"), survives.pop("RAID 10 n3")) == (3, 2) and set(survives.values()) == {1}
    shown = cells(found.table)
    assert list(shown)[-1] == "RAID 0" and shown["RAID 0"] == (400e6, None, None)
    assert shown["RAID 4"] == (199e6, 0.5, None) and shown["RAID 10 n2"] == (150e6, 0.38, None)
    assert shown["RAID 5"] == (200e6, 0.5, 0.61) and shown["RAID 1"] == (100e6, 0.25, 0.32)  # the source's of 3 disks


def test_what_is_equal_for_reads_stands_beside_writes_in_no_average() -> None:
    rate = setups(lambda setup, trial: RATES[setup.level] if trial.rw == "write" else 300.0)
    found = answered("levels-sequential", 4, rate, axes=ALL_DISKS)
    writes, *reads = of_kind(found, Best)[0].orders
    assert sum(rank.verdict == "different" for rank in writes) == 5
    assert [{rank.verdict for rank in order[1:]} for order in reads] == [{"equal"}] * 2


def test_of_a_base_that_is_itself_slow_the_model_is_the_measure() -> None:
    """RAID 0 does 60 % of what is expected; three streams have no model, and no share."""
    rate = setups(lambda setup, _: RATES[setup.level] * (0.6 if setup.level == "0" else 1.0))
    found = answered("levels-sequential", 4, rate, axes=ALL_DISKS)
    assert cells(found.table, 0)["RAID 0"] == cells(found.table, 1)["RAID 0"] == (240e6, 0.6, None)
    assert cells(found.table, 0)["RAID 5"] == (200e6, 0.5, 0.61)
    assert cells(found.table, 2)["RAID 5"] == (200e6, None, None)
    over = [cell for row in found.table.rows for column in row.cells for cell in column]  # type: ignore[union-attr]
    assert {(cell.base, cell.expected) for cell in over if isinstance(cell, Rank)} == {("RAID 0 expected", True)}
    assert found.table.bases == ("% of 400 (RAID 0 expected)", "% of 400 (RAID 0 expected)", "")  # type: ignore[union-attr]


def test_of_an_excluded_base_nothing_is_expected_and_no_share_is_shown() -> None:
    """RAID 0 does a quarter of what is expected; in one of the tests its latency contradicts its rate."""
    made = sweeps.plan("levels-in-short", 4, repeat=3)
    state = sweeps.state(made, repeated(setups(lambda setup, _: 100.0)))
    bare = [stage for stage in made.stages if stage.setup and stage.setup.level == "0"]
    odd = {trial.id for stage in bare for trial in stage.trials if trial.job == "seq_read"}
    table = answer_of((made, later(state, lambda trial: 2.0 if trial in odd else 1.0))).table
    assert table and [bool(base) for base in table.bases] == [True, False, True, True]
    assert not any(isinstance(cell, Rank) for row in table.rows for cell in row.cells[1])


def of_level(rates: dict[str, float], otherwise: float = 1000.0, disk: float = 1000.0) -> Rate:
    return setups(lambda setup, _: rates.get(setup.level, otherwise), disk)


PUBLISHED = of_level({"jbod": 66370.0, "0": 46461.0, "10": 30000.0}, 25000.0, 30_000.0)


@pytest.mark.parametrize(
    "rate, subject, share, verdict, refuted",
    [
        (PUBLISHED, "JBOD", 1.43, "different", 0),
        (PUBLISHED, "RAID 10 n2", 0.65, "different", 0),
        (of_level({}), "JBOD", 1.0, "equal", 4),
    ],
)
def test_separate_disks_and_copies_are_over_raid_0_by_file_system(
    rate: Rate, subject: str, share: float, verdict: str, refuted: int
) -> None:
    found = answered("jbod-vs-raid0", 4, rate, flash=True)
    told = [effect for choice in of_kind(found, AxisChoice) if choice.axis == "level" for effect in choice.effects]
    own = [effect for effect in told if effect.subject == subject]
    assert {(e.where, e.base, e.verdict) for e in own} == {(name, "RAID 0", verdict) for name in ("ext4", "xfs")}
    assert all(effect.share == pytest.approx(share, rel=0.01) for effect in own)
    (source,) = of_kind(found, SourceRatios)
    assert len(source.refuted) == refuted and len(source.compared) == 4
    assert all(over.published == pytest.approx(1.43, abs=0.04) for over in source.compared)


def test_a_file_system_that_is_faster_alone_is_told_alone() -> None:
    rate = setups(lambda setup, _: 2000.0 if (setup.level, setup.filesystem) == ("jbod", "xfs") else 1000.0, 1000.0)
    found = answered("jbod-vs-raid0", 4, rate, flash=True)
    assert verdicts(found, "level") == {"xfs": {"different", "equal"}, "ext4": {"equal"}}
    told = verdicts(found, "filesystem")
    assert told.pop("JBOD") == {"different"} and set.union(*told.values()) <= {"equal", "n.s."}
    slowest = {
        effect.base for choice in of_kind(found, AxisChoice) for effect in choice.effects if effect.label == "xfs"
    }
    assert slowest & {"ext2", "ext4"}


@pytest.mark.parametrize("queue, limits, is_short", [
    (4, [Limit.QUEUE, Limit.QUEUE], True), (None, [Limit.QUEUE], False), (4, [Limit.QUEUE, Limit.DISKS], False),
])  # fmt: skip
def test_a_queue_is_short_where_it_limits_each_setup(queue: int | None, limits: list[Limit], is_short: bool) -> None:
    rows: list[Any] = [SimpleNamespace(queue=queue, expected=SimpleNamespace(limited_by=limit)) for limit in limits]
    assert _is_short(rows) is is_short


def test_the_tail_is_the_longest_request_of_each_layout_beside_its_own_mean() -> None:
    made = sweeps.plan("jbod-vs-raid0", 4, flash=True)
    state = sweeps.state(made, PUBLISHED)
    level = {trial.id: stage.setup.level for stage in made.stages if stage.setup for trial in stage.trials}
    longest = {"jbod": 771e6, "0": 1270e6, "10": 335e6}
    state = reading(state, lambda trial, _: {"lat_max_ns": longest.get(level.get(trial, ""), 100e6)})
    (tails,) = of_kind(answer_of((made, state)), Tails)
    assert [tail.figure for tail in tails.longest][-3:] == [335e6, 771e6, 1270e6]
    assert [tail.subject.split()[0] for tail in tails.longest][-3:] == ["RAID", "JBOD", "RAID"]
    assert {(tail.runs, tail.single_run) for tail in tails.longest} == {(1, True)}
    recorded = golden.answers()["jbod-vs-raid0"]
    (tails,) = of_kind(recorded, Tails)
    assert tails.excluded and tails.longest[-1].base_figure == pytest.approx(120e6, rel=0.01)
    told = [effect for choice in of_kind(recorded, AxisChoice) for effect in choice.effects if "reads)" in effect.test]
    (pair,) = [e for e in told if (e.subject, e.base, e.where) == ("xfs", "ext4", "RAID 10 n2")]
    assert pair.share == pytest.approx(464.4 / 427.7, rel=1e-3)


# Of RAID 5 without a disk two thirds, of RAID 6 without two a quarter, else all of it.
LEFT = {("5", 1): 0.66, ("6", 2): 0.25}
left = setups(lambda setup, _: 300.0 * LEFT.get((setup.level, setup.failed), 1.0))


def kept_shares(found: Answer, test: str = "Sequential read") -> dict[str, tuple[float, str]]:
    (choice,) = of_kind(found, AxisChoice)
    assert choice.kept and {effect.base for effect in choice.effects} == {"healthy"}
    own = [effect for effect in choice.effects if effect.test == test]
    return {f"{e.group} {e.subject}": (round(e.share or 0.0, 2), e.verdict) for e in own}


def test_what_is_left_without_a_disk_is_over_the_same_array_when_healthy() -> None:
    found = answered("degraded", 4, left)
    shares = kept_shares(found)
    assert shares.pop("RAID 5 degraded") == (0.66, "different")
    assert shares.pop("RAID 6 degraded (2 disks)") == (0.25, "different")
    assert list(shares) == [f"RAID {level} degraded" for level in ("1", "10 n2", "6")]
    assert set(shares.values()) == {(1.0, "equal")}
    rates = {("10", 0): 880.0, ("10", 1): 340.0, ("5", 0): 380.0, ("5", 1): 330.0}
    axes = tuple(Axes(level=(level,), first_sync=("skip",), failed=(0, 1)) for level in ("10", "5"))
    found = answered("degraded", 4, setups(lambda setup, _: rates[setup.level, setup.failed], 400.0), axes=axes)
    assert [share for share, _ in kept_shares(found, "Random 4K write").values()] == [0.39, 0.87]


@pytest.mark.parametrize("share, verdict", [(0.66, "different"), (1.05, "n.s.")])
def test_what_latency_contradicts_is_different_if_it_is_by_both(share: float, verdict: str) -> None:
    """Random reads of RAID 5 without a disk take half as long again: by latency two thirds of the rate's share."""
    made = sweeps.plan("degraded", 4, repeat=3)
    setups = {trial.id: stage.setup for stage in made.stages for trial in stage.trials}

    def is_odd(trial: str) -> bool:
        setup = setups[trial]
        return "rand_read" in trial and setup is not None and (setup.level, setup.failed) == ("5", 1)

    state = sweeps.state(made, repeated(lambda s, t: 9000.0 * share if is_odd(t.id) else 30.0 * left(s, t)))
    state = later(state, lambda trial: 1.5 if is_odd(trial) else 1.0)
    found = answer_of((made, state))
    (odd,) = [e for e in of_kind(found, AxisChoice)[0].effects if (e.group, e.test) == ("RAID 5", "Random 4K read")]
    assert odd.verdict == verdict and odd.by_latency == pytest.approx(share / 1.5, rel=0.01)
    (fault,) = found.faults
    assert (fault.name, fault.figure, fault.of, fault.test) == ("contradicted", 1, 27, "Random 4K read")
    assert "IOPS" in fault.evidence[0]
    assert fault.subject == "RAID 5 (1 failed)" and not of_kind(found, Best)
