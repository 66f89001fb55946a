"""Alignment, chunk by chunk: what differs, what is equal, what cannot be told, and the allocation unit beside it."""

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered


def small_chunks_matter(stage: Stage, trial: Trial) -> float:
    if stage.setup is None:
        return 100.0
    late = stage.setup.partition_start_sectors == 63 and stage.setup.chunk in ("4KiB", "8KiB")
    return 100.0 if late else 150.0


def test_the_chunks_where_it_matters_are_named_and_the_others_are_equal() -> None:
    found = answered("stripe-x-allocation-unit-x-offset", 4, small_chunks_matter)
    assert found.question == "Does it matter where the partition starts, by chunk?"
    assert found.sentences[0].startswith("Alignment matters on RAID 5, most with chunk ")
    reads = found.sentences[1]
    assert reads.startswith("Random 8K read, a start at sector 2048 over 63: with chunk 4KiB +50 %, with chunk 8KiB +5")
    assert "equal within 3 % with chunk 64KiB +0 %, with chunk 128KiB +0 %" in reads
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
        lambda stage, trial: rate[stage.setup.partition_start_sectors] if stage.setup else 100.0,
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
    reads = next(one for one in found.sentences if one.startswith("Random 8K read"))
    assert "with chunk 8KiB unit 8KiB +50 %, with chunk 8KiB unit 64KiB +50 %" in reads
    assert "equal within 3 % with chunk 4KiB +0 %, with chunk 8KiB unit 4KiB +0 %" in reads
    assert found.sentences[0] == (
        "Alignment matters on RAID 5, most with chunk 8KiB unit 8KiB and chunk 8KiB unit 64KiB (random 8K read +50 %)."
    )
