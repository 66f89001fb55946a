"""What a worker refuses before its first line, in each way that it is started for, and how its end is told."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import Measurement
from raidtui.core.run import events
from raidtui.runs import after, directory, launch, locks, stages, worker
from raidtui.runs.host import Host
from raidtui.runs.journal import Journal, read_state
from raidtui.runs.member_guard import MembersError
from raidtui.runs.removal import decision
from raidtui.runs.removal.decision import NOBODYS, Consent
from raidtui.runs.waiting import Refused, StepFailed
from raidtui.system import block
from tests.builders.journals import started
from tests.runs import permanent_rig
from tests.runs.permanent_rig import CONF
from tests.runs.rig import FINISHED, WrittenHost, plan_of, run_in

Way = Callable[[Path, Host, Consent], object]
WAYS: tuple[Way, ...] = (
    *(worker.resume, worker.settle, worker.look_at, worker.look_to_remove, worker.clear_away, worker.keep, worker.undo),
)
PLAN = directory.drawn(plan_of("1", after="keep"))
MADE = directory.drawn(permanent_rig.PLAN)
LAST = len(PLAN.stages) - 1
WORKER = started("run")
BEGUN = (WORKER, events.StageStarted(at_s=2.0, stage=LAST))
WROTE = events.StepStarted(at_s=3.0, stage=0, what="x", line="fio", role="measure", members=(PLAN.members[0].id,))
HOLDS = (*BEGUN, events.StageEnded(at_s=5.0, stage=LAST, kept=True))
FAILED = events.RunEnded(at_s=9.0, outcome="failed")
KEPT = events.RunEnded(at_s=9.0, outcome="finished", kept=True)
MEASURED = [
    events.TrialEnded(at_s=4.0, trial=trial.id, measurement=Measurement(name=trial.id, status="ok"))
    for trial in PLAN.trials
]


def refused(path: Path, way: Way, host: WrittenHost | None = None) -> StepFailed:
    """Before anything of the run was touched."""
    before = (path / directory.JOURNAL).read_bytes()
    host = host or WrittenHost()
    with pytest.raises(StepFailed) as failed:
        way(path, host, NOBODYS)
    assert (path / directory.JOURNAL).read_bytes() == before
    return failed.value


def this_process() -> events.WorkerStarted:
    pid = os.getpid()
    return replace(WORKER, boot_id=block.boot_id(), pid=pid, start_ticks=block.start_ticks(pid) or 0)


class Busy(WrittenHost):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def lock_run(self, run: Path, identities: Iterable[str]) -> AbstractContextManager[None]:
        raise self.error


@pytest.mark.parametrize("way", [worker.carry_out, *WAYS])
def test_a_run_has_one_worker_which_is_named_before_its_lock(tmp_path: Path, as_worker: None, way: Way) -> None:
    path = run_in(tmp_path, PLAN, "run", this_process())
    failed = refused(path, way, None if way is worker.carry_out else Busy(locks.DiskLocked("another worker is at it")))
    assert str(failed) == "run is running; stop it first: `raidtui stop run`" and not isinstance(failed, Refused)


@pytest.mark.parametrize("way", WAYS)
def test_a_worker_that_began_until_the_lock_was_had_is_seen(tmp_path: Path, as_worker: None, way: Way) -> None:
    path = run_in(tmp_path, PLAN, "run", *BEGUN)

    class Late(WrittenHost):
        def lock_run(self, run: Path, identities: Iterable[str]) -> AbstractContextManager[None]:
            journal = Journal(path / directory.JOURNAL)
            journal.add(this_process())
            journal.close()
            return nullcontext()

    with pytest.raises(StepFailed, match="is running"):
        way(path, Late(), NOBODYS)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", [locks.DiskLocked("another run holds the disk"), OSError("no room for its lock")])
def test_a_disk_that_cannot_be_locked_is_refused_only_where_somebody_has_it(
    tmp_path: Path, as_worker: None, way: Way, error: Exception
) -> None:
    failed = refused(run_in(tmp_path, PLAN, "run", *BEGUN), way, Busy(error))
    assert str(failed) == str(error) and isinstance(failed, Refused) == isinstance(error, locks.DiskLocked)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_run_is_carried_out_in_no_way(tmp_path: Path, as_worker: None, way: Way) -> None:
    copied = (replace(BEGUN[0], run="20260101T000000Z-abcd"), *BEGUN[1:])
    failed = refused(run_in(tmp_path, PLAN, "run", *copied), way)
    assert str(failed) == "run is a copy of the run 20260101T000000Z-abcd: it can be read, not carried out"
    assert isinstance(failed, Refused)


@pytest.mark.parametrize("way", WAYS)
def test_nor_is_one_whose_array_a_later_run_of_its_plan_may_have(tmp_path: Path, as_worker: None, way: Way) -> None:
    run_in(tmp_path, PLAN, "s-later", WORKER, WROTE)
    failed = refused(run_in(tmp_path, PLAN, "run", *BEGUN), way)
    assert "run s-later carried out the same plan later, and owns the array" in str(failed)
    assert isinstance(failed, Refused)


def test_one_of_another_plan_is_not_in_the_way(tmp_path: Path, as_worker: None) -> None:
    run_in(tmp_path, directory.drawn(plan_of("1", after="keep")), "s-later", WORKER, WROTE)
    worker.look_at(run_in(tmp_path, PLAN, "run", *BEGUN), WrittenHost())


Told = tuple[events.AnyEvent, ...]
STATES: list[tuple[Way, Told, str, bool]] = [  # the way, what the journal has, what is said, is it for safety?
    (worker.resume, (*BEGUN, *MEASURED, KEPT), "run is finished; nothing to resume", False),
    (worker.look_at, (*BEGUN, *MEASURED, KEPT), "run is finished; nothing to resume", False),
    (worker.resume, (*BEGUN, KEPT), "the array of run is kept; `raidtui clean run` removes it", True),
    (worker.settle, BEGUN, launch.not_kept("run"), True),
    (worker.clear_away, (*BEGUN, FAILED), "run left nothing to remove", False),
    (worker.keep, (*BEGUN, FAILED), "run has ended; its leftovers can only be removed", False),
    (worker.undo, (*BEGUN, KEPT), "run has no entries in mdadm.conf or fstab", False),
    (
        worker.undo,
        (*BEGUN, events.FileEdited(at_s=4, path=CONF, lines=("x",), mark="raidtui run")),
        "run has no entries in mdadm.conf or fstab",  # its plan has no part that makes any
        False,
    ),
    (
        worker.resume,
        (WORKER, events.StageStarted(at_s=2.0, stage=LAST + 1)),
        f"the journal of run is not of its plan, which has no part {LAST + 1}",
        False,
    ),
]


@pytest.mark.parametrize("way, told, says, for_safety", STATES)
def test_what_is_not_to_be_done_to_a_run_of_this_state(
    tmp_path: Path, as_worker: None, way: Way, told: Told, says: str, for_safety: bool
) -> None:
    failed = refused(run_in(tmp_path, PLAN, "run", *told), way)
    assert (str(failed), isinstance(failed, Refused)) == (says, for_safety)


def test_what_was_never_written_is_not_undone(tmp_path: Path, as_worker: None) -> None:
    begun = (WORKER, events.StageStarted(at_s=2.0, stage=len(MADE.stages) - 2), KEPT)
    failed = refused(run_in(tmp_path, MADE, "run", *begun), worker.undo)
    assert str(failed) == "run has no entries in mdadm.conf or fstab"


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_member_that_is_gone_fails_and_any_other_look_refuses(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch, is_gone: bool
) -> None:
    def looked(*_: object, **__: object) -> None:
        raise MembersError("its disk", is_gone=is_gone)

    monkeypatch.setattr(worker, "before_course", looked)
    for way in (worker.resume, worker.clear_away):
        failed = refused(run_in(tmp_path / way.__name__, PLAN, "run", *BEGUN), way)
        assert (str(failed), isinstance(failed, Refused)) == ("its disk", not is_gone)


@pytest.mark.parametrize("way", [worker.resume, worker.look_at])
def test_the_number_of_a_witness_is_for_a_run_that_waits_for_one(tmp_path: Path, as_worker: None, way: Way) -> None:
    path = run_in(tmp_path, PLAN, "run", *BEGUN)
    with pytest.raises(Refused, match=r"^run: no power cut is due"):
        way(path, WrittenHost(), replace(NOBODYS, acknowledged=5))


@pytest.mark.parametrize(
    "told",
    [
        (*BEGUN, replace(FAILED, left=("its array",))),
        (*BEGUN, events.SettingChanged(at_s=3.0, path="/sys/x", old="1", new="2"), FAILED),
        (*BEGUN, KEPT),
        BEGUN,
    ],
)
def test_whatever_a_run_left_is_a_reason_to_clear_it_away(
    tmp_path: Path, as_worker: None, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "take_back", lambda *_: FINISHED)
    path = run_in(tmp_path, PLAN, "run", *told)
    before = read_state(path / directory.JOURNAL)
    worker.clear_away(path, WrittenHost(), Consent(arrays=tuple(_names())))
    state = read_state(path / directory.JOURNAL)
    assert (state.kept, state.left, state.refused) == (False, (), False)
    died = "its worker died; removed later"
    assert (state.outcome, state.reason) == (("failed", died) if not before.ended else (before.outcome, before.reason))


def _names() -> list[str]:
    return [stage.array.name for stage in PLAN.stages if stage.array]


COURSES: list[tuple[Way, str, Told]] = [
    (worker.clear_away, "take_back", (*HOLDS, KEPT)),
    (worker.keep, "keep_array", BEGUN),
    (worker.undo, "undo_permanence", (*HOLDS, events.FileEdited(at_s=6, path=CONF, lines=("x",), mark="m"), KEPT)),
]


@pytest.mark.parametrize("way, course, told", COURSES)
@pytest.mark.parametrize("for_safety", [True, False])
def test_a_course_that_fails_is_told_with_what_it_left(
    tmp_path: Path,
    as_worker: None,
    way: Way,
    course: str,
    told: Told,
    for_safety: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(plan: object, executor: object, past: object) -> stages.Outcome:
        executor.refused = for_safety  # type: ignore[attr-defined]
        return "failed", "it is in use", ["its array"]

    monkeypatch.setattr(stages, course, fails)
    path = run_in(tmp_path, MADE if course == "undo_permanence" else PLAN, "run", *told)
    before = read_state(path / directory.JOURNAL)
    with pytest.raises(StepFailed, match=r"^it is in use$") as failed:
        way(path, WrittenHost(), Consent(arrays=tuple(_names())))
    assert isinstance(failed.value, Refused) == for_safety
    state = read_state(path / directory.JOURNAL)
    assert (state.left, state.kept, state.outcome) == (("its array",), before.kept, before.outcome or "failed")


@pytest.mark.parametrize("array, kept", [("md127", True), (None, False)])
def test_what_a_person_keeps_of_a_killed_run_is_kept_if_it_is_whole(
    tmp_path: Path, as_worker: None, array: str | None, kept: bool
) -> None:
    host = WrittenHost()
    host.array = array
    path = run_in(tmp_path, PLAN, "run", *BEGUN)
    if kept:
        worker.keep(path, host)
    else:
        with pytest.raises(StepFailed, match="no complete array of this run"):
            worker.keep(path, host)
    state = read_state(path / directory.JOURNAL)
    assert (state.outcome, state.kept, bool(state.left)) == ("failed", kept, not kept)
    assert state.reason == (
        "its worker died; the array was kept" if kept else "no complete array of this run; remove its leftovers instead"
    )


def test_nothing_is_begun_where_a_program_is_missing_or_a_setting_is_not_the_runs(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = WrittenHost()
    monkeypatch.setattr(stages, "go", lambda *_: pytest.fail("it was begun"))
    for says, where, name in (
        ("fio is not installed", host, "missing_for_run"),
        ("run x has settings of these disks", worker, "put_back"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(where, name, lambda *_, says=says: says)
            path = run_in(tmp_path, PLAN, f"run {name}")
            assert worker.carry_out(path, host) == "failed"
        state = read_state(path / directory.JOURNAL)
        assert (state.reason, state.refused, state.kept) == (says, False, False)


def test_a_worker_signs_its_first_line(tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[bool] = []

    def go(plan: object, executor: object, past: object) -> stages.Outcome:
        os.kill(os.getpid(), signal.SIGTERM)
        went.append(executor.waiter.stop_asked)  # type: ignore[attr-defined]
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN and Path.cwd() == path
        return "stopped", "stopped on request", []

    monkeypatch.setattr(stages, "go", go)
    path = run_in(tmp_path, PLAN, "run")
    assert worker.carry_out(path, WrittenHost(), Consent(code=PLAN.code)) == "stopped" and went == [True]
    state = read_state(path / directory.JOURNAL)
    resolved = {member.id: f"/dev/{member.name}" for member in PLAN.members}
    told = state.worker
    assert told and (told.run, told.pid, told.boot_id, told.host) == (
        "run",
        os.getpid(),
        WrittenHost().boot_id(),
        "server",
    )
    assert told.start_ticks == block.start_ticks(os.getpid()) and told.resolved == resolved
    assert (state.outcome, state.reason, state.run) == ("stopped", "stopped on request", "run")


def test_a_report_that_cannot_be_written_is_no_end_of_the_run(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(stages, "go", lambda *_: FINISHED)
    for name in ("write_report", "write_documents"):
        monkeypatch.setattr(after, name, fails)
    assert worker.carry_out(run_in(tmp_path, PLAN, "run"), WrittenHost()) == "finished"
    told = capfd.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in told] == ["no report written", "no hand-over written"]
    with Path("/dev/full").open("w") as log:  # its log, on the same disk
        monkeypatch.setattr("sys.stderr", log)
        assert worker.carry_out(run_in(tmp_path, PLAN, "another"), WrittenHost()) == "finished"
        monkeypatch.undo()
        with suppress(OSError):
            log.close()


ENDS: list[tuple[object, object, str, bool]] = [  # what the way does, the status, what is printed, who asked is told
    ("finished", 0, "", True),
    ("stopped", 130, "", True),
    ("refused", launch.REFUSED, "", True),
    ("failed", 1, "", True),
    (None, 0, "", False),
    (StepFailed("it failed"), 1, "it failed\n", False),
    (Refused("it is in use"), launch.REFUSED, "it is in use\n", False),
    (
        decision.NameNeeded("its name, please", "store", "holds 'a'"),
        launch.NAME_NEEDED,
        "holds 'a'\nstore\nits name, please\n",
        False,
    ),
]


@pytest.mark.parametrize("does, status, printed, notified", ENDS)
def test_how_it_ended_is_the_status(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    does: object, status: int, printed: str, notified: bool,
) -> None:  # fmt: skip
    told: list[Path] = []
    given: list[Consent] = []

    def way(path: Path, host: Host, consent: Consent) -> object:
        given.append(consent)
        if isinstance(does, Exception):
            raise does
        return does

    path = run_in(tmp_path, PLAN, "run")
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    monkeypatch.setattr(after, "notify", told.append)
    monkeypatch.setattr(worker, "carry_out", way)
    monkeypatch.setattr("sys.argv", ["worker", "--start", str(path), PLAN.code, "typed"])
    with pytest.raises(SystemExit) as ended:
        worker.main()
    assert (ended.value.code, capfd.readouterr().err) == (status, printed)
    assert told == [path] * notified and given == [Consent(code=PLAN.code, typed=True)]


def test_a_run_elsewhere_is_no_workers(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = run_in(tmp_path, PLAN, "run")
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path / "runs")
    monkeypatch.setattr("sys.argv", ["worker", "--start", str(path), PLAN.code])
    with pytest.raises(SystemExit) as ended:
        worker.main()
    assert ended.value.code == launch.REFUSED and "can be read, not carried out" in capfd.readouterr().err
    assert not read_state(path / directory.JOURNAL).worker


class Locking(WrittenHost):
    """`locked`: members that are kept from udev's probing."""

    locked: frozenset[str] = frozenset()

    @contextmanager
    def lock_nodes(self, paths: Sequence[str]) -> Iterator[None]:
        self.locked = self.locked | {*paths}
        yield
        self.locked = self.locked - {*paths}


