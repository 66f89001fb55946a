"""The one next step: a state, the rule that decides it, the command; every rule has a row."""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import pytest

from raidtui.core.answer import next_step
from raidtui.core.answer.answer import answer
from raidtui.core.answer.values import Next
from raidtui.core.fio.measurement import BUSIEST
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Axes, FirstSync, Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.steps import Command
from raidtui.core.results.analysis import compare
from raidtui.core.run.boot_events import FileEdited
from raidtui.core.run.kernel import Message
from tests.builders import ablations, handmade, sweeps
from tests.builders.answers import repeated
from tests.core.answer.golden import MADE_UP, Run, measured
from tests.recordings.reports import kept
from tests.replay import RUNS, load

ORDER = (
    "not whole", "failed", "errors", "disturbed", "limit", "slow disk", "contradicted", "stalled", "unsteady",
    "proven cause", "not explained", "wbt", "emulated work", "below", "throttled", "beyond", "damaged", "unsure disk",
    "kept", "unsure", "single runs", "short queue", "emulated", "above",
)  # fmt: skip
RAID10 = Setup(level="10", first_sync="wait")
MEDIA = Message("I/O error", "sdc", "critical medium error, dev sdc")
OF_MOUNT = str(uuid.UUID(int=0))


def as_expected(stage: Stage, trial: Trial) -> float:
    """What four disks give as RAID 10, where one does 100."""
    if trial.target == "member":
        return 100.0
    return 200.0 if stage.setup and trial.rw != "randread" else 400.0


def of_recipe(rate: Callable[[Stage, Trial], float], recipe: str = "quick", disks: int = 4, **more: Any) -> Run:
    made = sweeps.plan(recipe, disks, **({"setup": RAID10} if recipe == "quick" else {}) | more)
    return made, sweeps.state(made, rate)


def quick(
    array: float = 1.0,
    reads: float = 1.0,
    writes: float = 1.0,
    first_sync: FirstSync = "wait",
    repeat: int = 1,
    **told: Any,
) -> Run:
    """RAID 10 of four disks with so many times what is expected of it: of all tests, of random reads and of writes."""

    def rate(stage: Stage, trial: Trial) -> float:
        own = {"randread": reads, "randwrite": writes}.get(trial.rw, 1.0)
        return as_expected(stage, trial) * (array * own if stage.setup else 1.0)

    plan, state = of_recipe(rate, setup=msgspec.structs.replace(RAID10, first_sync=first_sync), repeat=repeat)
    return plan, msgspec.structs.replace(state, **told)


def emulated(run: Run, model: str = "scsi_debug", busy: float | None = None) -> Run:
    """On such disks; with a CPU that is so busy."""
    plan, state = run
    members = tuple(msgspec.structs.replace(member, model=model) for member in plan.members)
    counts = {"cpu": {BUSIEST: busy}} if busy else {}
    return msgspec.structs.replace(plan, members=members), measured(state, lambda trial: counts)


def broken(**told: Any) -> Run:
    plan = handmade.plan()
    return plan, msgspec.structs.replace(handmade.state(plan), **told)


def failed() -> Run:
    plan = handmade.plan()
    return plan, handmade.state(plan, filesystem_seq_read={"status": "failed", "error": "boom", "read": None})


def recorded(name: str) -> Run:
    if name in kept.names():
        return kept.load(name)
    recording = load(RUNS / name)
    return recording.plan, recording.view().state


def explained(effects: dict[str, float], base: float = 0.6) -> Run:
    return ablations.PLAN, ablations.measured(effects, base=base * ablations.THEORY)


# What six disks of 10,000 give by the model: RAID 0 and RAID 5, by test.
EXPECTED = {
    "levels-random-4k": {("0", "randwrite"): 29_354, ("5", "randwrite"): 9_200},
    "nvme-array": {("5", "randwrite"): 14_905, ("5", "write"): 50_000},
}
BOTH = (Axes(level=("0", "5"), chunk=("64KiB",)),)
CHUNKS = (Axes(level=("0",), chunk=("64KiB", "512KiB")),)


def levels(recipe: str, latency: float = 1.0, spread: float = 0.0, axes: tuple[Axes, ...] = BOTH) -> Run:
    """Setups of six disks that do what is expected, by their latencies so many times more; repetitions lie apart."""

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return 10_000.0 * (6 if trial.target == "members" else 1)
        usual = 29_500 if recipe == "levels-random-4k" else 59_900
        apart = 1 + spread * ((trial.repetition + len(stage.title)) % 3 - 1 + (stage.setup.chunk == "512KiB"))
        return EXPECTED[recipe].get((stage.setup.level, trial.rw), usual) * apart

    plan, state = of_recipe(rate, recipe, 6, repeat=3, axes=axes)
    late = {
        one.trial: msgspec.structs.replace(read, lat_mean_ns=(read.lat_mean_ns or 0.0) * latency)
        for one in state.trials
        if one.measurement and (read := one.measurement.read)
    }
    return plan, measured(state, lambda trial: {"read": late.get(trial)})


