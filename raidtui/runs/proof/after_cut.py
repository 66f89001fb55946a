"""After a power cut, before md may write to the array: its resync copies over what a disk has lost. Each acknowledged
write is read on each member that holds it, and the parity over it is computed.
"""

import time
from collections.abc import Collection, Iterator

import msgspec

from raidtui.core.proof import witnessed
from raidtui.core.proof.addresses import Geography
from raidtui.core.proof.pattern import REQUEST_BYTES, BlockDiffers
from raidtui.core.proof.witnessed import AcknowledgedWrites, CopiesAsked
from raidtui.core.run.events import BlocksDiffered, PowerCutAnswered
from raidtui.core.run.power_cut import PowerCut
from raidtui.core.run.proof import differing, has_copies
from raidtui.runs.context import StageContext
from raidtui.runs.proof.copies import MemberContents, PatternedMembers
from raidtui.runs.proof.differences import NAMED, BlocksDiffer
from raidtui.runs.waiting import StepFailed, Stopped

_BEHIND = 1 << 16  # writes that a witness may lack of those that were done: what its line holds back
_REPLAYED = {"ppl": "its partial parity log", "journal": "its write journal"}  # md/consistency_policy
_NO_SYNC = ("", "none", "idle")  # md/sync_action, and md/last_sync_action since it was assembled


def ask(context: StageContext) -> None:
    """Once after a cut: journalled. BlocksDiffer if a member lacks a write, StepFailed if one is out."""
    power_cut, stage = context.journal.state.cut, context.stage
    if power_cut is None or not power_cut.acknowledged or power_cut.copies or power_cut.found:
        return
    assert stage and stage.proof
    if not has_copies(stage):
        return
    if why_not := _why_not(context, power_cut):
        copies = CopiesAsked(why_not=why_not)
    else:
        writes = witnessed.writes_of(stage.proof, power_cut.tag)
        copies = _Asking(context, writes, power_cut.acknowledged, stage.proof.tags).asked()
    context.journal.add(PowerCutAnswered(at_s=time.time(), acknowledged=power_cut.acknowledged, copies=copies))


def _why_not(context: StageContext, power_cut: PowerCut) -> str:
    """Half a sentence; "" if md has written nothing since the cut."""
    if log := _REPLAYED.get(_md(context, "consistency_policy")):
        return f"md replayed {log} first"
    if _md(context, "sync_action") not in _NO_SYNC or _md(context, "last_sync_action") not in _NO_SYNC:
        return "md began its resync first"
    # All of the array is due, until that is done; nothing, too, where it was at rest when power was cut.
    if _md(context, "resync_start") not in (("0", "none") if power_cut.waits else ("0",)):
        return "md has no whole resync due: one may have ended in an earlier boot"
    return ""


def _md(context: StageContext, file: str) -> str:
    return context.host.text(f"/sys/block/{context.array}/md/{file}")


