"""`scrub` and `replace` of real md: on an array that a run keeps a run of their own, on others lines and no more."""

import errno
import hashlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from raidtui import recipes
from raidtui.core.care.by_hand import ByHand
from raidtui.core.care.plans import Limits
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner, slots
from raidtui.core.plan.answers import Answers, PlanNotSafe, PlanRefused, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.runs import directory, kept_arrays, launch
from raidtui.runs.care import planning
from raidtui.runs.journal import Journal, read_state
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import machine_id, read_machine
from tests.lab.guest.brief_runs import ended, newest, raidtui, wait_for
from tests.lab.guest.disk_states import command, create_array, mounted, settle, udev_behind, until, whole
from tests.lab.guest.partitioned import roles, standing

RACK = dict(disks=6, size_mib=96)
NODE, MD = "/dev/md7", Path("/sys/block/md7/md")
FREELY, HELD_BACK = Limits(), Limits(at_most_kib_s=1000)  # a minute and a half for a disk: what is cut goes on by then
DISKS = [f"/dev/sd{letter}" for letter in "abcdef"]


def serials() -> dict[str, str]:
    """By kernel name."""
    return {disk.name: disk.serial for disk in disks_of(read_machine())}


def planned(made: Plan | ByHand) -> Plan:
    """Made in this process, as a command takes its time to start in here."""
    assert isinstance(made, Plan)
    return made


def replaced(old: str, new: str, limits: Limits = FREELY) -> Plan:
    """Where a member failed a moment ago md looks for a spare, and says that it recovers until it has found none."""
    until(lambda: (MD / "sync_action").read_text() == "idle\n")
    return planned(planning.replace(planning.find("md7"), old, new, limits))


def hold_back_no_more() -> None:
    """md does not look at the most that a sync may have before the sync has the least."""
    (MD / "sync_speed_min").write_text("1000000\n")