def standing(**told: Any) -> Run:
    """Of an array whose load was measured, and which no model has."""
    plan, state = of_recipe(lambda stage, trial: 100.0, "latency-at-load", setup=Setup(level="10", first_sync="skip"))
    return plan, msgspec.structs.replace(state, **told)


def with_filesystem(permanent: bool, model: str = "DISK") -> Run:
    """A kept array with a file system: mounted at each boot at /srv/data, or not at all."""
    setup = Setup(level="10", first_sync="wait", filesystem="ext4")
    plan, state = of_recipe(lambda stage, trial: 100.0, "latency-at-load", setup=setup)
    built = next(number for number, stage in enumerate(plan.stages) if stage.filesystem)
    state = msgspec.structs.replace(state, kept=True, stage=built)
    if permanent:
        mount = Command(what="Mount", role="mount", argv=("mount", "/srv/data"), folder="/srv/data")
        last = Stage(title="Permanent", steps=(mount,), trials=(), permanent=True)
        plan = msgspec.structs.replace(plan, stages=(*plan.stages, last))
        edited = FileEdited(at_s=0.0, path="/etc/fstab", lines=("x",), mark="r")
        state = msgspec.structs.replace(state, stages_done=(len(plan.stages) - 1,), edits={"/etc/fstab": edited})
    uuids = tuple(str(uuid.UUID(int=number)) for number in range(slots.count(plan)))
    return emulated((msgspec.structs.replace(plan, uuids=uuids), state), model)


def filesystem_uuid() -> str:
    plan, state = with_filesystem(permanent=False)
    filesystem = slots.filled(plan).stages[state.stage or 0].filesystem
    assert filesystem
    return filesystem.uuid


def baseline(**more: Any) -> Run:
    """Each of four disks by itself: the last reads 16 % less than the median, the others lie 4 % apart."""
    of_members = (100.0, 104.0, 94.0, 84.0)
    return of_recipe(
        lambda stage, trial: of_members[trial.member or 0] if trial.target == "member" else 382.0,
        "disk-baseline",
        **more,
    )


def rounds(rate: float) -> Run:
    """Flash that gains so many IOPS in each of 25 rounds."""
    return of_recipe(
        lambda stage, trial: 1000.0 + rate * trial.repetition, "flash-steady-state", flash=True, setup=Setup(level="0")
    )


def all_at_once(share: float, util: float) -> Run:
    plan, state = of_recipe(lambda stage, trial: 100.0 * (share if trial.target == "members" else 1.0))
    disks = {one.trial: one.measurement.disks for one in state.trials if one.measurement}
    return plan, measured(
        state,
        lambda trial: {
            "disks": {name: msgspec.structs.replace(rates, util=util) for name, rates in disks[trial].items()}
        },
    )


def stalled_twice() -> Run:
    plan, state = kept.load("flash-steady-state")
    (stalled,) = [ended for ended in state.trials if ended.trial == "s1-rand_read.5"]
    return plan, msgspec.structs.replace(state, trials=(*state.trials, stalled))


def wbt(on: float, off: float = 1.0) -> Run:
    """Random writes of RAID 10 that are so many times what is expected, with writeback throttling and without."""
    axes = (Axes(level=("10",), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(2000, 0)),)

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return 10_000.0 * (6 if trial.target == "members" else 1)
        return 29_260.0 * (on if stage.setup.wbt_lat_usec else off) if trial.rw == "randwrite" else 59_700.0

    return of_recipe(repeated(rate), "levels-random-4k", 6, variant="fair", repeat=3, axes=axes)


def of_a_kept_array_of_an_explanation() -> Run:
    plan, state = standing()
    return msgspec.structs.replace(plan, answers=msgspec.structs.replace(plan.answers, explain=("wbt",))), state


class Case(NamedTuple):
    """A state, the rule that decides it, the command without the run's name, what of the words is a value."""

    rule: str
    run: Callable[[], Run]
    command: str = ""
    value: str = ""
    does: str = ""


def again(trial: str) -> dict[str, str]:
    return {"command": f"raidtui again RUN {trial}", "does": "again"}


def explain(trial: str) -> dict[str, str]:
    return {"command": f"raidtui explain RUN {trial}", "does": "explain"}


