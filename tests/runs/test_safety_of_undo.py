"""What a run may undo, and what it must not forget: only what is provably its own, and all of that."""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.disks.machine import Signature
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import undo
from raidtui.core.plan.steps import Command, role_of
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.runs import directory, launch, stages, worker
from raidtui.runs.directory import NotDone
from raidtui.runs.host import Host
from raidtui.runs.journal import Journal, read_state
from raidtui.runs.removal.decision import Consent
from raidtui.runs.status import status_of_run
from raidtui.runs.waiting import Ended, Refused, StepFailed
from raidtui.runs.worker import Opened
from raidtui.system import block
from raidtui.system.health import Celsius
from tests.builders.journals import started
from tests.builders.machines import device
from tests.runs.rig import SEEN, Argv, Rig, WrittenHost, plan_of, run_in

WORKER = started()
NODES = [one.path for one in SEEN.devices]
OTHER = "00000000:00000000:00000000:00000001"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path, plan_of("5"))


def create_fails(rig: Rig, marks: dict[str, str]) -> None:
    """mdadm fails after it has written superblocks of these UUIDs."""

    def answer(argv: Argv) -> Ended:
        if argv[:2] == ("mdadm", "--create"):
            rig.superblocks |= marks
            return Ended(1, "mdadm: RUN_ARRAY failed: Invalid argument")
        if argv[:2] == ("mdadm", "--zero-superblock"):
            del rig.superblocks[argv[-1]]
        return Ended(0, "")

    rig.answer = answer


def cleared(rig: Rig) -> list[Argv]:
    """What was given after the creation, but for waiting."""
    after = [argv[:2] for argv in rig.given].index(("mdadm", "--create")) + 1
    return [argv for argv in rig.given[after:] if argv[0] != "udevadm"]


def uuid_of(rig: Rig) -> str:
    array = rig.plan.stages[-1].array
    assert array
    return array.uuid


def test_that_a_creation_was_tried_is_no_reason_to_wipe_a_member(rig: Rig) -> None:
    create_fails(rig, {})
    outcome, reason, left = rig.go()
    assert (outcome, left) == ("failed", []) and "RUN_ARRAY failed" in reason
    assert cleared(rig) == [] and not rig.executor.refused


def test_of_the_members_only_those_that_carry_its_superblock_are_wiped(rig: Rig) -> None:
    create_fails(rig, {NODES[1]: uuid_of(rig)})
    assert rig.go()[::2] == ("failed", [])
    assert cleared(rig) == [("mdadm", "--zero-superblock", NODES[1]), ("wipefs", "--all", NODES[1])]


def test_the_superblock_of_another_array_is_left_alone_and_said(rig: Rig) -> None:
    create_fails(rig, {NODES[0]: uuid_of(rig), NODES[1]: OTHER})
    outcome, _, left = rig.go()
    assert outcome == "failed" and OTHER in left[0] and "left alone" in left[0] and rig.executor.refused
    assert NODES[1] not in [argv[-1] for argv in cleared(rig)]
    assert rig.superblocks == {NODES[1]: OTHER}


def test_a_member_that_somebody_took_into_use_is_left_alone_and_said(rig: Rig) -> None:
    """A new table of partitions leaves the superblock at 4 KiB as it is."""
    create_fails(rig, {NODES[0]: uuid_of(rig), NODES[1]: uuid_of(rig)})
    rig.partitions = {"sdb": ("sdb1",)}
    outcome, _, left = rig.go()
    serial = rig.plan.members[1].serial
    assert outcome == "failed" and serial in left[0] and "the partition sdb1" in left[0] and "left alone" in left[0]
    assert [argv[-1] for argv in cleared(rig)] == [NODES[0], NODES[0]] and NODES[1] in rig.superblocks


def test_a_member_that_a_program_opened_since_is_left_alone_and_said(rig: Rig) -> None:
    """It holds no claim, so that mdadm would not mind."""
    create_fails(rig, {NODES[0]: uuid_of(rig), NODES[1]: uuid_of(rig)})
    told = f"{NODES[1]} is open in qemu (pid 7)"
    rig.in_use = lambda: {NODES[1]: told} if ("mdadm", "--create") in [argv[:2] for argv in rig.given] else {}
    outcome, _, left = rig.go()
    assert (outcome, left[0]) == ("failed", told) and "md superblock" in left[1]
    assert {argv[-1] for argv in cleared(rig)} == {NODES[0]} and NODES[1] in rig.superblocks


