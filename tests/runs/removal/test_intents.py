"""Every command that writes to an array or its members has an intent, and passes the one function that looks by it."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import raidtui
from raidtui.core.disks.machine import Signature
from raidtui.core.plan.checked import allowed
from raidtui.core.plan.roles import CommandRole, PersonRole
from raidtui.core.plan.steps import Command, ManualStep
from raidtui.runs.disks import own_pool
from raidtui.runs.removal import decision, intents, overwriting
from raidtui.runs.removal.intents import INTENTS, WRITES_NOTHING, Intent, before_command, before_course, intent_of
from raidtui.runs.waiting import Refused
from tests.runs.proof.proving import index_of, killed
from tests.runs.rig import Rig, plan_of

PACKAGE = Path(raidtui.__file__).parent
# Programs that write to a block device, or change an array.
WRITERS = (
    *("mdadm", "wipefs", "dd", "fio", "sfdisk", "parted", "sgdisk", "blkdiscard", "dmsetup", "losetup", "truncate"),
    *("pvcreate", "vgcreate", "lvcreate", "lvremove", "vgremove", "pvremove", "vgchange", "lvchange"),
    *("cryptsetup", "zpool", "zfs", "mkswap", "resize2fs", "xfs_growfs", "btrfs", "tune2fs", "nvme", "hdparm"),
)
# Calls that start a program: what they start passes `before_command`, or writes to no array and no member.
STARTS = {
    "executor._command": "a step: `_do` looks before it",
    "measure.measure": "a step with a trial: `_do` looks before it",
    "proof.until_cut.write_until_cut": "looks itself",
    "removal.free.array_is_free": "umount",
    "removal.decision._check_without_array": "umount",
    "removal.decision._assemble": "mdadm --assemble --readonly, for a look",
    "disks.groups.stop_again": "mdadm --stop, of the run's own RAID 0 over groups whose superblock goes next",
    "removal.decision._stop": "vgchange --activate n, mdadm --stop: after the look",
    "context.run": "the only way to the two before",
    "waiting.settle": "udevadm",
    "boot.boot_mounts": "findmnt --verify",
    "boot.is_ours": "findmnt",
    "checks._geometry": "what the file system's own program prints",
    "checks._members_blank": "wipefs --no-act",
    "disks.containers.header_on": "cryptsetup luksDump",
    "disks.own_pool._ask": "zpool get, zfs get",
    "disks.tables._is_protective_alone": "wipefs --no-act",
    "disks.volumes._physical_volume": "pvs",
}
# Lists that begin with the name of a writing program, outside of plans (whose steps the executor carries out).
NAMES = {
    "runs/disks/groups.py": {"mdadm --stop {array}"},
    "runs/removal/decision.py": {
        *("mdadm --assemble --readonly --run … node *nodes", "mdadm --stop …", "vgchange --activate n layer.group"),
    },
    "runs/checks.py": {"wipefs --no-act --parsable disk.path"},
    "runs/disks/tables.py": {"wipefs --no-act --parsable --noheadings --output TYPE path"},
    "runs/disks/volumes.py": {"lvremove vgremove pvremove"},  # roles
    "runs/directory.py": {"fio MOUNTPOINT"},  # folders
    "runs/continuing.py": {"wipefs --all stage.proof.device"},  # a step, carried out by the executor
    "system/arrays/contents.py": {  # a copy-on-write device for a look
        *("losetup --detach loop", "dmsetup remove --retry --noudevsync --noudevrules mark"),
    },
    "system/hardware/nvme.py": {"nvme command … *options"},  # a setting of the disk
    "system/versions.py": {"fio --version", "fio --parse-only *options", "mdadm --version"},
}


def functions(file: Path) -> Iterator[tuple[str, ast.AST]]:
    module = str(file.relative_to(PACKAGE / "runs").with_suffix("")).replace("/", ".")
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield f"{module}.{node.name}", node


def starts(function: ast.AST) -> bool:
    """Whether it calls `….run(…)` of a context or a waiter, or `….ask(…)` of a host."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("run", "ask"):
            whose = ast.unparse(node.func.value).rpartition(".")[2]
            if whose in ("context", "waiter", "host", "_host", "self"):
                return True
    return False


