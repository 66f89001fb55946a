"""An array that stays: kept from the end of its stage on, whatever becomes of the worker, until it is taken apart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.run import events, journal_lines
from raidtui.runs import directory, launch, stages, worker
from raidtui.runs.directory import NotDone
from raidtui.runs.host import Host
from raidtui.runs.journal import read_state
from raidtui.runs.removal.decision import Consent
from raidtui.runs.status import status_of_run
from raidtui.runs.waiting import Ended, Refused
from tests.builders.journals import started
from tests.runs.rig import Rig, WrittenHost, plan_of, run_in

WORKER = started()
ENDED = events.RunEnded(at_s=9.0, outcome="finished", kept=True)
STAYS = directory.drawn(plan_of("1", after="keep"))
LAST = len(STAYS.stages) - 1
MEASURED = [
    events.TrialEnded(at_s=4.0, trial=trial.id, measurement=Measurement(name=trial.id, status="ok"))
    for trial in STAYS.trials
]
OLD_STATES: tuple[events.AnyEvent, ...] = (
    WORKER,
    events.StageStarted(at_s=2.0, stage=LAST),
    *MEASURED,
    events.StageEnded(at_s=5.0, stage=LAST, kept=True),
)


def undone(role: str, error: str | None = None) -> tuple[events.AnyEvent, ...]:
    """A `clean` that died after this step of it."""
    begun = events.StepStarted(at_s=11.0, stage=LAST, what="Undo", line="mdadm", role=role, undoing=True)
    return WORKER, begun, events.StepEnded(at_s=12.0, what="Undo", error=error)


@pytest.mark.parametrize("way", [worker.resume, worker.settle])
@pytest.mark.parametrize(
    "told, kept",
    [
        (OLD_STATES, True),
        (OLD_STATES[:-1], False),
        ((*OLD_STATES, *undone("unmount")), True),
        ((*OLD_STATES, *undone("wipe", "wipefs failed: in use")), True),
        ((*OLD_STATES, *undone("wipe")[:-1]), True),
        ((*OLD_STATES, *undone("wipe")), False),
        ((*OLD_STATES, *undone("stop")), False),
        ((*OLD_STATES, ENDED, WORKER), True),
        ((*OLD_STATES, ENDED, *undone("stop")), False),
    ],
)
def test_a_run_whose_worker_died_keeps_its_array_until_it_is_taken_apart(
    tmp_path: Path, as_worker: None, told: tuple[events.AnyEvent, ...], kept: bool, way: Callable[[Path, Host], object]
) -> None:
    path = run_in(tmp_path, STAYS, "run", *told)
    assert (status_of_run(path).kept, status_of_run(path).unsettled) == (kept, True)
    assert ("Array kept" in status_of_run(path).sentence) == kept
    host = WrittenHost()
    before = read_state(path / directory.JOURNAL)
    if not kept:
        with pytest.raises(Refused, match="is not kept any more: `raidtui resume run` asks for its code"):
            worker.settle(path, host)
        assert read_state(path / directory.JOURNAL) == before
        return
    host.array = "md127"
    way(path, host)
    state = read_state(path / directory.JOURNAL)
    assert (state.kept, state.outcome, len(state.steps)) == (True, "finished", len(before.steps))


def test_a_kept_array_of_which_a_clearing_took_a_part_is_not_kept_any_more(tmp_path: Path) -> None:
    """What is left of it can be cleared away then, though no array of it runs."""
    rig = Rig(tmp_path, plan_of("1", after="keep"))
    rig.build()
    assert rig.go()[0] == "finished" and rig.journal.state.kept and rig.array
    again, answer = rig.journal.state, rig.answer
    rig.answer = lambda argv: Ended(1, "busy") if argv[:2] == ("mdadm", "--zero-superblock") else answer(argv)
    assert stages.take_back(rig.plan, rig.executor, again)[0] == "failed" and not rig.array
    assert not rig.journal.state.kept and rig.superblocks
    rig.answer = answer
    assert rig.taken_back()[0] == "finished" and not rig.superblocks


def test_an_array_that_was_to_be_kept_and_does_not_stand_is_built_again(tmp_path: Path) -> None:
    rig = Rig(tmp_path, plan_of("1", after="keep"))
    rig.build()
    assert rig.go()[0] == "finished"
    assert rig.taken_back()[0] == "finished" and not rig.array
    rig.given.clear()
    assert rig.go()[0] == "finished" and rig.journal.state.kept and rig.array
    assert "mdadm --create" in rig.programs() and not any(argv[0] == "fio" for argv in rig.given)


def test_what_nobody_agreed_to_erase_is_settled_by_a_worker_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Consent]] = []

    def begin(way: str, path: Path, consent: Consent) -> Callable[[], bool]:
        asked.append((way, consent))
        begun = started("run", at_s=9, pid=2, start_ticks=2)
        with (path / directory.JOURNAL).open("ab") as journal:
            journal.write(journal_lines.encode(begun))
        return lambda: True

    monkeypatch.setattr(launch, "_do", lambda way, path, consent: asked.append((way, consent)))
    monkeypatch.setattr(launch, "_start", begin)
    launch.resume(run_in(tmp_path, STAYS, "run", *OLD_STATES), erases=False)
    assert asked == [("--look", Consent(code=STAYS.code)), ("--settle", Consent(code=STAYS.code))]
    with pytest.raises(NotDone, match="is not kept any more") as refused:
        launch.resume(run_in(tmp_path, STAYS, "another", OLD_STATES[0]), erases=False)
    assert refused.value.refused and len(asked) == 2
