"""Steps that create groups and the RAID 0 over them, and take them back in reverse; changed plans are refused."""

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Array
from raidtui.core.care.rules import why_not_grow
from raidtui.core.disks.identity import digits
from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import PlanNotSafe, Setup
from raidtui.core.plan.kept.permanence import shell_lines
from raidtui.core.plan.model import GroupPlan, Plan, Stage, confirmation_code, encode, teardown_of, undo
from raidtui.core.plan.steps import Command, Wait, Write, role_of
from raidtui.core.script.render import script
from raidtui.runs import kept_arrays
from tests.builders.every_plan import of

GROUPED = of(Setup(level="6", groups=2, filesystem="xfs", first_sync="wait", stripe_cache_size=4096), disks=10)
WIDE = of(Setup(level="6", filesystem="xfs"), disks=10)


def stage() -> Stage:
    return GROUPED.stages[-1]


def creates(of_stage: Stage) -> list[Command]:
    return [step for step in of_stage.steps if isinstance(step, Command) and step.role == "create"]


def test_groups_are_created_of_their_own_disks_and_synced_before_the_raid_0() -> None:
    first, second, outer = creates(stage())
    assert (first.members, second.members, outer.members) == ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9), ())
    sizes = [word for step in (first, second) for word in step.argv if word.startswith("--size=")]
    assert len(sizes) == 2 and len(set(sizes)) == 1
    array = stage().array
    assert array and array.outer.chunk_bytes == 3 * 512 * 1024
    chunk, offset = (int(word.partition("=")[2]) for word in outer.argv[-5:-3])
    assert (chunk, offset % chunk) == (1536, 0) and offset * 1024 == array.outer.data_offset_bytes
    assert outer.argv[-2:] == ("{group:0}", "{group:1}") == array.parts
    roles = [role_of(step) for step in stage().steps]
    assert roles.index("groups-built") < roles.index("sync-finished") < stage().steps.index(outer)
    lifted = [step.path for step in stage().steps if isinstance(step, Write) and step.lifts]
    assert lifted == [f"/sys/block/{group}/md/sync_speed_max" for group in array.parts]


def test_the_superblock_of_the_raid_0_goes_before_the_groups_are_stopped() -> None:
    words = [" ".join(step.argv[1:]) for step in teardown_of(GROUPED, 1) if isinstance(step, Command)]
    order = ["--stop {array}", "--zero-superblock {group:0}", "--zero-superblock {group:1}", "--stop {group:1}"]
    order += ["--zero-superblock {member:5}", "--stop {group:0}", "--zero-superblock {member:0}"]
    places = [words.index(word) for word in order]
    assert places == sorted(places)
    assert isinstance(teardown_of(GROUPED, 1)[-2], Wait) and role_of(teardown_of(GROUPED, 1)[-1]) == "members-blank"


def test_settings_are_those_of_each_group() -> None:
    caches = [step.path for step in stage().steps if isinstance(step, Write) and "stripe_cache_size" in step.path]
    assert caches == [f"/sys/block/{{group:{number}}}/md/stripe_cache_size" for number in range(2)]


def test_each_array_has_a_uuid_of_its_own_and_a_plan_without_groups_the_code_of_before() -> None:
    array = stage().array
    assert array and len(set(array.uuids)) == 3 and [group.name[-3:] for group in array.groups] == ["-g1", "-g2"]
    drawn = replace(GROUPED, uuids=tuple(f"0000000{n}-0000-0000-0000-00000000000{n}" for n in range(5)))
    filled = slots.filled(drawn).stages[-1].array
    assert (
        filled
        and {len(uuid) for uuid in filled.uuids} == {35}
        and set(filled.uuids) <= slots.made_by(slots.filled(drawn).stages)
    )
    document = msgspec.to_builtins(WIDE)
    del document["stages"][-1]["array"]["groups"], document["answers"]["setup"]["groups"]
    older = msgspec.convert(document, Plan)
    assert older == WIDE and confirmation_code(older) == WIDE.code


def groups() -> tuple[GroupPlan, ...]:
    array = stage().array
    assert array
    return array.groups


def changed(**array: object) -> Plan:
    built = stage().array
    assert built
    return replace(GROUPED, stages=(*GROUPED.stages[:-1], replace(stage(), array=replace(built, **array))))


def swapped(old: str, new: str, at: int) -> Plan:
    steps = list(stage().steps)
    step = creates(stage())[at]
    steps[steps.index(step)] = replace(step, argv=tuple(word.replace(old, new) for word in step.argv))
    return replace(GROUPED, stages=(*GROUPED.stages[:-1], replace(stage(), steps=tuple(steps))))


FIRST, SECOND = groups()


