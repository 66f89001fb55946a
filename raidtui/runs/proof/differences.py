"""Blocks that an array gave back otherwise than written: read once more, located on the members, journalled.

What fio found otherwise than written: journalled before anything else, also for a worker that was killed.
"""

import os
import shlex
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from raidtui.core.fio import text
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.steps import Check, Command, printed_file, resolve
from raidtui.core.proof import pattern
from raidtui.core.proof.addresses import MemberByte
from raidtui.core.proof.pattern import BlockDiffers, Mismatch, PatternSpan, ProofState
from raidtui.core.run.events import BlocksDiffered, DataDiffered
from raidtui.core.run.proof import differing, is_whole, state_now
from raidtui.core.run.state import RunState
from raidtui.runs.context import StageContext
from raidtui.runs.journal import Journal
from raidtui.runs.proof.copies import MemberContents, PatternedMembers
from raidtui.runs.waiting import StepFailed

NAMED = 8  # blocks
_MOST_BYTES = 1 << 20


def journalled(
    journal: Journal, plan: Plan, trial: Trial, printed: str, disks: Mapping[str, str]
) -> BlocksDiffered | None:
    """The difference, of a proof. `disks`: path -> member identity."""
    if trial.state:
        blocks = text.blocks(printed)
        number, states = next(
            (number, stage.proof.states)
            for number, stage in enumerate(plan.stages)
            if stage.proof and trial in stage.trials
        )
        event = BlocksDiffered(
            at_s=time.time(),
            stage=number,
            state=states[trial.state - 1].words,
            count=len(blocks),
            trial=trial.id,
            named=tuple(block.offset_bytes for block in blocks[:NAMED]),
        )
        if blocks:
            journal.add(event)
            return event
    elif first := text.first_by_path(printed):
        journal.add(
            DataDiffered(
                at_s=time.time(),
                trial=trial.id,
                first={disks.get(path, path): at_byte for path, at_byte in first.items()},
            )
        )
    return None


def recalled(path: Path, plan: Plan, journal: Journal) -> BlocksDiffered | None:
    """What a killed worker did not come to journal, from its test's file; the difference, of a proof."""
    state = journal.state
    begun = state.trials[-1] if state.trials else None
    trial = plan.trial(begun.trial) if begun else None
    if begun is None or trial is None or begun.measurement is not None:
        return None
    known: tuple[BlocksDiffered | DataDiffered, ...] = (*state.differed, *state.wrong)
    if any(one.trial == trial.id and one.at_s >= begun.started_at_s for one in known):
        return None
    if printed := printed_by(path, trial.id):
        return journalled(journal, plan, trial, printed, _disks_then(plan, state, trial.id))
    return None


def printed_by(path: Path, trial: str) -> str:
    """ "" without such a file."""
    try:
        file = os.open(path / printed_file(trial), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(file).st_mode)
        return os.read(file, _MOST_BYTES).decode(errors="replace") if is_file else ""
    finally:
        os.close(file)


def _disks_then(plan: Plan, state: RunState, trial: str) -> dict[str, str]:
    """By the names that the test's command had."""
    steps = (step for stage in plan.stages for step in stage.steps if isinstance(step, Command) and step.trial == trial)
    members = [plan.members[index].id for step in steps for index in step.members]
    words = shlex.split(next((step.line for step in reversed(state.steps) if step.role == "measure"), ""))
    paths = [word.removeprefix("--filename=") for word in words if word.startswith("--filename=")]
    return dict(zip(paths, members, strict=False))


class BlocksDiffer(StepFailed):
    """The array is left as it is, for inspection."""


def judged(context: StageContext, trial: Trial, measurement: Measurement, printed: str) -> Measurement:
    """With the difference, journalled before, as its error, after a second look that may fail."""
    assert context.stage and context.stage.proof
    state, tags = context.stage.proof.states[trial.state - 1], context.stage.proof.tags
    kind = _Look if context.stage.array else _LookAtFile

    def look() -> Iterator[BlockDiffers]:
        at = kind(context, tags, state.spans)
        yield from (at.block(one.offset_bytes, one.within_bytes) for one in text.blocks(printed)[:NAMED])

    return msgspec.structs.replace(measurement, status="failed", error=looked_at(context, look()))


def looked_at(context: StageContext, look: Iterator[BlockDiffers]) -> str:
    """The difference that was journalled last, after the second look, which may fail; in a line."""
    blocks, why_not = list[BlockDiffers](), ""
    try:
        blocks += look
    except Exception as error:  # whatever it was: the difference is known
        why_not = str(error) or type(error).__name__
    known = context.journal.state.differed[-1]
    context.journal.add(msgspec.structs.replace(known, at_s=time.time(), blocks=tuple(blocks), why_not=why_not))
    return differing(context.journal.state.differed[-1], context.plan)