RESUME = {"command": "raidtui resume RUN", "does": "resume"}
CASES = [
    Case("not whole", lambda: broken(outcome="stopped"), **RESUME),
    Case("not whole", lambda: broken(outcome="failed", reason="md: boom", damaged=2), **RESUME),
    Case("not whole", lambda: broken(outcome=""), **RESUME),
    Case("not whole", MADE_UP["made-up: disk-baseline, broken"], **RESUME),
    Case("failed", failed, **again("filesystem-seq_read")),
    Case("failed", lambda: recorded("rack-of-24"), **again("members-seq_write")),
    Case("errors", lambda: quick(kept=True, kernel={"t": (MEDIA,)}), value="critical medium error, dev sdc"),
    Case("disturbed", lambda: of_recipe(lambda _, trial: 900.0 if trial.target == "members" else 100.0)),
    Case("limit", lambda: all_at_once(0.6, 0.3)),
    Case("slow disk", MADE_UP["made-up: disk-baseline, a slow disk"], value="SER2"),
    Case("contradicted", lambda: levels("nvme-array", latency=2.0), **again("s2-rand_read")),
    Case("contradicted", lambda: kept.load("degraded"), value="40s"),
    Case("stalled", lambda: kept.load("flash-steady-state"), **again("s1-rand_read.5")),
    Case("unsteady", lambda: rounds(500.0)),
    Case("proven cause", lambda: explained({"wbt": 0.3}, 0.7), value="queue/wbt_lat_usec"),
    Case("not explained", lambda: explained({}), value="disk-baseline"),
    Case("not explained", lambda: explained({"wbt": -0.3}), value="disk-baseline"),
    Case("wbt", lambda: wbt(on=0.8), value="wbt_lat_usec = 0"),
    Case("wbt", lambda: emulated(wbt(on=0.8)), value="real disks"),
    Case("emulated work", lambda: emulated(quick(reads=0.5), busy=0.95), value="real disks"),
    Case("emulated work", lambda: emulated(quick(reads=0.5, kept=True), busy=0.95), value="in memory"),
    Case("below", lambda: emulated(quick(reads=0.5), busy=0.5), **explain("s2-rand_read")),
    Case("below", lambda: emulated(quick(reads=0.5), "WD", 0.95), **explain("s2-rand_read")),
    Case("below", lambda: emulated(quick(reads=0.5), "QEMU HARDDISK", 0.95), **explain("s2-rand_read")),  # by its CPU
    Case("below", lambda: recorded("raid5-of-3"), **explain("filesystem-rand_write")),
    Case("throttled", stalled_twice, **explain("s1-rand_write")),
    Case("below", lambda: emulated(quick(writes=0.01, kept=True)), value="in memory", does="explain"),
    Case("throttled", standing, **explain("s1-write_flat_out")),
    Case("throttled", lambda: standing(kept=True), value="mdadm --action=repair", does="explain"),
    Case("throttled", lambda: with_filesystem(permanent=False), "raidtui explain RUN --target /mnt",
         f"mount UUID={filesystem_uuid()} /mnt"),
    Case("throttled", lambda: with_filesystem(permanent=True), "raidtui explain RUN --target /srv/data", "/srv/data"),
    Case("throttled", lambda: with_filesystem(False, "scsi_debug"), value="in memory", does="explain"),
    Case("throttled", lambda: with_filesystem(True, "scsi_debug"), value="at /srv/data", does="explain"),
    Case("beyond", lambda: quick(array=1.5)),
    Case("damaged", lambda: quick(damaged=3)),
    Case("damaged", lambda: quick(damaged=3, kept=True)),
    Case("unsure disk", baseline, value="SER3"),
    Case("kept", lambda: quick(kept=True), value="file system"),
    Case("kept", lambda: quick(kept=True, first_sync="skip"), value="mdadm --action=repair"),
    Case("kept", lambda: quick(0.92, kept=True), value="repeat 5"),
    Case("unsure", lambda: levels("nvme-array", spread=0.08, axes=CHUNKS), value="repeat"),
    Case("single runs", lambda: quick(0.92), value="repeat 5"),
    Case("short queue", lambda: levels("levels-random-4k"), value="QD4"),
    Case("emulated", lambda: emulated(quick())),
    Case("above", lambda: quick(writes=2.0, repeat=3), **explain("s2-rand_write")),
    Case("above", lambda: wbt(on=1.4), **explain("s3-rand_write")),
    Case("", quick, value="nothing"),
    Case("", lambda: levels("nvme-array"), value="nothing"),
    Case("", lambda: wbt(on=1.0), value="nothing"),
    Case("", lambda: explained({}, 1.0), value="nothing"),
    Case("", lambda: explained({}, 1.5), value="nothing"),
    Case("", of_a_kept_array_of_an_explanation),
]  # fmt: skip


def test_every_rule_has_a_row() -> None:
    assert len(ORDER) == len(next_step._RULES)
    assert [rule for rule in ORDER if rule not in {case.rule for case in CASES}] == []


def decided(run: Run, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Next]:
    """The next step of a run's answer, and the rule that made it."""
    first: list[str] = []

    def told(name: str, rule: Callable[[next_step.Run], Next | None]) -> Callable[[next_step.Run], Next | None]:
        def noted(of: next_step.Run) -> Next | None:
            step = rule(of)
            first.extend([name] if step else [])
            return step

        return noted

    monkeypatch.setattr(next_step, "_RULES", tuple(map(told, ORDER, next_step._RULES)))
    plan, state = run
    step = answer(plan, state, compare(plan, state)).next
    return (first or [""])[0], step


@pytest.mark.parametrize("case", CASES, ids=[f"{at} {case.rule}" for at, case in enumerate(CASES)])
def test_the_first_rule_that_fits_decides(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, state = case.run()
    rule, step = decided((plan, state), monkeypatch)
    command = case.command.replace("RUN", state.run or "RUN")
    assert (rule, step.command, step.does) == (case.rule, command, case.does)
    assert case.value in step.why
