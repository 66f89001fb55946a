"""Each copy and the parity of acknowledged writes after a power cut, before md may write, on members with bytes."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import ProofAnswers
from raidtui.core.plan.model import LayerPlan
from raidtui.core.proof import pattern, witnessed
from raidtui.core.proof.pattern import BlockDiffers
from raidtui.core.proof.witnessed import AcknowledgedWrites, CopiesAsked
from raidtui.core.raid.layers import LAYERS, LayerKind
from raidtui.core.run.events import PowerCutAnswered
from raidtui.core.run.proof import cut_words, result
from raidtui.runs.context import StageContext
from raidtui.runs.proof import after_cut
from raidtui.runs.proof.differences import BlocksDiffer
from raidtui.runs.waiting import Ended
from tests.runs.proof.members import MIB, OFFSET, MemberRig, plan_of, seen_of
from tests.runs.proof.proving import Killed
from tests.runs.rig import Argv

_SIZE_BYTES = 12 * MIB
_WITNESSED = 6  # of `written`


class CutMembers(MemberRig):
    """`written`: requests that reached the disks before power was cut; `start_bytes`: of what is proved on the array;
    `key`: that an encrypting layer adds; `sysfs`: of md.
    """

    def __init__(self, folder: Path, level: str, layout: str = "", disks: int = 3) -> None:
        seen = seen_of(disks, _SIZE_BYTES)
        asked = ProofAnswers(cut="witness", witness="/run/pipe")
        super().__init__(folder, plan_of(seen, level, layout, asked), seen)
        self.written, self.start_bytes, self.key = _WITNESSED, 0, 0
        self.sysfs = {"array_state": "read-auto", "sync_action": "idle", "last_sync_action": "none", "start_ro": "1"}
        self.sysfs["resync_start"] = "0"

    def _done(self, argv: Argv) -> Ended:
        if argv[0] == sys.executable:
            raise Killed
        return super()._done(argv)

    def _fio(self, options: dict[str, str]) -> Ended:
        return (
            super()._fio(options) if options["rw"] == "write" else Ended(0, "")
        )  # the states before are not read here

    def unequal(self) -> bool:
        return False

    def text(self, path: str | Path) -> str:
        name = Path(path).name
        return self.sysfs[name] if name in self.sysfs else super().text(path)

    @property
    def writes(self) -> AcknowledgedWrites:
        proof, power_cut = self.plan.stages[-1].proof, self.journal.state.cut
        assert proof and power_cut
        return witnessed.writes_of(proof, power_cut.tag)

    def cut(self) -> "CutMembers":
        """Up to the cut; the next worker has its witness' number."""
        with pytest.raises(Killed):
            self.go()
        for number in range(1, self.written + 1):
            self.write(number)
        self.after()
        self.journal.add(PowerCutAnswered(at_s=self.journal.state.now_s, acknowledged=self.witnessed))
        return self

    @property
    def witnessed(self) -> int:
        return max(_WITNESSED, self.written - 2)

    def content(self, number: int) -> bytes:
        address = self.writes.address(number)
        plain = pattern.content(self.writes.tag_of(number), address)
        return plain.translate(bytes(byte ^ self.key for byte in range(256)))

    def write(self, number: int, on: tuple[int, ...] | None = None) -> None:
        """To all members, or some."""
        at = self.start_bytes + self.writes.address(number)
        self.logical[at : at + MIB] = self.content(number)
        self._store(at, MIB, self.present() if on is None else set(on))

    def copies(self, number: int) -> list[tuple[int, int]]:
        """Member and offset of each copy of the first byte of a write."""
        places = self.where.copies(self.start_bytes + self.writes.address(number))
        return [(place.member, place.offset) for place in places]

    def lose(self, member: int, offset: int, size: int = 4096) -> None:
        self.members[member][offset : offset + size] = bytes(size)

    def asked(self) -> CopiesAsked:
        power_cut = self.journal.state.cut
        assert power_cut and power_cut.copies
        return power_cut.copies

    def first(self) -> BlockDiffers:
        return self.journal.state.differed[-1].blocks[0]


@pytest.mark.parametrize(
    "level, layout, disks, copies, has_stripes",
    [("1", "", 2, 2, False), ("10", "f2", 3, 2, False), ("5", "", 3, 1, True), ("6", "", 4, 1, True)],
)
def test_all_is_on_each_member(
    tmp_path: Path, level: str, layout: str, disks: int, copies: int, has_stripes: bool
) -> None:
    rig = CutMembers(tmp_path, level, layout, disks).cut()
    assert rig.go()[0] == "finished"
    asked = rig.asked()
    assert (asked.copies, bool(asked.stripes), asked.why_not) == (copies, has_stripes, "")
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.holds