def test_each_role_is_in_one_of_both_lists() -> None:
    roles = {*get_args(CommandRole), *get_args(PersonRole)}
    assert set(INTENTS) | WRITES_NOTHING == roles and not set(INTENTS) & WRITES_NOTHING


def test_each_call_that_starts_a_program_is_listed() -> None:
    found = {name for file in (PACKAGE / "runs").rglob("*.py") for name, node in functions(file) if starts(node)}
    assert found == set(STARTS)


def test_who_starts_a_writer_looks_before() -> None:
    calls = {"executor._do": "before_command", "proof.until_cut.write_until_cut": "before_command"}
    calls |= dict.fromkeys(("worker._check_existing", "continuing.begin_at"), "before_course")
    calls["stages.take_back"] = "before_course"
    every = dict(entry for file in (PACKAGE / "runs").rglob("*.py") for entry in functions(file))
    for name, look in calls.items():
        assert any(isinstance(node, ast.Name) and node.id == look for node in ast.walk(every[name])), name


def test_only_plans_name_a_program_that_writes() -> None:
    """Elsewhere in the listed commands alone, word for word."""
    found: dict[str, set[str]] = {}
    for file in PACKAGE.rglob("*.py"):
        module = str(file.relative_to(PACKAGE))
        if module.startswith(("core/", "practice/")):  # core starts nothing; a practice kernel has no disk of the host
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            words = (
                ["…" if isinstance(one, ast.JoinedStr) else ast.unparse(one).strip("'") for one in node.elts]
                if isinstance(node, ast.Tuple | ast.List)
                else []
            )
            if words[1:] and words[0] in WRITERS:
                found.setdefault(module, set()).add(" ".join(words))
    assert found == NAMES


def test_each_command_of_a_plan_that_writes_is_of_a_role_with_an_intent() -> None:
    """By its program: of the roles whose commands nobody looks at none writes."""
    harmless = {
        *("stop", "writable", "check", "idle", "assemble"),  # mdadm: to what is there
        *("activate", "deactivate", "lock"),  # a layer that is there
        *("export-pool", "import-pool", "place-pool", "forget-pool", "mount"),  # a pool that is there
        *("make-file", "lengthen", "header-backup", "test-mail"),  # a file, a letter
    }
    for role, rows in allowed._ROWS.items():
        programs = {row.words.split()[0] for row in rows}
        if programs & set(WRITERS) and role not in harmless:
            assert role in INTENTS, role
    assert harmless <= WRITES_NOTHING


def test_an_undo_removes_whatever_it_undoes() -> None:
    wipe = Command(what="", role="wipe", argv=("wipefs",))
    assert intent_of(wipe, undoing=False) is Intent.OVERWRITE and intent_of(wipe, undoing=True) is Intent.REMOVE
    assert intent_of(Command(what="", role="stop", argv=("mdadm",)), undoing=True) is None


@pytest.mark.parametrize("role", ["fill", "mkfs"])
def test_what_overwrites_a_proved_array_refuses_every_signature(tmp_path: Path, role: CommandRole) -> None:
    rig = killed(tmp_path, "rebuilding")
    past = rig.journal.state
    rig.executor.context.enter(past.stage, rig.plan.stages[past.stage])
    step = Command(what="", role=role, argv=("x", "{array}"))
    before_command(rig.executor.context, step)
    filesystem = rig.plan.stages[-1].filesystem
    assert filesystem
    rig.on_array = (Signature(kind="ext4", uuid=filesystem.uuid),)
    with pytest.raises(Refused, match="holds ext4"):
        before_command(rig.executor.context, step)


