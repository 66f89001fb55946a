"""Blocks that an array gave back otherwise than written: read once more, located on the members, journalled."""

import time

import msgspec

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.fio import found
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.steps import Check, resolve
from raidtui.core.proof import addresses, pattern
from raidtui.core.proof.addresses import Geography, MemberByte
from raidtui.core.proof.pattern import BlockDiffers, Mismatch, PatternSpan
from raidtui.core.raid.layers import LAYERS
from raidtui.core.run.found_events import BlocksLookedAt
from raidtui.core.run.proof import differing, is_whole
from raidtui.runs.context import StageContext
from raidtui.runs.proof.found import NAMED
from raidtui.runs.waiting import StepFailed

_COMPARED_BYTES = 512  # of a member: a sector lies there in one piece
_READ_BYTES = 4096  # the larger sectors of some disks


class BlocksDiffer(StepFailed):
    """The array is left as it is, for inspection."""


def judged(context: StageContext, trial: Trial, measurement: Measurement, printed: str) -> Measurement:
    """With the difference, journalled before, as its error, after a second look that may fail."""
    assert context.stage and context.stage.proof
    state, blocks, why_not = context.stage.proof.states[trial.state - 1], list[BlockDiffers](), ""
    try:
        look = (_Look if context.stage.array else _LookAtFile)(context, context.stage.proof.tags, state.spans)
        blocks += (look.block(one.offset_bytes, one.within_bytes) for one in found.blocks(printed)[:NAMED])
    except Exception as error:  # whatever it was: the difference is known
        why_not = str(error) or type(error).__name__
    context.journal.add(BlocksLookedAt(at_s=time.time(), blocks=tuple(blocks), why_not=why_not))
    words = differing(context.journal.state.differed[-1], context.plan)
    return msgspec.structs.replace(measurement, status="failed", error=words)


def located(context: StageContext, tags: tuple[str, ...], span: PatternSpan, number: int) -> BlockDiffers:
    """The request that an acknowledged write should have left there."""
    return msgspec.structs.replace(_Look(context, tags, (span,)).block(span.begin_bytes, 0), number=number)


def need_equal(trial: Trial, measurement: Measurement) -> None:
    """After its end is journalled: StepFailed if it could not be verified."""
    if not trial.state or measurement.status == "interrupted" or is_whole(trial, measurement):
        return
    raise StepFailed(f"{trial.title}: {measurement.error or 'fio read less than all'}")


def copies_agree(context: StageContext, _: Check) -> None:
    """BlocksDiffer if the check that just ended counted mismatches."""
    counted = context.journal.state.mismatches[-1:]
    if not counted or not counted[0].final:
        raise StepFailed("the check of the array has no result")
    if counted[0].sectors:
        raise BlocksDiffer(differing(context.journal.state.differed[-1], context.plan))


class _LookAtFile:
    """At a file on an existing array, read-only: where it lies on the disks is not known."""

    def __init__(self, context: StageContext, tags: tuple[str, ...], spans: tuple[PatternSpan, ...]) -> None:
        assert context.stage and context.stage.proof
        self._context, self._spans, self._tags = context, spans, tags
        self._device = resolve(context.stage.proof.device, context.device_of)

    def block(self, request: int, first: int) -> BlockDiffers:
        """One request, read again."""
        mismatch = self._mismatch(request)
        if mismatch is None:
            return BlockDiffers(request_bytes=request, offset_bytes=first, count_bytes=1, again=False)
        return BlockDiffers(
            request_bytes=request,
            offset_bytes=mismatch.offset,
            count_bytes=mismatch.count,
            expected=mismatch.expected.hex(),
            found=mismatch.found.hex(),
            kind=mismatch.kind.value,
            from_bytes=mismatch.from_bytes,
            bits=mismatch.bits,
        )

    def _mismatch(self, request: int) -> Mismatch | None:
        span = next(span for span in self._spans if span.contains(request))
        found = self._context.host.read_bytes(self._device, request, pattern.REQUEST_BYTES)
        return pattern.compare(self._tags, span, request, found)