@pytest.mark.parametrize("fails", [True, False])
def test_a_worker_lets_go_of_all_that_it_held(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    host = Locking()

    def go(plan: object, executor: object, past: object) -> stages.Outcome:
        executor.context.members.look()  # type: ignore[attr-defined]
        executor.context.members.hold(True)  # type: ignore[attr-defined]
        assert host.locked == {f"/dev/{member.name}" for member in PLAN.members}
        if fails:
            raise KeyError("x")
        return "finished", "", []

    monkeypatch.setattr(stages, "go", go)
    path = run_in(tmp_path, PLAN, "run")
    wakeup = signal.set_wakeup_fd(-1)
    files = len([*Path("/proc/self/fd").iterdir()])
    with pytest.raises(KeyError) if fails else nullcontext():
        worker.carry_out(path, host)
    signal.set_wakeup_fd(wakeup)
    assert not host.locked
    assert len([*Path("/proc/self/fd").iterdir()]) == files + 2, "but for its pipe, which goes with the process"


@pytest.mark.parametrize("words", [["--stop", "run", "code"], ["--start", "run"], ["--start"], []])
def test_a_worker_takes_its_way_its_run_and_its_code(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr("sys.argv", ["worker", *words])
    with pytest.raises(SystemExit) as ended:
        worker.main()
    assert ended.value.code == (
        "usage: python -m raidtui.runs.worker"
        " --start | --resume | --settle | --look | --look-to-remove | --clean | --keep | --undo RUN_DIRECTORY CODE …"
    )


def test_it_is_a_program() -> None:
    told = subprocess.run([sys.executable, "-m", "raidtui.runs.worker"], capture_output=True, text=True, check=False)
    assert told.returncode == 1 and told.stderr.startswith("usage: python -m raidtui.runs.worker --start | ")
