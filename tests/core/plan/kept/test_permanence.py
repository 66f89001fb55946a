"""The stage that makes an array permanent: what it writes, in which order, and what takes it back; what is refused."""

import subprocess
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.boot.distributions import SENDMAIL, BootPlace, place
from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import AnswersError, MembersAs, PlanRefused, Setup, parse, to_document
from raidtui.core.plan.kept import permanence
from raidtui.core.plan.model import Plan, carried_out, confirmation_code, encode, teardown_of, undo
from raidtui.core.plan.retry import answers_of
from raidtui.core.plan.steps import SMARTCTL, Check, Edit, role_of, shell
from raidtui.core.plan.summary import imagined
from raidtui.core.units import GB
from tests.builders import sweeps
from tests.builders.plans import DEBIAN, of_role, planned

DRAWN = ("00112233-4455-6677-8899-aabbccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100")
ARRAY, FILES = "00112233:44556677:8899aabb:ccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100"


def made(
    where: BootPlace | None = DEBIAN,
    filesystem: str = "ext4",
    members: MembersAs = "disks",
    programs: tuple[str, ...] = (),
    **given: Any,
) -> Plan:
    disks = imagined([100 * GB] * 3, flash=False)
    given = {"permanent": True, "after": "keep", **given}
    setup = Setup(level="5", filesystem=filesystem, members=members)
    return planned(disks, setup, where, programs, repeat=1, **given)


