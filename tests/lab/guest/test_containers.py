"""LUKS between a kept array and its file system, on real md and dm-crypt, the passphrase typed on a terminal: aligned,
permanent, undone, cleared away, cut off while it waits for the person.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.run import progress
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal, kept_arrays
from raidtui.system import block
from raidtui.system.arrays import now
from tests.builders.keyboard import Dialog, Keyboard
from tests.lab.guest.brief_runs import code, ended, forget_runs, raidtui, remove, start, typed, wait_for
from tests.lab.guest.disk_states import command, mounted, settle, writes_to
from tests.lab.guest.in_place import become
from tests.lab.guest.layered import BYSTANDER, CONF, MEMBERS, found, kept_stage, written
from tests.lab.guest.partitioned import TOOLS, blank, state_of

RACK = dict(disks=6, size_mib="128,128,128,127,128,128", mbps=0)
FSTAB, CRYPTTAB = Path("/etc/fstab"), Path("/etc/crypttab")
FOLDER, PASSPHRASE = Path("/srv/virtual machines"), "correct horse battery staple"
# By default a key takes as much memory as a kernel of the lab has for all that goes on in it, and its time.
LIGHT = """#!/bin/sh
[ "$1" != luksFormat ] || set -- "$@" --pbkdf pbkdf2 --pbkdf-force-iterations 1000
exec /usr/sbin/cryptsetup "$@"
"""
MADE: Dialog = (
    ("Type 'yes' in capital letters", "YES"),
    ("Enter passphrase", PASSPHRASE),
    ("Verify passphrase", PASSPHRASE),
)
OPENED: Dialog = (("Enter passphrase", PASSPHRASE),)


@pytest.fixture
def answers(config: Path) -> Iterator[Path]:
    """A RAID 5 of four disks, whose stripe is no power of two; a container of somebody's own on the fifth disk."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    (TOOLS / "cryptsetup").write_text(LIGHT)
    (TOOLS / "cryptsetup").chmod(0o755)
    subprocess.run([TOOLS / "cryptsetup", "luksFormat", "--batch-mode", BYSTANDER, "-"], input=b"theirs", check=True)
    settle()
    before = writes_to([BYSTANDER]), *boot_files()
    yield written(config, "luks")
    (TOOLS / "cryptsetup").unlink()
    forget_runs()
    left = found(), (writes_to([BYSTANDER]), *boot_files())
    blank(*MEMBERS, BYSTANDER)
    assert left == ({"blank"}, before) and not list(Path("/dev/mapper").glob("luks-*"))


def boot_files() -> tuple[bytes | None, ...]:
    return tuple(path.read_bytes() if path.exists() else None for path in (FSTAB, CONF, CRYPTTAB))


def name_of(run: Path) -> str:
    layer = kept_stage(run).layer
    assert layer
    return layer.group


def waits(run: Path, role: str = "encrypt") -> RunState:
    """The run, once it waits for a person to do this."""
    plan = directory.read_plan(run)

    def is_due(state: RunState) -> bool:
        step = progress.manual_step(plan, state)
        return step is not None and step.role == role

    return wait_for(run, is_due)


def passphrase(run: Path) -> Keyboard:
    """`raidtui passphrase` on a terminal."""
    return Keyboard(("passphrase", run.name), become=become)


def at_keyboard(run: Path, dialog: Dialog, status: int = 0) -> str:
    """What was on the terminal in the end."""
    keyboard = passphrase(run).answer(dialog)
    assert keyboard.ended() == status, keyboard.said
    return keyboard.said


def built(answers: Path) -> Path:
    """A run that has come to its end, or to its permanence."""
    run = start(answers)
    waits(run)
    at_keyboard(run, (*MADE, *OPENED))
    return run


