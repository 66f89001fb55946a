"""LUKS between a kept array and its file system: its steps in order, what takes them back, what a person does."""

import pytest
from msgspec.structs import replace

from raidtui.core.handover.again import built_again
from raidtui.core.plan import estimate, slots, validate
from raidtui.core.plan.answers import parse, to_document
from raidtui.core.plan.model import Plan, carried_out, confirmation_code, encode, undo
from raidtui.core.plan.steps import Check, Command, Edit, ManualStep, role_of, shell
from raidtui.core.plan.summary import space_words
from raidtui.core.script.render import script
from raidtui.core.units import KIB
from tests.builders.layered import DRAWN, LUKS, LVM, NOTHING, filled, made, roles
from tests.builders.plans import of_role
from tests.builders.sweeps import linked

UUID = DRAWN[1]


def persons(plan: Plan) -> list[ManualStep]:
    return [step for stage in plan.stages for step in stage.steps if isinstance(step, ManualStep)]


def test_a_person_makes_and_opens_it_and_it_is_closed_before_the_array_is_wiped() -> None:
    stage = made(LUKS).stages[-1]
    assert roles(stage.steps, "measure", "sync-caches", "set")[4:14] == [
        "wipe", "encrypt", "unlock", "container-aligned", "wipe", "wipe", "mkfs", "geometry", "mount",
        "mounted",
    ]  # fmt: skip
    assert roles(tuple(undo(stage.steps)))[:4] == ["unmount", "lock", "wipe", "stop"]
    assert stage.layer and (stage.layer.kind, stage.layer.align_bytes) == ("luks", 3 * 64 * KIB)
    (look,) = (step for step in stage.steps if isinstance(step, Check) and step.question == "container-aligned")
    assert look.expected == {"align_bytes": 196608}
    (mkfs,) = of_role(stage.steps, "mkfs")
    assert mkfs.argv[-1] == "{volume}" and "stride=16,stripe_width=48" in " ".join(mkfs.argv)


def test_its_uuid_is_the_runs_own_and_its_name_the_arrays() -> None:
    plan = filled(made(LUKS))
    stage = plan.stages[-1]
    assert stage.layer and stage.array and stage.layer.uuid == UUID in slots.made_by(plan.stages)
    assert (stage.layer.group, stage.layer.node) == (f"luks-{stage.array.name}", f"mapper/luks-{stage.array.name}")
    assert [shell(step) for step in persons(plan)] == [
        f"cryptsetup luksFormat --type luks2 --uuid {UUID} --offset 33024 --verify-passphrase "
        + '"${array}" < /dev/tty',
        'cryptsetup open --type luks "${array}" luks-raidtui-00112233 < /dev/tty',
    ]
    assert ("cryptsetup", "close", stage.layer.group) in [
        step.argv for step in undo(stage.steps) if isinstance(step, Command)
    ]


def test_a_permanent_one_is_opened_once_more_and_known_to_crypttab() -> None:
    plan = filled(made(LUKS, permanent=True))
    stage = carried_out(plan, len(plan.stages) - 1)
    back = roles(tuple(undo(stage.steps)))
    assert roles(stage.steps)[5:11] == ["edit", "lock", "stop", "assemble", "came-back", "unlock"]
    assert back[-6:-2] == ["assemble", "take-out-lines", "reload", "take-out-lines"]
    assert "unlock" not in back and "lock" not in back  # what is taken back asks nobody for the passphrase
    (edit,) = (step for step in stage.steps if isinstance(step, Edit) and step.path == "/etc/crypttab")
    assert edit.lines == (f"luks-raidtui-00112233 UUID={UUID} none luks,nofail",)
    assert len(persons(plan)) == 3
    assert not any("crypttab" in shell(step) for step in made(LVM, permanent=True).stages[-1].steps)