def edits(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Path -> lines, with the UUIDs of a run."""
    drawn = slots.filled(replace(plan, uuids=DRAWN))
    return {step.path: step.lines for step in drawn.stages[-1].steps if isinstance(step, Edit)}


def test_array_and_file_system_are_written_by_their_uuids() -> None:
    assert edits(made()) == {
        "/etc/mdadm/mdadm.conf": (f"ARRAY /dev/md/raidtui-00112233 UUID={ARRAY}",),
        "/etc/fstab": (f"UUID={FILES} /srv/array ext4 defaults,nofail 0 2",),
    }
    unit = edits(made(mount="unit", mount_point="/srv/a b"))["/etc/systemd/system/srv-a\\x20b.mount"]
    assert f"What=/dev/disk/by-uuid/{FILES}" in unit and "Where=/srv/a b" in unit
    assert list(edits(made(filesystem="none"))) == ["/etc/mdadm/mdadm.conf"]


@pytest.mark.parametrize("kind, fsck_pass", [("ext4", 2), ("ext2", 2), ("xfs", 0), ("btrfs", 0)])
def test_only_what_fsck_works_on_is_checked_at_boot(kind: str, fsck_pass: int) -> None:
    (line,) = edits(made(filesystem=kind))["/etc/fstab"]
    assert line.endswith(f" {kind} defaults,nofail 0 {fsck_pass}")


def test_it_is_put_together_again_before_anything_is_mounted_and_undone_the_other_way_round() -> None:
    plan = made()
    stage = plan.stages[-1]
    roles = [role_of(step) for step in stage.steps if role_of(step) != "settled"]
    assert roles == [
        "place-free", "edit", "initramfs", "sync-caches", "initramfs-holds", "stop", "assemble", "came-back",
        "make-folder", "edit", "reload", "boot-mounts", "mount", "own-mounted",
        "monitored",
    ]  # fmt: skip
    back = [role_of(step) for step in undo(stage.steps)]
    assert back == [
        "unmount",
        "take-out-lines",
        "reload",
        "remove-folder",
        "assemble",
        "take-out-lines",
        "initramfs",
        "sync-caches",
    ]
    unit = [role_of(step) for step in undo(made(mount="unit").stages[-1].steps)]
    assert unit[:4] == ["unmount", "disable", "take-out-lines", "reload"]


def test_the_array_is_the_one_of_the_stage_before_and_both_stay() -> None:
    plan = made()
    assert (plan.kept_stage, plan.permanence) == (len(plan.stages) - 2, len(plan.stages) - 1)
    assert carried_out(plan, len(plan.stages) - 1).array == plan.stages[-2].array
    assert teardown_of(plan, len(plan.stages) - 1) == teardown_of(plan, len(plan.stages) - 2) == ()
    assert (without := made(permanent=False)).permanence is None and without.kept_stage == len(without.stages) - 1
    assert made(permanent=False, after="teardown").kept_stage is None


def test_where_no_rule_is_known_it_is_said_and_left_as_it_is() -> None:
    plan = made(None)
    assert plan.permanence is None and any("by hand" in note for note in plan.notes)
    bare = place("ID=arch", lambda path: False, lambda program: False, systemd=False)
    plan = made(bare)
    assert any("mkinitcpio or dracut is not installed" in note for note in plan.notes)
    assert {"initramfs", "reload"}.isdisjoint(map(role_of, (*plan.stages[-1].steps, *undo(plan.stages[-1].steps))))
    with pytest.raises(PlanRefused, match="systemd does not run here"):
        made(bare, mount="unit")


def test_owner_and_mode_are_set_once_it_is_mounted_and_are_the_file_systems_then() -> None:
    stage = made(mount_owner="alice:storage", mount_mode="2775").stages[-1]
    roles = [role_of(step) for step in stage.steps]
    assert roles[-4:] == ["mount", "own-mounted", "set-owner", "monitored"]
    assert list(undo(stage.steps)) == list(undo(made().stages[-1].steps))
    assert "chown alice:storage /srv/array; chmod 2775 /srv/array" in map(shell, stage.steps)
    alone = made(mount_mode="0700", mount_point="/srv/a b").stages[-1]
    assert "chmod 0700 '/srv/a b'" in map(shell, alone.steps)
    assert "set-owner" not in map(role_of, made().stages[-1].steps)


@pytest.mark.parametrize(
    "now, says",
    [
        ("", ""),
        ("root", "ops@example.org replaces root for all arrays of this machine"),
        ("ops@example.org", ""),  # another run's line, maybe, that goes with it
    ],
)
def test_mail_goes_to_whom_the_first_line_of_its_kind_names(now: str, says: str) -> None:
    assert DEBIAN
    plan = made(replace(DEBIAN, mailaddr=now), filesystem="none", mailaddr="ops@example.org")
    (edit,) = (step for step in plan.stages[-1].steps if isinstance(step, Edit))
    assert (edit.lines[1:], edit.at_top) == (("MAILADDR ops@example.org",), True)
    assert shell(edit).startswith("add_lines_at_top ")
    assert any(says in note for note in plan.notes) if says else not any("MAILADDR" in note for note in plan.notes)


def test_the_disks_of_an_array_that_stays_are_asked_for_their_health_before_and_after() -> None:
    def asked(plan: Plan) -> int:
        return [role_of(step) for step in plan.stages[plan.kept_stage or 0].steps].count("health")

    assert (asked(made()), asked(made(permanent=False))) == (2, 0)


@pytest.mark.parametrize(
    "permanent, programs, is_said",
    [
        (True, ("mkfs.ext4",), True),
        (True, ("mkfs.ext4", SMARTCTL), False),
        (True, (), False),  # what is installed there is not known
        (False, ("mkfs.ext4",), False),
    ],
)
def test_where_nobody_can_ask_the_disks_that_is_said(permanent: bool, programs: tuple[str, ...], is_said: bool) -> None:
    plan = made(permanent=permanent, programs=programs)
    assert any("smartctl is not installed" in note for note in plan.notes) is is_said
    asked = [
        step for stage in plan.stages for step in stage.steps if isinstance(step, Check) and step.question == "health"
    ]
    assert bool(asked) is (permanent and not is_said)


@pytest.mark.parametrize(
    "given, programs, is_said",
    [
        ({}, ("mkfs.ext4",), True),
        ({"permanent": False}, ("mkfs.ext4",), True),  # it stays all the same
        ({}, ("mkfs.ext4", SENDMAIL), False),
        ({}, (), False),
        ({"permanent": False, "after": "teardown"}, ("mkfs.ext4",), False),
    ],
)
def test_where_nobody_can_be_told_of_a_failed_disk_that_is_said(
    given: dict[str, Any], programs: tuple[str, ...], is_said: bool
) -> None:
    notes = made(programs=programs, **given).notes
    assert any("no mail program installed" in note and "postfix" in note for note in notes) is is_said


def test_a_self_test_that_nothing_could_start_is_refused() -> None:
    with pytest.raises(PlanRefused, match="self_test: smartctl is not installed here"):
        made(self_test="short", programs=("mkfs.ext4",))
    assert made(self_test="short", programs=("mkfs.ext4", SMARTCTL)).stages[0].title == "Self-tests"


def test_it_is_in_the_code_and_read_again() -> None:
    plan = made()
    assert validate.decode(encode(plan)) == plan and confirmation_code(plan) == plan.code
    given: tuple[dict[str, Any], ...] = (
        {}, {"permanent": False}, {"mount_point": "/srv/b"}, {"mount": "unit"}, {"mount_owner": "a"},
        {"mount_mode": "0700"}, {"mailaddr": "root"},
    )  # fmt: skip
    assert len({made(**one).code for one in given}) == len(given)
    assert parse(to_document(plan.answers)) == plan.answers and "permanent" in to_document(plan.answers)
    assert "permanent" not in to_document(made(permanent=False).answers)


@pytest.mark.parametrize(
    "place, value, says",
    [
        ("path", "/etc/shadow", "its array has no lines in"),
        ("path", "/etc/systemd/system/../../fstab.mount", "its array has no lines in"),
        ("path", "/etc/systemd/system/sshd.service", "its array has no lines in"),
    ],
)
def test_a_plan_that_would_write_elsewhere_is_none_of_ours(place: str, value: str, says: str) -> None:
    document = msgspec.json.decode(encode(made()))
    edited = next(step for step in document["stages"][-1]["steps"] if step["type"] == "edit")
    edited[place] = value
    with pytest.raises(ValueError, match=says):
        validate.decode(msgspec.json.encode(document))
    edited[place] = "/etc/mdadm/mdadm.conf"
    edited["undo"][0]["path"] = value
    with pytest.raises(ValueError, match=says):
        validate.decode(msgspec.json.encode(document))


@pytest.mark.parametrize(
    "field, value, says",
    [
        ("folder", "/etc", "not what its answers say of /etc"),
        ("folder", "srv", "not what its answers say of srv"),
        ("owner", "--reference=/x", "not what its answers say"),
        ("mode", "0", "not what its answers say"),
    ],
)
def test_a_plan_that_would_change_another_folders_owner_is_none_of_ours(field: str, value: str, says: str) -> None:
    document = msgspec.json.decode(encode(made(mount_owner="alice", mount_mode="0700")))
    step = next(step for step in document["stages"][-1]["steps"] if step["type"] == "set-owner")
    step[field] = value
    with pytest.raises(ValueError, match=says):
        validate.decode(msgspec.json.encode(document))


def test_only_what_the_stage_before_built_is_made_permanent() -> None:
    plan = made()
    for stages in ((plan.stages[-1], *plan.stages), plan.stages[-1:]):
        with pytest.raises(ValueError, match="gets boot entries"):
            validate.check(replace(plan, stages=stages))


@pytest.mark.parametrize(
    "given, says",
    [
        ({"permanent": True}, 'add after = "keep"'),
        ({"after": "keep", "mount_point": "/srv/a"}, "needs `permanent = true`"),
        ({"after": "keep", "mount": "unit"}, "needs `permanent = true`"),
        ({"after": "keep", "permanent": True, "mount_point": "/srv/a"}, "without a file system"),
        ({"after": "keep", "permanent": True, "mount_point": "/etc", "setup": {"filesystem": "xfs"}}, "system's own"),
        ({"after": "keep", "permanent": True, "mount": "autofs"}, "mount"),
        ({"after": "keep", "permanent": True, "mount_owner": "alice"}, "without a file system"),
        ({"after": "keep", "mailaddr": "root"}, "needs `permanent = true`"),
        ({"after": "keep", "permanent": True, "mailaddr": "a b"}, "`mailaddr`: 'a b' is no address"),
        (
            {"after": "keep", "permanent": True, "mount_mode": "0644", "setup": {"filesystem": "xfs"}},
            "`mount_mode`: with 0644 its owner",
        ),
    ],
)
def test_answers_that_cannot_be_are_one_sentence(given: dict[str, Any], says: str) -> None:
    with pytest.raises(AnswersError, match=says) as raised:
        parse({"disks": ["a"], "recipe": "quick", **given})
    assert "\n" not in str(raised.value)


def test_a_trial_measured_again_keeps_no_array() -> None:
    plan = made(mount_point="/srv/b", mount="unit", mount_owner="a", mount_mode="0700", mailaddr="root")
    again = answers_of(plan, plan.trials[-1].id)
    assert (again.after, again.permanent, again.mount_point, again.mount) == ("teardown", False, "", "")
    assert parse(to_document(again)) == again


def test_the_plan_shows_every_line_that_it_writes() -> None:
    shown = "\n".join(shell(step) for step in made().stages[-1].steps)
    for words in ("add_lines /etc/fstab", "add_lines /etc/mdadm/mdadm.conf", "update-initramfs -u -k all", "nofail"):
        assert words in shown


def test_an_array_of_partitions_is_put_together_by_hand_of_these() -> None:
    by_hand = [shell(step) for step in undo(made(members="partitions").stages[-1].steps) if role_of(step) == "assemble"]
    assert len(by_hand) == 1 and by_hand[0].endswith('"${part_0_1}" "${part_1_1}" "${part_2_1}"')
    whole = [shell(step) for step in undo(made().stages[-1].steps) if role_of(step) == "assemble"]
    assert whole[0].endswith('"${member_0}" "${member_1}" "${member_2}"')


def test_a_journal_is_put_together_with_the_array_by_hand() -> None:
    plan = sweeps.plan("quick", 5, level="5", bitmap="journal", spares=1, after="keep")
    assert DEBIAN
    steps = undo(permanence.stage_of(plan.answers, plan.stages[-1], plan.members, DEBIAN).steps)
    (by_hand,) = of_role(steps, "assemble")
    assert by_hand.members == (0, 1, 2, 3, 4) and by_hand.argv[-2:] == ("{member:3}", "{member:4}")


def kept_array(filesystem: str) -> Plan:
    """The plan of a run, for which UUIDs were drawn."""
    plan = sweeps.plan("quick", 3, level="5", filesystem=filesystem, after="keep")
    return replace(plan, uuids=DRAWN)


def test_the_lines_name_the_array_and_the_file_system_by_their_uuids() -> None:
    plan = kept_array("ext4")
    stage = slots.filled(plan).stages[-1]
    assert stage.array and stage.filesystem
    said = permanence.shell_lines(plan)
    assert f"ARRAY /dev/md/{stage.array.name} UUID={stage.array.uuid}" in said[1] and "mdadm.conf" in said[1]
    assert any(f"UUID={stage.filesystem.uuid} /srv/array ext4 defaults,nofail 0 2" in line for line in said)
    assert [line for line in said if "#" in line] == [said[0]] and said[0].startswith("# ")
    for line in said:
        assert subprocess.run(["bash", "-n", "-c", line], check=False).returncode == 0


def test_without_a_file_system_nothing_is_mounted() -> None:
    plan = kept_array("none")
    assert len(permanence.shell_lines(plan)) == 3 and not any("fstab" in line for line in permanence.shell_lines(plan))


def test_an_array_that_is_torn_down_is_not_put_into_any_file() -> None:
    assert permanence.shell_lines(sweeps.plan("quick", 3, level="5", filesystem="ext4")) == ()
