"""A difference that fio found: known whatever ends the test after it, and its array stays."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.core.arrays.array import Sync
from raidtui.core.plan.steps import printed_file
from raidtui.core.run import events
from raidtui.core.run.proof import result
from raidtui.runs import directory, stages, worker
from raidtui.runs.journal import read_state
from raidtui.runs.proof import differences
from raidtui.runs.waiting import Ended, Refused, Unending
from tests.runs.cut_off import creation, cut_off
from tests.runs.proof.proving import Killed, ProofRig, plan
from tests.runs.rig import Argv

WORDS = "pattern: verify failed at file /dev/md127 offset {at}, length 1 (requested block: offset={at}, length=1048576)"
AT = 5 << 20
TRIAL = "s1-verify-1"


class Finding(ProofRig):
    """fio finds a block in the first state, and `then` happens before it ends. No member can be read."""

    def __init__(self, folder: Path, then: Callable[["Finding"], None] = lambda rig: None) -> None:
        super().__init__(folder, plan())
        self.then, self.into_file = then, True

    def read_bytes(self, node: str, offset: int, size_bytes: int) -> bytes:
        raise OSError(errno.EIO, "nothing is written there")

    def _done(self, argv: Argv) -> Ended:
        ended = super()._done(argv)
        if not any(word == f"--output=fio/{TRIAL}.json" for word in argv):
            return ended
        words = WORDS.format(at=AT)
        if self.into_file:
            (self.folder / printed_file(TRIAL)).write_text(words)
        self.then(self)
        return Ended(1, words)


def stop(rig: Finding) -> None:
    rig.executor.waiter.stop_asked = True


def alarm(rig: Finding) -> None:
    rig.executor.waiter.alarmed = "sda is at 90 °C"


def kill(rig: Finding) -> None:
    raise Killed


def hang(rig: Finding) -> None:
    raise Unending("fio", (1,))


def stays(rig: Finding, words: str) -> None:
    """It is known, its array stands, and no later worker touches it."""
    (event,) = rig.journal.state.differed
    assert (event.named, event.count, event.state) == ((AT,), 1, "healthy")
    assert rig.array == "md127" and rig.superblocks
    later = rig.after()
    differences.recalled(later.folder, later.plan, later.journal)
    assert later.go()[:2] == ("failed", f"{words}; nothing is continued")
    assert later.given == [] and later.array == "md127"
    proved = result(later.plan, later.journal.state)
    assert proved and not proved.holds and proved.differed


UNREAD = f"healthy: the block of byte {AT} differed; not read again"
FAILED = f"{UNREAD}: [Errno 5] nothing is written there"


@pytest.mark.parametrize("into_file", [True, False])
@pytest.mark.parametrize("then, words", [(lambda rig: None, FAILED), (stop, FAILED), (alarm, FAILED), (hang, UNREAD)])
def test_it_is_journalled_whatever_ends_the_test(
    tmp_path: Path, then: Callable[[Finding], None], words: str, into_file: bool
) -> None:
    rig = Finding(tmp_path, then)
    rig.into_file = into_file or then is hang  # what hangs has no last words
    outcome, reason, left = rig.go()
    assert (outcome, reason) == ("failed", words)
    assert left == [f"its array is left as it is; `raidtui clean {tmp_path.name}`"]
    stays(rig, words)


def test_a_killed_worker_s_difference_is_read_from_the_file(tmp_path: Path) -> None:
    rig = Finding(tmp_path, kill)
    with pytest.raises(Killed):
        rig.go()
    assert rig.journal.state.differed == ()
    for _ in range(2):  # once, however many come
        rig.after()
        differences.recalled(rig.folder, rig.plan, rig.journal)
    stays(rig, UNREAD)


def test_a_removal_that_was_asked_for_before_anybody_knew_is_asked_for_again(
    tmp_path: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = directory.create(plan(), tmp_path)
    begun = events.TrialStarted(at_s=4.0, trial=TRIAL, expected_s=1.0)
    host = cut_off(path, creation(path, 0), begun, stage=0)
    (file := path / printed_file(TRIAL)).parent.mkdir(exist_ok=True)
    file.write_text(WORDS.format(at=AT))
    removed: list[bool] = []

    def take_back(*_: object) -> stages.Outcome:
        removed.append(True)
        return "finished", "", []

    monkeypatch.setattr(stages, "take_back", take_back)
    with pytest.raises(Refused, match=f"{UNREAD}; the array stays as evidence"):
        worker.clear_away(path, host)
    assert not removed and [event.named for event in read_state(path / directory.JOURNAL).differed] == [(AT,)]
    worker.clear_away(path, host)
    assert removed


def test_words_of_an_earlier_attempt_are_not_this_one_s(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan())
    (file := tmp_path / printed_file(TRIAL)).write_text(WORDS.format(at=AT))
    assert rig.go()[0] == "finished" and not file.exists()
    rig.after()
    differences.recalled(rig.folder, rig.plan, rig.journal)
    assert rig.journal.state.differed == ()


@pytest.mark.parametrize("ends", ["stop", "somebody"])
def test_what_a_check_has_counted_is_known_however_it_ends(tmp_path: Path, ends: str) -> None:
    rig = ProofRig(tmp_path, plan())
    answer = rig.answer

    def ending(argv: Argv) -> Ended:
        ended = answer(argv)
        if argv[:2] == ("mdadm", "--action=check"):
            rig.mismatches = "8"
            rig.executor.waiter.stop_asked = ends == "stop"
            rig.check = rig.check if ends == "stop" else []
        return ended

    rig.answer = ending
    outcome, reason, left = rig.go()
    assert (outcome, reason) == ("failed", "healthy: the check counted 8 sectors whose copies or parity disagree")
    assert left and rig.array == "md127"


def test_what_md_counted_of_the_sync_before_is_none_of_the_check_s(tmp_path: Path) -> None:
    """md sets its count to zero where a check begins to read; a resync of RAID 6 and 10 counts, too."""
    rig = ProofRig(tmp_path, plan())
    answer, sync = rig.answer, rig.sync
    counts: list[str] = []

    def waiting(argv: Argv) -> Ended:
        ended = answer(argv)
        if argv[:2] == ("mdadm", "--action=check") and "8" not in counts:
            rig.mismatches = "8"
            rig.check = [*rig.check, Sync("check", 0, 1000, 0.0)]  # looked at first
        return ended

    def begun(array: str) -> Sync | None:
        if len(rig.check) < 5:
            rig.mismatches = "0"
        counts.append(rig.mismatches)
        return sync(array)

    rig.answer, rig.sync = waiting, begun  # type: ignore[method-assign]
    assert rig.go()[0] == "finished" and "8" in counts


@pytest.mark.parametrize("runs_still", [True, False])
def test_what_md_counted_while_no_worker_followed_its_check_stands(tmp_path: Path, runs_still: bool) -> None:
    rig = ProofRig(tmp_path, plan())
    answer = rig.answer

    def dying(argv: Argv) -> Ended:
        ended = answer(argv)
        if argv[:2] == ("mdadm", "--action=check"):
            rig.check = [Sync("check", 1000, 1000, 50.0)] * 3 if runs_still else []
            raise Killed
        return ended

    rig.answer = dying
    with pytest.raises(Killed):
        rig.go()
    rig.mismatches = "8"
    later, given = rig.after(), len(rig.given)
    outcome, reason, left = later.go()
    assert (outcome, reason) == ("failed", "healthy: the check counted 8 sectors whose copies or parity disagree")
    assert left and rig.array == "md127"
    assert not [argv for argv in rig.given[given:] if argv[0] in ("dd", "fio") or "--readwrite" in argv]


def test_a_check_that_somebody_began_is_none_of_the_proof_s(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan())
    rig.kill_at = next(at for at, argv in enumerate(_whole(tmp_path)) if argv[:2] == ("mdadm", "--action=check"))
    with pytest.raises(Killed):
        rig.go()
    rig.check, rig.checked = [Sync("check", 1000, 1000, 50.0)] * 3, True
    rig.after()
    given = len(rig.given)
    assert rig.go()[0] == "finished" and not rig.check
    assert [argv for argv in rig.given[given:] if argv[:2] == ("mdadm", "--action=check")]


def _whole(folder: Path) -> list[Argv]:
    (folder / "whole").mkdir()
    rig = ProofRig(folder / "whole", plan())
    assert rig.go()[0] == "finished"
    return rig.commands()
