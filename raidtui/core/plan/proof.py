"""A proof: an array is written whole, then read back healthy, degraded, rebuilt and assembled anew. Members fail one
after the other as far as the level survives it, and are added again blank. While the array is complete md's check
compares all copies and parity. In `stages`, before the file system.

Bounds of a proof in a plan file: states, spans, tags and members that its readers count on.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import FioOptions, Job
from raidtui.core.plan import member_steps
from raidtui.core.plan.answers import Answers, PlanRefused, ProofAnswers
from raidtui.core.plan.estimate import DiskSpeed, work_of, written_of
from raidtui.core.plan.kept import permanence
from raidtui.core.plan.member_steps import added, copies_check
from raidtui.core.plan.model import CONF_FILE, ArrayPlan, LayerPlan, Stage, Trial
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.steps import Check, Command, Step, Wait, settle
from raidtui.core.plan.storage_layers import layers
from raidtui.core.plan.trials import drop_caches
from raidtui.core.proof import pattern, witnessed
from raidtui.core.proof.pattern import LEFT_OUT_BYTES, REQUEST_BYTES, PatternSpan, ProofPlan, ProofState

_MOST_OUT = 2  # members at once


class ProofInputs(msgspec.Struct, frozen=True):
    """What is proved: `room_bytes` of `device`, a placeholder, on an array. `tags`: slots of the two patterns."""

    cell: ParsedSetup
    array: ArrayPlan
    layer: LayerPlan | None
    device: str
    room_bytes: int
    tags: tuple[str, str]


class _Transfers(msgspec.Struct, frozen=True):
    """How it is written and read. `cell`: None on an existing array, of so many `disks`; `number`: of the stage."""

    device: str
    tags: tuple[str, ...]
    job: Job
    speed: DiskSpeed
    number: int
    cell: ParsedSetup | None
    disks: int


class Proof(msgspec.Struct, frozen=True):
    """`written_bytes`: to all members."""

    plan: ProofPlan
    steps: tuple[Step, ...]
    trials: tuple[Trial, ...]
    written_bytes: int


class _Fail(msgspec.Struct, frozen=True):
    """Members that go out, the part that is written then (None: none)."""

    members: tuple[int, ...]
    part: int | None = None


class _AddBack(msgspec.Struct, frozen=True):
    """Members that come back blank."""

    members: tuple[int, ...]


class _Reassemble(msgspec.Struct, frozen=True):
    pass


_Act = _Fail | _AddBack | _Reassemble


def refuse(answers: Answers, cells: Sequence[ParsedSetup]) -> None:
    """PlanRefused unless one setup, once, that can be proved."""
    if len(cells) > 1 or answers.repeat not in (None, 1):
        raise PlanRefused("a proof is of one setup, once; name one", "recipe")
    if given := [name for name in ("fio", "job", "jobs", "explain") if getattr(answers, name)]:
        raise PlanRefused(f"a proof chooses its own fio options; leave {given[0]} out", given[0], where="")
    (cell,) = cells
    reason = ""
    if not cell.level.md_name:
        reason = f"a proof is of an md array, and {cell.level.name} is none"
    elif cell.level.has_sync and cell.setup.first_sync != "wait":
        reason = 'a proof needs the initial resync; leave first_sync out, or choose "wait"'
    elif cell.setup.groups > 1 and answers.proof.cut:
        reason = "after a power cut the copies of one array are compared, and not yet of groups; leave cut out"
    elif cell.setup.failed:
        reason = "a proof fails members itself; leave failed out"
    if reason:
        raise PlanRefused(reason, "setup", where="recipe proof")


def proof_steps(
    inputs: ProofInputs, job: Job, speed: DiskSpeed, asked: ProofAnswers, number: int, *, first: int
) -> Proof:
    """`number`: of the stage, `first`: of the first step in it. PlanRefused if the device is too small."""
    on = _Transfers(inputs.device, inputs.tags, job, speed, number, inputs.cell, inputs.cell.disks)
    spans = _spans(inputs.room_bytes, asked.whole_share)
    states = []
    fresh = [*_ends_cleared(inputs), _marked(inputs.device)]
    steps = [*fresh, *(_written(on, span, fill) for fill, span in enumerate(pattern.joined(spans)))]
    first += len(fresh)
    fills, trials, user_bytes = len(steps) - len(fresh), [], sum(span.written_bytes for span in spans)
    rebuilt, out = 0, tuple[int, ...]()
    for words, acts in _states(inputs.cell, each=asked.members == "each"):
        for act in acts:
            match act:
                case _Fail(members, part):
                    steps += member_steps.taken_out(members, inputs.array)
                    out = (*out, *members)
                    if part is not None:
                        spans = tuple(span.with_tag(1) if at == part else span for at, span in enumerate(spans))
                        steps.append(_written(on, spans[part], fills))
                        fills, user_bytes = fills + 1, user_bytes + spans[part].written_bytes
                case _AddBack(members):
                    steps += _added_back(inputs, speed, members)
                    rebuilt, out = rebuilt + len(members), ()
                case _Reassemble():
                    steps += _reassembled(inputs)
        if words:
            state = ProofState(words, pattern.joined(spans), out, checked=not out and inputs.cell.level.has_sync)
            states.append(state)
            steps += _checked(inputs, speed) if state.checked else ()
            for trial, verifying in _verified(on, state, len(states)):
                trials.append(trial)
                steps += verifying
    if asked.cut:
        states.append(ProofState(witnessed.WORDS, ()))
        steps += _power_cut(inputs.cell)
    steps += _ends_cleared(inputs)
    written = written_of(inputs.cell, inputs.cell.disks, user_bytes)
    room = inputs.room_bytes
    plan = ProofPlan(inputs.device, inputs.tags, tuple(states), asked.whole_share, first, asked.witness, room)
    return Proof(plan, tuple(steps), tuple(trials), written + rebuilt * inputs.array.capacity.member_used_bytes)


def in_file(job: Job, speed: DiskSpeed, disks: int, size_bytes: int) -> tuple[ProofPlan, list[Step], Trial]:
    """A new file on an existing array: written, and read back in the one state that the array is in."""
    tags = ("{name:0}{name:1}",)
    on = _Transfers("{held}", tags, job, speed, 1, None, disks)
    (span,) = pattern.joined(_spans(size_bytes))
    state = ProofState("existing array", (span,))
    ((trial, verifying),) = _verified(on, state, 1)
    steps = [_written(on, span, 0), *verifying]
    return ProofPlan("{held}", tags, (state,)), steps, msgspec.structs.replace(trial, target="existing")


def _spans(size_bytes: int, share: float = 1.0) -> tuple[PatternSpan, ...]:
    try:
        return pattern.parts(size_bytes, share)
    except ValueError as error:
        raise PlanRefused(str(error), "disks") from error


def _states(cell: ParsedSetup, *, each: bool) -> Iterator[tuple[str, tuple[_Act, ...]]]:
    """What is done, and the name of the state that is read back then ("": none). With groups all of them lose as many
    disks.
    """
    yield "healthy", ()
    at_once = min(_MOST_OUT, cell.capacity.survives)
    grouped = cell.setup.groups > 1

    def in_each(members: Sequence[int]) -> tuple[int, ...]:
        return tuple(first + member for first in range(0, cell.disks, cell.group_disks) for member in members)

    if at_once:
        first, *others = _together(cell.group_disks, at_once, each=each)
        for part, member in enumerate(first):
            yield _out_words(part + 1, grouped=grouped), (_Fail(in_each((member,)), part),)
        yield "rebuilt", (_AddBack(in_each(first)),)
        for number, together in enumerate(others, 1):
            name = f", turn {number + 1} of {len(others) + 1}" if each else ""
            yield _out_words(at_once, other=True, grouped=grouped) + name, (_Fail(in_each(together)),)
            yield "", (_AddBack(in_each(together)),)
    yield "assembled again", (_Reassemble(),)


def _out_words(count: int, *, other: bool = False, grouped: bool = False) -> str:
    """Short: it is a cell of a table."""
    words = ("other" if grouped else "other disk") if other else "disk"
    return f"{count} {words}{'' if count == 1 else 's'} out{' per group' if grouped else ''}"


def _together(disks: int, at_once: int, *, each: bool) -> list[tuple[int, ...]]:
    """Members that are out together: neighbours, which hold each other's copies in every layout of RAID 10."""
    starts = range(0, disks if each else 2 * at_once, at_once)
    return [tuple((start + step) % disks for step in range(at_once)) for start in starts]