@pytest.mark.parametrize("permanent, times", [(False, 3), (True, 4)])
def test_how_often_it_is_typed_is_said_before_and_counts_as_no_time(permanent: bool, times: int) -> None:
    plan, without = made(LUKS, permanent=permanent), made(NOTHING, permanent=permanent)
    (note,) = (note for note in plan.notes if note.startswith("LUKS:"))
    assert f"asks for the passphrase {times} times" in note and "where it is lost, so are the data" in note
    assert ("once more" in note) is permanent and not any("LUKS" in note for note in without.notes)
    assert estimate.whole(plan)["person"] == 0.0 and plan.estimate_s - without.estimate_s < 5
    assert any("LUKS overhead" in line and "its header" in line for line in space_words(plan))


def test_it_is_read_again_as_it_was_and_what_a_person_runs_is_looked_at() -> None:
    plan = made(LUKS, permanent=True)
    assert validate.decode(encode(plan)) == plan and parse(to_document(plan.answers)) == plan.answers
    assert confirmation_code(plan) == plan.code != made(permanent=True).code
    for words in ("cryptsetup open --type luks {member:0} x", "cryptsetup open /dev/sda x", "dd {array}"):
        with pytest.raises(ValueError):
            validate.check(with_words(plan, words))


def with_words(plan: Plan, words: str) -> Plan:
    def changed(step: object) -> object:
        return replace(step, argv=tuple(words.split())) if isinstance(step, ManualStep) else step

    stages = (replace(one, steps=tuple(map(changed, one.steps))) for one in plan.stages)
    return replace(plan, stages=tuple(stages))


def test_the_script_has_cryptsetup_ask_on_its_terminal() -> None:
    lines = script(linked(made(LUKS, permanent=True))).splitlines()
    assert 'volume=/dev/mapper/luks-raidtui-"${name_0}"' in lines and 'uuid_1=$(echo "$(draw)")' in lines
    (made_at,) = (number for number, line in enumerate(lines) if line.startswith("cryptsetup luksFormat"))
    assert lines[made_at].endswith('--verify-passphrase "${array}" < /dev/tty') and lines[made_at - 1].startswith(
        "check_array "
    )
    assert next(line for line in lines if line.startswith("mkfs.ext4")).endswith('"${volume}"')
    assert "    device=/dev/mapper/luks-${array##*/}" in lines
    close = lines.index('cryptsetup close luks-raidtui-"${name_0}"')
    assert close < lines.index('mdadm --stop "${array}"')


def test_it_is_built_again_by_what_is_handed_over() -> None:
    built = built_again(made(LUKS), len(made(LUKS).stages) - 1)
    assert [role_of(step) for step in persons(built)] == ["encrypt", "unlock"]


BACKUP = "/root/luks-store.img"


def backups(plan: Plan) -> list[str]:
    return [shell(step) for stage in plan.stages for step in stage.steps if role_of(step) == "header-backup"]


def test_a_backup_of_the_header_is_made_once_when_the_array_stays_and_never_taken_back() -> None:
    plan = made(LUKS, luks_header_backup=BACKUP, permanent=True)
    assert backups(plan) == [f'cryptsetup luksHeaderBackup "${{array}}" --header-backup-file {BACKUP}']
    kept = plan.stages[-2]
    assert role_of(kept.steps[-1]) == "header-backup"
    assert not any(BACKUP in shell(step) for step in undo(kept.steps))
    (note,) = (note for note in plan.notes if note.startswith("LUKS header"))
    assert BACKUP in note and "opens the array" in note
    assert validate.decode(encode(plan)) == plan
    strange = replace(plan, answers=replace(plan.answers, luks_header_backup="/root/x"))
    with pytest.raises(ValueError, match="backup"):
        validate.check(strange)


def test_without_one_the_plan_has_the_way_by_hand() -> None:
    plan = made(LUKS)
    assert not backups(plan)
    assert any("no backup" in note and "cryptsetup luksHeaderBackup" in note for note in plan.notes)
