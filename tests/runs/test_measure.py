"""What a trial's measurement holds besides fio's figures: md's CPU time, temperatures, corrected reads."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from raidtui.core.arrays.array import Sync
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.measurement import BUSIEST, Measurement, OfTarget, Temperature
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.steps import printed_file
from raidtui.runs import measure
from raidtui.runs.proof.differences import recalled
from raidtui.runs.waiting import Ended
from raidtui.system.health import Celsius
from tests.builders.plans import planned
from tests.runs.rig import SEEN, Argv, Rig, plan_of


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    made = Rig(tmp_path, plan_of())
    made.build()
    made.measure()
    return made


def last(rig: Rig) -> Measurement:
    assert rig.go()[0] == "finished"
    measurement = rig.journal.state.trials[-1].measurement
    assert measurement
    return measurement


def test_what_fio_and_mds_thread_used_of_a_cpu(rig: Rig) -> None:
    seconds = iter(range(1000))
    rig.thread_s = lambda: {"md127_raid5": float(next(seconds)), f"md127_{next(seconds)}": 1.0}
    cpu = last(rig).cpu
    assert set(cpu) == {"fio", "md127_raid5", BUSIEST} and cpu["md127_raid5"] > 0
    assert 0 <= cpu[BUSIEST] <= 1


def test_temperatures_before_and_after_of_the_disks_that_tell_one(rig: Rig) -> None:
    asked = iter(range(30, 1000))
    rig.celsius = lambda names: {sorted(names)[0]: Celsius(next(asked), 60.0)}
    measurement = last(rig)
    first = rig.plan.members[0].id
    ((disk, told),) = measurement.temperatures.items()
    assert disk == first and told == Temperature(told.before_c, told.before_c + 1, 60.0)  # type: ignore[operator]


def test_of_a_trial_on_one_disk_only_that_one_is_asked(rig: Rig) -> None:
    asked: list[int] = []

    def tell(names: list[str]) -> dict[str, Celsius]:
        asked.append(len(names))
        return {}

    rig.celsius = tell
    assert last(rig).targets == ("/dev/md127",)
    alone = sum(trial.target == "member" for trial in rig.plan.trials)
    assert asked == [1] * 2 * alone + [3] * 2 * (len(rig.plan.trials) - alone)


def test_reads_that_the_array_corrected_meanwhile_are_in_the_measurement(rig: Rig) -> None:
    counts = iter([{"sdb": 8}, {"sdb": 24}] * 100)
    rig.corrected = lambda: next(counts)
    (warning,) = [text for text in last(rig).warnings if "could not be read" in text]
    assert warning.startswith("16 sectors of") and rig.plan.members[1].serial in warning


def test_a_sync_that_ran_meanwhile_is_in_the_measurement(rig: Rig) -> None:
    skipped = rig.plan.stages[-1].setup
    assert skipped and skipped.first_sync == "skip"
    rig.syncing = Sync("check", 1, 2, 3.0)
    assert not any("was running" in text for text in last(rig).warnings)  # its first sync never ends: that is known


@pytest.mark.parametrize(
    "wrong",
    [
        "crc32c: verify failed",  # other data
        "pattern: verify failed",
        "verify: bad magic header 0, wanted acca",  # zeros
        "verify: bad header offset 196608, wanted 4194304",  # another block's data
    ],
)
def test_a_disk_that_gives_back_something_else_is_named_by_its_serial(rig: Rig, wrong: str) -> None:
    """fio's own words, of 3.33; what it names is the device of the moment."""
    path, build = f"/dev/{rig.seen.devices[1].name}", rig.answer
    words = f"{wrong} at file {path} offset 4194304, length 65536 (requested block: offset=4194304, length=65536)\n"

    def answer(argv: Argv) -> Ended:
        done = build(argv)
        return Ended(1, words * 2) if argv[0] == "fio" else done

    rig.answer = answer
    measurement = last(rig)
    assert measurement.status == "failed" and measurement.error
    assert rig.plan.members[1].serial in measurement.error and "first at byte 4194304" in measurement.error
    assert rig.plan.members[0].serial not in measurement.error


def test_so_it_is_where_fio_wrote_no_result_that_can_be_read(rig: Rig) -> None:
    path, build = f"/dev/{rig.seen.devices[1].name}", rig.answer
    words = f"pattern: verify failed at file {path} offset 4194304, length 65536\n"
    rig.answer = lambda argv: Ended(1, words) if argv[0] == "fio" else build(argv)
    assert "gave back something else than was written, first at byte 4194304" in (last(rig).error or "")


@pytest.mark.parametrize("ends", ["stop", "kill"])
def test_what_a_pass_found_is_journalled_before_it_is_stopped_or_by_the_next_worker(tmp_path: Path, ends: str) -> None:
    (tmp_path / "fio").mkdir()
    plan = planned(disks_of(SEEN), Setup(level="jbod"), recipe="burn-in", self_test="none")
    rig = Rig(tmp_path, plan)
    words = "pattern: verify failed at file /dev/sdb offset 4194304, length 65536\n"

    def answer(argv: Argv) -> Ended:
        if argv[0] != "fio":
            return Ended(0, "")
        (tmp_path / printed_file(rig.plan.trials[0].id)).write_text(words)
        if ends == "kill":
            raise KeyboardInterrupt
        rig.executor.waiter.stop_asked = True
        return Ended(1, words)

    rig.answer = answer
    with pytest.raises(KeyboardInterrupt) if ends == "kill" else nullcontext():
        assert rig.go()[0] == "stopped"
    rig.open()
    recalled(rig.folder, rig.plan, rig.journal)
    (wrong,) = rig.journal.state.wrong
    assert wrong.first == {rig.plan.members[1].id: 4194304}
    assert not rig.journal.state.is_final(wrong.trial)  # measured again, and never forgotten