@pytest.mark.parametrize("kind", ["dos", "ext4"])
def test_beside_the_superblock_nothing_may_be_that_the_run_did_not_make(rig: Rig, kind: str) -> None:
    create_fails(rig, {NODES[0]: uuid_of(rig)})
    own = Signature(kind="linux_raid_member", uuid=uuid_of(rig).replace(":", "-"))
    rig.signatures = (own, Signature(kind=kind, uuid="1234"))
    outcome, _, left = rig.go()
    assert outcome == "failed" and f"holds {kind} 1234, which this run did not make" in left[0]
    assert rig.executor.refused
    assert cleared(rig) == []


def test_its_own_signature_is_no_reason_to_leave_a_member_alone(rig: Rig) -> None:
    create_fails(rig, {NODES[0]: uuid_of(rig)})
    rig.signatures = (Signature(kind="linux_raid_member", uuid=uuid_of(rig).replace(":", "").upper()),)
    assert rig.go()[::2] == ("failed", [])
    assert rig.superblocks == {}


@pytest.mark.parametrize("partitions, signed, ours", [((), True, True), (("sda1",), True, False), ((), False, False)])
def test_a_file_system_of_its_own_is_wiped_but_not_beside_partitions(
    tmp_path: Path, partitions: tuple[str, ...], signed: bool, ours: bool
) -> None:
    rig = Rig(tmp_path, plan_of("jbod", filesystem="ext4"))
    stage = rig.plan.stages[-1]
    assert stage.filesystem
    rig.signatures = (Signature(kind="ext4", uuid=stage.filesystem.uuids[0]),) if signed else ()
    rig.partitions = {"sda": partitions}
    rig.executor.begin(1, stage)
    assert rig.executor.context.carries_ours(0) == ours


def test_a_partition_on_the_array_that_the_run_did_not_make_keeps_it_standing(rig: Rig) -> None:
    rig.array = "md127"
    rig.partitions = {"md127": ("md127p1",)}
    past = fold_all([WORKER, events.StageStarted(at_s=2.0, stage=1)])
    outcome, reason, _ = stages.take_back(rig.plan, rig.executor, past)
    assert outcome == "failed" and "the partition /dev/md127p1, which this run did not make" in reason
    assert rig.executor.refused
    assert rig.programs() == []


def test_a_member_that_was_refused_was_not_written(rig: Rig) -> None:
    """Free at the beginning, and not any more when the first command would write to it."""
    looked: list[int] = []

    class Slow:
        """A clock by which each thing takes a minute."""

        def monotonic(self) -> float:
            self.now_s += 60.0
            return self.now_s

        now_s, monotonic_ns, time_ns = 0.0, time.monotonic_ns, time.time_ns

    def in_use() -> dict[str, str]:
        looked.append(1)
        return {} if len(looked) == 1 else {NODES[0]: f"{NODES[0]} is open in tar (pid 7)"}

    rig.in_use, rig.clock = in_use, Slow()
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "open in tar" in reason and len(looked) == 2
    assert rig.programs() == []
    state = read_state(rig.folder / "journal.jsonl")
    assert state.written == () and rig.executor.context.members.written == set()


def test_what_passed_the_check_is_written_before_the_command_begins(rig: Rig) -> None:
    written: list[tuple[str, ...]] = []

    def answer(argv: Argv) -> Ended:
        if argv[0] != "udevadm":
            written.append(read_state(rig.folder / "journal.jsonl").written)
        return Ended(0, "")

    rig.answer = answer
    rig.go()
    assert written[0] == (rig.plan.members[0].id,)  # the baseline of the first member