def _options(on: _Transfers, span: PatternSpan) -> FioOptions:
    own: FioOptions = {name: on.job.fio[name] for name in ("ioengine", "iodepth") if name in on.job.fio}
    zones: FioOptions = {}
    if span.zone_bytes:
        zones = {
            "zonemode": "strided",
            "zonerange": span.zone_bytes,
            "zonesize": span.zone_bytes,
            "zoneskip": span.skip_bytes,
            "io_size": span.written_bytes,
        }
    return {
        **own,
        "direct": True,
        "bs": REQUEST_BYTES,
        "offset": span.begin_bytes,
        "size": span.size_bytes,
        **zones,
        "verify": "pattern",
        "verify_pattern": pattern.option(on.tags[span.tag]),
    }


def _written(on: _Transfers, span: PatternSpan, number: int) -> Command:
    options = {**_options(on, span), "rw": "write", "do_verify": False, "end_fsync": True}
    argv = fio_job.argv(Job(name="fill", fio=options), f"fio/fill{number or ''}.json", (on.device,))
    lasts = work_of(options, on.cell, on.disks, span.written_bytes, on.speed)
    return Command(
        what="Write a third again with the second pattern" if span.tag else "Write the pattern",
        role="fill",
        argv=argv,
        estimate_s=lasts.duration_s,
    )


