"""The disks' own tests in a run: before anything is erased, and the end of it where one fails."""

import time
from pathlib import Path

import pytest

from raidtui import recipes
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.hardware.self_tests import SelfTestStatus
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.run.events import SelfTestResult
from tests.runs.rig import SEEN, Rig

RUNS = SelfTestStatus(runs=True, left_percent=50)
PASSED = SelfTestStatus(passed=True, result="completed without error")
FAILED = SelfTestStatus(passed=False, result="completed: read failure")


class Hurried:
    """A clock on which minutes go by from one look to the next."""

    time_ns = staticmethod(time.time_ns)

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        self.now_s += 300
        return self.now_s

    def monotonic_ns(self) -> int:
        return int(self.monotonic() * 1e9)


def rig(folder: Path) -> Rig:
    disks = disks_of(SEEN)
    setup = Setup(level="5", first_sync="skip")
    answers = Answers(disks=tuple(disk.id for disk in disks), setup=setup, self_test="short", repeat=1)
    made = Rig(folder, planner.make(answers, recipes.load("quick"), disks, "machine"))
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


def test_a_stop_ends_the_tests_that_run(tmp_path: Path) -> None:
    made = rig(tmp_path)

    def stand(names: list[str]) -> dict[str, SelfTestStatus]:
        made.executor.waiter.stop_asked = True
        return {name: PASSED if name == "sda" else RUNS for name in names}

    made.self_tested = stand
    assert made.go()[0] == "stopped"
    assert made.self_tests_ended == ["sdb", "sdc"] and made.programs() == []


@pytest.mark.parametrize(("standing", "words"), [(None, "tells nothing of it"), (RUNS, "was ended")])
def test_one_that_does_not_come_on_is_given_up(standing: SelfTestStatus | None, words: str, tmp_path: Path) -> None:
    made = rig(tmp_path)
    made.self_tested = lambda names: {name: standing for name in names if standing}
    made.clock = Hurried()
    assert made.go()[0] == "finished"
    assert sorted(made.self_tests_ended) == ["sda", "sdb", "sdc"]
    assert sum(words in warning for warning in made.journal.state.warnings) == 3