def test_a_clearing_that_failed_is_not_forgotten(rig: Rig) -> None:
    """Whoever comes next still finds what is left, however often somebody tries in vain."""
    rig.array = "md127"
    rig.in_use = lambda: {"/dev/md127": "sh (pid 7) is in it"}
    past = fold_all(
        [WORKER, events.StageStarted(at_s=2.0, stage=1), events.StepStarted(at_s=3.0, stage=1, what="x", line="x")]
    )
    for _ in range(2):
        outcome, reason, left = stages.take_back(rig.plan, rig.executor, past)
        assert outcome == "failed" and "sh (pid 7)" in reason and left
        ended = events.RunEnded(at_s=9.0, outcome="failed", reason=reason, left=tuple(left))
        past = fold_all([ended], past)
        assert stages.left_behind(past) == left
    assert rig.given == []


PLAN = directory.drawn(plan_of("5"))


KEPT = (WORKER, events.RunEnded(at_s=9.0, outcome="finished", kept=True))
WROTE = events.StepStarted(at_s=3.0, stage=0, what="Create", line="mdadm", members=("wwn-1",))


def test_what_was_left_is_to_be_seen_to(tmp_path: Path) -> None:
    left = events.RunEnded(at_s=9.0, outcome="failed", reason="busy", left=("md127 is busy",))
    found = status_of_run(run_in(tmp_path, PLAN, "run", WORKER, left))
    assert found.unsettled and "not removed: md127 is busy" in found.sentence


def test_what_is_cleared_away_after_the_end_is_not_a_run_going_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = directory.drawn(plan_of("10", after="keep"))
    assert kept.kept_stage is not None
    done = events.StageEnded(at_s=8.0, stage=kept.kept_stage, kept=True)
    clearing = events.StepStarted(at_s=20.0, stage=0, what="Stop", line="mdadm", undoing=True)
    monkeypatch.setattr("raidtui.runs.journal.alive", lambda state: True)
    assert status_of_run(run_in(tmp_path, kept, "run", WORKER, done, KEPT[1], clearing)).word == "clearing"
    assert status_of_run(run_in(tmp_path, kept, "no array", WORKER, clearing)).word == "going on"
    stop = events.StopAsked(at_s=21.0)
    assert status_of_run(run_in(tmp_path, kept, "stopped", WORKER, done, clearing, stop)).word == "stopping"


def test_a_run_of_a_practice_kernel_is_not_called_cut_off_by_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker lives, or not, under another kernel: nobody here can tell."""
    monkeypatch.setattr(directory, "practice_folder", lambda: tmp_path)
    found = status_of_run(run_in(tmp_path / "runs", PLAN, "run", WORKER))
    assert found.word == "elsewhere" and not found.unsettled and "belongs to another practice machine" in found.sentence
    ended = status_of_run(run_in(tmp_path / "runs", PLAN, "ended", WORKER, KEPT[1]))
    assert ended.word == "finished"
    ours = run_in(tmp_path / "runs", PLAN, "ours", replace(WORKER, boot_id=block.boot_id()))
    assert status_of_run(ours).word == "cut off"


def opened(path: Path) -> Opened:
    rig = Rig(path, directory.read_plan(path))
    return Opened(path, rig.plan, rig.journal, rig.executor, rig.journal.state, rig)


def test_a_kept_array_is_not_gone_on_with(tmp_path: Path, as_worker: None) -> None:
    """Somebody's data are on it by now: neither the command nor the worker itself takes it down for a trial."""
    path = run_in(tmp_path, PLAN, "run", *KEPT)
    before = read_state(path / directory.JOURNAL)
    assert before.kept and not before.is_complete(trial.id for trial in directory.read_plan(path).trials)
    with pytest.raises(NotDone, match="is kept") as refused:
        launch.resume(path)
    assert refused.value.refused
    with pytest.raises(Refused, match="is kept"):
        worker.resume(path, WrittenHost())
    assert read_state(path / directory.JOURNAL) == before


@pytest.mark.parametrize(
    "told, blocks",
    [
        ((), False),
        ((WORKER,), False),
        ((WORKER, events.RunEnded(at_s=9.0, outcome="failed", reason="refused")), False),
        ((WORKER, WROTE), True),
    ],
)
def test_a_newer_run_is_in_the_way_only_if_it_has_written(
    tmp_path: Path, told: tuple[events.AnyEvent, ...], blocks: bool
) -> None:
    older = opened(run_in(tmp_path, PLAN, "20260101T000000Z-0000", WORKER, WROTE))
    newer = run_in(tmp_path, PLAN, "20260101T000001Z-0000", *told)
    assert worker._newer(older) == (newer.name if blocks else None)


