"""The one next step: a state, the rule that decides it, the command; every rule has a row."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.answer import next_step
from raidtui.core.answer.answer import Answer, of_run
from raidtui.core.answer.values import Next
from raidtui.core.fio.measurement import BUSIEST, Measurement
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Axes, FirstSync, Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.steps import Command
from raidtui.core.run.events import FileEdited
from raidtui.core.run.kernel import Message
from raidtui.demo.recording import folder_of, load
from tests.builders import ablations, handmade, sweeps
from tests.builders.answers import repeated
from tests.core.answer.golden import Rate, Run, answer_of, later, measured, runs, setups

RAID10, MOUNT = Setup(level="10", first_sync="wait"), "/srv/data"
MEDIA = Message("I/O error", "sdc", "critical medium error, dev sdc")
BOTH = (Axes(level=("0", "5"), chunk=("64KiB",)),)
DEEP = {"iodepth": 64, "numjobs": 8}
CHUNKS = (Axes(level=("0",), chunk=("64KiB", "512KiB")),)
WBT = (Axes(level=("10",), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(2000, 0)),)
# What six disks of 10,000 give by the model, by recipe, level and test; of all others RAID 0's.
EXPECTED: dict[str, dict[tuple[str, str], float]] = {
    "nvme-array": {("5", "randwrite"): 14_905, ("5", "write"): 50_000, ("0", ""): 59_900},
    "levels-random-4k": {("0", "randwrite"): 29_354, ("5", "randwrite"): 9_200, ("0", ""): 29_500},
}


def of_recipe(rate: Rate, recipe: str, disks: int = 4, told: dict[str, Any] | None = None, **more: Any) -> Run:
    made = sweeps.plan(recipe, disks, **more)
    return made, replace(sweeps.state(made, rate), **told or {})


def quick(
    array: float = 1.0, reads: float = 1.0, writes: float = 1.0, sync: FirstSync = "wait", repeat: int = 1, **told: Any
) -> Run:
    """RAID 10 of four disks with so many times what is expected of it: of all tests, of random reads and of writes."""

    own = {"randread": 2 * reads, "randwrite": writes}
    rate = setups(lambda _, trial: 200.0 * array * own.get(trial.rw, 1.0))
    setup = replace(RAID10, first_sync=sync)
    return of_recipe(rate, "quick", told=told, setup=setup, repeat=repeat, job=sweeps.SATURATED)


def emulated(run: Run, model: str = "scsi_debug", busy: float | None = None) -> Run:
    """On such disks; with a CPU that is so busy."""
    plan, state = run
    members = tuple(replace(member, model=model) for member in plan.members)
    counted = measured(state, lambda *_: {"cpu": {BUSIEST: busy}} if busy else {})
    return replace(plan, members=members), counted


def broken(odd: dict[str, Any] | None = None, **told: Any) -> Run:
    plan = handmade.plan()
    return plan, replace(handmade.state(plan, **odd or {}), **told)


def explained(effects: dict[str, float], base: float = 0.6) -> Run:
    return ablations.PLAN, ablations.measured(effects, base=base * ablations.THEORY)


def levels(recipe: str, latency: float = 1.0, spread: float = 0.0, axes: tuple[Axes, ...] = BOTH) -> Run:
    """Setups of six disks that do what is expected, by their latencies so many times more; repetitions lie apart."""

    def rate(setup: Setup, trial: Trial) -> float:
        large, table = setup.chunk == "512KiB", EXPECTED[recipe]
        apart = 1 + spread * ((trial.repetition + large) % 3 - 1 + large)
        return table.get((setup.level, trial.rw), table["0", ""]) * apart

    job = {"rand_read": DEEP, "rand_write": DEEP} if recipe == "nvme-array" else {}
    plan, state = of_recipe(setups(rate, 10_000.0, 6), recipe, 6, repeat=3, axes=axes, job=job)
    return plan, later(state, lambda trial: latency)


def wbt(on: float) -> Run:
    """Random writes of RAID 10 that are with writeback throttling so many times what is expected, as without."""

    def rate(setup: Setup, trial: Trial) -> float:
        return 29_260.0 * (on if setup.wbt_lat_usec else 1.0) if trial.rw == "randwrite" else 59_700.0

    return of_recipe(repeated(setups(rate, 10_000.0, 6)), "levels-random-4k", 6, variant="fair", repeat=3, axes=WBT)


def loaded(explain: tuple[str, ...] = (), **told: Any) -> Run:
    """An array that no model has."""
    setup = Setup(level="10", first_sync="skip")
    plan, state = of_recipe(lambda stage, trial: 100.0, "latency-at-load", told=told, setup=setup)
    return replace(plan, answers=replace(plan.answers, explain=explain)), state


def with_filesystem(permanent: bool, model: str = "DISK") -> Run:
    """The same, kept with a file system: mounted at each boot, or not at all."""
    setup = replace(RAID10, filesystem="ext4")
    plan, state = of_recipe(lambda stage, trial: 100.0, "latency-at-load", setup=setup)
    built = next(number for number, stage in enumerate(plan.stages) if stage.filesystem)
    state = replace(state, kept=True, stage=built)
    if permanent:
        mount = Command(what="Mount", role="mount", argv=("mount", MOUNT), folder=MOUNT)
        last = Stage(title="Permanent", steps=(mount,), trials=(), permanent=True)
        plan = replace(plan, stages=(*plan.stages, last))
        edits = {"/etc/fstab": FileEdited(at_s=0.0, path="/etc/fstab", lines=("x",), mark="r")}
        state = replace(state, stages_done=(len(plan.stages) - 1,), edits=edits)
    uuids = tuple(str(uuid.UUID(int=number)) for number in range(slots.count(plan)))
    return emulated((replace(plan, uuids=uuids), state), model)


def baseline() -> Run:
    """Each of four disks by itself: the last reads 16 % less than the median, the others lie 4 % apart."""
    rates = (100.0, 104.0, 94.0, 84.0)
    return of_recipe(lambda _, one: rates[one.member or 0] if one.target == "member" else 382.0, "disk-baseline")


def rounds(rate: float) -> Run:
    """Flash that gains so many IOPS in each of 25 rounds."""
    setup = Setup(level="0")
    return of_recipe(lambda _, one: 1000.0 + rate * one.repetition, "flash-steady-state", flash=True, setup=setup)


def at_once(share: float, util: float) -> Run:
    def busy(_: str, taken: Measurement) -> dict[str, object]:
        return {"disks": {name: replace(rates, util=util) for name, rates in taken.disks.items()}}

    rates = {"members": 100.0 * share}
    plan, state = of_recipe(lambda _, one: rates.get(one.target, 100.0), "quick", setup=RAID10, job=sweeps.SATURATED)
    return plan, measured(state, busy)


def stalled_twice() -> Run:
    plan, state = runs()["flash-steady-state"]()
    (stalled,) = [ended for ended in state.trials if ended.trial == "s1-rand_read.5"]
    return plan, replace(state, trials=(*state.trials, stalled))


FAILED = {"filesystem_seq_read": {"status": "failed", "error": "boom", "read": None}}
# In the order of the rules: a rule, the state, the command (RUN: the run's name), what the key does, and what of the
# words is a value.
CASES: list[tuple[str, str | Callable[[], Run], str, str, str]] = [
    ("differed", "made-up: proof, a block differs", "raidtui clean RUN", "", ""),
    ("not whole", lambda: broken(outcome="stopped"), "raidtui resume RUN", "resume", ""),
    ("not whole", lambda: broken(outcome="failed", reason="md: boom", damaged=2), "raidtui resume RUN", "resume", ""),
    ("not whole", lambda: broken(outcome=""), "raidtui resume RUN", "resume", ""),
    ("failed", lambda: broken(FAILED), "raidtui again RUN filesystem-seq_read", "again", ""),
    ("failed", "rack-of-24", "raidtui again RUN members-seq_write", "again", ""),
    (
        "errors",
        lambda: quick(kept=True, kernel={"t": (MEDIA,)}),
        "raidtui health",
        "",
        "critical medium error, dev sdc",
    ),
    ("disturbed", lambda: at_once(9.0, 0.9), "raidtui again RUN s1-member0-seq_write", "again", ""),
    ("limit", lambda: at_once(0.6, 0.3), "raidtui again RUN s1-members-seq_write", "again", ""),
    ("slow disk", "made-up: disk-baseline, a slow disk", "raidtui locate SER2", "", "find disk disk2"),
    ("contradicted", lambda: levels("nvme-array", latency=2.0), "raidtui again RUN s3-rand_read", "again", ""),
    ("contradicted", "degraded", "raidtui again RUN s4-rand_write --runtime 40", "", ""),
    ("stalled", "flash-steady-state", "raidtui again RUN s1-rand_read.5", "again", ""),
    ("unsteady", lambda: rounds(500.0), "raidtui again RUN s1-rand_write --runtime 120", "", ""),
    ("proven cause", lambda: explained({"wbt": 0.3}, 0.7), "", "", "queue/wbt_lat_usec"),
    ("not explained", lambda: explained({}), "raidtui recipes show disk-baseline", "", ""),
    ("not explained", lambda: explained({"wbt": -0.3}), "raidtui recipes show disk-baseline", "", ""),
    ("wbt", lambda: wbt(on=0.8), "", "", "wbt_lat_usec = 0"),
    ("wbt", lambda: emulated(wbt(on=0.8)), "", "", ""),
    ("emulated work", lambda: emulated(quick(reads=0.5), busy=0.95), "", "", "real disks"),
    ("emulated work", lambda: emulated(quick(reads=0.5, kept=True), busy=0.95), "", "", "practise on this array"),
    ("below", lambda: emulated(quick(reads=0.5), busy=0.5), "raidtui explain RUN s2-rand_read", "explain", ""),
    ("below", lambda: emulated(quick(reads=0.5), "WD", 0.95), "raidtui explain RUN s2-rand_read", "explain", ""),
    (
        "below",
        lambda: emulated(quick(reads=0.5), "QEMU HARDDISK", 0.95),
        "raidtui explain RUN s2-rand_read",
        "explain",
        "",
    ),  # another's CPU
    ("below", "raid5-of-3", "raidtui explain RUN filesystem-rand_write", "explain", ""),
    ("below", lambda: emulated(quick(writes=0.01, kept=True)), "", "", "practise on this array"),
    ("throttled", stalled_twice, "raidtui explain RUN s1-rand_write", "explain", ""),
    ("throttled", loaded, "raidtui explain RUN s1-write_flat_out", "explain", ""),
    ("throttled", lambda: loaded(kept=True), "", "", ""),
    (
        "throttled",
        lambda: with_filesystem(permanent=False),
        "mount UUID=00000000-0000-0000-0000-000000000001 /mnt",
        "",
        "",
    ),
    ("throttled", lambda: with_filesystem(permanent=True), "raidtui explain RUN --target /srv/data", "", MOUNT),
    ("throttled", lambda: with_filesystem(False, "scsi_debug"), "", "", "practise on this array"),
    ("throttled", lambda: with_filesystem(True, "scsi_debug"), "", "", MOUNT),
    ("beyond", lambda: quick(array=1.5), "raidtui again RUN s2-rand_read --runtime 10", "", ""),
    ("damaged", lambda: quick(damaged=3, kept=True), "raidtui again RUN --repeat 1", "", ""),
    ("unsure disk", baseline, "raidtui recipes show disk-baseline", "", "SER3"),
    ("kept", lambda: quick(kept=True), "", "", "file system"),
    ("kept", lambda: quick(kept=True, sync="skip"), "", "", ""),
    ("kept", lambda: quick(0.92, kept=True), "", "", ""),
    ("unsure", lambda: levels("nvme-array", spread=0.08, axes=CHUNKS), "raidtui again RUN --repeat 26", "", "repeat"),
    ("single runs", lambda: quick(0.92), "raidtui again RUN --repeat 5", "", ""),
    ("short queue", lambda: levels("levels-random-4k"), "raidtui again RUN s3-rand_write --iodepth 24", "", "QD4"),
    ("emulated", lambda: emulated(quick()), "", "", ""),
    ("above", lambda: quick(writes=2.0, repeat=3), "raidtui explain RUN s2-rand_write", "explain", ""),
    ("above", lambda: wbt(on=1.4), "raidtui explain RUN s3-rand_write", "explain", ""),
    ("", quick, "", "", "nothing"),
    ("", lambda: levels("nvme-array"), "", "", "nothing"),
    ("", lambda: wbt(on=1.0), "", "", "nothing"),
    ("", lambda: explained({}, 1.0), "", "", "nothing"),
    ("", lambda: explained({}, 1.5), "", "", "nothing"),
    ("", lambda: loaded(explain=("wbt",)), "", "", ""),
]


ORDER = list(dict.fromkeys(rule for rule, *_ in CASES if rule))


def test_every_rule_has_a_row() -> None:
    assert len(ORDER) == len(next_step._RULES)


@pytest.mark.parametrize("rule, run, command, does, value", CASES)
def test_the_first_rule_that_fits_decides(
    rule: str, run: str | Callable[[], Run], command: str, does: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first: list[str] = []

    def told(name: str, decide: Callable[[next_step.Run], Next | None]) -> Callable[[next_step.Run], Next | None]:
        def noted(of: next_step.Run) -> Next | None:
            step = decide(of)
            first.extend([name] if step else [])
            return step

        return noted

    monkeypatch.setattr(next_step, "_RULES", tuple(map(told, ORDER, next_step._RULES)))
    plan, state = runs()[run]() if isinstance(run, str) else run()
    step = answer_of((plan, state)).next
    assert (first or [""])[0] == rule and value in step.why and " or " not in step.why
    assert [("RUN" if word == state.run else word) for word in step.command.split()] == command.split()
    assert step.does == does


def test_a_command_has_the_name_that_the_run_gave_its_array() -> None:
    recorded = load(folder_of("raid6-of-6"))
    kept = recorded.plan.kept_stage
    assert kept is not None
    stages = list(recorded.plan.stages)
    assert stages[kept].setup is not None
    stages[kept] = replace(stages[kept], setup=Setup(level="6", first_sync="skip"))
    told = of_run(replace(recorded.plan, stages=tuple(stages)), recorded.view().state)
    assert isinstance(told, Answer) and told.next.command == "mdadm --action=repair /dev/md/raidtui-fc2588e4"
