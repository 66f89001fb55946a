"""The steps of a proof: which states are verified, who is out in each, what is written when."""

import re
from typing import Any

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots, trials, validate
from raidtui.core.plan.answers import PlanRefused, ProofAnswers, Setup
from raidtui.core.plan.member_steps import absent_after
from raidtui.core.plan.model import Plan, Stage, encode
from raidtui.core.plan.steps import Command, role_of
from raidtui.core.proof import pattern
from raidtui.runs import directory
from tests.builders.machines import device, machine
from tests.builders.plans import of_role, planned

GIB = 1 << 30


def plan(level: str, disks: int, layout: str = "", proof: ProofAnswers | None = None, **given: Any) -> Plan:
    """A proof on disks of 1 GiB."""
    seen = machine(
        *(device(f"sd{'abcdefgh'[number]}", attributes={"size": str(GIB // 512)}) for number in range(disks))
    )
    setup = Setup(level=level, layout=layout, **given.pop("setup", {}))
    made = planned(disks_of(seen), setup, recipe="proof", proof=proof or ProofAnswers(), **given)
    return slots.filled(directory.drawn(made))


def stage(level: str, disks: int, layout: str = "", **given: Any) -> Stage:
    (only,) = (stage for stage in plan(level, disks, layout, **given).stages if stage.proof)
    return only


@pytest.mark.parametrize(
    "level, disks, layout, states",
    [
        ("0", 3, "", {"healthy": (), "assembled again": ()}),
        (
            "5", 4, "",
            {"healthy": (), "1 disk out": (0,), "rebuilt": (), "1 other disk out": (1,), "assembled again": ()},
        ),
        (
            "1", 2, "",
            {"healthy": (), "1 disk out": (0,), "rebuilt": (), "1 other disk out": (1,), "assembled again": ()},
        ),
        (
            "6", 5, "",
            {
                "healthy": (), "1 disk out": (0,), "2 disks out": (0, 1), "rebuilt": (),
                "2 other disks out": (2, 3), "assembled again": (),
            },
        ),
        (
            "10", 4, "n3",
            {
                "healthy": (), "1 disk out": (0,), "2 disks out": (0, 1), "rebuilt": (),
                "2 other disks out": (2, 3), "assembled again": (),
            },
        ),
        (
            "10", 4, "f2",
            {"healthy": (), "1 disk out": (0,), "rebuilt": (), "1 other disk out": (1,), "assembled again": ()},
        ),
    ],
)  # fmt: skip
def test_each_state_is_verified(level: str, disks: int, layout: str, states: dict[str, tuple[int, ...]]) -> None:
    proof = stage(level, disks, layout).proof
    assert proof and {state.words: state.out for state in proof.states} == states


def test_each_member_goes_out_once_where_that_is_asked_for() -> None:
    proof = stage("5", 4, proof=ProofAnswers(members="each")).proof
    assert proof and [state.out for state in proof.states if state.out] == [(0,), (1,), (2,), (3,)]
    proof = stage("6", 5, proof=ProofAnswers(members="each")).proof
    assert proof and [state.out for state in proof.states if state.out] == [(0,), (0, 1), (2, 3), (4, 0)]


@pytest.mark.parametrize(
    "level, disks, layout, survives", [("5", 4, "", 1), ("6", 5, "", 2), ("1", 3, "", 2), ("10", 4, "n2", 1)]
)
@pytest.mark.parametrize("members", ["", "each"])
def test_never_more_are_out_than_the_level_survives(
    level: str, disks: int, layout: str, survives: int, members: Any
) -> None:
    absent, most = set[int](), 0
    for step in stage(level, disks, layout, proof=ProofAnswers(members=members)).steps:
        absent = absent_after(absent, step)
        most = max(most, len(absent))
    assert (absent, most) == (set(), min(2, survives))


def written(stage: Stage) -> dict[str, str]:
    """By fio's result file: what is written, with which pattern."""
    fills = of_role(stage.steps, "fill")
    options = [dict(word.removeprefix("--").partition("=")[::2] for word in step.argv) for step in fills]
    return {one["output"]: f"{one['offset']}+{one['size']} {one['verify_pattern']}" for one in options}


def test_what_is_out_misses_a_third_that_is_written_again() -> None:
    made = stage("5", 4)
    assert made.proof and made.array
    first, second = made.proof.tags
    assert first != second and len(first) == 16
    third_bytes = made.proof.states[1].spans[0].size_bytes
    assert written(made) == {
        "fio/fill.json": f"1048576+{made.proof.written_bytes} 0x{first}%o0x5a",
        "fio/fill1.json": f"1048576+{third_bytes} 0x{second}%o0x5a",
    }
    assert third_bytes == pytest.approx(made.proof.written_bytes / 3, abs=1 << 20)
    assert made.array.capacity.array_bytes - made.proof.written_bytes < 3 << 20
    tags = [[span.tag for span in state.spans] for state in made.proof.states]
    assert tags == [[0], [1, 0], [1, 0], [1, 0], [1, 0]]


@pytest.mark.parametrize("level, checked", [("0", []), ("1", [1, 4, 6]), ("5", [1, 3, 5]), ("10", [1, 3, 5])])
def test_while_it_is_complete_all_copies_are_compared(level: str, checked: list[int]) -> None:
    made = stage(level, 4)
    assert made.proof and [number for number, one in enumerate(made.proof.states, 1) if one.checked] == checked
    roles = [role_of(step) for step in made.steps]
    assert roles.count("check") == roles.count("copies-agree") == len(checked)


def test_the_order_of_a_proof() -> None:
    roles = [role_of(step) for step in stage("5", 4, setup={"filesystem": "ext4"}, after="keep").steps]
    told = [role for role in roles if role not in ("settled", "sync-caches", "set", "put-back")]
    assert told == [
        "members-free", "create", "array-built", "sync-finished", "wipe", "health",
        "wipe", "wipe", "record", "fill", "sync-finished", "check", "check-ended", "copies-agree", "measure",
        "fail", "take-out", "zero", "fill", "measure", "measure",
        "add", "sync-finished", "sync-finished", "check", "check-ended", "copies-agree", "measure", "measure",
        "fail", "take-out", "zero", "measure", "measure",
        "add", "sync-finished", "record", "stop", "assemble", "came-back",
        "sync-finished", "check", "check-ended", "copies-agree", "measure", "measure",
        "wipe", "wipe", "health",
        "mkfs", "geometry", "mount", "mounted", "record", "unmount",
    ]  # fmt: skip


def test_both_ends_are_zeroed_and_marked_before_the_pattern_and_zeroed_before_the_file_system() -> None:
    made = stage("5", 4, setup={"filesystem": "ext4"}, after="keep")
    assert made.proof and made.array
    size_bytes = made.array.capacity.array_bytes
    ends = [["of={array}"], ["of={array}", f"seek={size_bytes - (1 << 20)}"]]
    written = [step for step in made.steps if isinstance(step, Command) and "of={array}" in step.argv]
    assert [[word for word in step.argv if word.startswith(("of=", "seek="))] for step in written] == [
        *ends, ["of={array}", "seek=524288"], *ends,
    ]  # fmt: skip
    assert written[2].stdin == pattern.MARK and made.steps.index(written[2]) == made.proof.first - 1
    assert made.proof.room_bytes == size_bytes


def test_a_power_cut_is_the_last_state_and_before_the_array_is_kept() -> None:
    made = stage("5", 4, proof=ProofAnswers(cut="witness", witness="/dev/ttyS0"), after="keep")
    assert made.proof and (made.proof.states[-1].words, made.proof.witness) == ("power cut", "/dev/ttyS0")
    roles = [role_of(step) for step in made.steps]
    begin = roles.index("power-cut")
    assert roles[begin - 1 : begin + 6] == [
        "measure", "power-cut", "set", "sync-finished", "put-back", "acknowledged", "wipe",
    ]  # fmt: skip
    assert trials.tests_end(made) == begin + 5
    roles = [role_of(step) for step in stage("0", 3, proof=ProofAnswers(cut="witness", witness="a:1")).steps]
    assert "sync-finished" not in roles and roles.index("acknowledged") == roles.index("power-cut") + 1


def test_a_volume_is_verified_through_its_layer() -> None:
    made = stage("5", 4, setup={"filesystem": "ext4", "between": "lvm"}, after="keep")
    assert made.proof and made.proof.device == "{volume}"
    roles = [role_of(step) for step in made.steps[made.proof.first :]]
    assert roles.index("deactivate") < roles.index("stop") < roles.index("assemble") < roles.index("activate")
    assert {word for step in made.steps if isinstance(step, Command) and step.trial for word in step.argv} >= {
        "--filename={volume}"
    }


def test_members_that_are_partitions_are_failed_as_such() -> None:
    made = stage("5", 4, setup={"members": "partitions"}, after="keep")
    failed = [step for step in made.steps if isinstance(step, Command) and step.role in ("fail", "take-out", "zero")]
    assert {(step.argv[-1], step.partition) for step in failed} == {("{part:0:1}", 1), ("{part:1:1}", 1)}


@pytest.mark.parametrize(
    "level, given, reason",
    [
        ("jbod", {}, "a proof is of an md array"),
        ("5", {"setup": {"first_sync": "skip"}}, "a proof needs the initial resync"),
        ("5", {"setup": {"failed": 1}}, "a proof fails members itself"),
        ("5", {"repeat": 2}, "a proof is of one setup, once"),
        ("5", {"fio": {"bs": "4k"}}, "a proof chooses its own fio options"),
    ],
)
def test_what_cannot_be_proved_is_refused(level: str, given: dict[str, Any], reason: str) -> None:
    with pytest.raises(PlanRefused, match=reason):
        plan(level, 4, **given)


def test_time_and_wear_are_estimated() -> None:
    made = plan("6", 5)
    array = next(stage.array for stage in made.stages if stage.array)
    assert made.estimated_s["sync"] > 6 * array.capacity.member_used_bytes / 180e6  # resync, two rebuilds, three checks
    user_bytes = array.capacity.array_bytes * 5 / 3  # all once, two thirds again
    rebuilt_bytes = 4 * array.capacity.member_used_bytes
    synced_bytes = 2 * array.capacity.member_used_bytes
    expected = user_bytes * 5 / 3 + rebuilt_bytes + synced_bytes
    assert made.written_bytes == pytest.approx(expected, rel=0.02)


GROUPED: dict[str, Any] = {"setup": {"groups": 2}}


@pytest.mark.parametrize(
    "level, disks, states",
    [
        (
            "5", 6,
            {
                "healthy": (), "1 disk out per group": (0, 3), "rebuilt": (), "1 other out per group": (1, 4),
                "assembled again": (),
            },
        ),
        (
            "6", 8,
            {
                "healthy": (), "1 disk out per group": (0, 4), "2 disks out per group": (0, 4, 1, 5), "rebuilt": (),
                "2 others out per group": (2, 3, 6, 7), "assembled again": (),
            },
        ),
    ],
)  # fmt: skip
def test_groups_lose_as_many_disks_each(level: str, disks: int, states: dict[str, tuple[int, ...]]) -> None:
    made = stage(level, disks, **GROUPED)
    assert made.proof and made.array and {state.words: state.out for state in made.proof.states} == states
    for step in made.steps:
        if role_of(step) in ("fail", "take-out", "add") and isinstance(step, Command):
            (index,) = step.members
            assert step.argv[2] == f"{{group:{index // (disks // 2)}}}"
    assert [step.argv[-1] for step in of_role(made.steps, "check")] == ["{group:0}", "{group:1}"] * 3
    conf = next(step for step in of_role(made.steps, "record") if step.argv[1] == "of=array.conf")
    assert [line.split("UUID=")[1] for line in conf.stdin.splitlines()] == [*made.array.uuids[1:], made.array.uuid]


def test_each_disk_of_each_group_goes_out_once() -> None:
    proof = stage("5", 6, proof=ProofAnswers(members="each"), **GROUPED).proof
    assert proof and [state.out for state in proof.states if state.out] == [(0, 3), (1, 4), (2, 5)]
    assert [state.words for state in proof.states][-2:] == ["1 other out per group, turn 3 of 3", "assembled again"]


def test_groups_are_not_proved_after_a_power_cut() -> None:
    with pytest.raises(PlanRefused, match="leave cut out"):
        stage("5", 6, proof=ProofAnswers(cut="witness", witness="/dev/ttyS0"), **GROUPED)


@pytest.mark.parametrize("role", ["fail", "take-out", "add"])
def test_a_plan_takes_no_disk_out_of_another_group(role: str) -> None:
    made = plan("5", 6, **GROUPED)
    text = encode(made).decode()
    assert validate.decode(text.encode()) == made
    words = {"fail": "--fail", "take-out": "--remove", "add": "--add"}[role]
    other, count = re.subn(rf'("{words}",\s*"{{group:)0', r"\g<1>1", text, count=1)
    assert count
    with pytest.raises(ValueError, match="is of another group than its stage has that disk in"):
        validate.decode(other.encode())


def test_a_proof_assembles_from_no_other_lines_than_its_own() -> None:
    text = encode(plan("5", 6, **GROUPED)).decode()
    begin = text.index("ARRAY /dev/md/")
    other = text[:begin] + "ARRAY /dev/md/others UUID=1:2:3:4\\n" + text[begin:]
    with pytest.raises(ValueError, match="is no lines of its stage"):
        validate.decode(other.encode())
