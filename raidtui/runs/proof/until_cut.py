"""The last state of a proof: writes that a witness counts until power is cut, and all of them read back after the boot.
A worker that was killed or stopped meanwhile was no power cut: they begin anew, with a tag of their own.
"""

import os
import sys
import time

from raidtui.core.plan.model import Stage
from raidtui.core.plan.steps import Check, Command, resolve
from raidtui.core.proof import witnessed
from raidtui.core.proof.pattern import REQUEST_BYTES, BlockDiffers, PatternSpan, ProofPlan
from raidtui.core.proof.witnessed import AcknowledgedWrites
from raidtui.core.run.events import PowerCutAnswered, PowerCutAwaited
from raidtui.core.run.proof import has_copies
from raidtui.runs.context import StageContext
from raidtui.runs.proof import differences
from raidtui.runs.proof.differences import NAMED, BlocksDiffer, located, looked_at
from raidtui.runs.removal.intents import before_command
from raidtui.runs.waiting import Refused, StepFailed, Stopped

_WRITER = (sys.executable, "-P", "-m", "raidtui.runs.proof.acknowledging")
_DEVICES = ("{array}", "{array:1}", "{volume}")
_START_RO = "/sys/module/md_mod/parameters/start_ro"  # an array that comes up waits for its first write


class NotCut(StepFailed):
    """The writes ended before power was cut. The array stays: it is verified in all other states."""

    def __init__(self, reason: str, *, stopped: bool) -> None:
        super().__init__(reason)
        self.stopped = stopped


def write_until_cut(context: StageContext) -> None:
    """Ends by NotCut only."""
    proof = _proof(context)
    if proof.device not in _DEVICES:
        raise Refused(f"{proof.device} is no array of this run; it is left alone")
    tag = os.urandom(8).hex()
    writes = witnessed.writes_of(proof, tag)
    numbers = (str(writes.begin_bytes), str(writes.requests))
    step = Command(what="", role="fill", argv=(*_WRITER, proof.device, *numbers, tag, proof.witness))
    waits = {"1": True, "0": False}.get(context.host.text(_START_RO))
    if not waits and has_copies(_stage(context)):
        read = "is 0" if waits is False else "cannot be read"
        context.waiter.warn(f"start_ro of md_mod {read}: after the power cut md resyncs before copies can be read")
    context.journal.add(PowerCutAwaited(at_s=time.time(), tag=tag, boot_id=context.host.boot_id(), waits=waits))
    before_command(context, step)
    ended = context.run(step)
    if context.waiter.stopping():
        raise NotCut("stopped before the power was cut", stopped=True)
    raise NotCut(context.waiter.alarmed or ended.printed or f"its writer ended ({ended.status})", stopped=False)


def need_acknowledged(context: StageContext, _: Check) -> None:
    """BlocksDiffer if a write is missing that the witness has."""
    proof, power_cut = _proof(context), context.journal.state.cut
    if power_cut is None or not power_cut.acknowledged:
        raise StepFailed("the number of acknowledged writes is not known")
    writes = witnessed.writes_of(proof, power_cut.tag)
    due, lost = writes.due(power_cut.acknowledged), list[int]()
    for number in due:
        if not _is_there(context, writes, number):
            lost.append(number)
            if len(lost) == 1:  # first of all: a stop, or an error of the next read, loses nothing
                differences.journal(context, witnessed.WORDS, [writes.address(number)])
    if lost:
        differences.journal(context, witnessed.WORDS, [*map(writes.address, lost)])
        locate = (_located(context, writes, number) for number in lost[:NAMED])
        raise BlocksDiffer(looked_at(context, locate))
    context.journal.add(PowerCutAnswered(at_s=time.time(), acknowledged=power_cut.acknowledged, found=len(due)))


def _is_there(context: StageContext, writes: AcknowledgedWrites, number: int) -> bool:
    context.waiter.tick()
    if context.waiter.stopping():
        raise Stopped
    device = resolve(_proof(context).device, context.device_of)
    found = context.host.read_bytes(device, writes.address(number), REQUEST_BYTES)
    return writes.compare(_earlier(context, writes, number), number, found) is None


def _located(context: StageContext, writes: AcknowledgedWrites, number: int) -> BlockDiffers:
    tags = (*_earlier(context, writes, number), writes.tag_of(number))
    span = PatternSpan(len(tags) - 1, writes.address(number), REQUEST_BYTES, REQUEST_BYTES)
    return located(context, tags, span, number)


def _earlier(context: StageContext, writes: AcknowledgedWrites, number: int) -> tuple[str, ...]:
    """Tags that may lie there where this write was lost."""
    pass_before = (writes.tag_of(number - writes.requests),) if number > writes.requests else ()
    return (*_proof(context).tags, *pass_before)


def _proof(context: StageContext) -> ProofPlan:
    proof = _stage(context).proof
    assert proof
    return proof


def _stage(context: StageContext) -> Stage:
    assert context.stage
    return context.stage


_CONNECTS_WITHIN_S, _TAKES_WITHIN_S = 10.0, 60.0