@pytest.mark.parametrize(
    "plan, why",
    [
        (changed(groups=(FIRST, replace(SECOND, uuid=FIRST.uuid))), "or one UUID"),
        (changed(groups=(FIRST, replace(SECOND, name="home"))), "its group 2 cannot be 'home'"),
        (changed(groups=(FIRST, replace(SECOND, members=(0, 1, 2, 3, 4)))), "are not the next 5"),
        (changed(groups=(FIRST, SECOND, GroupPlan(uuid="{uuid:9}", name="x", members=()))), "its group 3 cannot be"),
        (changed(groups=()), "has no such group"),
        (swapped(SECOND.uuid, FIRST.uuid, 1), "creates another array"),
        (swapped("{group:1}", "{group:0}", 1), "creates another array"),
        (swapped(" {group:1}", "{group:0}", 2), ""),
        (swapped("{group:1}", "{group:0}", 2), "creates another array"),
        (swapped("{group:1}", "{group:2}", 2), "creates another array"),
        (swapped("{group:1}", "{member:9}", 2), "creates another array"),
        (swapped("{group:1}", "/dev/md0", 2), "creates another array"),
        (swapped("--run", "--run\n{group:1}", 2), "a line's end"),
        (swapped("--run", "/dev/md0", 2), "is refused"),
        (swapped("--level=6", "--level=0", 0), "is refused"),
    ],
)
def test_a_plan_with_other_groups_is_refused(plan: Plan, why: str) -> None:
    if not why:
        assert validate.decode(encode(plan)) == plan
        return
    with pytest.raises(ValueError, match=why):
        validate.decode(encode(plan))


def test_a_kept_one_is_assembled_from_its_groups_on() -> None:
    kept = of(Setup(level="6", groups=2, filesystem="xfs"), disks=8, after="keep")
    drawn = replace(kept, uuids=tuple(f"0000000{n}-0000-0000-0000-00000000000{n}" for n in range(5)))
    lines = [line for line in shell_lines(drawn) if "ARRAY" in line]
    assert ["-g1" in line for line in lines] == [True, False, False] and "-g2" in lines[1]
    array = slots.filled(drawn).stages[-1].array
    assert array and all(uuid in line for uuid, line in zip((*array.uuids[1:], array.uuid), lines, strict=True))
    for uuid, members in zip(array.uuids, ((), (0, 1, 2, 3), (4, 5, 6, 7)), strict=True):
        found = kept_arrays.members_of(slots.filled(drawn), digits(uuid))
        assert [disk.id for disk in found] == [drawn.members[index].id for index in members]


SPARED = of(Setup(level="6", groups=2, filesystem="xfs", spares=3), disks=11, after="keep", permanent=True)


def spared(**group: object) -> Plan:
    """With another second group, in all stages."""
    stages = []
    for each in SPARED.stages:
        first, second = each.array.groups if each.array else (None, None)
        array = replace(each.array, groups=(first, replace(second, **group))) if each.array and second else each.array
        stages.append(replace(each, array=array))
    return replace(SPARED, stages=tuple(stages))


def test_spares_go_to_the_groups_in_turn_and_are_taken_back_once_all_groups_are_stopped() -> None:
    built = next(each for each in SPARED.stages if each.array and each.array.groups)
    assert built.array and [group.spares for group in built.array.groups] == [(8, 10), (9,)]
    adds = [step.argv[2:] for step in built.steps if isinstance(step, Command) and step.role == "add"]
    assert adds == [(f"{{group:{index % 2}}}", f"{{member:{index}}}") for index in (8, 9, 10)]
    words = [" ".join(step.argv[1:]) for step in undo(built.steps) if isinstance(step, Command)]
    assert words.index("--zero-superblock {member:9}") > words.index("--stop {group:0}")
    assert built.array.uuids_on(9) == {*built.array.uuids[1:]} and built.array.uuids_on(4) == {built.array.uuids[2]}


def test_groups_share_their_spares_by_mdadm_conf() -> None:
    drawn = replace(SPARED, uuids=tuple(f"0000000{n}-0000-0000-0000-00000000000{n}" for n in range(5)))
    first, second, outer = (line.rstrip("' ") for line in shell_lines(drawn) if "ARRAY" in line)
    group = outer.partition("/dev/md/")[2].partition(" ")[0]
    assert f"spares=2 spare-group={group}" in first and f"spares=1 spare-group={group}" in second
    assert "spare" not in outer


@pytest.mark.parametrize(
    "group, why",
    [
        ({"spares": (7,)}, "no disks behind all groups"),
        ({"spares": (8,)}, "is of another group"),
        ({"spares": ()}, "is of another group"),
        ({"spares": (11,)}, "no disks behind all groups"),
    ],
)
def test_a_spare_goes_to_no_other_group_than_planned(group: dict[str, object], why: str) -> None:
    assert validate.decode(encode(SPARED)) == SPARED
    with pytest.raises(ValueError, match=why):
        validate.decode(encode(spared(**group)))


def test_a_group_is_not_grown() -> None:
    alone = Array(name="md127", node="/dev/md127", uuid="", level="6", slots=4, size_bytes=10**12)
    assert why_not_grow(alone) == "" and "is a group of md125" in why_not_grow(replace(alone, part_of="md125"))


def test_a_script_is_refused() -> None:
    with pytest.raises(PlanNotSafe, match="leave groups out"):
        script(GROUPED)
