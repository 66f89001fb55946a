"""A run made by hand: RAID 5 of three disks, measured at 94 MB/s a disk, for tests of what is made of runs."""

from typing import Any

import msgspec

from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import SCHEMA, ArrayPlan, FilesystemPlan, Member, Plan, Stage, Target, Trial
from raidtui.core.plan.steps import Command, Wait
from raidtui.core.raid.capacity import capacity
from raidtui.core.run import events
from raidtui.core.run.state import RunState, fold_all

HOSTILE = "A|B `x` *b* <i>\n\x1b[31m[/] # _u_"
SIZE = 500_107_862_016
JOBS = (
    ("seq_write", "Sequential write", "write", 2**20, 32, 1),
    ("seq_read", "Sequential read", "read", 2**20, 32, 1),
    ("rand_write", "Random 4K write", "randwrite", 4096, 32, 4),
    ("rand_read", "Random 4K read", "randread", 4096, 32, 4),
    ("mix", "Random 4K, 70 % reads", "randrw", 4096, 32, 4),
)
GEOMETRY = {"block_bytes": 4096, "stride_blocks": 128, "stripe_width_blocks": 256}


def trial(target: Target, job: tuple[Any, ...], member: int | None = None, repetition: int = 1) -> Trial:
    name, title, rw, bs, iodepth, numjobs = job
    where = target if member is None else f"{target}{member}"
    return Trial(
        id=f"{where}-{name}" + (f"-{repetition}" if repetition > 1 else ""),
        job=name,
        title=title,
        target=target,
        rw=rw,
        member=member,
        bs_bytes=bs,
        iodepth=iodepth,
        numjobs=numjobs,
        repetition=repetition,
        expected_s=6,
        runtime_s=5,
    )


def plan(members: int = 3, repeat: int = 1, each: bool = False, model: str = "WDC WD5003ABYX", **setup: str) -> Plan:
    asked = Setup(**{"level": "5", "filesystem": "xfs", **setup})  # type: ignore[arg-type]
    alone = range(members if each else 1)
    times = range(1, repeat + 1)
    baseline = [trial("member", job, m, r) for r in times for m in alone for job in JOBS]
    baseline += [trial("members", job, None, r) for r in times for job in JOBS]
    array = [trial("filesystem", job, None, r) for r in times for job in JOBS]
    if repeat > 1:  # as a plan of so many blocks is read
        baseline, array = ([msgspec.structs.replace(t, block=t.repetition) for t in of] for of in (baseline, array))
    built = ArrayPlan(
        level=asked.level,
        layout=asked.layout or "left-symmetric",
        chunk_bytes=524288,
        bitmap="internal",
        uuid="11111111:22222222:33333333:44444444",
        name="raidtui-11111111",
        capacity=capacity(asked.level, [SIZE] * members),
    )
    wait = Wait(what="Wait for the initial resync", condition="sync-finished")
    mixes = (
        Command(what=t.id, role="measure", argv=fio_argv(t.id, "--direct=1", "--rwmixread=70"), trial=t.id)
        for t in array
        if t.rw == "randrw"
    )
    return Plan(
        schema=SCHEMA,
        machine="0123456789abcdef",
        members=tuple(
            Member(id=f"wwn-0x5000{i}", size_bytes=SIZE, name=f"sd{'bcdefgh'[i]}", model=model, serial=f"WD-{i}")
            for i in range(members)
        ),
        answers=Answers(disks=tuple(f"wwn-0x5000{i}" for i in range(members)), setup=asked),
        recipe_title="Quick look",
        stages=(
            Stage(title="Baseline", steps=(), trials=tuple(baseline)),
            Stage(
                title="RAID 5 of 3 disks, chunk 512 KiB, xfs",
                steps=(creation(built, members), wait, *mixes),
                trials=tuple(array),
                setup=asked,
                array=built,
                filesystem=FilesystemPlan(kind="xfs", uuid="95c963ba-8731-5515-ab56-407588058865", geometry=GEOMETRY),
            ),
        ),
        notes=("The first sync takes a while.",),
        code="c0ffee12",
    )


def fio_argv(trial_id: str, *options: str) -> tuple[str, ...]:
    start = ("fio", "--output-format=json", f"--output=fio/{trial_id}.json")
    return (*start, *options, "--name=mix", "--filename=mnt/raidtui.fio")


def creation(array: ArrayPlan, members: int) -> Command:
    named = (f"--uuid={array.uuid}", f"--name={array.name}", "--homehost=any", "--metadata=1.2")
    shape = (f"--level={array.level}", f"--raid-devices={members}", "--run")
    devices = tuple(f"{{member:{index}}}" for index in range(members))
    argv = ("mdadm", "--create", "{array}", *named, *shape, *devices)
    return Command(what="Create the array", role="create", argv=argv, members=tuple(range(members)))


def direction(iops: float, block: int, mean_ns: float) -> Direction:
    return Direction(
        iops=iops,
        bytes_per_s=iops * block,
        io_bytes=int(iops * block * 5),
        lat_mean_ns=mean_ns,
        lat_percentiles_ns={"1": mean_ns / 3, "50": mean_ns * 0.9, "99": mean_ns * 3},
    )