def test_it_is_aligned_stands_and_is_cleared_away_to_blank_disks(answers: Path) -> None:
    shown = raidtui("plan", str(answers))
    assert "ext4 on LUKS" in shown and "asks for the passphrase 3 times" in shown
    run = built(answers)
    state, stage = wait_for(run, ended), kept_stage(run)
    assert stage.array and stage.layer and stage.filesystem and state.array
    assert (state.outcome, state.kept, state.left, state.warnings) == ("finished", True, (), ())
    told = json.loads(command("cryptsetup", "luksDump", "--dump-json-metadata", state.array.node))
    assert int(told["segments"]["0"]["offset"]) == 86 * 3 * 64 * 1024  # the first whole stripe behind 16 MiB
    assert command("cryptsetup", "luksUUID", state.array.node).strip() == stage.layer.uuid
    volume = f"/dev/mapper/{stage.layer.group}"
    assert command("blkid", "--output", "value", "--match-tag", "UUID", volume).strip() == stage.filesystem.uuid
    assert "RAID stripe width:        48" in command("dumpe2fs", "-h", volume)
    (standing,) = now.look(kept_arrays.kept_arrays).arrays
    assert (standing.run, standing.health, standing.upon[0].container) == (run.name, "clean", stage.layer.group)
    ensured = json.loads(raidtui("ensure", str(answers)))
    assert (ensured["changed"], ensured["refused"], ensured["run"]) == (False, "", run.name)
    page = (run / "commissioning.md").read_text()
    assert stage.layer.uuid in page and f"cryptsetup open --type luks /dev/md/{stage.array.name}" in page
    for file in run.rglob("*"):  # the passphrase is nowhere
        assert not file.is_file() or PASSPHRASE.encode() not in file.read_bytes(), file

    with mounted(volume, run / "somewhere"):
        assert "in use" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("cryptsetup", "close", stage.layer.group)
    said = raidtui("clean", run.name, typed=typed(run), status=3)
    assert "is not open, so that it cannot be looked at: `cryptsetup open" in said
    command("dmsetup", "create", "theirs", "--table", f"0 64 linear {state.array.node} 0")
    assert "is under theirs, which this run did not make" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("dmsetup", "remove", "theirs")
    opens = ("cryptsetup", "open", "--type", "luks", state.array.node, stage.layer.group)
    assert Keyboard(opens).answer(OPENED).ended() == 0
    assert "was mounted 2 times, by this run 1" in raidtui("clean", run.name, typed=typed(run), status=3)
    remove(run)
    assert found() == {"blank"} and not state_of(run).left and not block.mapped_on("md127")


def test_who_types_it_wrong_types_it_again_and_nobody_else_at_the_same_time(answers: Path) -> None:
    run = start(answers)
    waits(run)
    first = passphrase(run).answer(MADE[:1])
    first.await_words("Enter passphrase")
    assert "in another terminal" in at_keyboard(run, (), status=3)
    first.interrupt()
    assert first.ended() == 1 and "asks again" in first.said
    different = (*MADE[:2], ("Verify passphrase", "another"))
    assert "do not match" in at_keyboard(run, different, status=1)
    assert progress.manual_step(directory.read_plan(run), state_of(run)) and not kept_stage(run).permanent
    wrong = tuple(("Enter passphrase", f"wrong {number}") for number in range(3))
    assert "No key available" in at_keyboard(run, (*MADE, *wrong), status=1)
    before = command("cryptsetup", "luksUUID", "/dev/md127")
    at_keyboard(run, OPENED)
    assert wait_for(run, ended).outcome == "finished" and command("cryptsetup", "luksUUID", "/dev/md127") == before
    assert "not waiting for a passphrase" in at_keyboard(run, (), status=2)


def test_what_came_to_the_array_meanwhile_is_not_formatted_and_a_stop_ends_cryptsetup(answers: Path) -> None:
    run = start(answers)
    waits(run)
    command("mkfs.ext4", "-q", "-F", "/dev/md127")
    settle()
    assert "holds ext4" in at_keyboard(run, (), status=3)
    command("wipefs", "--all", "/dev/md127")
    command("dmsetup", "create", "theirs", "--table", "0 64 linear /dev/md127 0")
    assert "which this run did not make" in at_keyboard(run, (), status=3)
    command("dmsetup", "remove", "theirs")
    stopped_at(run, MADE[:1])


def test_a_stop_while_it_is_opened_leaves_blank_disks(answers: Path) -> None:
    run = start(answers)
    waits(run)
    stopped_at(run, MADE)


def stopped_at(run: Path, dialog: Dialog) -> None:
    """The run is stopped while cryptsetup asks for the passphrase that comes after these words."""
    keyboard = passphrase(run).answer(dialog)
    keyboard.await_words("Enter passphrase")
    raidtui("stop", run.name)
    assert (wait_for(run, ended).outcome, state_of(run).left, found()) == ("stopped", (), {"blank"})
    assert keyboard.ended() == 1 and "does not wait for it any more" in keyboard.said