def digest(file: Path) -> str:
    with file.open("rb") as content:
        os.fsync(content.fileno())
        os.posix_fadvise(content.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # so that it is read from the disks
        return hashlib.file_digest(content, "sha256").hexdigest()


def assert_read_completely(code: str) -> None:
    """By the check's own run: that of the array may be of the same second, and then either is the last by name."""
    before = {*directory.list_runs(directory.runs_root())}
    assert "/dev/md7 was read completely: no mismatches" in raidtui("scrub", "md7", "--confirm", code)
    (checked,) = {*directory.list_runs(directory.runs_root())} - before
    assert read_state(checked / directory.JOURNAL).mismatches[-1].final


def kept_by_a_run(level: str, count: int) -> Path:
    """A run that keeps an array of the first disks, which is not there yet."""
    disks = disks_of(read_machine())
    answers = Answers(disks=tuple(disk.id for disk in disks[:count]), setup=Setup(level=level), after="keep")
    plan = planner.make(answers, recipes.load("quick"), disks, machine_id())
    path = directory.create(plan, directory.runs_root())
    journal = Journal(path / directory.JOURNAL)
    journal.add(events.WorkerStarted(at_s=1.0, schema=1, run=path.name, boot_id="b", pid=1, start_ticks=1))
    assert plan.kept_stage is not None
    journal.add(events.StageStarted(at_s=2.0, stage=plan.kept_stage))
    journal.add(events.StageEnded(at_s=8.0, stage=plan.kept_stage, kept=True))
    journal.add(events.RunEnded(at_s=9.0, outcome="finished", kept=True))
    journal.close()
    return path


def take_apart(nodes: Sequence[str]) -> None:
    """The array, and what its run knows of it."""
    with lock_nodes(DISKS):
        subprocess.run(("mdadm", "--stop", NODE), capture_output=True, check=False)
        subprocess.run(("mdadm", "--zero-superblock", "--force", *nodes), capture_output=True, check=False)
    settle()
    for run in directory.list_runs(directory.runs_root()):
        (run / directory.PLAN).unlink()


@pytest.fixture
def kept() -> Iterator[str]:
    """A RAID 5 of the first three disks, which a run keeps: its id."""
    path = kept_by_a_run("5", 3)
    array = next(stage.array for stage in slots.filled(directory.read_plan(path)).stages if stage.array)
    create_array(NODE, "--level=5", "--raid-devices=3", "--bitmap=internal", f"--uuid={array.uuid}", *DISKS[:3])
    until(lambda: whole("md7"))
    try:
        yield path.name
    finally:
        take_apart(DISKS)


def test_a_check_and_two_replacements_leave_the_file_as_it_was(kept: str, tmp_path: Path) -> None:
    command("mkfs.ext4", "-q", NODE)
    with mounted(NODE, tmp_path / "data"):
        file = tmp_path / "data" / "file"
        file.write_bytes(os.urandom(8 << 20))
        before, serial = digest(file), serials()

        code = planned(planning.check(planning.find(NODE), FREELY)).code
        assert_read_completely(code)

        with pytest.raises(PlanNotSafe, match="is a disk of md7"):
            replaced(serial["sdb"], serial["sdc"])

        command("mdadm", "--fail", NODE, "/dev/sdb")
        words = ("replace", kept, serial["sdb"], serial["sdd"])
        code = replaced(serial["sdb"], serial["sdd"]).code
        assert f"{serial['sdd']} is in sync in /dev/md7" in raidtui(*words, "--confirm", code)
        assert roles() == {"sda": "in sync", "sdd": "in sync", "sdc": "in sync", "sdb": "left out"}
        assert digest(file) == before

        command("mkfs.ext4", "-q", "/dev/sde")  # erased, once it is named
        settle()
        words = ("replace", "md7", serial["sdc"], serial["sde"])
        code = replaced(serial["sdc"], serial["sde"]).code
        raidtui(*words, "--confirm", code, "--erase", serial["sde"])
        lines = [step.line for step in read_state(newest() / directory.JOURNAL).steps]
        assert "mdadm --replace /dev/md7 /dev/sdc --with /dev/sde" in lines
        assert roles() == {"sda": "in sync", "sdd": "in sync", "sde": "in sync", "sdb": "left out", "sdc": "left out"}
        assert digest(file) == before
    array = standing()
    (known,) = kept_arrays.kept_arrays({array.uuid.replace(":", "")}).values()
    ids = {disk.name: disk.id for disk in disks_of(read_machine())}
    assert [disk and disk.id for disk in known.disks] == [ids["sda"], ids["sdd"], ids["sde"]]


def test_a_stop_ends_the_check_and_a_killed_rebuild_is_followed_again(kept: str) -> None:
    root, serial = directory.runs_root(), serials()
    scrub = launch.start(planned(planning.check(planning.find(kept), HELD_BACK)), root)
    wait_for(scrub, lambda state: state.sync and state.sync.done_bytes)
    launch.stop(scrub)
    state = wait_for(scrub, ended)
    assert (state.outcome, state.left, state.settings) == ("stopped", (), {})
    assert (MD / "sync_action").read_text() == "idle\n" and "(system)" in (MD / "sync_speed_max").read_text()

    command("mdadm", "--fail", NODE, "/dev/sda", "--remove", "/dev/sda")
    rebuild = launch.start(replaced(serial["sda"], serial["sdf"], HELD_BACK), root)
    state = wait_for(rebuild, lambda state: state.sync and state.sync.done_bytes)
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    hold_back_no_more()
    report = raidtui("resume", rebuild.name, typed=f"{directory.read_plan(rebuild).code}\n")
    assert "is in sync in /dev/md7" in report and roles()["sdf"] == "in sync"
    state = read_state(rebuild / directory.JOURNAL)
    assert [step.role for step in state.steps].count("add") == 1 and state.settings == {}


def grown(*new: str, limits: Limits = FREELY) -> Plan:
    return planned(planning.grow(planning.find("md7"), new, limits))


def test_an_array_grows_with_its_file_system_over_two_disks_and_its_run_leaves_it_alone(
    kept: str, tmp_path: Path
) -> None:
    command("mkfs.ext4", "-q", NODE)
    command("mkfs.ext4", "-q", "/dev/sde")  # erased, once it is named
    settle()
    folder = tmp_path / "data"
    with mounted(NODE, folder):
        file = folder / "file"
        file.write_bytes(os.urandom(8 << 20))
        before, room, serial = digest(file), os.statvfs(folder).f_blocks, serials()
        for names, why in ((("sdb",), "is a disk of md7"), (("sdd", "sdd"), "twice")):
            with pytest.raises(PlanNotSafe, match=why):
                grown(*map(serial.__getitem__, names))
        with mounted("/dev/sde", tmp_path / "used"), pytest.raises(PlanNotSafe, match="mounted"):
            grown(serial["sde"])

        new = (serial["sdd"], serial["sde"])
        said = raidtui("grow", "md7", *new, "--confirm", grown(*new).code, "--erase", serial["sde"])
        grown_over = dict.fromkeys(("sda", "sdb", "sdc", "sdd", "sde"), "in sync")
        assert "/dev/md7 has 5 disks" in said and roles() == grown_over
        assert os.statvfs(folder).f_blocks > 1.8 * room and digest(file) == before
    array = standing()
    (known,) = kept_arrays.kept_arrays({array.uuid.replace(":", "")}).values()
    assert [disk and disk.id for disk in known.disks] == [
        member.disk and member.disk.id for member in sorted(array.members, key=lambda member: member.slot or 0)
    ]
    assert (known.run, known.grown_by) == (kept, newest().name) and array.grade == "good"
    code = directory.read_plan(directory.runs_root() / kept).code
    assert "which this run's plan does not name" in raidtui("clean", kept, status=3, typed=f"{code}\n")
    command("fsck.ext4", "-fn", NODE)


def test_a_growth_that_is_killed_in_the_reshape_is_followed_again(kept: str, tmp_path: Path) -> None:
    serial = serials()
    folder, limit = tmp_path / "data", MD / "sync_speed_max"
    usual = limit.read_text()
    with udev_behind():
        command("mkfs.ext4", "-q", NODE)
        with mounted(NODE, folder):
            plan = grown(serial["sdd"], limits=HELD_BACK)
    with mounted(NODE, folder):
        file = folder / "file"
        file.write_bytes(os.urandom(8 << 20))
        before = digest(file)
        growth = launch.start(plan, directory.runs_root())
        state = wait_for(growth, lambda state: state.sync and state.sync.done_bytes)
        assert state.worker and state.sync and state.sync.action == "reshape"
        os.kill(state.worker.pid, signal.SIGKILL)
        with pytest.raises(PlanRefused, match=r"is busy \(reshape\)"):
            grown(serial["sde"])
        hold_back_no_more()
        report = raidtui("resume", growth.name, typed=f"{directory.read_plan(growth).code}\n")
        assert "/dev/md7 has 4 disks" in report and digest(file) == before
    state = read_state(growth / directory.JOURNAL)
    given = [step.role for step in state.steps]
    assert [given.count(role) for role in ("add", "reshape", "grow-filesystem")] == [1, 1, 1]
    assert state.settings == {} and state.outcome == "finished" and limit.read_text() == usual


def test_a_stopped_growth_goes_on_by_itself(kept: str) -> None:
    serial = serials()
    growth = launch.start(grown(serial["sdf"], limits=HELD_BACK), directory.runs_root())
    wait_for(growth, lambda state: state.sync and state.sync.done_bytes)
    launch.stop(growth)
    state = wait_for(growth, ended)
    assert (state.outcome, state.left, state.settings) == ("stopped", (), {})
    subprocess.run(("mdadm", "--wait", NODE), check=False)
    assert roles()["sdf"] == "in sync" and (MD / "raid_disks").read_text() == "4\n"


def test_of_an_array_that_no_run_keeps_there_are_lines_alone() -> None:
    create_array(NODE, "--assume-clean", "--level=1", "--raid-devices=2", *DISKS[:2])
    try:
        serial, found = serials(), planning.find("md7")
        lines = planning.replace(found, serial["sda"], serial["sdc"], FREELY)
        assert isinstance(lines, ByHand) and "mdadm --replace /dev/md7 /dev/sda --with /dev/sdc" in lines.lines
        assert isinstance(planning.check(found, FREELY), ByHand)
        assert roles() == {"sda": "in sync", "sdb": "in sync"}
    finally:
        with lock_nodes(DISKS):
            command("mdadm", "--stop", NODE)
            command("mdadm", "--zero-superblock", *DISKS[:2])
        settle()


def is_set_back() -> bool:
    """As md leaves it, by kernel and moment: the check looks complete. Refused while its thread ends."""
    try:
        (MD / "sync_min").write_text("0")
    except OSError as error:
        assert error.errno == errno.EBUSY
        return False
    return True


@pytest.mark.parametrize("level, disks", [("1", 2), ("5", 3), ("10", 4)])
def test_a_check_is_complete_only_if_its_end_was_seen(level: str, disks: int) -> None:
    """md itself need not leave a trace of one that was ended."""
    nodes = DISKS[:disks]
    path = kept_by_a_run(level, disks)
    array = next(stage.array for stage in slots.filled(directory.read_plan(path)).stages if stage.array)
    chunk = () if level == "1" else ("--chunk=64",)
    create_array(NODE, f"--level={level}", f"--raid-devices={disks}", *chunk, "--bitmap=internal",
                 f"--uuid={array.uuid}", *nodes)  # fmt: skip
    until(lambda: whole("md7"))
    try:
        code = planned(planning.check(planning.find(NODE), FREELY)).code  # short: what was read of the members decides
        assert_read_completely(code)

        for looks in (1, 7):  # too few for a rate; enough
            scrub = launch.start(planned(planning.check(planning.find(NODE), HELD_BACK)), directory.runs_root())
            wait_for(scrub, lambda state: state.sync and state.sync.total_bytes)
            for _ in range(looks - 1):
                seen = read_state(scrub / directory.JOURNAL).now_s
                wait_for(scrub, lambda state, seen=seen: state.now_s > seen)  # type: ignore[misc]
            (MD / "sync_action").write_text("idle")
            until(is_set_back)
            state = wait_for(scrub, ended)
            assert state.outcome == "failed" and "was ended by somebody at" in state.reason, (
                level,
                looks,
                state.reason,
            )
            assert not [counted for counted in state.mismatches if counted.final]

        some_seconds, reasons = Limits(at_most_kib_s=12_000), []
        for _ in range(3):  # a kernel that stood still reads what is left at once: that end is not seen
            scrub = launch.start(planned(planning.check(planning.find(NODE), some_seconds)), directory.runs_root())
            state = wait_for(scrub, ended)
            assert (state.outcome == "finished") == state.mismatches[-1].final
            if state.outcome == "finished":
                break
            reasons.append(state.reason)
            assert "was not seen to its end, last at" in state.reason
        assert state.outcome == "finished", reasons
    finally:
        take_apart(nodes)
