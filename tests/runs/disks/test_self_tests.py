"""The disks' own tests in a run: before anything is erased, and the end of it where one fails."""

import time
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.hardware.smartctl import SelfTestStatus
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.steps import Wait
from raidtui.core.run.disk_changes import disk_verdicts
from raidtui.core.run.events import SelfTestResult
from tests.builders.plans import planned
from tests.runs.rig import SEEN, Rig

RUNS = SelfTestStatus(runs=True, left_percent=50)
PASSED = SelfTestStatus(passed=True, result="completed without error")
FAILED = SelfTestStatus(passed=False, result="completed: read failure")


class Hurried:
    """A clock on which minutes go by from one look to the next."""

    time_ns = staticmethod(time.time_ns)

    def __init__(self, step_s: float = 300) -> None:
        self.now_s, self.step_s = 0.0, step_s

    def monotonic(self) -> float:
        self.now_s += self.step_s
        return self.now_s

    def monotonic_ns(self) -> int:
        return int(self.monotonic() * 1e9)


def rig(folder: Path) -> Rig:
    setup = Setup(level="5", first_sync="skip")
    made = Rig(folder, planned(disks_of(SEEN), setup, self_test="short", repeat=1))
    made.build()
    return made


def test_all_pass_one_after_the_other_and_the_run_goes_on(tmp_path: Path) -> None:
    made = rig(tmp_path)
    looks: list[list[str]] = []

    def stand(names: list[str]) -> dict[str, SelfTestStatus]:
        looks.append(names)
        return {name: PASSED if len(looks) > number else RUNS for number, name in enumerate(names)}

    made.self_tested = stand
    assert made.go()[0] == "finished"
    assert looks[0] == ["sda", "sdb", "sdc"] and made.self_tests_ended == []
    ended = made.journal.state.self_tests
    assert ended and ended.length == "short"
    assert set(ended.disks.values()) == {SelfTestResult(passed=True, words="completed without error")}


def test_one_that_fails_ends_the_run_before_a_program_was_given_a_disk(tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.self_tested = lambda names: {name: FAILED if name == "sdb" else PASSED for name in names}
    outcome, reason, leftovers = made.go()
    assert (outcome, leftovers) == ("failed", []) and "the short self-test of sdb" in reason
    assert "Nothing was erased" in reason
    assert made.programs() == [] and made.journal.state.written == ()
    ended = made.journal.state.self_tests
    assert ended and [result.passed for result in ended.disks.values()] == [True, False, True]


def test_a_disk_that_has_no_such_test_is_told_and_holds_nothing_up(tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.no_self_test = {"sda": "Self-tests not supported"}
    made.self_tested = lambda names: dict.fromkeys(names, PASSED)
    assert made.go()[0] == "finished"
    assert any("no short test: Self-tests not supported" in warning for warning in made.journal.state.warnings)


def burn_in(folder: Path, disk_speed: str = "") -> Rig:
    made = Rig(folder, planned(disks_of(SEEN), recipe="burn-in", repeat=1, disk_speed=disk_speed))
    made.build()
    return made


def looked_at(made: Rig, *ends: SelfTestStatus) -> None:
    """Each disk is seen to run once, and then ends so; the first disk's later test with the next end."""
    seen: dict[str, int] = {}

    def stand(names: list[str]) -> dict[str, SelfTestStatus]:
        statuses = {}
        for name in names:
            seen[name] = seen.get(name, 0) + 1
            nth = (seen[name] - 1) // 2
            statuses[name] = RUNS if seen[name] % 2 else ends[nth] if name == "sda" else PASSED
        return statuses

    made.self_tested = stand


def test_a_burn_in_tests_before_and_after_and_a_late_failure_is_a_verdict(tmp_path: Path) -> None:
    made = burn_in(tmp_path)
    looked_at(made, PASSED, FAILED)
    assert made.go()[0] == "finished"
    state = made.journal.state
    assert state.self_tests and state.self_tests_after
    assert [result.passed for result in state.self_tests.disks.values()] == [True, True, True]
    assert [result.passed for result in state.self_tests_after.disks.values()] == [False, True, True]
    assert any("read failure" in warning for warning in state.warnings)
    verdicts = disk_verdicts(made.plan, state)
    assert [one.failed for one in verdicts] == [("self-test after",), (), ()]


def test_a_burn_in_of_a_disk_that_fails_its_first_test_erases_nothing(tmp_path: Path) -> None:
    made = burn_in(tmp_path)
    looked_at(made, FAILED)
    outcome, reason, _ = made.go()
    assert outcome == "failed" and "Nothing was erased" in reason and made.programs() == []
    (found, other, _) = disk_verdicts(made.plan, made.journal.state)
    assert (found.verdict, other.verdict) == ("failed", "not checked")


def test_a_long_test_that_was_never_seen_to_run_is_no_passed_one(tmp_path: Path) -> None:
    made = burn_in(tmp_path)
    made.self_tested = lambda names: dict.fromkeys(names, PASSED)
    assert made.go()[0] == "finished"
    ended = made.journal.state.self_tests
    assert ended and {result.passed for result in ended.disks.values()} == {None}
    assert all("no long test was seen to run" in result.words for result in ended.disks.values())
    assert {one.before for one in disk_verdicts(made.plan, made.journal.state)} == {"none"}


def test_a_long_test_without_progress_has_more_than_its_estimate(tmp_path: Path) -> None:
    """A SAS disk's: it runs, and shows no percentage."""
    made = burn_in(tmp_path, disk_speed="100kB/s")
    made.clock = Hurried()
    (wait,) = (step for step in made.plan.stages[0].steps if isinstance(step, Wait))
    assert wait.estimate_s > 3600
    until_s = 2 * wait.estimate_s

    def stand(names: list[str]) -> dict[str, SelfTestStatus]:
        running = made.clock.monotonic() < until_s
        return dict.fromkeys(names, SelfTestStatus(runs=True) if running else PASSED)

    made.self_tested = stand
    made.go()
    ended = made.journal.state.self_tests
    assert ended and {result.passed for result in ended.disks.values()} == {True}
    assert made.self_tests_ended == []


def test_a_stop_ends_the_tests_that_run(tmp_path: Path) -> None:
    made = rig(tmp_path)

    def stand(names: list[str]) -> dict[str, SelfTestStatus]:
        made.executor.waiter.stop_asked = True
        return {name: PASSED if name == "sda" else RUNS for name in names}

    made.self_tested = stand
    assert made.go()[0] == "stopped"
    assert made.self_tests_ended == ["sdb", "sdc"] and made.programs() == []


@pytest.mark.parametrize(
    "standing, words, step_s, looks",
    [(None, "tells nothing of it", 20, 4), (RUNS, "was ended", 200, 5), (RUNS, "was ended", 199, 5)],
)
def test_one_that_does_not_come_on_is_given_up(
    standing: SelfTestStatus | None, words: str, step_s: float, looks: int, tmp_path: Path
) -> None:
    """A minute after it began, or ten after its last step forward: not at their last moment yet."""
    made = rig(tmp_path)
    clock = made.clock = Hurried(0)
    seen: list[list[str]] = []

    def stand(names: list[str]) -> dict[str, SelfTestStatus]:
        clock.now_s += step_s
        seen.append(names)
        return {name: standing for name in names if standing}

    made.self_tested = stand
    assert made.go()[0] == "finished"
    assert sorted(made.self_tests_ended) == ["sda", "sdb", "sdc"]
    assert sum(words in warning for warning in made.journal.state.warnings) == 3 and len(seen) == looks
