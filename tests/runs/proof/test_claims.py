"""What each state of a proof claims: zeros there, on each member in turn, are found and named with their disk.
`python -m tests.runs.proof.test_claims` prints the table of docs/faults.md. The real thing: tests/torture.
"""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from raidtui.core.disks.machine import Machine
from raidtui.core.plan.model import Plan
from raidtui.core.proof.pattern import ProofState
from raidtui.core.run.events import BlocksDiffered
from raidtui.runs.stages import Outcome
from raidtui.runs.waiting import Ended
from tests.runs.proof.claims import is_needed
from tests.runs.proof.members import MIB, MemberRig, plan_of, seen_of
from tests.runs.rig import FINISHED, Argv
from tests.seeds import cases

_SIZE_BYTES = 8 * MIB
_LEVELS = (("4", "", 3), ("6", "", 4), ("10", "f2", 3), ("10", "o2", 3), ("10", "n3", 4))


class Planted(NamedTuple):
    state: ProofState
    member: int
    outcome: str
    event: BlocksDiffered | None


class Struck(MemberRig):
    """At the first step that looks at a state each member in turn is struck, in a process of its own: the run that
    this one is goes on as if nothing had been.
    """

    def __init__(self, folder: Path, plan: Plan, seen: Machine) -> None:
        super().__init__(folder, plan, seen)
        self.found: list[Planted] = []
        self._number = 0  # of states looked at
        self._pipe = -1  # of a child, to which its result goes

    def _answer(self, argv: Argv) -> Ended:
        if self._pipe < 0 and self._number < len(self.states) and self._looks(argv):
            self._number += 1
            for member in range(len(self.members)):
                self._strike(member)
        return super()._answer(argv)

    def _looks(self, argv: Argv) -> bool:
        if self.states[self._number].checked:
            return argv[:2] == ("mdadm", "--action=check")
        return any(word.startswith(f"--output=fio/s1-verify-{self._number + 1}") for word in argv)

    @property
    def states(self) -> tuple[ProofState, ...]:
        proof = self.plan.stages[-1].proof
        assert proof
        return proof.states

    def _strike(self, member: int) -> None:
        state = self.states[self._number - 1]
        if member in state.out or not (places := claimed(self, member, state.out)):
            return
        size = (self.folder / "journal.jsonl").stat().st_size
        reads, writes = os.pipe()
        if not (child := os.fork()):
            self._pipe = writes
            self.zero(member, places)
            return
        os.close(writes)
        with os.fdopen(reads, "rb") as pipe:
            outcome, event = msgspec.json.decode(pipe.read(), type=tuple[str, BlocksDiffered | None])
        os.waitpid(child, 0)
        os.truncate(self.folder / "journal.jsonl", size)
        self.found.append(Planted(state, member, outcome, event))

    def go(self) -> Outcome:
        """A child ends here."""
        try:
            went = super().go()
            if self._pipe < 0:
                return went
            differed = self.journal.state.differed
            os.write(self._pipe, msgspec.json.encode((went[0], differed[-1] if differed else None)))
        finally:
            if self._pipe >= 0:
                os._exit(0)
        raise AssertionError


def claimed(rig: MemberRig, member: int, out: tuple[int, ...]) -> list[tuple[int, int]]:
    """Offsets and lengths on a member that a state proves with these members out."""
    step = rig.where.chunk_bytes or MIB
    chunks = rig.chunks(member)
    return [(place.offset, step) for place, together in chunks if not out or is_needed(place, together, out)]


def plantings(folder: Path, level: str, layout: str, disks: int) -> tuple[Plan, list[Planted]]:
    """Each state, each member that it claims anything of."""
    seen = seen_of(disks, _SIZE_BYTES)
    rig = Struck(folder, plan_of(seen, level, layout), seen)
    assert rig.go() == FINISHED
    return rig.plan, rig.found


@pytest.mark.parametrize("level, layout, disks", _LEVELS[: cases(4, few=2, many=5)])
def test_zeros_where_a_state_claims_to_have_looked_are_named(
    tmp_path: Path, level: str, layout: str, disks: int
) -> None:
    plan, found = plantings(tmp_path, level, layout, disks)
    for state, member, outcome, event in found:
        assert outcome == "failed" and event, (state.words, member)
        told = (event.state, event.blocks[0].member, bool(event.mismatches))
        assert told == (state.words, plan.members[member].id, state.checked), (member, event)
    looked_at = {(planted.state.words, planted.member) for planted in found}
    complete = [state for state in plan.stages[-1].proof.states if state.checked] if plan.stages[-1].proof else []
    assert looked_at >= {(state.words, member) for state in complete for member in range(disks)}


def main() -> None:
    for level, layout, disks in (("1", "", 2), ("5", "", 3), ("10", "n2", 4), *_LEVELS):
        rows: dict[str, list[str]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for state, member, _, event in plantings(Path(folder), level, layout, disks)[1]:
                found_by = "nothing" if event is None else "check" if event.mismatches else "read"
                rows.setdefault(f"{state.words} | {found_by}", []).append(str(member))
        for row, members in rows.items():
            print(f"| {f'RAID {level} {layout}'.strip()}, {disks} disks | {row} | {', '.join(members)} |")


if __name__ == "__main__":
    main()