@pytest.mark.parametrize("role", [role for role, intent in INTENTS.items() if intent is not Intent.OVERWRITE])
def test_what_does_not_overwrite_keeps_its_looks(tmp_path: Path, role: CommandRole) -> None:
    """An array in use has a file system: a member of it is replaced, and it is enlarged, all the same."""
    rig = Rig(tmp_path, plan_of(filesystem="ext4"))
    rig.build()
    stage = rig.plan.stages[-1]
    rig.array, rig.stands_on = "md127", ("sda", "sdb")
    assert stage.array and stage.filesystem
    rig.signatures = (Signature(kind="ext4", uuid=stage.filesystem.uuid),)
    rig.enter_last(stage)
    before_command(rig.executor.context, Command(what="", role=role, argv=("x", "{array}")))


def test_a_course_is_looked_at_by_its_intent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = killed(tmp_path, "rebuilding")
    past, context = rig.journal.state, rig.executor.context
    asked: list[str] = []
    monkeypatch.setattr(overwriting, "look", lambda *given: asked.append("overwriting"))
    monkeypatch.setattr(decision, "check", lambda *given: asked.append("removal"))
    for intent in Intent:
        before_course(context, intent, past, (), index=index_of(rig))
    assert asked == ["overwriting", "removal", "removal", "removal"]
    assert intents.Intent is Intent


MANUAL = ManualStep(what="Type the passphrase", role="encrypt", argv=("cryptsetup", "luksFormat", "{array}"))
BARE = ["pools", "write", "bare"]


@pytest.mark.parametrize(
    "step, undoing, proves, looks",
    [
        (MANUAL, False, True, []),
        (MANUAL, True, True, []),
        (Command(what="", role="wipe", argv=("x",)), True, True, ["take back"]),
        (Command(what="", role="stop", argv=("x",)), True, False, ["take back"]),
        (Command(what="", role="stop", argv=("x",)), False, True, BARE[:2]),
        (Command(what="", role="fill", argv=("x",)), False, True, BARE),
        (Command(what="", role="mkfs", argv=("x",)), False, True, BARE),
        (Command(what="", role="mkfs", argv=("x",)), True, True, ["take back"]),
        (Command(what="", role="mkfs", argv=("x",)), False, False, BARE[:2]),
        (Command(what="", role="wipe", argv=("x",)), False, True, BARE[:2]),
        (Command(what="", role="measure", argv=("x",)), False, True, BARE[:2]),
    ],
)
def test_each_command_is_looked_at_before_it_by_what_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Command | ManualStep, undoing: bool, proves: bool,
    looks: list[str],
) -> None:  # fmt: skip
    context = Rig(tmp_path, plan_of()).executor.context
    asked: list[str] = []
    monkeypatch.setattr(own_pool, "look", lambda *_: asked.append("pools"))
    monkeypatch.setattr(context, "about_to_write", lambda _: asked.append("write"))
    monkeypatch.setattr(context, "about_to_take_back", lambda _: asked.append("take back"))
    monkeypatch.setattr(intents, "need_bare", lambda _: asked.append("bare"))
    monkeypatch.setattr(type(context), "proves_array", proves)
    before_command(context, step, undoing=undoing)
    assert asked == looks


@pytest.mark.parametrize("look", ["pools", "write", "take back"])
def test_a_look_that_refuses_comes_before_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    context = Rig(tmp_path, plan_of()).executor.context

    def refuse(*_: object) -> None:
        raise Refused("it is in use")

    where = {
        "pools": (own_pool, "look"),
        "write": (context, "about_to_write"),
        "take back": (context, "about_to_take_back"),
    }
    monkeypatch.setattr(own_pool, "look", lambda *_: None)
    monkeypatch.setattr(*where[look], refuse)
    with pytest.raises(Refused, match="it is in use"):
        before_command(context, Command(what="", role="wipe", argv=("x",)), undoing=look == "take back")


ROLES = {
    Intent.OVERWRITE: "create partition wipe pvcreate vgcreate lvcreate create-pool encrypt mkfs fill measure record",
    Intent.MEMBERS: "fail take-out add replace zero bitmap",
    Intent.ENLARGE: "reshape grow-filesystem",
    Intent.REMOVE: "destroy-pool clear-label lvremove vgremove pvremove",
}


def test_each_role_has_the_intent_of_what_it_writes_to() -> None:
    assert {role: intent for intent, roles in ROLES.items() for role in roles.split()} == INTENTS
