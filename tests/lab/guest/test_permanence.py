"""A kept array made permanent on real md: files of boot, put together from them, mounted, undone; the worker killed.

The guest has no initramfs: two short programs stand in for those of Debian, and copy what they are to copy.
"""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.steps import chosen
from raidtui.core.run.kept import permanence_due
from raidtui.core.run.state import RunState
from raidtui.runs import directory, journal, removing
from raidtui.runs.journal import read_state
from raidtui.system import leftovers, md
from raidtui.system.discovery import read_machine
from raidtui.system.settings import ImmutableFolder
from tests.lab.guest.brief_runs import (
    WRITE,
    code,
    newest,
    raidtui,
    start,
    typed,
    wait_for,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import settle, until
from tests.lab.guest.in_place import carried_out

CONF, FSTAB, TOOLS = Path("/etc/mdadm/mdadm.conf"), Path("/etc/fstab"), Path("/usr/local/sbin")
IMAGE = Path("/boot/initrd.img-stands-in")
FOLDER = Path("/srv/virtual machines")
BEFORE = (b"# of the machine's own\nHOMEHOST <system>\n", b"# fstab\nproc /proc proc defaults 0 0")  # no end of line
HOLD = Path("/tmp/hold-the-initramfs")


@pytest.fixture(autouse=True)
def machine(config: Path) -> Iterator[None]:
    CONF.write_bytes(BEFORE[0])
    CONF.chmod(0o640)
    FSTAB.write_bytes(BEFORE[1])
    TOOLS.mkdir(parents=True, exist_ok=True)
    IMAGE.parent.mkdir(exist_ok=True)
    make = f"#!/bin/sh -e\ncp {CONF} {IMAGE}\nwhile [ -e {HOLD} ]; do sleep 0.1; done\n"
    for name, text in (("update-initramfs", make), ("lsinitramfs", f"#!/bin/sh\nls {IMAGE} && echo {CONF}\n")):
        (TOOLS / name).write_text(text)
        (TOOLS / name).chmod(0o755)
    IMAGE.unlink(missing_ok=True)
    yield
    HOLD.unlink(missing_ok=True)
    for named in Path("/dev/md").glob("raidtui-*"):
        take_apart(named)
    assert {disk.found for disk in disks_of(read_machine()) if disk.name.startswith("sd")} == {"blank"}
    assert (CONF.read_bytes(), FSTAB.read_bytes()) == BEFORE and not FOLDER.exists()


def kept(config: Path, **others: Any) -> Path:
    recipe = write_recipe(config, WRITE, baseline="none")
    setup = {"level": "1", "filesystem": "ext4", "member_size": "64MiB"}
    return write_answers(config, recipe, setup, after="keep", permanent=True, mount_point=str(FOLDER), **others)


def ended(run: Path) -> RunState:
    return read_state(run / directory.JOURNAL)


def array_uuid(run: Path) -> str:
    stages = slots.filled(directory.read_plan(run)).stages
    return next(stage.array.uuid for stage in stages if stage.array)


def test_it_comes_back_by_what_was_written_and_is_undone_byte_for_byte(config: Path) -> None:
    answers = kept(config, reserved_percent=2)
    shown = raidtui("plan", str(answers))
    assert "add_lines /etc/fstab" in shown and "virtual\\040machines" in shown and "update-initramfs" in shown
    report = raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    state = ended(run)
    assert (state.outcome, state.kept, state.left, state.warnings) == ("finished", True, (), ())
    assert "/etc/fstab" in report and f"raidtui undo {run.name}" in report
    assert os.path.ismount(FOLDER) and FOLDER.stat().st_mode & 0o7777 == 0o755 and CONF.stat().st_mode & 0o777 == 0o640
    assert CONF.read_bytes().startswith(BEFORE[0]) and IMAGE.read_bytes() == CONF.read_bytes()
    assert json.loads(raidtui("ensure", str(answers))) | {"diff": None} == {
        "changed": False, "uuid": array_uuid(run), "run": run.name, "refused": "", "failed": "", "erase": [],
        "plan": None, "diff": None,
    }  # fmt: skip
    node = subprocess.check_output(["findmnt", "--noheadings", "--output=SOURCE", FOLDER], text=True).strip()
    told = subprocess.check_output(["dumpe2fs", "-h", node], text=True, stderr=subprocess.DEVNULL)
    counts = dict(re.findall(r"^((?:Reserved b|B)lock count): +([0-9]+)$", told, re.MULTILINE))
    assert int(counts["Reserved block count"]) == int(counts["Block count"]) * 2 // 100 > 0
    (FOLDER / "file").write_text("here to stay")
    assert "is in mdadm.conf/fstab" in raidtui("clean", run.name, typed=typed(run), status=3)

    subprocess.run(["umount", FOLDER], check=True)
    assert f"it is not mounted at {FOLDER}" in raidtui("ensure", str(answers), status=3)
    subprocess.run(["mdadm", "--stop", "--scan"], check=True)  # as at boot: by the files alone
    settle()
    subprocess.run(["mdadm", "--assemble", "--scan"], check=False)  # 2, where udev was quicker
    settle()
    subprocess.run(["mount", "--all"], check=True)
    assert (FOLDER / "file").read_text() == "here to stay"

    with (FOLDER / "file").open() as held:
        assert "busy" in raidtui("undo", run.name, typed=typed(run), status=1) and held
    assert FSTAB.read_bytes() != BEFORE[1]
    asked = raidtui("undo", run.name, typed="no\n", status=3)
    assert "-ARRAY /dev/md/raidtui-" in asked and "--- /etc/fstab" in asked
    raidtui("undo", run.name, typed=typed(run))
    assert (CONF.read_bytes(), FSTAB.read_bytes()) == BEFORE and not FOLDER.exists() and IMAGE.read_bytes() == BEFORE[0]
    assert ended(run).kept and "active" in Path("/proc/mdstat").read_text()


def test_a_removal_is_agreed_to_once_and_refused_once_a_person_has_a_file_there(config: Path) -> None:
    raidtui("run", str(answers := kept(config, array_name="vms")), "--confirm", code(answers))
    run = newest()
    agreed = removing.look(run)
    assert (agreed.name, agreed.found) == ("vms", "is planned to be kept")
    assert agreed.does == (
        f"unmount {FOLDER}",
        f"take its lines out of {FSTAB}, {CONF}",
        f"stop vms, erase what is on its {len(directory.read_plan(run).members)} disks",
    )
    (FOLDER / "letters").touch()
    with pytest.raises(directory.NotDone, match=r"vms holds .letters., .*; nothing was changed; to"):
        removing.remove(run, agreed)
    assert os.path.ismount(FOLDER) and FSTAB.read_bytes() != BEFORE[1]
    (FOLDER / "letters").unlink()
    removing.remove(run, agreed)
    assert not ended(run).kept and not FOLDER.exists()


def test_what_others_wrote_stays_and_what_they_changed_is_left_to_them(config: Path) -> None:
    answers = kept(config)
    raidtui("run", str(answers), "--confirm", code(answers))
    run, written = newest(), FSTAB.read_bytes()
    FSTAB.write_bytes(written.replace(b"nofail", b"nofail,noatime"))
    said = raidtui("undo", run.name, "--confirm", typed(run).split()[0], status=3)
    assert "/etc/fstab" in said and "were changed since" in said and b"ARRAY" in CONF.read_bytes()
    FSTAB.write_bytes(written + b"tmpfs /mnt/later tmpfs noauto 0 0\n")
    raidtui("undo", run.name, "--confirm", typed(run).split()[0])
    assert FSTAB.read_bytes() == BEFORE[1] + b"\ntmpfs /mnt/later tmpfs noauto 0 0\n" and CONF.read_bytes() == BEFORE[0]
    FSTAB.write_bytes(BEFORE[1])


@pytest.mark.parametrize("way", ["resume", "undo"])
def test_a_worker_killed_amid_the_initramfs_is_gone_on_with_or_undone(config: Path, way: str) -> None:
    HOLD.touch()
    run = start(kept(config))
    state = wait_for(run, lambda state: IMAGE.exists() and state.step and state.step.role == "initramfs")
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    until(lambda: not journal.alive(state))
    HOLD.unlink()
    plan = directory.read_plan(run)
    assert permanence_due(plan, ended(run)) and CONF.read_bytes() != BEFORE[0] and FSTAB.read_bytes() == BEFORE[1]
    assert f"raidtui resume {run.name}" in raidtui("runs") and "boot entries incomplete" in raidtui("runs")
    if way == "undo":
        raidtui("undo", run.name, typed=typed(run))
        assert (CONF.read_bytes(), ended(run).kept, ended(run).outcome) == (BEFORE[0], True, "failed")
        return
    raidtui("resume", run.name, "--confirm", typed(run).split()[0])
    assert ended(run).outcome == "finished" and os.path.ismount(FOLDER) and md.named(plan_name(run))


def plan_name(run: Path) -> str:
    plan = slots.filled(directory.read_plan(run))
    assert plan.kept_stage is not None
    array = plan.stages[plan.kept_stage].array
    assert array
    return array.name


def test_a_failing_initramfs_leaves_the_files_as_they_were_and_the_array_kept(config: Path) -> None:
    (TOOLS / "update-initramfs").write_text("#!/bin/sh\necho no room on /boot\nexit 1\n")
    answers = kept(config)
    said = raidtui("run", str(answers), "--confirm", code(answers), status=1)
    run = newest()
    assert "no room on /boot" in said and ended(run).kept and ended(run).left
    assert (CONF.read_bytes(), FSTAB.read_bytes()) == BEFORE
    (TOOLS / "update-initramfs").write_text(f"#!/bin/sh\ncp {CONF} {IMAGE}\n")
    raidtui("resume", run.name, "--confirm", typed(run).split()[0])
    assert ended(run).outcome == "finished" and os.path.ismount(FOLDER)


def test_a_mount_unit_without_systemd_and_a_folder_that_is_full_are_refused(config: Path) -> None:
    answers = kept(config)
    FOLDER.mkdir()
    (FOLDER / "somebody's").touch()
    assert "is not empty" in raidtui("plan", str(answers), status=2)
    (FOLDER / "somebody's").unlink()
    FOLDER.rmdir()
    answers.write_text(answers.read_text().replace("permanent = true", 'permanent = true\nmount = "unit"'))
    assert "systemd does not run here" in raidtui("plan", str(answers), status=2)


OWNED = {"mount_owner": "daemon:1234", "mount_mode": "2770", "mailaddr": "storage@example.org"}
SMARTD, SMARTD_CONF = b"/dev/sdz -a", Path("/etc/smartd.conf")  # somebody's line, no end of line
SENDMAIL, LETTER = Path("/usr/sbin/sendmail"), Path("/tmp/letter")


@pytest.fixture
def watchers() -> Iterator[None]:
    """A smartd that is installed, and a mail program that keeps the last letter."""
    SMARTD_CONF.write_bytes(SMARTD)
    for program, text in ((TOOLS / "smartd", "exit 1"), (SENDMAIL, f"cat > {LETTER}")):
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    yield
    for file in (SMARTD_CONF, SENDMAIL, LETTER, TOOLS / "smartd"):
        file.unlink(missing_ok=True)


def mailed_to() -> str:
    """Whom mdadm itself writes to."""
    LETTER.unlink(missing_ok=True)
    subprocess.run(["mdadm", "--monitor", "--scan", "--oneshot", "--test"], capture_output=True, check=True)
    return recipient()


def recipient() -> str:
    return next(line for line in LETTER.read_text().splitlines() if line.startswith("To: ")).removeprefix("To: ")


@pytest.mark.usefixtures("watchers")
def test_owner_mode_and_mail_are_set_and_undone_and_the_page_is_handed_over(config: Path) -> None:
    answers = kept(config, **OWNED)
    assert "no user 'nobody-here'" in raidtui("plan", str(kept(config, mount_owner="nobody-here")), status=2)
    CONF.write_bytes(theirs := BEFORE[0] + b"MAILADDR root\n")
    answers = kept(config, **OWNED, watch=["smartd", "test-mail"])
    shown = raidtui("plan", str(answers))
    assert f"disks get a line in {SMARTD_CONF}, with mail to storage@example.org. Reload smartd by hand" in shown
    assert "storage@example.org replaces root for all arrays of this machine" in shown
    assert f"chown daemon:1234 '{FOLDER}'; chmod 2770 '{FOLDER}'" in shown and "add_lines_at_top /etc/mdadm" in shown
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    told = FOLDER.stat()
    assert (told.st_uid, told.st_gid, told.st_mode & 0o7777) == (1, 1234, 0o2770)
    node = os.path.realpath(f"/dev/md/{plan_name(run)}")
    assert (
        recipient() == "storage@example.org" and f"TestMessage event on {node}" in LETTER.read_text()
    )  # the run's own
    disks = SMARTD_CONF.read_text().splitlines()[2:-1]
    assert SMARTD_CONF.read_bytes().startswith(SMARTD + b"\n# raidtui ") and len(disks) >= 2
    assert all(re.fullmatch(r"/dev/disk/by-id/\S+ -a -d removable -m storage@example.org", line) for line in disks)
    assert CONF.read_bytes().endswith(theirs) and mailed_to() == "storage@example.org"
    (warning,) = ended(run).warnings
    assert "nobody is told when a disk fails" in warning and "start it" in warning
    page = (run / "commissioning.md").read_text()
    assert page == raidtui("commissioning", run.name) and "1:1234 2770" in page
    assert "Test mail: handed to sendmail for storage@example.org on " in page
    assert page.count("| by name") == len(disks)
    assert f"raidtui replace {plan_name(run)} OLD NEW" in page and os.uname().nodename in page
    assert "nobody is told when a disk fails" in raidtui_status()

    script(run / "build.sh", config)  # it stands: nothing is asked, nothing is done
    device = Path(node).stat().st_rdev
    FOLDER.chmod(0o2700)  # the person's own, by now
    raidtui("undo", run.name, typed=typed(run))
    assert SMARTD_CONF.read_bytes() == SMARTD
    assert (CONF.read_bytes(), FSTAB.read_bytes()) == (theirs, BEFORE[1]) and mailed_to() == "root"
    CONF.write_bytes(BEFORE[0])
    subprocess.run(["mount", node, "/mnt"], check=True)
    try:
        told = Path("/mnt").stat()
        assert told.st_dev == device and (told.st_uid, told.st_gid, told.st_mode & 0o7777) == (1, 1234, 0o2700)
    finally:
        subprocess.run(["umount", "/mnt"], check=True)
    assert (run / "commissioning.md").exists()  # it is kept, though not permanent
    build = config / "again.sh"
    build.write_text(again := raidtui("commissioning", run.name, "--script"))
    raidtui("clean", run.name, typed=typed(run))
    assert not (run / "commissioning.md").exists() and not (run / "build.sh").exists()

    asked = re.findall(r"Type the code (\w{8}) to continue", again)
    script(build, config, typed="\n".join((*asked, "")))  # of the same disks, blank by now
    (named,) = Path("/dev/md").glob("raidtui-*")
    told = FOLDER.stat()
    assert (told.st_uid, told.st_gid, told.st_mode & 0o7777) == (1, 1234, 0o2770) and named.name != plan_name(run)


RULES = Path("/etc/udev/rules.d")
# SATA without error recovery control, SATA that has it off, and disks that are no SATA
SMARTCTL = """#!/bin/sh
for disk; do :; done
case $disk in
  /dev/sda) said='"ATA"}, "ata_smart_data": {"capabilities": {}}' ;;
  /dev/sdb) said='"ATA"}, "ata_sct_capabilities": {"error_recovery_control_supported": true},
    "ata_sct_erc": {"read": {"enabled": false}, "write": {"enabled": false}}' ;;
  *) said='"SCSI"}' ;;
esac
echo "{\\"smartctl\\": {}, \\"device\\": {\\"protocol\\": $said}"
"""
LASTS = {
    "sda/device/timeout": "180", "sdb/device/timeout": "180", "sdc/device/timeout": "30",
    **{f"sd{disk}/queue/wbt_lat_usec": "75000" for disk in "abc"},
    **{f"sd{disk}/queue/scheduler": "none" for disk in "abc"},
}  # fmt: skip


def kernel_has(files: Iterable[str]) -> dict[str, str]:
    return {file: chosen(Path("/sys/block", file).read_text().strip()) for file in files}


def test_error_recovery_and_tuning_last_by_rules_and_are_undone(config: Path) -> None:
    smartctl = TOOLS / "smartctl"
    smartctl.write_text(SMARTCTL)
    smartctl.chmod(0o755)
    of_array = {"md/stripe_cache_size": "512", "md/group_thread_cnt": "2", "queue/read_ahead_kb": "2048"}
    tuned: dict[str, Any] = {
        "stripe_cache_size": 512,
        "group_thread_cnt": 2,
        "read_ahead_kb": 2048,
        "wbt_lat_usec": 75000,
    }
    tuned |= {"scheduler": "none"}
    before, rules_before = kernel_has(LASTS), sorted(RULES.iterdir())
    recipe = write_recipe(config, WRITE, baseline="none")
    setup = {"level": "5", "filesystem": "ext4", "member_size": "64MiB", "disks": 3, **tuned}
    guarded = takes_attribute()
    named = {"array_name": "store", "label": "files", "mount_options": "noatime"}
    named |= {"mount_guard": "immutable"} if guarded else {}
    answers = write_answers(config, recipe, setup, after="keep", permanent=True, mount_point=str(FOLDER), **named)
    try:
        shown = raidtui("plan", str(answers))
        assert "Stripe cache: 512 pages × 4 KiB × 3 disks = 6.00 MiB of memory, from each boot on." in shown
        assert "Command time-out: sda, sdb get 180 s" in shown
        raidtui("run", str(answers), "--confirm", code(answers))
        run = newest()
        assert (ended(run).outcome, ended(run).warnings) == ("finished", ())
        assert plan_name(run) == "store" and "noatime" in mounted("OPTIONS") and mounted("LABEL") == "files"
        (rules,) = sorted({*RULES.iterdir()} - {*rules_before})
        assert rules.name == f"65-{plan_name(run)}.rules" and array_uuid(run) in rules.read_text()
        name = Path(f"/dev/md/{plan_name(run)}").resolve().name
        assert kernel_has(LASTS) == LASTS and kernel_has(f"{name}/{file}" for file in of_array) == {
            f"{name}/{file}": value for file, value in of_array.items()
        }
        assert "error recovery" not in carried_out("status").stdout
        page = (run / "commissioning.md").read_text()
        assert page.count("time-out 180 s") == 2 and "| no ERC " in page and "smartd does not run" in page
        Path("/sys/block/sda/device/timeout").write_text("30")
        assert "has no error recovery control (ERC), and the kernel waits 30 s" in carried_out("status").stdout

        subprocess.run(["umount", FOLDER], check=True)
        if guarded:
            with pytest.raises(PermissionError):
                (FOLDER / "file").touch()
        # as at boot: what the kernel begins with, then each disk's event
        subprocess.run(["mdadm", "--stop", f"/dev/{name}"], check=True)
        for file, value in before.items():
            Path("/sys/block", file).write_text(value)
        subprocess.run(["udevadm", "trigger", "--action=add", "--sysname-match=sd*"], check=True)
        settle()
        subprocess.run(["mdadm", "--assemble", "--scan"], check=False)
        settle()
        subprocess.run(["mount", "--all"], check=True)
        name = Path(f"/dev/md/{plan_name(run)}").resolve().name
        assert kernel_has(LASTS) == LASTS
        assert [*kernel_has(f"{name}/{file}" for file in of_array).values()] == [*of_array.values()]

        asked = raidtui("undo", run.name, typed="no\n", status=3)
        assert f"--- {rules}" in asked and "-ACTION==" in asked
        raidtui("undo", run.name, typed=typed(run))
        assert (CONF.read_bytes(), FSTAB.read_bytes()) == BEFORE and sorted(RULES.iterdir()) == rules_before
        assert kernel_has(LASTS) == before and kernel_has([f"{name}/md/stripe_cache_size"]) == {
            f"{name}/md/stripe_cache_size": "256"
        }
        assert not ended(run).lasting and not FOLDER.exists()
    finally:
        smartctl.unlink()
        take_apart(Path("/dev/md/store"))


def mounted(column: str) -> str:
    argv = ("findmnt", "--noheadings", "--output", column, "--mountpoint", str(FOLDER))
    return str(subprocess.run(argv, capture_output=True, text=True, check=True).stdout).strip()


def takes_attribute() -> bool:
    """A tmpfs does from Linux 6.6 on."""
    try:
        return ImmutableFolder(str(FOLDER.parent)).read() == "off"
    except OSError:
        return False


def take_apart(named: Path) -> None:
    """An array and what made it permanent, by hand: quicker than `undo` and `clean`, which have tests of their own."""
    members = [f"/dev/{slave.name}" for slave in Path(f"/sys/block/{named.resolve().name}/slaves").iterdir()]
    if FOLDER.exists():
        subprocess.run(["umount", FOLDER], check=True)
        FOLDER.rmdir()
    subprocess.run(["wipefs", "--quiet", "--all", named], check=True)
    subprocess.run(["mdadm", "--stop", named], check=True)
    subprocess.run(["mdadm", "--zero-superblock", *members], check=True)
    for member in members:
        leftovers.remember(Path(member).name)  # data of the test's own, not somebody's
    CONF.write_bytes(BEFORE[0])
    FSTAB.write_bytes(BEFORE[1])
    settle()


def raidtui_status() -> str:
    return carried_out("status").stdout


def script(file: Path, folder: Path, status: int = 0, typed: str = "") -> str:
    """What the script says, in a folder of its own."""
    results = folder / f"results-{time.monotonic_ns()}"
    results.mkdir(mode=0o700)
    done = subprocess.run(["bash", str(file)], cwd=results, input=typed, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def as_it_is(node: str) -> tuple[object, ...]:
    """The array but for what md itself counts, the files of boot and what is mounted."""
    shown = subprocess.run(["mdadm", "--detail", node], capture_output=True, text=True, check=True).stdout
    detail = [
        line for line in shown.splitlines() if line.split(":")[0].strip() not in ("Update Time", "Events", "State")
    ]
    files = [(path.read_bytes(), path.stat().st_mtime_ns) for path in (CONF, FSTAB, IMAGE)]
    mounted = FOLDER.stat()
    return (detail, files, mounted.st_uid, mounted.st_mode, sorted(path.name for path in FOLDER.iterdir()))


def test_a_script_run_twice_builds_once(config: Path, tmp_path: Path) -> None:
    answers = kept(config, **OWNED)
    text = raidtui("plan", str(answers), "--script")
    build = tmp_path / "build.sh"
    build.write_text(text)
    script(build, tmp_path, typed=f"{code(answers)}\n")
    assert os.path.ismount(FOLDER)
    (named,) = Path("/dev/md").glob("raidtui-*")
    (FOLDER / "file").write_text("here to stay")
    before = as_it_is(str(named))
    assert "Exists already" in script(build, tmp_path) and as_it_is(str(named)) == before

    FSTAB.write_bytes(BEFORE[1])
    FOLDER.chmod(0o700)
    said = script(build, tmp_path, status=3)
    assert "/etc/fstab does not mount it" in said and "is not daemon:1234 2770" in said
    assert FSTAB.read_bytes() == BEFORE[1] and (FOLDER / "file").exists()