def test_one_gone_on_with_comes_back_by_what_was_written_and_is_undone(answers: Path, config: Path) -> None:
    """Its worker was killed while cryptsetup was to open the container."""
    before = boot_files()
    header = Path("/srv/luks-header.img")
    header.unlink(missing_ok=True)
    run = start(written(config, "luks", permanent=True, mount_point=str(FOLDER), luks_header_backup=str(header)))
    cut_off = waits(run)
    keyboard = passphrase(run).answer(MADE)
    waits(run, "unlock")
    assert cut_off.worker
    os.kill(cut_off.worker.pid, signal.SIGKILL)
    assert keyboard.ended() == 1 and not journal.alive(cut_off)
    confirmed, array = typed(run).split()
    said = raidtui("resume", run.name, "--confirm", confirmed, "--erase", array, status=3)
    assert "is not open, so that it cannot be looked at" in said and "`wipefs --all /dev/md127` first" in said
    command("cryptsetup", "luksHeaderBackup", "/dev/md127", "--header-backup-file", str(header))  # as if it came so far
    command("wipefs", "--all", "/dev/md127")
    settle()
    raidtui("resume", run.name, "--confirm", confirmed, "--erase", array, "--detach")
    waits(run)
    at_keyboard(run, (*MADE, *OPENED))
    waits(run, "unlock")
    assert not state_of(run).ended and kept_stage(run).layer
    at_keyboard(run, OPENED)
    state, stage = wait_for(run, ended), kept_stage(run)
    assert stage.filesystem and stage.layer and (state.outcome, state.kept, state.left) == ("finished", True, ())
    assert os.path.ismount(FOLDER) and stage.filesystem.uuid in FSTAB.read_text()
    assert f"{stage.layer.group} UUID={stage.layer.uuid} none luks,nofail" in CRYPTTAB.read_text().splitlines()
    assert json.loads(raidtui("ensure", str(config / "answers.toml")))["refused"] == ""
    (FOLDER / "file").write_text("here to stay")
    assert header.stat().st_mode & 0o077 == 0
    assert command("cryptsetup", "luksUUID", str(header)).strip() == stage.layer.uuid
    opens = ("cryptsetup", "open", "--test-passphrase", "--header", str(header), "/dev/md127")
    assert Keyboard(opens).answer(OPENED).ended() == 0
    assert f"{header} exists already" in raidtui("plan", str(config / "answers.toml"), status=2)
    assert f"{header}: opens the array" in (run / "commissioning.md").read_text()
    header.unlink()

    command("umount", str(FOLDER))
    command("cryptsetup", "close", stage.layer.group)
    command("mdadm", "--stop", "--scan")  # as at boot: by the files alone
    settle()
    subprocess.run(["mdadm", "--assemble", "--scan"], check=False)  # 2, where udev was quicker
    settle()
    assert Keyboard(("cryptsetup", "open", f"UUID={stage.layer.uuid}", stage.layer.group)).answer(OPENED).ended() == 0
    settle()
    command("mount", "--all")
    assert (FOLDER / "file").read_text() == "here to stay"
    raidtui("undo", run.name, typed=typed(run))
    assert not FOLDER.exists() and state_of(run).kept and boot_files() == before


def test_a_stop_before_it_is_opened_anew_takes_the_lines_out_and_keeps_the_array(answers: Path, config: Path) -> None:
    before = boot_files()
    run = built(written(config, "luks", permanent=True, mount_point=str(FOLDER)))
    waits(run, "unlock")
    wait_for(run, lambda state: state.stage == 1 and bool(state.step) and state.steps[-1].role == "unlock")
    raidtui("stop", run.name)
    state = wait_for(run, ended)
    assert (state.outcome, state.kept, boot_files()) == ("stopped", True, before)
    opens = ("cryptsetup", "open", "--type", "luks", "/dev/md127", name_of(run))
    assert Keyboard(opens).answer(OPENED).ended() == 0
    settle()


def test_the_script_builds_the_same(answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "results"
    results.mkdir(mode=0o700)
    (results / "build.sh").write_text(raidtui("plan", str(answers), "--script"))
    monkeypatch.chdir(results)
    keyboard = Keyboard(("bash", "build.sh"))
    keyboard.answer((("to continue: ", code(answers)), *MADE, *OPENED))
    assert keyboard.ended() == 0, keyboard.said
    (name,) = (path.name for path in Path("/dev/mapper").glob("luks-*"))
    node = str(Path(f"/dev/md/{name.removeprefix('luks-')}").resolve())
    told = json.loads(command("cryptsetup", "luksDump", "--dump-json-metadata", node))
    assert int(told["segments"]["0"]["offset"]) % (3 * 64 * 1024) == 0
    command("cryptsetup", "close", name)
    command("wipefs", "--all", node)
    command("mdadm", "--stop", node)
    command("mdadm", "--zero-superblock", *MEMBERS)
    blank(*MEMBERS)  # of what a run left it is known that it was its own