def _verified(on: _Transfers, state: ProofState, number: int) -> Iterator[tuple[Trial, list[Step]]]:
    for part, span in enumerate(state.spans):
        options = {**_options(on, span), "rw": "read", "group_reporting": True}
        several = len(state.spans) > 1
        name = f"{on.job.name}-{number}{'abc'[part] if several else ''}"
        work = work_of(options, on.cell, on.disks, span.written_bytes, on.speed)
        trial = Trial(
            id=f"s{on.number}-{name}",
            job=name,
            title=f"Verify: {state.words}" + (f" ({part + 1} of {len(state.spans)})" if several else ""),
            target="array",
            rw="read",
            bs_bytes=REQUEST_BYTES,
            iodepth=fio_job.count(options, "iodepth"),
            numjobs=1,
            expected_s=work.duration_s,
            span_bytes=span.written_bytes,
            state=number,
        )
        argv = fio_job.argv(Job(name=name, fio=options), f"fio/{trial.id}.json", (on.device,))
        yield trial, [*drop_caches(), Command(what=trial.title, role="measure", argv=argv, trial=trial.id)]


def _checked(inputs: ProofInputs, speed: DiskSpeed) -> list[Step]:
    """All copies and parity of a complete array, before it is read: its end is the state's, and no state without it."""
    *begun, wait = copies_check("Compare all copies and parity", _member_s(inputs, speed), inputs.array.parts)
    assert isinstance(wait, Wait)
    agree = Check(what="Do all copies and parity agree?", question="copies-agree")
    others = Wait(what="Wait for a check that somebody began", condition="sync-finished")
    return [others, *begun, *member_steps.unlimited(wait, inputs.array.parts), agree]


def _member_s(inputs: ProofInputs, speed: DiskSpeed) -> float:
    return inputs.array.capacity.member_used_bytes / speed.bytes_per_s


def _added_back(inputs: ProofInputs, speed: DiskSpeed, members: Sequence[int]) -> list[Step]:
    rebuild = Wait(what="Wait for the rebuild", condition="sync-finished", estimate_s=_member_s(inputs, speed))
    first_mostly = inputs.cell.disks - inputs.cell.setup.write_mostly
    steps = [
        added(
            index,
            partitioned=inputs.array.partitioned,
            kind="a blank disk",
            write_mostly=index >= first_mostly,
            node=inputs.array.part_with(index),
        )
        for index in members
    ]
    return [*steps, *member_steps.unlimited(rebuild, inputs.array.parts)]


