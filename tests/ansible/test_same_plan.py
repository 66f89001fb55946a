"""One code for all hosts: only while every disk is blank and healthy, all plans are alike, and the list is as read."""

import copy
import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.hardware.drive import Fitness
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from tests.ansible.loaded import module_of
from tests.builders import ensuring
from tests.builders.machines import device, machine
from tests.builders.plans import DEBIAN

same_plan: Any = module_of("same_plan")
ONE, OTHER = ("sda", "sdb", "sdc"), ("sdd", "sde", "sdf")
GIVEN = Answers(
    disks=ensuring.RULE, setup=Setup(level="5", filesystem="ext4"), after="keep", permanent=True, watch=("smartd",)
)
assert DEBIAN
PLACE = replace(DEBIAN, udev_rules=True, smartctl=True, smartd_unit="smartd.service", smartd_conf="/etc/smartd.conf")


def plan_on(names: tuple[str, ...]) -> dict[str, Any]:
    """With udev rules and lines of smartd.conf, which name the disks."""
    seen = disks_of(machine(*(device(name) for name in names)))
    made = planner.make(GIVEN, recipes.load("quick"), seen, "machine", place=PLACE)
    return dict(msgspec.json.decode(msgspec.json.encode(replace(made, code="c-" + names[0]))))


def offered(plan: dict[str, Any], *, own: bool = False, run: str = "") -> dict[str, Any]:
    health = [{"id": member["id"], "judgement": {"fitness": "good"}} for member in plan["members"]]
    return {"plan": {} if run else copy.deepcopy(plan), "health": health, "own": own, "run": run}


def rack() -> dict[str, Any]:
    return {"one": offered(plan_on(ONE)), "two": offered(plan_on(OTHER))}


def test_hosts_with_other_disks_of_a_kind_have_the_same_plan() -> None:
    hosts = rack()
    assert json.dumps(hosts["one"]["plan"]["stages"]) != json.dumps(hosts["two"]["plan"]["stages"])  # names of disks
    compared = same_plan.compared(hosts, {})
    assert compared["refused"] == []
    serials = [member["serial"] for host in hosts.values() for member in host["plan"]["members"]]
    assert all(serial in compared["txt"] for serial in serials)
    code = compared["txt"].split()[-1]
    assert same_plan.codes(compared["json"], code) == {"one": "c-sda", "two": "c-sdd"}
    assert compared["shown"]["two"][0] == "two  plan c-sdd" and len(compared["shown"]["two"]) == 4


@pytest.mark.parametrize("given", ["", "00000000", None])
def test_without_the_code_of_this_very_list_nothing_is_approved(given: str | None) -> None:
    compared = same_plan.compared(rack(), {})
    code = compared["txt"].split()[-1]
    assert same_plan.codes(compared["json"], given) == {}
    changed = compared["json"].replace("c-sdd", "c-sde")
    assert same_plan.codes(changed, code) == same_plan.codes("[]", code) == same_plan.codes("{", code) == {}
    assert same_plan.codes("{}", same_plan.code_of({})) == same_plan.codes("", "") == {}


def member(**fields: Any) -> Any:
    def change(host: dict[str, Any]) -> None:
        host["plan"]["members"][1].update(fields)

    return change


def fitness(value: str) -> Any:
    def change(host: dict[str, Any]) -> None:
        host["health"][1]["judgement"]["fitness"] = value

    return change


def unread(host: dict[str, Any]) -> None:
    del host["health"][1]


def fewer(host: dict[str, Any]) -> None:
    del host["plan"]["members"][2]


def longer(host: dict[str, Any]) -> None:
    host["plan"]["stages"][0]["steps"].append(host["plan"]["stages"][0]["steps"][0])


def other_answers(host: dict[str, Any]) -> None:
    host["plan"]["answers"]["mount_point"] = "/srv/other"


def shared(host: dict[str, Any]) -> None:
    host["plan"]["members"][0] = plan_on(ONE)["members"][0]


@pytest.mark.parametrize(
    "change, says",
    [
        (member(found="ext4"), "is not blank and free of warnings (ext4)"),
        (member(contents=[{"kind": "ext4"}]), "is not blank and free of warnings (blank)"),
        (member(partitions=[1]), "is not blank"),
        (member(warning="it is connected by USB"), "free of warnings (it is connected by USB)"),
        *((fitness(value.value), f"is {value.value}, not good") for value in Fitness if value is not Fitness.GOOD),
        (unread, "is not checked, not good"),
        (member(model="another"), "two and one: other models"),
        (member(size_bytes=1), "two and one: other sizes"),
        (fewer, "two and one: other numbers of disks"),
        (longer, "two and one: other steps"),
        (other_answers, "two and one: other steps"),
        (shared, "one and two: both have the disk"),
    ],
)
def test_each_reason_refuses_all_hosts_and_names_the_one(change: Any, says: str) -> None:
    hosts = rack()
    change(hosts["two"])
    refused = same_plan.compared(hosts, {})["refused"]
    assert refused and any(says in reason and "give this host its own code" in reason for reason in refused)


def test_a_host_with_its_own_code_is_no_part_of_it() -> None:
    hosts = rack() | {"three": offered(plan_on(("sdg", "sdh", "sdi")), own=True)}
    member(found="ext4")(hosts["three"])
    compared = same_plan.compared(hosts, {})
    assert compared["refused"] == [] and list(json.loads(compared["json"])) == ["one", "two"]


def test_a_host_without_a_plan_refuses_all() -> None:
    (reason,) = same_plan.compared(rack() | {"three": None}, {})["refused"]
    assert reason.startswith("three has no plan; play all hosts at once")


def test_of_an_approved_list_every_host_has_to_be_as_listed() -> None:
    listed = {"one": "c-sda", "two": "c-sdd"}
    assert same_plan.compared(rack(), listed)["refused"] == []
    built = rack() | {"one": offered({"members": []}, run="r1")}
    assert same_plan.compared(built, listed)["refused"] == []
    for hosts, says in (
        (rack() | {"three": offered(plan_on(("sdg", "sdh", "sdi")))}, "three is not as listed"),
        ({"one": rack()["one"]}, "two is not as listed"),
        (rack() | {"two": offered(plan_on(("sdg", "sdh", "sdi")))}, "two: its plan is not the listed one"),
    ):
        (reason,) = same_plan.compared(hosts, listed)["refused"]
        assert reason.startswith(says) and "remove the code from commission_same_plan" in reason
