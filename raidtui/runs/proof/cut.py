"""The last state of a proof: writes that a witness counts until power is cut, and all of them read back after the boot.
A worker that was killed or stopped meanwhile was no power cut: they begin anew, with a tag of their own.

The witness of acknowledged writes, outside of this machine: a line a write to a serial line, a named pipe or a TCP
port. Nothing that it sends back is read; what it has is given by a person after the boot.
"""

import errno
import os
import select
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.plan.model import Stage
from raidtui.core.plan.steps import Check, Command, resolve
from raidtui.core.proof import cut
from raidtui.core.proof.cut import AcknowledgedWrites
from raidtui.core.proof.pattern import REQUEST_BYTES, BlockDiffers, PatternSpan, ProofPlan
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
    writes = cut.writes_of(proof, tag)
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
    writes = cut.writes_of(proof, power_cut.tag)
    due, lost = writes.due(power_cut.acknowledged), list[int]()
    for number in due:
        if not _is_there(context, writes, number):
            lost.append(number)
            if len(lost) == 1:  # first of all: a stop, or an error of the next read, loses nothing
                differences.journal(context, cut.WORDS, [writes.address(number)])
    if lost:
        differences.journal(context, cut.WORDS, [*map(writes.address, lost)])
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


class WitnessError(OSError):
    """One sentence."""


def why_not(witness: str) -> str:
    """One sentence before anything is written; "" if it can be reached. A named pipe is not opened: its reader would
    take the end for its last line.
    """
    try:
        if not (witness.startswith("/") and Path(witness).is_fifo()):
            with opened(witness):
                pass
    except WitnessError as error:
        return str(error)
    return ""


@contextmanager
def opened(witness: str) -> Iterator[Callable[[bytes], None]]:
    """What sends it bytes. WitnessError if it cannot be reached, or takes nothing for a minute."""
    try:
        descriptor = _device(witness) if witness.startswith("/") else _connected(witness)
    except OSError as error:
        raise _failed(witness, error) from error
    try:
        yield lambda line: _send(descriptor, line, witness)
    finally:
        os.close(descriptor)


def _failed(witness: str, error: OSError) -> WitnessError:
    if isinstance(error, WitnessError):
        return error
    nobody = "nothing reads it" if error.errno == errno.ENXIO else ""
    return WitnessError(f"witness {witness}: {nobody or error.strerror or error}; start it, or write another")


def _device(path: str) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode) or os.isatty(descriptor):
        return descriptor
    os.close(descriptor)
    raise WitnessError(f"witness {path} is neither a serial line nor a named pipe; write another")


def _connected(witness: str) -> int:
    host, _, port = witness.rpartition(":")
    connection = socket.create_connection((host.strip("[]"), int(port)), _CONNECTS_WITHIN_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setblocking(False)
    return connection.detach()


def _send(descriptor: int, line: bytes, witness: str) -> None:
    try:
        while line:
            try:
                line = line[os.write(descriptor, line) :]
            except BlockingIOError:
                if not select.select([], [descriptor], [], _TAKES_WITHIN_S)[1]:
                    raise WitnessError(f"witness {witness} takes no more lines; start it anew") from None
    except OSError as error:
        raise _failed(witness, error) from error


def acknowledged(given: str, tag: str) -> int:
    """The highest number of this tag in the witness' last line, or in a file of its lines. ValueError, one sentence."""
    if cut.is_line(given):
        number = cut.acknowledged([given], tag)
    else:
        try:
            with Path(given).open(errors="replace") as lines:
                number = cut.acknowledged(lines, tag)
        except OSError as error:
            example = f"{tag[: cut.SHOWN_DIGITS]} 1234"
            raise ValueError(f"--acknowledged {given}: {error.strerror}; give the last line ({example})") from error
    if not number:
        otherwise = "give another, --cut-again or --no-cut"
        raise ValueError(f"--acknowledged {given}: no line of this run's {tag[: cut.SHOWN_DIGITS]}; {otherwise}")
    return number