def test_an_array_that_another_run_keeps_is_in_the_way_also_where_the_clock_was_set_back(tmp_path: Path) -> None:
    older = opened(run_in(tmp_path, PLAN, "20260102T000000Z-0000", WORKER, WROTE))
    kept = run_in(tmp_path, PLAN, "20260101T000000Z-0000", WORKER, WROTE, KEPT[1])
    assert worker._newer(older) == kept.name


def test_where_another_run_cannot_be_read_nobody_knows_whose_array_stands(tmp_path: Path) -> None:
    older = opened(run_in(tmp_path, PLAN, "20260101T000000Z-0000", WORKER, WROTE))
    other = run_in(tmp_path, PLAN, "20260102T000000Z-0000", WORKER)
    (other / directory.PLAN).write_bytes(b"{")
    with pytest.raises(StepFailed, match=f"{other.name} cannot be read"):
        worker._newer(older)
    (other / directory.JOURNAL).unlink()  # no worker has come to it: it is none that stands in the way
    assert worker._newer(older) is None


def test_settings_are_put_back_also_when_their_array_is_gone(rig: Rig) -> None:
    other = rig.folder / "speed_limit"
    other.write_text("6000")
    array_s = "/sys/block/{array}/md/stripe_cache_size"
    rig.settings["/proc/sys/dev/raid/speed_limit_max"] = other
    for path, old in (("/proc/sys/dev/raid/speed_limit_max", "200000"), (array_s, "256")):
        rig.journal.add(events.SettingChanged(at_s=1.0, path=path, old=old, new="6000"))
    rig.executor.restore_settings()
    assert other.read_text() == "200000"
    assert rig.journal.state.settings == {} and rig.journal.state.warnings == ()  # it went with its array


def test_a_setting_that_cannot_be_put_back_is_kept_in_mind(rig: Rig) -> None:
    rig.journal.add(events.SettingChanged(at_s=1.0, path=str(rig.folder / "gone" / "x"), old="1", new="2"))
    rig.executor.restore_settings()
    assert len(rig.journal.state.settings) == 1 and "could not be set back to 1" in rig.journal.state.warnings[0]


def test_a_setting_that_does_not_take_is_told_and_kept_in_mind(rig: Rig) -> None:
    rig.settings["/sys/null"] = Path("/dev/null")
    rig.journal.add(events.SettingChanged(at_s=1.0, path="/sys/null", old="128", new="4096"))
    rig.executor.restore_settings()
    state = rig.journal.state
    assert list(state.settings) == ["/sys/null"]
    assert "could not be set back to 128: the kernel says 'nothing' afterwards" in state.warnings[0]


def test_what_is_no_setting_of_the_kernel_is_not_put_back(rig: Rig) -> None:
    file = rig.folder / "shadow"
    file.write_text("root")
    rig.journal.add(events.SettingChanged(at_s=1.0, path=str(file), old="mine", new="x"))
    rig.executor.restore_settings()
    assert file.read_text() == "root" and "is no setting of the kernel" in rig.journal.state.warnings[0]


def test_before_there_is_an_array_no_member_carries_it(rig: Rig) -> None:
    assert rig.plan.stages[0].array is None
    rig.executor.begin(0, rig.plan.stages[0])
    assert not rig.executor.context.carries_array(0)


def test_an_array_on_a_disk_that_the_plan_does_not_name_is_left_alone(rig: Rig) -> None:
    """The owner of a kept array has replaced a disk, or a UUID of another was written into the plan."""
    rig.array = "md127"
    rig.seen = replace(SEEN, devices=(*SEEN.devices[:2], device("sdx")))
    rig.stands_on = ("sda", "sdb", "sdx")
    past = fold_all([WORKER, events.StageStarted(at_s=2.0, stage=1)])
    for course in (stages.take_back, stages.keep_array):
        outcome, reason, _ = course(rig.plan, rig.executor, past)
        assert outcome == "failed" and "is on sdx, which this run's plan does not name" in reason
    with pytest.raises(StepFailed, match="is on sdx"):
        rig.executor.context.device_of("array")
    assert rig.programs() == [] and rig.array == "md127"