def measurement(one: Trial, rate: float, **changes: Any) -> Measurement:
    """Of a trial that reached `rate`: MB/s if it is sequential, IOPS if random. `latency` is a factor on Little's."""
    block, queue = one.bs_bytes or 4096, (one.iodepth or 1) * (one.numjobs or 1)
    iops = rate if one.rw.startswith("rand") else rate * 1e6 / block
    mean_ns = queue / iops * 1e9 * changes.pop("latency", 1.0)
    read = {"randrw": 0.7, "read": 1.0, "randread": 1.0}.get(one.rw, 0.0)
    shares = {"read": read, "write": 1 - read}
    made = {name: direction(iops * share, block, mean_ns) for name, share in shares.items() if share}
    plain: dict[str, Any] = {
        "name": one.id,
        "status": "ok",
        "fio_version": "fio-3.33",
        "rw": one.rw,
        "bs_bytes": one.bs_bytes,
    }
    plain |= {"iodepth": one.iodepth, "numjobs": one.numjobs, "runtime_ms": 5001, "targets": ("/dev/md0",)}
    return Measurement(**{**plain, **made, **changes})


RATES = {
    ("member", "seq_write"): 94.0, ("members", "seq_write"): 282.0, ("filesystem", "seq_write"): 168.0,
    ("member", "seq_read"): 94.5, ("members", "seq_read"): 281.0, ("filesystem", "seq_read"): 187.0,
    ("member", "rand_write"): 100.0, ("members", "rand_write"): 300.0, ("filesystem", "rand_write"): 96.0,
    ("member", "rand_read"): 101.0, ("members", "rand_read"): 303.0, ("filesystem", "rand_read"): 300.0,
    ("member", "mix"): 100.0, ("members", "mix"): 300.0, ("filesystem", "mix"): 180.0,
}  # fmt: skip


def disks(of: Plan, one: Trial, rate: float, slow: dict[int, float] | None = None) -> dict[str, DiskRates]:
    """Equal shares of `rate`, but for the members of `slow`, which get that factor of theirs."""
    read, write = (rate * 1e6, 0.0) if "read" in one.rw else (0.0, rate * 1e6)
    n = len(of.members)
    return {
        m.id: DiskRates(read / n * (slow or {}).get(i, 1.0), write / n * (slow or {}).get(i, 1.0), 0.97)
        for i, m in enumerate(of.members)
    }


def journal(of: Plan, slow: dict[int, float] | None = None, /, **odd: dict[str, Any]) -> list[events.AnyEvent]:
    """The whole run's events; `odd` holds changes to the measurements of single trials by id, `-` written as `_`."""
    at = 1_700_000_000.0
    tools = {"kernel": "6.1.0-18-amd64", "machine": "Dell R730", "mdadm": "4.2", "fio": "3.33"}
    told: list[events.AnyEvent] = [
        events.WorkerStarted(at_s=at, schema=1, run="20231114-c0ffee12", boot_id="b", pid=9, start_ticks=1, tools=tools)
    ]
    for number, stage in enumerate(of.stages):
        told.append(events.StageStarted(at_s=at, stage=number))
        if stage.array:
            told += _step(at, number, "Create the array", "mdadm --create /dev/md0 --level=5", 2, "create")
            size = stage.array.capacity.array_bytes
            told.append(events.ArrayBuilt(at_s=at + 2, node="/dev/md0", size_bytes=size))
            told += _step(at + 2, number, "Wait for the initial resync", "mdadm --wait /dev/md0", 3600, "sync-finished")
            told.append(
                events.FilesystemMade(
                    at_s=at + 3603, filesystem="xfs", geometry=GEOMETRY, total_bytes=999 * 10**9, free_bytes=990 * 10**9
                )
            )
            at += 3604
        for one in stage.trials:
            rate = RATES[one.target, one.job]
            changes = odd.get(one.id.replace("-", "_"), {})
            by_disk = rate * 4096 / 1e6 if one.rw.startswith("rand") else rate
            rates = {} if one.target == "member" else disks(of, one, by_disk, slow)
            made = measurement(one, rate, **{"disks": rates, **changes})
            line = f"fio --name={one.job} --output=fio/{one.id}.json"
            told += _step(at, number, f"Measure: {one.title}", line, 6, "measure")
            told.insert(-1, events.TrialStarted(at_s=at, trial=one.id, expected_s=6))
            told.insert(-1, events.TrialEnded(at_s=at + 6, trial=one.id, measurement=made))
            at += 7
    return [*told, events.RunEnded(at_s=at, outcome="finished")]


def _step(at: float, stage: int, what: str, line: str, took: float, role: str) -> list[events.AnyEvent]:
    return [
        events.StepStarted(at_s=at, stage=stage, what=what, line=line, role=role),
        events.StepEnded(at_s=at + took, what=what, duration_s=took),
    ]


def state(of: Plan, slow: dict[int, float] | None = None, /, **odd: dict[str, Any]) -> RunState:
    return fold_all(journal(of, slow, **odd))


def full_state(of: Plan) -> RunState:
    """With a slow disk, a test that failed, and one with a warning."""
    boom = {"status": "failed", "error": "job 'x': No space left on device | `boom`", "read": None, "write": None}
    return state(of, {1: 0.7}, filesystem_rand_write=boom, members_mix={"warnings": ("throttled",)})
