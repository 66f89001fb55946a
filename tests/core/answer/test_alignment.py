"""Alignment, chunk by chunk: what differs, what is equal, what cannot be told, and the allocation unit beside it."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import alone, answered


def small_chunks_matter(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return alone(trial)
    late = stage.setup.partition_start_sectors == 63 and stage.setup.chunk in ("4KiB", "8KiB")
    return 100.0 if late else 150.0


def test_the_chunks_where_it_matters_are_named_and_the_others_are_equal() -> None:
    found = answered("stripe-x-allocation-unit-x-offset", 4, small_chunks_matter)
    assert found.question == "Does it matter where the partition starts, by chunk?"
    assert found.sentences[0] == (
        "Alignment matters on RAID 5, the only level here, so let the partition start at sector 2048 (as sfdisk and"
        " parted do): a start at sector 2048 instead of 63 gives random 8K read"
        " +50 % with chunk 4KiB and 8KiB, the same within 3 % with 64KiB and 128KiB; random 8K write +50 % with"
        " chunk 4KiB and 8KiB, the same within 3 % with 64KiB and 128KiB."
    )
    table = found.tables[0]
    assert table.headers == ("Setup", "Random 8K read, IOPS", "Random 8K write, IOPS")
    assert [line[1] for line in table.lines] == ["150 instead of 100 (+50 %)"] * 2 + ["150 instead of 150 (0 % ≈)"] * 2
    verdicts = {one.where: one.verdict for one in found.conclusions if one.kind == "effect" and "start" in one.subject}
    assert verdicts == {"chunk 4KiB": "different", "chunk 8KiB": "different", "chunk 64KiB": "equal",
                        "chunk 128KiB": "equal"}  # fmt: skip


def test_where_no_chunk_differs_it_does_not_matter() -> None:
    found = answered("stripe-x-allocation-unit-x-offset", 4, lambda stage, trial: 100.0)
    assert found.sentences[0] == "Alignment does not matter: every chunk is equal within 3 %."


def test_single_runs_that_lie_5_percent_apart_tell_nothing() -> None:
    rate = {63: 100.0, 128: 105.0, 2048: 105.0}
    found = answered(
        "stripe-x-allocation-unit-x-offset",
        4,
        lambda stage, trial: rate[stage.setup.partition_start_sectors] if stage.setup else alone(trial),
        1,
    )
    assert found.sentences[0] == "Whether alignment matters nobody can tell from these runs."


def test_without_a_start_to_compare_it_is_another_question() -> None:
    found = answered(
        "stripe-x-allocation-unit-x-offset", 4, small_chunks_matter, axes=Axes(partition_start_sectors=(63,))
    )
    assert found.kind == "levels"


def test_units_that_tell_another_tale_are_not_averaged() -> None:
    def of_unit(stage: Stage, trial: Trial) -> float:
        late = stage.setup and stage.setup.partition_start_sectors == 63 and stage.setup.chunk == "8KiB"
        return 100.0 if late and stage.setup and stage.setup.allocation_unit != "4KiB" else 150.0

    found = answered("stripe-x-allocation-unit-x-offset", 4, of_unit)
    assert (
        "random 8K read the same within 3 % with chunk 4KiB, 64KiB and 128KiB, up to +50 % with 8KiB;"
        in (found.sentences[0])
    )
    shown = {line[0]: line[1] for line in found.tables[0].lines}
    assert shown["chunk 8KiB allocation unit 8KiB"] == "150 instead of 100 (+50 %)"
    assert shown["chunk 8KiB allocation unit 4KiB"] == shown["chunk 4KiB"] == "150 instead of 150 (0 % ≈)"


def test_the_article_that_found_little_is_refuted_with_the_work_that_was_counted() -> None:
    """Its 5.5 % at a chunk of 128 KiB; here a start off the grid has the disks do twice as much."""

    def rate(stage: Stage, trial: Trial) -> float:
        late = stage.setup and stage.setup.partition_start_sectors == 63
        return (75.0 if late else 150.0) if stage.setup else alone(trial)

    axes = Axes(partition_start_sectors=(63, 128), chunk=("64KiB", "128KiB"))
    told = answered("stripe-x-allocation-unit-x-offset", 4, rate, axes=axes).sentences
    assert (
        "The article (Disk Performance Hands On, Part 3: RAID 5, Kendal Van Dyke, 2009) has random 8K write with chunk"
        " 128KiB +5.5 % (a start at sector 128 instead of 63), here +100 %; random 8K read with chunk 128KiB"
        " differs, too." in told
    )