@pytest.mark.parametrize(
    "setup, says",
    [
        ({"level": "5", "first_sync": "skip"}, "parity is not valid"),
        ({"level": "10", "first_sync": "wait", "failed": 1}, "failed on purpose"),
        ({"level": "5", "first_sync": "wait"}, ""),
        ({"level": "1", "first_sync": "skip"}, ""),
    ],
)
def test_an_array_that_would_lose_data_is_not_let_stand(rig: Rig, setup: dict[str, Any], says: str) -> None:
    rig.array = "md127"
    built = replace(rig.plan.stages[1], setup=Setup(**setup))
    plan = replace(rig.plan, stages=(rig.plan.stages[0], built, *rig.plan.stages[2:]))
    past = fold_all([WORKER, events.StageStarted(at_s=2.0, stage=1)])
    outcome, reason, _ = stages.keep_array(plan, rig.executor, past)
    assert (outcome, says in reason) == ("failed" if says else "finished", True)


@pytest.mark.parametrize("way", [worker.resume, worker.look_at, worker.clear_away, worker.keep])
def test_a_run_of_another_machine_is_left_alone(
    tmp_path: Path, as_worker: None, way: Callable[[Path, Host], object]
) -> None:
    """A folder may come along with a cloned system, or lie on a disk that several see: here its disks are others'."""
    path = run_in(tmp_path, PLAN, "run", WORKER)
    host = WrittenHost()
    host.identity = "another machine"
    with pytest.raises(Refused, match="made on another machine"):
        way(path, host)


def test_a_run_of_which_nothing_can_be_read_is_cleared_away_and_not_gone_on_with(
    tmp_path: Path, as_worker: None
) -> None:
    """As a power cut may leave its journal: what it had built is not known, and its first line would go over it."""
    path = run_in(tmp_path, PLAN, "run", WORKER)
    os.utime(path / directory.PLAN, (1.0, 1.0))
    journal, lost = path / directory.JOURNAL, b"\x00" * 4096
    journal.write_bytes(lost)
    for way in (worker.resume, worker.look_at):
        with pytest.raises(Refused, match=r"none can be read; `raidtui clean"):
            way(path, WrittenHost(), Consent(code=PLAN.code))
        assert journal.read_bytes() == lost
    worker.clear_away(path, WrittenHost(), Consent(code=PLAN.code))
    assert status_of_run(path).settled


@pytest.mark.parametrize("way", [worker.resume, worker.clear_away])
def test_what_another_worker_did_until_the_lock_was_had_is_known(
    tmp_path: Path, as_worker: None, way: Callable[[Path, Host], object]
) -> None:
    """Two people at once: the second one's worker comes to the lock while the first one's ends."""
    path = run_in(tmp_path, PLAN, "run", WORKER)

    class Late(WrittenHost):
        """The lock is had when the other worker has let go of it."""

        def lock_run(self, run: Path, identities: Iterable[str]) -> AbstractContextManager[None]:
            journal = Journal(path / directory.JOURNAL)
            journal.add(replace(KEPT[1], kept=way is worker.resume))
            journal.close()
            return nullcontext()

    with pytest.raises(StepFailed, match=r"is kept|left nothing to remove"):
        way(path, Late())


def test_a_look_that_a_step_did_not_come_to_is_not_made_for_the_next_one(tmp_path: Path) -> None:
    """Of a test that is too hot to begin. The array is stopped then, and its members are its own, not in the way."""
    rig = Rig(tmp_path, plan_of())
    rig.build()
    alone, on_array = rig.plan.stages
    test = next(step for step in alone.steps if isinstance(step, Command) and step.trial)
    create = next(step for step in on_array.steps if role_of(step) == "create")
    stop = next(step for step in undo((create,)) if role_of(step) == "stop")
    rig.executor.begin(1, on_array)
    rig.executor.carry_out(create)
    rig.celsius = lambda names: {names[0]: Celsius(90.0, None, 85.0)}
    with pytest.raises(StepFailed, match="90 °C"):
        rig.executor.carry_out(test)
    rig.in_use = lambda: {"/dev/sda": "/dev/sda is in use by md127"}
    rig.executor.carry_out(stop, undoing=True)
    assert rig.array is None