def journal(context: StageContext, state: str, places: Sequence[int]) -> None:
    """Requests of the device that differ in a state, before they are looked at."""
    event = BlocksDiffered(
        at_s=time.time(), stage=context.number, state=state, named=tuple(places[:NAMED]), count=len(places)
    )
    context.journal.add(event)


def located(context: StageContext, tags: tuple[str, ...], span: PatternSpan, number: int) -> BlockDiffers:
    """The request that an acknowledged write should have left there."""
    return msgspec.structs.replace(_Look(context, tags, (span,)).block(span.begin_bytes, 0), number=number)


def need_equal(trial: Trial, measurement: Measurement) -> None:
    """After its end is journalled: StepFailed if it could not be verified."""
    if not trial.state or measurement.status == "interrupted" or is_whole(trial, measurement):
        return
    raise StepFailed(f"{trial.title}: {measurement.error or 'fio read less than all'}")


def copies_agree(context: StageContext, _: Check) -> None:
    """BlocksDiffer if the check that just ended counted mismatches: journalled, then looked for on the members."""
    counted = context.journal.state.mismatches[-1:]
    if not counted or not counted[0].final:
        raise StepFailed("the check of the array has no result")
    if not counted[0].sectors:
        return
    state = state_now(context.plan, context.journal.state)
    assert context.stage and context.stage.array and state
    if block := _first_unequal(context, state, context.stage.array.capacity.array_bytes):
        looked_at(context, iter((block,)))
    raise BlocksDiffer(differing(context.journal.state.differed[-1], context.plan))


def _first_unequal(context: StageContext, state: ProofState, array_bytes: int) -> BlockDiffers | None:
    """None if the members are equal by now, one cannot be read, or somebody stops the run."""
    assert context.stage and context.stage.proof

    def goes_on() -> bool:
        context.waiter.tick()
        return not context.waiter.stopping()

    try:
        members = PatternedMembers(MemberContents(context), context.stage.proof.tags, state.spans)
        return members.first(array_bytes, goes_on)
    except (OSError, KeyError) as error:
        context.waiter.warn(f"the members cannot be compared: {error}")
        return None


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
        return pattern.located(request, mismatch)

    def _mismatch(self, request: int) -> Mismatch | None:
        span = next(span for span in self._spans if span.contains(request))
        return pattern.compare(self._tags, span, request, self._read(request))

    def _read(self, request: int) -> bytes:
        return self._context.host.read_bytes(self._device, request, pattern.REQUEST_BYTES)


class _Look(_LookAtFile):
    """At an array in one state of its proof."""

    def __init__(self, context: StageContext, tags: tuple[str, ...], spans: tuple[PatternSpan, ...]) -> None:
        super().__init__(context, tags, spans)
        self._contents = MemberContents(context)
        self._members = PatternedMembers(self._contents, tags, spans)

    def block(self, request: int, first: int) -> BlockDiffers:
        """With its place on the array and on the member that holds it. Equal when read again, each copy is read: the
        array's first reading may have been of another one.
        """
        block = super().block(request, first)
        address = self._contents.start_bytes + request + block.offset_bytes
        try:
            if not block.again:
                return self._members.of_copies(request, self._read(request)) or block
            index, at_bytes = self._member(address)
        except OSError:  # a member that cannot be read: the difference counts all the same
            if not block.again:
                return block
            index, at_bytes = None, None
        return msgspec.structs.replace(
            block,
            array_bytes=address,
            member="" if index is None else self._context.plan.members[index].id,
            member_bytes=at_bytes,
        )

    def _member(self, address: int) -> tuple[int | None, int | None]:
        """Member that holds other bytes than it should, and where on it; Nones if no single one is known."""
        geography = self._contents.geography
        if geography is None:
            return None, None
        there = self._contents.is_there
        copies = [place for place in geography.copies(address) if there(place)]
        others = [place for place in geography.stripe(address) if there(place) and place not in copies]
        if self._contents.is_encrypted:  # what is on a member cannot be compared there
            return self._at(copies[0]) if len(copies) == 1 else (None, None)
        wrong = [place for place in (*copies, *others) if place.address is not None and self._members.differs(place)]
        parity = [place for place in others if place.address is None]
        if not wrong and len(parity) == 1:
            wrong = parity
        return self._at(wrong[0]) if wrong else (None, None)

    def _at(self, place: MemberByte) -> tuple[int, int]:
        return self._contents.slots[place.member], self._contents.at(place)