class _Look(_LookAtFile):
    """At an array in one state of its proof."""

    def __init__(self, context: StageContext, tags: tuple[str, ...], spans: tuple[PatternSpan, ...]) -> None:
        super().__init__(context, tags, spans)
        stage = context.stage
        assert stage and stage.array
        self._array = context.array or ""
        self._encrypted = stage.layer is not None and stage.layer.kind == "luks"
        self._start_bytes = _start_bytes(context, stage, self._device)
        self._slots = self._members_by_slot()

    def block(self, request: int, first: int) -> BlockDiffers:
        """With its place on the array and on the member that holds it."""
        block = super().block(request, first)
        if not block.again:
            return block
        address = self._start_bytes + request + block.offset_bytes
        try:
            index, at_bytes = self._member(address)
        except OSError:  # a member that cannot be read: the difference counts all the same
            index, at_bytes = None, None
        member = "" if index is None else self._context.plan.members[index].id
        return msgspec.structs.replace(block, array_bytes=address, member=member, member_bytes=at_bytes)

    def _members_by_slot(self) -> dict[int, int]:
        """Slot in the array -> index of the member: md may give a blank disk another slot than it had."""
        slots = {}
        for index in range(len(self._context.plan.members)):
            name = self._context.node(index).removeprefix("/dev/")
            slot = self._context.host.text(f"/sys/block/{self._array}/md/dev-{sysfs_name(name)}/slot")
            if slot.isdecimal():
                slots[int(slot)] = index
        return slots

    def _geography(self) -> Geography | None:
        assert self._context.stage and self._context.stage.array
        array = self._context.stage.array
        sizes = [self._context.plan.members[index].size_bytes for index in sorted(self._slots.values())]
        disks = self._context.stage.setup.disks if self._context.stage.setup else 0
        count = disks or len(self._context.plan.members) - self._context.stage.journals - self._context.stage.spares
        used = array.capacity.member_used_bytes
        return addresses.geography(array.level, array.layout, [*sizes, *sizes][:count], array.chunk_bytes, used)

    def _member(self, address: int) -> tuple[int | None, int | None]:
        """Member that holds other bytes than it should, and where on it; Nones if no single one is known."""
        geography = self._geography() if self._slots else None
        if geography is None:
            return None, None
        copies = [place for place in geography.copies(address) if place.member in self._slots]
        others = [place for place in geography.stripe(address) if place.member in self._slots and place not in copies]
        if self._encrypted:  # what is on a member cannot be compared there
            return self._at(copies[0]) if len(copies) == 1 else (None, None)
        wrong = [place for place in (*copies, *others) if place.address is not None and self._differs(place)]
        parity = [place for place in others if place.address is None]
        if not wrong and len(parity) == 1:
            wrong = parity
        return self._at(wrong[0]) if wrong else (None, None)

    def _at(self, place: MemberByte) -> tuple[int, int]:
        name = self._node(place).removeprefix("/dev/")
        return self._slots[place.member], place.offset + self._context.host.data_offset_bytes(self._array, name)

    def _node(self, place: MemberByte) -> str:
        return self._context.node(self._slots[place.member])

    def _differs(self, place: MemberByte) -> bool:
        """Whether the member holds something else than the array should have there. False where nothing was written."""
        assert place.address is not None
        _, at_bytes = self._at(place)
        down = at_bytes % _COMPARED_BYTES
        address = place.address - self._start_bytes - down
        span = next((span for span in self._spans if span.covers(address)), None)
        if span is None:
            return False
        request = pattern.request_of(span, address)
        expected = pattern.content(self._tags[span.tag], request, address - request, _COMPARED_BYTES)
        begin = (at_bytes - down) % _READ_BYTES
        found = self._context.host.read_bytes(self._node(place), at_bytes - down - begin, _READ_BYTES)
        return found[begin : begin + _COMPARED_BYTES] != expected


def _start_bytes(context: StageContext, stage: Stage, device: str) -> int:
    """Where what is verified begins on the array."""
    if stage.layer:
        return LAYERS[stage.layer.kind].start_bytes(stage.layer.align_bytes)
    start = context.host.text(f"/sys/class/block/{sysfs_name(device.removeprefix('/dev/'))}/start")
    return int(start) * _COMPARED_BYTES if start.isdecimal() else 0