@pytest.mark.parametrize(
    "level, layout, disks", [("1", "", 2), ("10", "", 4), ("10", "f2", 3), ("10", "o2", 3), ("5", "", 3)]
)
def test_each_copy_that_lacks_a_write_is_named_before_md_may_write(
    tmp_path: Path, level: str, layout: str, disks: int
) -> None:
    rig = CutMembers(tmp_path, level, layout, disks).cut()
    member, offset = rig.copies(3)[-1]
    rig.lose(member, offset)
    outcome, reason, left = rig.go()
    assert outcome == "failed" and reason.startswith("power cut, acknowledged write 3: zeros at array byte") and left
    block = rig.first()
    first = OFFSET + offset + block.offset_bytes  # of 256 patterns one begins with a zero
    assert (block.member, block.member_bytes) == (rig.plan.members[member].id, first)
    assert block.offset_bytes < 8
    assert rig.array == "md127" and not [argv for argv in rig.given if argv[:2] == ("mdadm", "--readwrite")]
    assert rig.after().go()[1].endswith("nothing is continued")


@pytest.mark.parametrize("level, disks, parity", [("5", 4, 0), ("6", 5, 0), ("6", 5, 1)])
def test_lost_parity_is_named_unless_the_writer_may_have_been_there(
    tmp_path: Path, level: str, disks: int, parity: int
) -> None:
    rig = CutMembers(tmp_path, level, "", disks).cut()
    end = rig.writes.address(rig.witnessed) + MIB

    def lose(row: int) -> int:
        place = [one for one in rig.where.stripe(row * rig.where.row_bytes) if one.address is None][parity]
        rig.lose(place.member, place.offset + 512, 1024)
        return place.member

    shared = end // rig.where.row_bytes
    assert end % rig.where.row_bytes  # it lies in the next write, too
    lose(shared)
    member = lose(shared - 1)
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and f"acknowledged write {rig.witnessed}: " in reason, reason
    block = rig.first()
    assert (block.kind, block.member) == ("wrong parity", rig.plan.members[member].id)
    assert rig.journal.state.differed[-1].count == 1


def test_stripes_that_the_writer_may_have_been_in_are_left_out(tmp_path: Path) -> None:
    rig = CutMembers(tmp_path, "5", "", 4).cut()
    row = (rig.writes.address(rig.witnessed) + MIB) // rig.where.row_bytes
    (place,) = [one for one in rig.where.stripe(row * rig.where.row_bytes) if one.address is None]
    rig.lose(place.member, place.offset)
    assert rig.go()[0] == "finished" and rig.asked().left_out == 1


@pytest.mark.parametrize("ahead", [1, 2])
def test_a_later_write_may_be_there_in_part_on_one_member(tmp_path: Path, ahead: int) -> None:
    rig = CutMembers(tmp_path, "1", "", 2)
    rig.written = 9 + 2  # the array has room for 9: written again from the start
    rig.cut()
    number = rig.witnessed + ahead
    rig.write(number, (1,))
    assert rig.go()[0] == "finished"


@pytest.mark.parametrize(
    "file, value, why_not",
    [
        ("last_sync_action", "resync", "md began its resync first"),
        ("sync_action", "resync", "md began its resync first"),
        *(
            ("resync_start", due, "md has no whole resync due: one may have ended in an earlier boot")
            for due in ("4096", "")
        ),
        ("consistency_policy", "ppl", "md replayed its partial parity log first"),
        ("consistency_policy", "journal", "md replayed its write journal first"),
    ],
)
def test_where_md_was_first_nobody_is_told_that_copies_are_right(
    tmp_path: Path, file: str, value: str, why_not: str
) -> None:
    rig = CutMembers(tmp_path, "5").cut()
    rig.sysfs[file] = value
    assert rig.go()[0] == "finished"
    proved = result(rig.plan, rig.journal.state)
    assert proved and not proved.holds and len(proved.verified) == len(proved.plan.states) - 1
    assert cut_words(proved) == f"{_WITNESSED} acknowledged writes, copies not asked ({why_not})"


