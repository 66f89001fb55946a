"""Whose array it is that stands: two runs of one plan make two that nobody can take for each other."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.plan import model, slots
from raidtui.core.plan.model import Plan, confirmation_code
from raidtui.runs import directory, launch, locks, stages, worker
from raidtui.runs.journal import read_state
from raidtui.runs.removal.decision import Consent
from raidtui.runs.waiting import Refused, StepFailed
from tests.runs.cut_off import creation, cut_off
from tests.runs.rig import Rig, WrittenHost, plan_of


@pytest.fixture
def plan() -> Plan:
    return plan_of("5", filesystem="xfs")


def edited(path: Path, how: str) -> None:
    """Somebody changed what a step says, or put another plan there, whole with its code; or another version made it."""
    plan = directory.read_plan(path)
    if how == "words":
        text = model.encode(plan).replace(b'"Stop the array"', b'"Stop it"')
    elif how == "another":
        first, *others = plan.stages
        other = replace(plan, stages=(replace(first, title="Another"), *others))
        text = model.encode(replace(other, code=confirmation_code(other)))
    else:
        text = model.encode(replace(plan, schema=plan.schema + 1))
    (path / directory.PLAN).write_bytes(text)


_SAYS = {
    "words": "its code does not fit",
    "schema": "another version made the plan",
    "another": "the plan is not the one that was confirmed: its code is",
}
_WAYS = [
    worker.resume,
    worker.settle,
    worker.look_at,
    worker.look_to_remove,
    worker.clear_away,
    worker.keep,
    worker.undo,
]


@pytest.mark.parametrize("how", _SAYS)
@pytest.mark.parametrize("way", _WAYS)
def test_a_plan_that_was_not_confirmed_is_carried_out_in_no_way(
    tmp_path: Path, plan: Plan, as_worker: None, how: str, way: object
) -> None:
    path = directory.create(plan, tmp_path)
    host = cut_off(path, creation(path))
    host.array = "md127"
    edited(path, how)
    before = read_state(path / directory.JOURNAL)
    with pytest.raises(Refused, match=_SAYS[how]):
        way(path, host, Consent(code=plan.code))  # type: ignore[operator]
    assert read_state(path / directory.JOURNAL) == before


@pytest.mark.parametrize("how", _SAYS)
def test_nor_is_it_begun(tmp_path: Path, plan: Plan, as_worker: None, how: str) -> None:
    path = directory.create(plan, tmp_path)
    edited(path, how)
    assert worker.carry_out(path, WrittenHost(), Consent(code=plan.code)) == "refused"
    state = read_state(path / directory.JOURNAL)
    assert _SAYS[how] in state.reason
    assert state.ended and state.steps == () and state.refused


@pytest.mark.parametrize(
    "error, refused", [(locks.DiskLocked("another run holds the disk"), True), (OSError(28), False)]
)
def test_a_run_whose_disk_another_run_holds_is_refused(
    tmp_path: Path, plan: Plan, as_worker: None, error: Exception, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock_run(*_: object) -> None:
        raise error

    host = WrittenHost()
    monkeypatch.setattr(host, "lock_run", lock_run)
    path = directory.create(plan, tmp_path)
    assert worker.carry_out(path, host) == "failed"
    state = read_state(path / directory.JOURNAL)
    assert (state.reason, state.refused) == (str(error), refused)


def test_each_run_of_one_plan_makes_another_array_and_both_have_its_code(tmp_path: Path, plan: Plan) -> None:
    runs = [directory.read_plan(directory.create(plan, tmp_path)) for _ in range(2)]
    assert plan.uuids == () and {run.code for run in runs} == {confirmation_code(run) for run in runs} == {plan.code}
    made = [slots.filled(run) for run in runs]
    assert not slots.made_by(made[0].stages) & slots.made_by(made[1].stages)
    first, second = (one.stages[-1].array for one in made)
    assert first and second and first.name != second.name and first.name == f"raidtui-{first.uuid[:8]}"
    (command,) = (step for step in made[0].stages[-1].steps if "--create" in getattr(step, "argv", ()))
    assert f"--uuid={first.uuid}" in command.argv and f"--name={first.name}" in command.argv  # type: ignore[union-attr]
    assert "{uuid" not in model.encode(made[0]).decode() and "{name" not in model.encode(made[0]).decode()


def test_a_plan_whose_uuids_were_not_drawn_is_carried_out_by_nobody(
    tmp_path: Path, plan: Plan, as_worker: None
) -> None:
    path = directory.create(plan, tmp_path)
    (path / directory.PLAN).write_bytes(model.encode(plan))
    assert worker.carry_out(path, WrittenHost()) == "refused"
    assert "they were not drawn" in read_state(path / directory.JOURNAL).reason


@pytest.mark.parametrize("way", [worker.resume, worker.clear_away])
def test_an_array_that_the_journal_does_not_know_is_not_taken_apart_without_the_code(
    tmp_path: Path, plan: Plan, as_worker: None, way: object
) -> None:
    path = directory.create(plan, tmp_path)
    host = cut_off(path)
    before = read_state(path / directory.JOURNAL)
    with pytest.raises(StepFailed, match="does not tell that it made the array"):
        way(path, host)  # type: ignore[operator]
    assert read_state(path / directory.JOURNAL) == before and len(host.superblocks) == 3


@pytest.mark.parametrize("known", [True, False])
def test_what_the_journal_knows_or_the_code_was_typed_for_is_taken_apart(
    tmp_path: Path, plan: Plan, as_worker: None, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = directory.create(plan, tmp_path)
    host = cut_off(path, *([creation(path)] if known else []))
    went: list[bool] = []

    def take_back(*_: object) -> stages.Outcome:
        went.append(True)
        return "finished", "", []

    monkeypatch.setattr(stages, "take_back", take_back)
    worker.clear_away(path, host, Consent(typed=not known))
    assert went == [True]


def test_what_a_run_creates_is_in_its_journal_before(tmp_path: Path, plan: Plan) -> None:
    rig = Rig(tmp_path, replace(plan))
    rig.build()
    rig.go()
    array = rig.plan.stages[-1].array
    assert array and rig.journal.state.created == (array.uuid,)


@pytest.mark.parametrize(
    "option", ["--start", "--resume", "--settle", "--look", "--look-to-remove", "--clean", "--keep", "--undo"]
)
def test_a_worker_is_given_the_code_for_every_way_and_refuses_a_plan_that_has_another(
    tmp_path: Path, plan: Plan, as_worker: None, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    path = directory.create(plan, tmp_path)
    monkeypatch.setattr(worker, "LocalHost", WrittenHost)
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    for arguments, status in (([], "usage"), (["typed"], launch.REFUSED), (["abcdef01"], launch.REFUSED)):
        monkeypatch.setattr("sys.argv", ["worker", option, str(path), *arguments])
        with pytest.raises(SystemExit) as ended:
            worker.main()
        assert str(ended.value.code).startswith(str(status)), arguments
