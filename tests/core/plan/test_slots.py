"""Two runs of one plan make two arrays: what is drawn for a run stands in its steps, and nowhere in the code."""

import pytest
from msgspec.structs import replace

from raidtui.core.disks.identity import as_md
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import confirmation_code, encode
from tests.builders import sweeps

FIRST = ("00112233-4455-6677-8899-aabbccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100")
SECOND = FIRST[::-1]
PLAN = sweeps.plan("quick", 3, level="5", filesystem="ext4")


def drawn(*uuids: str) -> str:
    return encode(slots.filled(replace(PLAN, uuids=uuids))).decode()


def test_a_plan_has_slots_and_a_run_its_own_uuids() -> None:
    assert slots.count(PLAN) == 2 and "{uuid:0}" in encode(PLAN).decode()
    first, second = drawn(*FIRST), drawn(*SECOND)
    assert "{uuid:" not in first and "{name:" not in first
    assert "--uuid=00112233:44556677:8899aabb:ccddeeff" in first and "raidtui-00112233" in first
    assert FIRST[1] in first and first != second


def test_the_code_is_that_of_the_slots() -> None:
    assert confirmation_code(replace(PLAN, uuids=FIRST)) == confirmation_code(PLAN)
    assert slots.made_by(slots.filled(replace(PLAN, uuids=FIRST)).stages) == {
        as_md(FIRST[0]), FIRST[1]
    }  # fmt: skip


@pytest.mark.parametrize(
    "setup, names",
    [
        (Setup(level="5", filesystem="ext4"), ("raidtui-00112233",)),
        (Setup(level="5"), ("raidtui-00112233",)),
        (Setup(level="jbod", filesystem="ext4"), ("the-run",)),
        (Setup(level="jbod"), ()),
    ],
)
def test_what_is_removed_is_named_by_its_array_or_by_its_run(setup: Setup, names: tuple[str, ...]) -> None:
    plan = sweeps.plan("quick", 3, setup=setup)
    uuids = tuple(FIRST[0][:-1] + str(number) for number in range(slots.count(plan)))
    assert slots.names(slots.filled(replace(plan, uuids=uuids)).stages, "the-run") == names


@pytest.mark.parametrize("uuids", [(), FIRST[:1], (FIRST[0], "no-uuid"), (FIRST[0], FIRST[1].upper())])
def test_what_was_not_drawn_is_not_filled_in(uuids: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="needs 2 UUIDs of its run's own"):
        slots.filled(replace(PLAN, uuids=uuids))