@pytest.mark.parametrize("start_ro, holds", [("1", True), ("0", False), ("", False)])
def test_with_no_resync_due_an_earlier_boot_may_have_ended_it_unless_arrays_wait(
    tmp_path: Path, start_ro: str, holds: bool
) -> None:
    rig = CutMembers(tmp_path, "1", "", 2)
    rig.sysfs["start_ro"] = start_ro
    rig.cut()
    rig.sysfs["resync_start"] = "none"
    assert rig.go()[0] == "finished"
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.holds == holds


def test_a_member_that_md_left_out_is_named_and_the_array_stays(tmp_path: Path) -> None:
    rig = CutMembers(tmp_path, "1", "", 2).cut()
    rig.stands_on = ("sda",)
    outcome, reason, left = rig.go()
    assert outcome == "failed" and "md left ST4000" in reason and left and rig.array == "md127"
    assert not [argv for argv in rig.given if argv[:2] in (("mdadm", "--readwrite"), ("mdadm", "--add"))]


@pytest.mark.parametrize("start_ro, warned", [("1", False), ("0", True), ("", True)])
def test_before_the_writes_it_is_told_whether_copies_can_be_read(tmp_path: Path, start_ro: str, warned: bool) -> None:
    rig = CutMembers(tmp_path, "1", "", 2)
    rig.sysfs["start_ro"] = start_ro
    rig.cut()
    assert any("start_ro of md_mod" in warning for warning in rig.journal.state.warnings) == warned


# Layers: asked of the context, as a person types the passphrase of a container


def layered(folder: Path, level: str, key: int = 0, disks: int = 2) -> CutMembers:
    rig = CutMembers(folder, level, "", disks)
    rig.start_bytes, rig.key = MIB, key
    return rig.cut()


def ask(rig: CutMembers, kind: LayerKind, monkeypatch: pytest.MonkeyPatch) -> None:
    number, stage = len(rig.plan.stages) - 1, rig.plan.stages[-1]
    assert stage.proof
    row = replace(LAYERS[kind], start_bytes=lambda align: rig.start_bytes)
    monkeypatch.setitem(LAYERS, kind, row)
    layer = LayerPlan(kind=kind, uuid="", group="", align_bytes=MIB)
    rig.executor.begin(number, replace(stage, layer=layer))
    rig.executor.context.own_array()
    after_cut.ask(rig.executor.context)


def test_below_a_volume_the_copies_lie_where_it_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = layered(tmp_path, "1")
    rig.lose(1, rig.start_bytes + rig.writes.address(2))
    with pytest.raises(BlocksDiffer):
        ask(rig, "lvm", monkeypatch)
    block = rig.first()
    assert (block.number, block.array_bytes) == (2, rig.start_bytes + rig.writes.address(2))
    assert block.member == rig.plan.members[1].id


def test_ciphertexts_are_compared_with_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = layered(tmp_path, "1", key=0x5A)
    ask(rig, "luks", monkeypatch)
    assert (rig.asked().copies, rig.asked().stripes) == (2, 0)


def test_ciphertexts_that_differ_name_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = layered(tmp_path, "1", key=0x5A)
    for number in (2, 3):
        rig.lose(1, rig.start_bytes + rig.writes.address(number))
    with pytest.raises(BlocksDiffer):
        ask(rig, "luks", monkeypatch)
    block = rig.first()
    assert (block.kind, block.number, block.member) == ("copies that differ", 2, "")
    assert block.among == tuple(member.id for member in rig.plan.members)


def test_one_ciphertext_that_a_later_write_may_be_in_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = layered(tmp_path, "1", key=0x5A)
    rig.lose(1, rig.start_bytes + rig.writes.address(1))
    ask(rig, "luks", monkeypatch)
    assert rig.asked().left_out == 1
    monkeypatch.setattr(after_cut, "_BEHIND", 0)


def test_of_encrypted_parity_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = layered(tmp_path, "5", key=0x5A, disks=3)
    ask(rig, "luks", monkeypatch)
    assert (rig.asked().copies, rig.asked().stripes) == (1, 0)


@pytest.mark.parametrize("known", [{"copies": CopiesAsked()}, {"found": 9}, {"acknowledged": 0}])
def test_a_cut_that_is_answered_or_without_a_witness_is_not_asked_about(known: dict[str, object]) -> None:
    cut = SimpleNamespace(**{"acknowledged": 5, "copies": None, "found": None} | known)
    journal = SimpleNamespace(state=SimpleNamespace(cut=cut))
    after_cut.ask(cast(StageContext, SimpleNamespace(journal=journal, stage=None)))  # what is asked about has a stage