def test_a_trial_whose_disks_fell_silent_has_failed_whatever_fio_wrote(rig: Rig) -> None:
    answer = rig.answer

    def silent(argv: Argv) -> Ended:
        ended = answer(argv)
        words = "no disk answered any request for 600 s: fio was interrupted"
        return Ended(0, words, True) if argv[0] == "fio" else ended

    rig.answer = silent
    measurement = last(rig)
    assert measurement.status == "failed"
    assert measurement.error and measurement.error.startswith("no disk answered any request")


def test_a_disk_taken_while_udev_was_waited_for_is_not_measured(rig: Rig) -> None:
    answer = rig.answer
    taken: dict[str, str] = {}

    def waits(argv: Argv) -> Ended:
        looked = any(step.role == "members-free" and step.ended_at_s for step in rig.journal.state.steps)
        if argv[:2] == ("udevadm", "settle") and looked:  # the one before the test
            taken["/dev/sda"] = "/dev/sda is open in tar (pid 7)"
        return answer(argv)

    rig.answer, rig.in_use = waits, lambda: taken
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "open in tar" in reason
    assert not [argv for argv in rig.given if argv[0] == "fio"] and rig.journal.state.written == ()


def test_udev_that_hangs_up_is_asked_again(rig: Rig) -> None:
    """On a busy machine udevd lets who waits for it go after 3 s."""
    answer = rig.answer
    hangs_up = iter([Ended(1, "Failed to wait for daemon to reply: Broken pipe")] * 2)
    rig.answer = lambda argv: next(hangs_up, answer(argv)) if argv[:2] == ("udevadm", "settle") else answer(argv)
    assert rig.go()[0] == "finished"
    first = [argv[0] for argv in rig.given].index("udevadm")
    assert [argv[0] for argv in rig.given[first : first + 3]] == ["udevadm"] * 3 and not list(hangs_up)


@pytest.mark.parametrize("at", [0, 1])
def test_a_disk_above_its_own_critical_temperature_ends_the_run_in_order(rig: Rig, at: int) -> None:
    """Before a test nothing is begun; after it its figure stays. What was built is cleared away either way."""
    asked = iter([40.0] * at + [90.0] * 20)
    rig.celsius = lambda names: {sorted(names)[0]: Celsius(next(asked), 70.0, 85.0)}
    outcome, reason, left = rig.go()
    assert (outcome, left) == ("failed", []) and "is at 90 °C, its own critical temperature is 85 °C" in reason
    assert len([argv for argv in rig.given if argv[0] == "fio"]) == at
    assert [trial.measurement.status for trial in rig.journal.state.trials if trial.measurement] == ["ok"] * at


def test_a_warm_disk_does_not(rig: Rig) -> None:
    rig.celsius = lambda names: {sorted(names)[0]: Celsius(80.0, 70.0, 85.0)}
    assert rig.go()[0] == "finished"


@pytest.mark.parametrize("on_array", [False, True])
def test_a_test_that_overheats_a_disk_is_interrupted_and_measured_again(rig: Rig, on_array: bool) -> None:
    """And what was built is cleared away: an array that a probe holds for a moment is stopped at a second try."""
    answer, busy, degrees = rig.answer, iter([Ended(1, "busy")]), [40.0]

    def hot(argv: Argv) -> Ended:
        if argv[:2] == ("mdadm", "--stop") and (ended := next(busy, None)):
            return ended
        if argv[0] == "fio" and on_array == bool(rig.array):
            degrees[:] = [95.0]
            rig.executor.waiter.alarmed = rig.executor.waiter.alarm()
        return answer(argv)

    rig.answer, rig.celsius = hot, lambda names: {sorted(names)[0]: Celsius(degrees[0], None, 85.0)}
    outcome, reason, left = rig.go()
    trial = rig.journal.state.trials[-1]
    assert outcome == "failed" and "95 °C" in reason and "raidtui resume" in reason
    assert left == [] and rig.array is None
    assert (
        trial.measurement and trial.measurement.status == "interrupted" and not rig.journal.state.is_final(trial.trial)
    )


@pytest.mark.parametrize("when, fios", [("before", 0), ("during", 1), ("after", 1)])
def test_filling_what_is_measured_ends_at_a_critical_temperature_too(tmp_path: Path, when: str, fios: int) -> None:
    setup = Setup(level="5", first_sync="skip")
    rig = Rig(tmp_path, planned(disks_of(SEEN), setup, baseline="none", precondition=True))
    rig.build()
    answer, degrees = rig.answer, [40.0]

    def hot(argv: Argv) -> Ended:
        if (argv[0] == "fio") == (when != "before"):
            degrees[:] = [95.0]
        if argv[0] == "fio" and when == "during":
            rig.executor.waiter.alarmed = rig.executor.waiter.alarm()
            degrees[:] = [40.0]
        return answer(argv)

    rig.answer, rig.celsius = hot, lambda names: {sorted(names)[0]: Celsius(degrees[0], None, 85.0)}
    outcome, reason, left = rig.go()
    assert (outcome, left) == ("failed", []) and "95 °C" in reason
    given = [argv for argv in rig.given if argv[0] == "fio"]
    assert len(given) == fios and all("--output=fio/fill.json" in argv for argv in given)


def test_what_fio_tells_of_each_target_is_its_disks() -> None:
    each = {name: OfTarget(read_bytes=at) for at, name in enumerate(("/dev/sda", "/dev/sdz", "/srv/file"))}
    told = measure._by_identity(Measurement(name="x", status="ok", each=each), {"/dev/sda": "wwn-1", "/srv/file": "y"})
    assert told == {"wwn-1": each["/dev/sda"]}
