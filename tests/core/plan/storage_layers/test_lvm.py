"""LVM between a kept array and its file system: its steps in order, what takes them back, what it is put under."""

import shlex
from typing import Any

import msgspec
import pytest

from raidtui.core.handover.again import built_again
from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import answers_seed, parse, setup_seed, to_document
from raidtui.core.plan.model import carried_out, confirmation_code, encode, undo
from raidtui.core.plan.retry import answers_of
from raidtui.core.plan.steps import Check, Command
from raidtui.core.plan.summary import imagined, space_words
from raidtui.core.raid import volumes
from raidtui.core.script.render import script
from raidtui.core.units import GIB, KIB, MIB
from tests.builders.layered import DRAWN, LVM, NOTHING, filled, made, roles
from tests.builders.plans import of_role, planned
from tests.builders.sweeps import linked

PV = "ffeedd-ccbb-aa99-8877-6655-4433-221100"


def test_it_lies_between_the_array_and_its_file_system_and_is_taken_back_the_other_way_round() -> None:
    stage = made().stages[-1]
    assert roles(stage.steps, "measure", "sync-caches", "set")[4:15] == [
        "wipe", "pvcreate", "vgcreate", "volume-aligned", "lvcreate", "wipe", "wipe", "mkfs", "geometry",
        "mount", "mounted",
    ]  # fmt: skip
    back = roles(tuple(undo(stage.steps)))
    assert back[:6] == ["unmount", "lvremove", "vgremove", "pvremove", "wipe", "stop"]
    assert stage.layer and stage.layer.align_bytes == 3 * 64 * KIB
    (look,) = (step for step in stage.steps if isinstance(step, Check) and step.question == "volume-aligned")
    assert look.expected == {"align_bytes": 196608}
    for step in stage.steps:
        if isinstance(step, Command) and step.role == "mkfs":
            assert step.argv[-1] == "{volume}" and "stride=16,stripe_width=48" in " ".join(step.argv)


def test_its_uuid_is_the_runs_own_in_lvms_notation() -> None:
    plan = filled(made())
    stage = plan.stages[-1]
    assert stage.layer and stage.array and (stage.layer.uuid, stage.layer.group) == (PV, stage.array.name)
    assert {stage.layer.uuid, stage.array.uuid, DRAWN[2]} == slots.made_by(plan.stages)
    lines = [" ".join(step.argv) for step in undo(stage.steps) if isinstance(step, Command)]
    assert lines[1:4] == ["lvremove --yes raidtui-00112233/data", f"vgremove --select pv_uuid={PV}", "pvremove {array}"]


def test_the_test_file_fits_into_the_volume() -> None:
    small = imagined([300_000_000] * 3, flash=True)
    plan = planned(small, LVM, repeat=1, after="keep")
    stage = plan.stages[-1]
    assert stage.array and stage.layer
    room = volumes.room_bytes(stage.array.capacity.array_bytes, stage.layer.align_bytes)
    assert any("LVM overhead" in line and "pieces of 4 MiB" in line for line in space_words(plan))
    assert 0 < max(trial.span_bytes for trial in stage.trials if trial.file_test) <= room // 2
    assert {trial.span_bytes for trial in stage.trials if not trial.file_test} == {room - MIB}


def test_a_permanent_one_lets_go_of_it_before_the_array_is_stopped() -> None:
    plan = made(permanent=True)
    stage = carried_out(plan, len(plan.stages) - 1)
    assert stage.layer == plan.stages[-2].layer
    assert roles(stage.steps)[5:10] == ["deactivate", "stop", "assemble", "came-back", "activate"]
    assert roles(tuple(undo(stage.steps)))[-5:-2] == ["assemble", "activate", "take-out-lines"]
    assert "deactivate" not in roles(made(NOTHING, permanent=True).stages[-1].steps)


def test_without_it_a_plan_says_and_codes_what_it_did() -> None:
    plan = made(NOTHING)
    document = msgspec.json.decode(encode(plan))
    del document["answers"]["setup"]["between"]
    for stage in document["stages"]:
        del stage["layer"]
        if stage["setup"]:
            del stage["setup"]["between"]
    older = validate.decode(msgspec.json.encode(document))
    assert older == plan and confirmation_code(older) == plan.code != made().code
    assert validate.decode(encode(made(permanent=True))) == made(permanent=True)