def _reassembled(inputs: ProofInputs) -> list[Step]:
    record = Command(
        what="Write the array's line of mdadm.conf",
        role="record",
        argv=("dd", f"of={CONF_FILE}", "oflag=nofollow,nonblock", "status=none"),
        stdin=permanence.conf_of(inputs.array),
    )
    by = "those lines" if inputs.array.groups else "that line"
    return [record, *layers.reassembled(inputs.array, inputs.layer, CONF_FILE, by)]


def _power_cut(cell: ParsedSetup) -> list[Step]:
    """A resync after it is part of what is proved: its end is awaited before the writes are read back."""
    wait = Wait(what="Wait for the resync after the power cut", condition="sync-finished")
    return [
        Wait(
            what="Cut the power now, at any time; after the boot: `raidtui resume --acknowledged LINE`",
            condition="power-cut",
        ),
        *(member_steps.unlimited(wait) if cell.level.has_sync else ()),
        Check(what="Is each acknowledged write there?", question="acknowledged"),
    ]


def _marked(device: str) -> Step:
    """Not kept yet: the end of the proof zeroes it, before the file system."""
    flags = ("oflag=seek_bytes", "conv=fsync,notrunc", "status=none")
    argv = ("dd", f"of={device}", f"seek={pattern.MARK_AT}", *flags)
    return Command(what="Mark it as being proved", role="record", argv=argv, stdin=pattern.MARK)


def _ends_cleared(inputs: ProofInputs) -> list[Step]:
    """Before: what is found there later was not there when the proof began. After: the mark goes."""
    last = inputs.room_bytes - LEFT_OUT_BYTES
    zeros = ("dd", "if=/dev/zero", f"of={inputs.device}", f"bs={LEFT_OUT_BYTES}", "count=1")
    flags = ("conv=fsync", "status=none")
    return [
        Command(what="Zero the first MiB", role="wipe", argv=(*zeros, *flags)),
        Command(what="Zero the last MiB", role="wipe", argv=(*zeros, f"seek={last}", "oflag=seek_bytes", *flags)),
        settle(),
    ]


_TAG = re.compile(r"(?:[0-9a-f]{8}|\{name:[0-9]{1,5}\}){2}")
_DEVICES = ("{array}", "{array:1}", "{volume}", "{held}")


def check_proof(stage: Stage, members: int) -> None:
    """ValueError, one sentence."""
    proof = stage.proof
    states = len(proof.states) if proof else 0
    for trial in stage.trials:
        if not 0 <= trial.state <= states:
            raise ValueError(f"a trial is of state {trial.state}, and its proof has {states}")
    if proof:
        _check(proof, len(stage.steps), members)


def _check(proof: ProofPlan, steps: int, members: int) -> None:
    if proof.device not in _DEVICES:
        raise ValueError("its proof is of no array, volume or file of the run")
    if not proof.states or not proof.tags or not all(map(_TAG.fullmatch, proof.tags)):
        raise ValueError("its proof has no states, or no tags of 16 digits")
    if not 0 < proof.share <= 1 or not 0 <= proof.first <= steps:
        raise ValueError(f"its proof is of a share of {proof.share:g}, from step {proof.first} of {steps} on")
    for number, state in enumerate(proof.states, 1):
        is_cut = bool(proof.witness) and number == len(proof.states)
        if is_cut == bool(state.spans) or not _is_out_possible(state, members):
            raise ValueError(f"state {number} of its proof has impossible spans or members")
        if not all(_is_possible(span, len(proof.tags)) for span in state.spans):
            raise ValueError(f"state {number} of its proof has a span that cannot be")


def _is_out_possible(state: ProofState, members: int) -> bool:
    return len(set(state.out)) == len(state.out) and all(0 <= index < members for index in state.out)


def _is_possible(span: PatternSpan, tags: int) -> bool:
    places = (span.begin_bytes, span.zone_bytes, span.skip_bytes)
    zones = span.zone_bytes > 0 or not span.skip_bytes
    return 0 <= span.tag < tags and min(places) >= 0 and zones and 0 < span.written_bytes <= span.size_bytes