class _Asking:
    """`tags`: of the proof's own pattern, which lies there where a write is lost."""

    def __init__(
        self, context: StageContext, writes: AcknowledgedWrites, acknowledged: int, tags: tuple[str, ...]
    ) -> None:
        self._context, self._writes, self._acknowledged, self._tags = context, writes, acknowledged, tags
        self._contents = MemberContents(context)
        if self._contents.geography is None:
            raise StepFailed("md lists no member of the array, or it is laid out in a way that is not known here")
        self._where: Geography = self._contents.geography
        self._members = PatternedMembers(self._contents, *writes.expected(tags, acknowledged))
        self._lost: dict[int, BlockDiffers] = {}  # by number of the write
        self._need_all()

    def _need_all(self) -> None:
        """A disk that md left out may be the one that has lost writes: a rebuild would hide it."""
        there = set(self._contents.slots.values())
        members = self._context.plan.members
        if out := [members[index] for index in range(self._where.disks) if index not in there]:
            names = ", ".join(f"{member.model} {member.serial or member.id}" for member in out)
            raise StepFailed(f"md left {names} out after the power cut; connect it, or see `mdadm --examine`")

    def asked(self) -> CopiesAsked:
        """What was compared."""
        due, count = self._writes.due(self._acknowledged), self._where.count
        if self._contents.is_encrypted:
            left_out = self._compare_ciphertext(due) if count > 1 else 0
            self._end_if_lost()
            return CopiesAsked(copies=count, left_out=left_out)
        for number in self._going(due):
            self._read(number)
        self._end_if_lost()
        rows, unsure = self._stripes(due)
        for row in self._going(sorted(rows)):
            if block := self._members.of_stripe(row):
                over = next(number for number in due if row in self._rows((self._writes.address(number),)))
                self._note(over, block)
        self._end_if_lost()
        return CopiesAsked(copies=count, stripes=len(rows), left_out=len(unsure))

    def _read(self, number: int) -> None:
        address, before = self._writes.address(number), number - self._writes.requests
        earlier = (*self._tags, *((self._writes.tag_of(before),) if before > 0 else ()))
        for copy in range(self._where.count):
            found = self._contents.copy(copy, self._contents.start_bytes + address, bytes(REQUEST_BYTES))
            if self._writes.compare(earlier, number, found):
                block = self._members.of_copy(address, copy, found)
                assert block
                self._note(number, block)

    def _note(self, number: int, block: BlockDiffers) -> None:
        """The first one at once: a stop, or an error of the next read, loses nothing."""
        if not self._lost:
            self._journal((block,), 1)
        self._lost.setdefault(number, block)

    def _journal(self, blocks: tuple[BlockDiffers, ...], count: int) -> BlocksDiffered:
        event = BlocksDiffered(
            at_s=time.time(), stage=self._context.number, state=witnessed.WORDS, blocks=blocks, count=count
        )
        self._context.journal.add(event)
        return event

    def _stripes(self, due: range) -> tuple[set[int], set[int]]:
        """Stripes under the writes; those that the writer may have been in, which are left out."""
        rows = self._rows({self._writes.address(number) for number in due})
        unsure = self._rows(self._writes.addresses(self._acknowledged + 1, self._last_begun())) if rows else set()
        return rows - unsure, rows & unsure

    def _last_begun(self) -> int:
        """The first write behind the acknowledged ones without a trace: it may have begun, no later one."""
        for number in range(self._acknowledged + 1, self._acknowledged + self._writes.requests):
            address = self._contents.start_bytes + self._writes.address(number)
            if not self._writes.is_begun(number, self._contents.of_array(address, REQUEST_BYTES)):
                return number
        return self._acknowledged + self._writes.requests

    def _rows(self, places: Collection[int]) -> set[int]:
        start = self._contents.start_bytes
        return {row for place in places for row in self._where.rows(start + place, REQUEST_BYTES)}

    def _compare_ciphertext(self, due: range) -> int:
        """Copies with each other. Those of one request may differ if a later write may be in it: how many did."""
        members = PatternedMembers(self._contents, (), ())
        last, excused = self._acknowledged + _BEHIND, dict[int, BlockDiffers]()
        for number in self._going(due):
            if block := members.of_copies(self._writes.address(number), bytes(REQUEST_BYTES)):
                if number + self._writes.requests <= last and not excused and not self._lost:
                    excused[number] = block
                    continue
                for earlier in excused:
                    self._note(earlier, excused[earlier])
                self._note(number, block)
        return 0 if self._lost else len(excused)

    def _going(self, numbers: Collection[int]) -> Iterator[int]:
        """Each of them, unless somebody stops the run."""
        for number in numbers:
            self._context.waiter.tick()
            if self._context.waiter.stopping():
                raise Stopped
            yield number

    def _end_if_lost(self) -> None:
        if not self._lost:
            return
        numbers = sorted(self._lost)
        blocks = tuple(msgspec.structs.replace(self._lost[number], number=number) for number in numbers[:NAMED])
        raise BlocksDiffer(differing(self._journal(blocks, len(numbers)), self._context.plan))