def test_the_orders_of_a_sweep_are_drawn_as_they_were() -> None:
    answers = made(NOTHING).answers
    before: dict[str, Any] = msgspec.to_builtins(answers)
    assert before["setup"].pop("between") == "" and before.pop("self_test") == ""
    assert before["setup"].pop("read_ahead_kb") == 0 and before["setup"].pop("scheduler") == ""
    assert (
        before["setup"].pop("snapshot_room") == ""
        and before["setup"].pop("write_mostly") == 0
        and (before["setup"].pop("groups"), before["setup"].pop("groups_by")) == (1, "")
        and before.pop("watch") == ()
    )
    later = ("pool_name", "atime", "mount_options", "mount_guard", "array_name", "label", "luks_header_backup")
    assert [before.pop(name) for name in later] == [""] * len(later)
    assert before.pop("reserved_percent") is None
    assert before.pop("proof") == {"share": "", "members": "", "cut": "", "witness": ""}
    assert answers_seed(answers) == msgspec.json.encode(before).decode()
    assert '"between":"lvm"' in answers_seed(made().answers)
    of_lvm = (
        str(LVM)
        .replace(", read_ahead_kb=0, scheduler=''", "")
        .replace(", snapshot_room=''", "")
        .replace(", write_mostly=0", "")
        .replace(", groups=1, groups_by=''", "")
    )
    assert setup_seed(NOTHING) == of_lvm.replace(", between='lvm'", "") and setup_seed(LVM) == of_lvm


def test_answers_bring_it_and_a_single_test_of_it_again_leaves_it_out() -> None:
    plan = made()
    document = to_document(plan.answers)
    assert document["setup"]["between"] == "lvm" and parse(document) == plan.answers
    again = answers_of(plan, plan.stages[-1].trials[0].id)
    assert again.setup.between == "" and again.after == "teardown"


def test_the_script_does_the_same_with_a_uuid_of_its_own() -> None:
    text = script(linked(made(permanent=True)))
    lines = text.splitlines()
    assert 'volume=/dev/raidtui-"${name_0}"/data' in lines and 'uuid_1=$(as_lvm "$(draw)")' in lines
    assert 'pvcreate --norestorefile --uuid "${uuid_1}" --dataalignment 192k "${array}"' in lines
    assert next(line for line in lines if line.startswith("mkfs.ext4")).endswith('"${volume}"')
    assert lines.index('vgchange --activate n --select pv_uuid="${uuid_1}"') < lines.index('mdadm --stop "${array}"')
    assert "    device=/dev/${array##*/}/data" in lines
    assert "as_lvm" not in script(linked(made(NOTHING))) and "lvremove" not in shlex.join(lines)


def test_it_is_built_again_by_what_is_handed_over() -> None:
    built = built_again(made(), len(made().stages) - 1)
    assert [role for role in roles(built.stages[0].steps) if role.endswith("create")][1:] == [
        "pvcreate",
        "vgcreate",
        "lvcreate",
    ]


@pytest.mark.parametrize("room, free_gib", [("20 %", 55.84), ("20%", 55.84), ("50GiB", 50.0), ("1", 4 / 1024)])
def test_room_for_snapshots_is_left_free_and_counted(room: str, free_gib: float) -> None:
    """In whole extents, rounded up; the volume, its file system and the account have the rest."""
    whole, plan = made().stages[-1], made(msgspec.structs.replace(LVM, snapshot_room=room))
    stage = plan.stages[-1]
    assert stage.layer and stage.array and whole.array
    room_bytes = volumes.room_bytes(stage.array.capacity.array_bytes, stage.layer.align_bytes)
    free_bytes = room_bytes - stage.layer.volume_bytes
    assert free_bytes / GIB == pytest.approx(free_gib, abs=0.01) and free_bytes % (4 << 20) == 0
    (lvcreate,) = of_role(stage.steps, "lvcreate")
    assert lvcreate.argv[5] == str(stage.layer.volume_bytes >> 22)
    assert any(line.startswith("Free for snapshots: ") for line in space_words(plan))
    assert f"{room} free for snapshots" in stage.title
    assert validate.decode(encode(plan)) == plan and stage.array.capacity == whole.array.capacity


def test_without_it_nothing_changes() -> None:
    stage = made().stages[-1]
    assert stage.layer and stage.layer.volume_bytes == 0 and "snapshot_room" not in setup_seed(LVM)
    assert not any("snapshots" in line for line in space_words(made()))
