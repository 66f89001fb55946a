"""What lasts of a kept array: which rule each disk gets, by level and by what it has; what is refused."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.boot.distributions import BootPlace, place
from raidtui.core.disks.machine import Erc
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner, slots, validate
from raidtui.core.plan.answers import PlanRefused, Setup
from raidtui.core.plan.model import Plan, confirmation_code, encode, undo
from raidtui.core.plan.steps import Edit, Restore, Step, Write, role_of, shell
from raidtui.core.units import GB
from tests.builders.machines import device, machine
from tests.builders.plans import planned

ARRAY = "00112233:44556677:8899aabb:ccddeeff"
DRAWN = ("00112233-4455-6677-8899-aabbccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100")
RULES, UNIT = "/etc/udev/rules.d/65-raidtui-00112233.rules", "/etc/systemd/system/raidtui-00112233-erc@.service"
NO_WWN = {"ID_WWN": ""}


def debian(*, systemd: bool = True, udev_rules: bool = True, smartctl: bool = True) -> BootPlace:
    def installed(program: str) -> bool:
        return smartctl or program != "smartctl"

    found = place("ID=debian", lambda path: False, installed, systemd=systemd, udev_rules=udev_rules)
    assert found
    return found


def plan_of(*ercs: Erc, where: BootPlace | None = None, wwn: bool = True, level: str = "5", **setup: Any) -> Plan:
    names = ("sda", "sdb", "sdc", "sdd")[: len(ercs)]
    disks = disks_of(
        machine(
            *(
                device(
                    name,
                    attributes={"size": str(100 * GB // 512)},
                    told={"erc": erc},
                    properties={} if wwn or name != "sdc" else NO_WWN,
                )
                for name, erc in zip(names, ercs, strict=True)
            )
        )
    )
    given = Setup(level=level, filesystem="ext4", **setup)
    made = planned(disks, given, where or debian(), repeat=1, after="keep", permanent=True)
    return slots.filled(replace(made, uuids=DRAWN))


def written(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {step.path: step.lines for step in plan.stages[-1].steps if isinstance(step, Edit)}


ALL: tuple[Erc, ...] = ("supported", "none", "not checked", "not applicable")


@pytest.mark.parametrize(
    "level, where, limited, waiting",
    [
        ("5", debian(), (0,), (1, 2)),
        ("10", debian(), (0,), (1, 2)),
        ("0", debian(), (), (0, 1, 2)),  # no limit: the array has no other copy
        ("linear", debian(), (), (0, 1, 2)),
        ("5", debian(systemd=False), (), (0, 1, 2)),  # nothing that would set it at boot
        ("5", debian(smartctl=False), (), (0, 1, 2)),
        ("5", debian(udev_rules=False), (), ()),
    ],
)
def test_each_disk_gets_a_limit_or_time_by_what_it_has(
    level: str, where: BootPlace, limited: tuple[int, ...], waiting: tuple[int, ...]
) -> None:
    plan = plan_of(*ALL, where=where, level=level)
    writes = [(step.path, step.value) for step in plan.stages[-1].steps if isinstance(step, Write)]
    assert writes == [
        *((f"/sys/block/{{member:{index}}}/device/timeout", "180") for index in waiting),
        *((f"smartctl/{{member:{index}}}/scterc", "70,70") for index in limited),
    ]
    rules = written(plan).get(RULES, ())
    assert [rule.count('ATTR{device/timeout}="180"') for rule in rules] == [1] * len(waiting) + [0] * len(limited)
    assert [rule.count('ENV{SYSTEMD_WANTS}+="raidtui-00112233-erc@%k.service"') for rule in rules] == [
        *[0] * len(waiting),
        *[1] * len(limited),
    ]
    for index, rule in zip((*waiting, *limited), rules, strict=True):
        assert f'ENV{{ID_WWN_WITH_EXTENSION}}=="{plan.members[index].id.removeprefix("wwn-")}"' in rule
    assert (UNIT in written(plan)) is bool(limited)


TUNED: dict[str, Any] = {"stripe_cache_size": 4096, "group_thread_cnt": 2, "wbt_lat_usec": 0, "read_ahead_kb": 8192}
TUNED |= {"scheduler": "none"}
LOST = "stripe_cache_size, group_thread_cnt, read_ahead_kb, wbt_lat_usec, scheduler would be lost"


def test_tuning_is_in_the_rules_and_shows_its_memory() -> None:
    plan = plan_of(*ALL, **TUNED)
    *of_disks, _, of_array = written(plan)[RULES]
    assert of_array.endswith(
        f'ENV{{MD_UUID}}=="{ARRAY}", ATTR{{md/stripe_cache_size}}="4096", ATTR{{md/group_thread_cnt}}="2",'
        ' ATTR{queue/read_ahead_kb}="8192"'
    )
    assert len(of_disks) == 4 and all(
        rule.endswith('ATTR{queue/wbt_lat_usec}="0", ATTR{queue/scheduler}="none"') for rule in of_disks
    )
    assert "Stripe cache: 4096 pages × 4 KiB × 4 disks = 64.0 MiB of memory, from each boot on." in plan.notes
    assert not any("cache_type" in line or "write_cache" in line for line in written(plan)[RULES])


def test_old_values_are_noted_before_the_rules_and_put_back_after_them() -> None:
    stage = plan_of(*ALL, **TUNED).stages[-1]
    kinds = [role_of(step) for step in stage.steps if role_of(step) != "settled"]
    begin = kinds.index("put-back")
    assert kinds[begin:] == [
        *["put-back"] * 11, *["set"] * 14, "edit", "reload", "edit", "udev-reload", "udev-trigger", "stop", "assemble",
        "came-back", "kept-settings", "make-folder", "edit", "reload", "boot-mounts", "mount", "own-mounted",
        "monitored",
    ]  # fmt: skip
    back = [step for step in undo(stage.steps) if role_of(step) in ("take-out-lines", "udev-reload", "put-back")]
    paths = [step.path for step in back if isinstance(step, Restore)]
    noted = [step.path for step in stage.steps if isinstance(step, Write)]
    assert paths == noted[::-1]
    assert [role_of(step) for step in back] == [
        "take-out-lines", "take-out-lines", "udev-reload", "take-out-lines", *["put-back"] * 14, "take-out-lines",
    ]  # fmt: skip


def test_the_script_lets_the_rules_do_it() -> None:
    said = [shell(step) for step in plan_of(*ALL, **TUNED).stages[-1].steps if isinstance(step, Write)]
    assert said[:-1] == ["true  # the rule does"] * 13
    assert said[-1] == 'smartctl --log=scterc,70,70 /dev/"$(name "${member_0}")" || true'


@pytest.mark.parametrize(
    "where, wwn, why",
    [
        (
            debian(udev_rules=False),
            True,
            "stripe_cache_size, group_thread_cnt, read_ahead_kb, wbt_lat_usec, scheduler would be lost",
        ),
        (None, False, "wbt_lat_usec of sdc would be lost at the next boot, as it has no WWN for a udev rule"),
    ],
)
def test_tuning_that_no_rule_can_keep_is_refused(where: BootPlace | None, wwn: bool, why: str) -> None:
    with pytest.raises(PlanRefused, match=why):
        plan_of(*ALL, where=where, wwn=wwn, **TUNED)


def test_of_an_unknown_distribution_tuning_is_refused() -> None:
    plan = plan_of(*ALL)
    disks = disks_of(machine(*(device(name, attributes={"size": str(100 * GB // 512)}) for name in ("sda", "sdb"))))
    answers = replace(plan.answers, disks=tuple(disk.id for disk in disks), setup=Setup(level="1", wbt_lat_usec=0))
    with pytest.raises(PlanRefused, match="this distribution's udev rules are not known"):
        planner.make(answers, recipes.load("quick"), disks, "machine", place=None)


def test_a_disk_without_a_wwn_gets_no_rule_and_the_plan_says_so() -> None:
    plan = plan_of(*ALL, wwn=False)
    assert len(written(plan)[RULES]) == 2
    assert "No WWN: sdc get no udev rule for error recovery." in plan.notes


def test_the_code_is_of_the_steps_and_not_of_what_the_disk_told() -> None:
    first, second = plan_of("none", "none", "none"), plan_of("none", "not checked", "none")
    assert confirmation_code(first) == confirmation_code(second)
    assert confirmation_code(first) != confirmation_code(plan_of("none", "supported", "none"))


def _edited(plan: Plan, change: Any) -> Plan:
    *others, last = plan.stages
    steps: tuple[Step, ...] = tuple(change(step) for step in last.steps)
    return replace(plan, stages=(*others, replace(last, steps=steps)))


@pytest.mark.parametrize(
    "line",
    [
        'ACTION=="add", RUN+="/bin/sh"',
        'SUBSYSTEM=="scsi_disk", ATTR{cache_type}="write back"',
        'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ATTR{device/timeout}="180"',
    ],
)
def test_no_plan_has_another_line_in_its_rules_or_lets_another_setting_last(line: str) -> None:
    plan = plan_of(*ALL, **TUNED)
    assert validate.decode(encode(plan)) == plan

    def with_line(step: Step) -> Step:
        is_rules = isinstance(step, Edit) and step.path == RULES
        return replace(step, lines=(*step.lines, line)) if is_rules else step  # type: ignore[union-attr]

    def with_value(step: Step) -> Step:
        is_timeout = isinstance(step, Write) and step.path.endswith("/timeout")
        return replace(step, value="1") if is_timeout else step

    def with_cache(step: Step) -> Step:
        if isinstance(step, Write) and step.path.endswith("/timeout"):
            path = step.path.replace("device/timeout", "device/scsi_disk/*/cache_type")
            return replace(step, path=path, value="write through")
        return step

    for change in (with_line, with_value, with_cache):
        with pytest.raises(ValueError, match="is refused"):
            validate.check(_edited(plan, change))


def test_each_group_has_a_rule_of_its_own_and_the_array_what_is_its_own() -> None:
    names = [f"sd{letter}" for letter in "abcdef"]
    seen = machine(*(device(name, attributes={"size": str(100 * GB // 512)}) for name in names))
    given = Setup(level="5", groups=2, filesystem="ext4", stripe_cache_size=4096, read_ahead_kb=8192)
    made = planned(disks_of(seen), given, debian(), repeat=1, after="keep", permanent=True)
    assert validate.decode(encode(made)) == made
    array = made.stages[-2].array
    (rules,) = [lines for path, lines in written(made).items() if path.endswith(".rules")]
    of_arrays = [rule.partition("ENV{MD_UUID}==")[2] for rule in rules if "MD_UUID" in rule]
    assert array and of_arrays == [
        *(f'"{group.uuid}", ATTR{{md/stripe_cache_size}}="4096"' for group in array.groups),
        f'"{array.uuid}", ATTR{{queue/read_ahead_kb}}="8192"',
    ]
    noted = [step.path for step in made.stages[-1].steps if isinstance(step, Write) and "{member" not in step.path]
    caches = [f"/sys/block/{{group:{number}}}/md/stripe_cache_size" for number in range(2)]
    assert noted == [*caches, "/sys/block/{array}/queue/read_ahead_kb"]
    put_back = [step.path for step in undo(made.stages[-1].steps) if isinstance(step, Restore)]
    assert [path for path in put_back if "{member" not in path] == noted[::-1]
