"""The writes until a power cut on a written machine: ended by a cut, a kill, a stop; read back after the boot."""

import sys
from pathlib import Path

import pytest

from raidtui.core.proof import pattern, witnessed
from raidtui.core.run.events import PowerCutAnswered
from raidtui.core.run.proof import result
from raidtui.core.run.state import RunState
from raidtui.runs.waiting import Ended
from tests.runs.proof.proving import Killed, ProofRig, plan
from tests.runs.rig import FINISHED, Argv

PIPE = "/run/pipe"


class CutRig(ProofRig):
    """`ending`: of the writer (None: its worker is gone). `written`: blocks that the last one left, but for `lost`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, plan("keep", witness=PIPE))
        self.ending: Ended | None = None
        self.stops = False
        self.written, self.lost = 0, tuple[int, ...]()
        self.writers: list[Argv] = []

    def _done(self, argv: Argv) -> Ended:
        if argv[0] != sys.executable:
            return super()._done(argv)
        self.writers.append(argv)
        self.executor.waiter.stop_asked = self.stops
        if self.ending is None:
            raise Killed
        return self.ending

    def read_bytes(self, node: str, offset: int, size_bytes: int) -> bytes:
        proof, power_cut = self.plan.stages[-1].proof, self.state.cut
        if node == "/dev/md127" and proof and power_cut:
            writes = witnessed.writes_of(proof, power_cut.tag)
            number = (offset - writes.begin_bytes) // pattern.REQUEST_BYTES + 1
            if 0 < number <= self.written and number not in self.lost:
                return pattern.content(power_cut.tag, offset, 0, size_bytes)
        return super().read_bytes(node, offset, size_bytes)

    def text(self, path: str | Path) -> str:
        *_, name, file = Path(path).parts
        if file == "last_sync_action":
            return "resync"  # copies are asked in test_after_cut
        return str("abc".index(name[-1])) if file == "slot" else super().text(path)

    @property
    def state(self) -> RunState:
        return self.journal.state

    def answered(self, number: int) -> "CutRig":
        """The next worker, to which a person gave this number."""
        self.after()
        self.stops = False
        self.journal.add(PowerCutAnswered(at_s=self.state.now_s, acknowledged=number))
        return self


@pytest.fixture
def rig(tmp_path: Path) -> CutRig:
    rig = CutRig(tmp_path)
    with pytest.raises(Killed):
        rig.go()
    return rig


def test_it_writes_where_the_proof_wrote_and_journals_its_tag_before(rig: CutRig) -> None:
    proof, power_cut = rig.plan.stages[-1].proof, rig.state.cut
    assert proof and power_cut
    writes = witnessed.writes_of(proof, power_cut.tag)
    numbers = (str(writes.begin_bytes), str(writes.requests))
    assert rig.writers == [(*rig.writers[0][:4], "/dev/md127", *numbers, power_cut.tag, PIPE)]
    assert writes.begin_bytes == 1 << 20 and writes.requests << 20 == proof.written_bytes
    assert rig.claims[-1] == ("/dev/md127",)


def test_all_that_the_witness_has_is_there(rig: CutRig) -> None:
    rig.written = 9
    assert rig.answered(9).go() == FINISHED
    proved = result(rig.plan, rig.state)
    assert proved and len(proved.verified) == 5 and proved.cut and proved.cut.found == 9
    assert len(rig.writers) == 1 and any(argv[0] == "dd" for argv in rig.given)


def test_a_missing_one_is_named_and_the_array_stays(rig: CutRig) -> None:
    rig.written, rig.lost = 30, (4, *range(11, 21))
    outcome, reason, left = rig.answered(20).go()
    assert outcome == "failed" and left and rig.array == "md127"
    assert reason.startswith("power cut, 11 blocks, the first, acknowledged write 4: an earlier write at array byte ")
    (event,) = rig.state.differed
    assert [block.number for block in event.blocks] == [4, *range(11, 18)]
    assert [block.request_bytes >> 20 for block in event.blocks] == [4, *range(11, 18)]
    assert event.blocks[0].member == ""  # no member can be read here
    assert not any(argv[0] == "dd" for argv in rig.given)


def test_what_the_witness_does_not_have_need_not_be_there(rig: CutRig) -> None:
    rig.written, rig.lost = 30, (21,)
    assert rig.answered(20).go()[0] == "finished"


def test_without_a_cut_the_rest_is_done_and_it_is_not_tested(rig: CutRig) -> None:
    assert rig.answered(0).go() == FINISHED
    proved = result(rig.plan, rig.state)
    assert proved and proved.uncut and len(proved.verified) == 5 and len(rig.writers) == 1


def test_a_kill_is_no_cut_and_they_begin_anew_with_another_tag(rig: CutRig) -> None:
    first = rig.state.cut
    with pytest.raises(Killed):
        rig.after().go()
    assert first and rig.state.cut and rig.state.cut.tag != first.tag and len(rig.writers) == 2


@pytest.mark.parametrize(
    "stops, ending, outcome, reason",
    [
        (True, Ended(130, ""), "stopped", "stopped before the power was cut"),
        (False, Ended(1, "witness /run/pipe: Broken pipe"), "failed", "witness /run/pipe: Broken pipe"),
        (False, Ended(-9, ""), "failed", "its writer ended (-9)"),
    ],
)
def test_another_end_leaves_the_array(tmp_path: Path, stops: bool, ending: Ended, outcome: str, reason: str) -> None:
    rig = CutRig(tmp_path)
    rig.ending, rig.stops = ending, stops
    left = f"its array waits for a power cut; `raidtui resume {tmp_path.name}` writes again, `--no-cut` does without"
    assert rig.go() == (outcome, reason, [left])
    assert rig.array == "md127" and rig.state.cut and not rig.state.cut.may_be_cut("another boot")
    assert rig.answered(0).go()[0] == "finished"
