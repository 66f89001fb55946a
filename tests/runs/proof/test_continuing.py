"""A proof whose worker dies, at any step: the next one continues on the same array, and verifies every state."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from raidtui.core.run.proof import continuation, result
from raidtui.core.run.state import RunState
from raidtui.runs import continuing
from raidtui.runs.proof import differences
from tests.runs.proof.proving import Killed, ProofRig, plan
from tests.runs.rig import FINISHED, Argv

STATES = ["healthy", "1 disk out", "rebuilt", "1 other disk out", "assembled again"]


def count_of_commands(tmp_path: Path) -> int:
    whole = ProofRig(tmp_path, plan())
    assert whole.go()[0] == "finished"
    return len(whole.commands())


def test_the_whole_proof(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan())
    assert rig.go() == FINISHED
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.holds and [state.words for state in proved.verified] == STATES
    assert [argv[-1] for argv in rig.given if argv[:2] == ("mdadm", "--fail")] == ["/dev/sda", "/dev/sdb"]
    assert rig.array is None and rig.superblocks == {}


@pytest.mark.parametrize("late", [False, True])
def test_a_proof_cut_off_at_any_command_is_continued_on_its_array(tmp_path: Path, late: bool) -> None:
    (tmp_path / "whole").mkdir()
    continued = set()
    for kill_at in range(count_of_commands(tmp_path / "whole")):
        folder = tmp_path / f"{late}-{kill_at}"
        folder.mkdir()
        rig = ProofRig(folder, plan())
        rig.kill_at, rig.late = kill_at, late
        with pytest.raises(Killed):
            rig.go()
        filled = any(argv[0] == "fio" for argv in rig.given)
        undoing = any(step.undoing for step in rig.journal.state.steps)
        rig.after()
        goes_on = continuation(rig.plan, rig.journal.state)
        assert bool(goes_on) == (filled and not undoing), kill_at
        continued.add(goes_on)
        assert rig.go() == FINISHED, kill_at
        created = [step for step in rig.journal.state.steps if step.role == "create"]
        assert not goes_on or len(created) == 1
        proved = result(rig.plan, rig.journal.state)
        assert proved and proved.holds, (kill_at, proved)
        assert rig.array is None and rig.superblocks == {}
    assert {words.rpartition(": ")[2] for words in continued} >= {f"{words}." for words in STATES}


def test_an_array_that_was_stopped_meanwhile_is_assembled_by_its_uuid(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan())
    rig.kill_at = next(at for at, argv in enumerate(whole_commands(tmp_path)) if argv[:2] == ("mdadm", "--add"))
    with pytest.raises(Killed):
        rig.go()
    rig.array = None
    assert rig.after().go()[0] == "finished"
    assemblies = [argv for argv in rig.given if argv[:2] == ("mdadm", "--assemble")]
    array = rig.plan.stages[-1].array
    assert array and assemblies[0][2] == f"--uuid={array.uuid}"
    assert assemblies[0][-2:] == ("/dev/sdb", "/dev/sdc")  # the disk that is out carries nothing


def whole_commands(tmp_path: Path) -> list[Argv]:
    (tmp_path / "model").mkdir()
    whole = ProofRig(tmp_path / "model", plan())
    whole.go()
    return whole.commands()


def test_what_was_verified_of_an_array_that_was_removed_does_not_count(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan())
    rig.kill_at = next(at for at, argv in enumerate(whole_commands(tmp_path)) if argv[:2] == ("mdadm", "--add"))
    with pytest.raises(Killed):
        rig.go()
    assert (proved := result(rig.plan, rig.journal.state)) and len(proved.verified) == 2
    rig.after()
    rig.taken_back()
    assert rig.superblocks == {}
    assert rig.after().go()[0] == "finished"
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.holds
    verified = [state.trial for state in rig.journal.state.trials]
    assert verified.count("s1-verify-1") == 2


@pytest.mark.parametrize("verified, state", [(0, "healthy"), (1, "healthy"), (2, "1 disk out")])
def test_a_pattern_that_is_wrong_is_told_of_the_state_that_was_verified_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verified: int, state: str
) -> None:
    rig = ProofRig(tmp_path, plan())
    rig.enter_last()
    told = list[str]()
    for name, found in {
        "overwriting.wrong_requests": (SimpleNamespace(begin_bytes=0),),
        "result": SimpleNamespace(verified=[None] * verified),
        "differences.located": None,
        "differences.looked_at": "differs",
    }.items():
        monkeypatch.setattr(f"raidtui.runs.continuing.{name}", lambda *_, found=found: found)
    monkeypatch.setattr(differences, "journal", lambda context, state, begins: told.append(state))
    with pytest.raises(differences.BlocksDiffer, match=r"^differs$"):
        continuing._need_pattern(rig.executor, RunState(), 0)
    assert told == [state]


def test_mismatches_end_the_proof_and_leave_the_array(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan("keep", "ext4"))
    rig.mismatches = "8"
    outcome, reason, left = rig.go()
    assert (outcome, reason) == ("failed", "healthy: the check counted 8 sectors whose copies or parity disagree")
    assert left and rig.array == "md127" and not any(argv[0] == "mkfs.ext4" for argv in rig.given)
    again = rig.after()
    assert again.go()[:2] == ("failed", f"{reason}; nothing is continued")
    assert again.given == [] and again.array == "md127"
