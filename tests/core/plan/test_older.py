"""Plans made before steps said what they are for: the same plan with the same code, or refused in a sentence."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from raidtui import recipes
from raidtui.core.plan import slots, target_plan
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan, confirmation_code, encode
from raidtui.core.plan.target import Existing, Seen
from raidtui.core.plan.validate import decode
from raidtui.core.units import GB
from tests.builders import sweeps

SAID = ("role", "members", "partition", "folder")


def existing() -> Plan:
    target = Existing(path="/srv/data", kind="folder", identity="f", filesystem="ext4")
    answers = Answers(target=target.path, recipe="existing")
    return target_plan.make(answers, recipes.load("existing"), Seen(target, free_bytes=100 * GB), "here")


def plans() -> list[Plan]:
    """Of every kind of step there is."""
    setups = (
        Setup(level="5", filesystem="xfs", stripe_cache_size=4096),
        Setup(level="10", filesystem="ext4", partition_start_sectors=63),
        Setup(level="jbod", filesystem="ext2"),
        Setup(level="jbod", filesystem="none"),
        Setup(level="btrfs-raid10", filesystem="none"),
    )
    made = [sweeps.plan("quick", 4, setup=setup) for setup in setups]
    kept = sweeps.plan("quick", 4, setup=Setup(level="1", filesystem="btrfs"))
    return [*made, kept, sweeps.plan("burn-in", 4, setup=Setup(level="6")), existing()]


def document(made: Plan, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The plan as its file has it, with a change to each command."""

    def walk(value: Any) -> None:
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(inner)
        if isinstance(value, dict) and value.get("type") == "command":
            change(value)

    raw = json.loads(encode(made))
    walk(raw)
    return json.dumps(raw).encode()


def before_roles(command: dict[str, Any]) -> None:
    for field in SAID:
        del command[field]


@pytest.mark.parametrize("made", plans(), ids=lambda made: made.title)
def test_a_plan_of_before_steps_had_roles_is_the_same_plan_with_the_same_code(made: Plan) -> None:
    assert decode(document(made, before_roles)) == made
    assert confirmation_code(decode(document(made, before_roles))) == confirmation_code(made)


def test_a_code_given_before_steps_had_roles_still_fits() -> None:
    """And before each run drew its own UUIDs: they stood in the steps then."""
    said = {("uuid", 0): "b33ec11a:9a195ea9:a1d6cb3a:32fdc4b9", ("name", 0): "b33ec11a"}
    said[("uuid", 1)] = "95c963ba-8731-5515-ab56-407588058865"
    made = encode(sweeps.plan("quick", 3, setup=Setup(level="5", filesystem="ext4", first_sync="wait"))).decode()
    made = made.replace(",lazy_itable_init=0,lazy_journal_init=0", "")  # mkfs was not told so then
    made = re.sub(r'\s*"--c?lat_percentiles=.",', "", made)  # nor fio
    made = re.sub(r'("Measure: [^"]*?) on (all disks at once|\{member:\d\} alone)"', r'\1"', made)
    reckoned = {  # as it was then: bytes, and seconds of a file's writing and of a test
        "8421376": "6316032",
        "2804331648": "1670331648",
        "1009119605888": "1007983500544",
        "14.035840836601308": "23.860929422222224",
        "6.109655006535948": "6.186413511111111",
    }
    for now, then in reckoned.items():
        made = made.replace(now, then)
    before = decode(slots.substitute(made, lambda kind, number: said[kind, number]).encode())
    assert confirmation_code(before) == "e9fecaff" and slots.filled(before) == before


def test_a_command_that_no_version_gave_is_refused_in_a_sentence() -> None:
    def another(command: dict[str, Any]) -> None:
        before_roles(command)
        command["argv"] = ["mkfs.fat", "/dev/sda"]

    with pytest.raises(ValueError, match=r"not a plan: another version made it: what '.*' is for is not known"):
        decode(document(plans()[0], another))


def test_a_role_that_is_not_what_its_command_does_is_refused() -> None:
    made = plans()[2]

    def mounts(command: dict[str, Any]) -> None:
        command["role"] = "mount" if command["role"] == "wipe" else command["role"]

    with pytest.raises(ValueError, match="no plan has 'wipefs --all"):
        decode(document(made, mounts))


def test_a_command_names_the_members_that_it_says() -> None:
    def none(command: dict[str, Any]) -> None:
        command["members"] = []

    with pytest.raises(ValueError, match="names other members than it says"):
        decode(document(plans()[0], none))
