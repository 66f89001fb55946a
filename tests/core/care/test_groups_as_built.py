"""Groups and the RAID 0 over them: what is not as built, or not the run's, is named with its group."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Array, ArrayMember, AtBoot, BootMount, KnownDisk, Upon
from raidtui.core.arrays.status import KeptArray
from raidtui.core.care import by_hand, ensured
from raidtui.core.care.ensured import AsBuilt
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.summary import imagined
from raidtui.core.units import GB
from tests.builders.plans import DEBIAN, planned

SETUP = Setup(level="5", groups=2, filesystem="xfs", spares=1)
KEPT: dict[str, Any] = {"permanent": True, "mount_point": "/srv/vms"}
PLAN = slots.filled(
    replace(
        planned(imagined([100 * GB] * 7, flash=False), SETUP, DEBIAN, repeat=1, after="keep", **KEPT),
        uuids=tuple(f"0000000{number}-0000-0000-0000-00000000000{number}" for number in range(6)),
    )
)
STAGE = PLAN.stages[PLAN.kept_stage or 0]
assert STAGE.array and STAGE.filesystem
PLANNED, SHAPES = STAGE.array, STAGE.array.shapes
DISKS = tuple(KnownDisk(id=member.id, serial=member.serial) for member in PLAN.members)
LINE = BootMount(mountpoint="/srv/vms", file="/etc/fstab", by="UUID", source="UUID")
UPON = Upon(device="md127", kind="xfs", uuid=STAGE.filesystem.uuid, mounted_at=("/srv/vms",), boot=(LINE,))


def _group(number: int, disks: tuple[KnownDisk, ...], *spares: KnownDisk) -> AsBuilt:
    shape = SHAPES[number]
    members = [ArrayMember(role="in sync", slot=slot, device="sda", disk=disk) for slot, disk in enumerate(disks)]
    members += [ArrayMember(role="spare", device="sdg", disk=disk) for disk in spares]
    array = Array(
        name=f"md{number}",
        node=f"/dev/md{number}",
        uuid=shape.uuid,
        title=f"any:{shape.name}",
        level=shape.level,
        layout=shape.layout,
        chunk_bytes=shape.chunk_bytes,
        slots=3,
        members=tuple(members),
        consistency="bitmap",
        at_boot=AtBoot(assembly="ARRAY line"),
        part_of="md127",
    )
    return AsBuilt(array, disks)


FIRST, SECOND = _group(0, DISKS[:3], DISKS[6]), _group(1, DISKS[3:6])
assert FIRST.array and SECOND.array
NODES = tuple(ArrayMember(role="in sync", slot=number, device=f"md{number}") for number in range(2))
OUTER = Array(
    name="md127",
    node="/dev/md127",
    uuid=PLANNED.uuid,
    title=f"any:{PLANNED.name}",
    level="0",
    chunk_bytes=2 * (PLANNED.chunk_bytes or 0),
    slots=2,
    members=NODES,
    upon=(UPON,),
    at_boot=AtBoot(assembly="ARRAY line"),
)


def changed(part: AsBuilt, **changes: Any) -> AsBuilt:
    assert part.array
    return part._replace(array=replace(part.array, **changes))


def moved() -> tuple[AsBuilt, AsBuilt]:
    """The spare, to the second group."""
    assert FIRST.array and SECOND.array
    return (
        changed(FIRST, members=FIRST.array.members[:3]),
        changed(SECOND, members=(*SECOND.array.members, FIRST.array.members[3])),
    )


G1, G2 = f"{PLANNED.name}-g1: ", f"{PLANNED.name}-g2: "


@pytest.mark.parametrize(
    "outer, groups, says",
    [
        ({}, (FIRST, SECOND), []),
        ({}, moved(), []),
        ({"chunk_bytes": 512 << 10}, (FIRST, SECOND), ["its chunk: 524288, built was 1048576"]),
        ({"slots": 3}, (FIRST, SECOND), ["its members: 3, built was 2"]),
        ({"level": "5"}, (FIRST, SECOND), ["its level: 5, built was 0"]),
        ({}, (FIRST, changed(SECOND, level="6")), [f"{G2}its level: 6, built was 5"]),
        ({}, (changed(FIRST, title="any:x"), SECOND), [f"{G1}its name: x, built was {PLANNED.name}-g1"]),
        (
            {},
            (FIRST, changed(SECOND, consistency="ppl")),
            [f"{G2}what it goes by after a crash: ppl, built was bitmap"],
        ),
        ({}, (FIRST, changed(SECOND, at_boot=AtBoot())), [f"{G2}mdadm.conf has no line for it"]),
        ({"at_boot": AtBoot()}, (FIRST, SECOND), ["mdadm.conf has no line for it"]),
        (
            {},
            (FIRST, changed(SECOND, members=SECOND.array.members[:2])),
            [f"{G2}slot 2 ({DISKS[5].title}) is not in sync in it"],
        ),
        ({}, (changed(FIRST, members=FIRST.array.members[:3]), SECOND), [f"the spare {DISKS[6].id} is not in it"]),
        (
            {},
            (FIRST, SECOND._replace(array=None)),
            [f"{G2}it does not run (not there); `raidtui status` says what to do"],
        ),
        (
            {"health": "failed"},
            (FIRST, SECOND),
            ["it does not run (failed); `raidtui status` says what to do"],
        ),
        ({"upon": ()}, (FIRST, SECOND), [f"its xfs ({UPON.uuid}) is not there"]),
    ],
)
def test_what_is_otherwise_is_named_with_its_group(
    outer: dict[str, Any], groups: tuple[AsBuilt, ...], says: list[str]
) -> None:
    assert list(ensured.lacking(PLAN, AsBuilt(replace(OUTER, **outer), ()), groups)) == says


def test_one_without_all_of_its_groups_is_not_compared() -> None:
    with pytest.raises(ValueError, match="argument"):
        ensured.lacking(PLAN, AsBuilt(OUTER, ()), (FIRST,))


def test_the_answers_name_the_groups_and_other_ones_are_refused() -> None:
    answers = PLAN.answers
    parts = ensured.parts_of(SETUP, answers, 6)
    assert parts["array"] == "RAID 50, 2 × 3" and ensured.why_not(answers) == ""
    wide = ensured.parts_of(replace(SETUP, groups=1), answers, 6)
    assert ensured.differing(parts, wide) == ("array: RAID 50, 2 × 3, asked for is RAID 5 of 6 disks",)
    there = ensured.existing("r1", PLAN, STAGE.setup or SETUP, answers, ())
    assert (there.refused, there.uuid, there.changed) == ("", PLANNED.uuid, False)


@pytest.mark.parametrize("stranger, says", [(False, []), (True, ["its member Z9 is not the run's"])])
def test_a_disk_in_a_group_that_is_not_the_runs_is_named(stranger: bool, says: list[str]) -> None:
    assert SECOND.array
    added = ArrayMember(role="spare", device="sdz", disk=KnownDisk(id="wwn-z", serial="Z9"))
    second = changed(SECOND, members=(*SECOND.array.members, *([added] if stranger else [])))
    built = replace(PLAN, stages=PLAN.stages[:-1])  # boot lines are taken out by then
    kept = KeptArray("r1", ())
    assert (
        list(by_hand.not_own(built, replace(OUTER, upon=(replace(UPON, mounted_at=()),)), kept, {}, (FIRST, second)))
        == says
    )
