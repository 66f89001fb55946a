"""Flash: steady state as SNIA judges it, reads only of what the run has written, two passes on demand."""

import pytest
from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.fio.job import is_sequential
from raidtui.core.plan.model import Plan
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Command
from raidtui.core.plan.summary import explain
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.numerics import steady
from raidtui.core.run.state import RunState
from tests.builders import handmade
from tests.builders.racks import RACK, answers


@pytest.mark.parametrize(
    "rounds, holds",
    [
        ([100, 100, 100, 100, 100], True),
        ([110, 91, 110, 91, 110], True),  # a range of 19 %, no drift
        ([115, 90, 115, 90, 115], False),  # a range of 24 %
        ([104, 102, 100, 98, 96], True),  # falls by 8 %
        ([106, 103, 100, 97, 94], False),  # falls by 12 %
        ([94, 97, 100, 103, 106], False),  # rises as much
        ([900, 500, 104, 102, 100, 98, 96], True),  # only the last five count
        ([100, 100, 100, 100], None),
        ([0, 0, 0, 0, 0], None),
        ([], None),
    ],
)
def test_five_rounds_within_20_percent_that_drift_by_10_at_most(rounds: list[float], holds: bool | None) -> None:
    found = steady(rounds)
    assert (found and found.holds) is holds


FLASH = handmade.plan()


def row(plan: Plan, state: RunState, job: str, flash: bool = True) -> ResultRow:
    return next(one for one in compare(plan, state, flash).rows if one.job == job)


@pytest.mark.parametrize("fall, said", [(1, "in steady state"), (12, "NOT in steady state")])
def test_repetitions_of_a_write_test_are_the_rounds(fall: int, said: str) -> None:
    plan = handmade.plan(repeat=5)
    odd = {}
    for number in range(1, 6):
        trial = plan.trial("filesystem-seq_write" + (f"-{number}" if number > 1 else ""))
        assert trial
        odd[trial.id.replace("-", "_")] = {"write": handmade.measurement(trial, 170 - fall * number).write}
    state = handmade.state(plan, **odd)
    assert any(flag.startswith(said) for flag in row(plan, state, "seq_write").flags)
    assert not any("steady" in flag for flag in row(plan, state, "seq_write", flash=False).flags)
    assert not any("steady" in flag for flag in row(FLASH, handmade.state(FLASH), "seq_write").flags)


def unwritten(found: ResultRow) -> str:
    return next((flag for flag in found.flags if "may be unwritten" in flag), "")


def spanning(plan: Plan, span_bytes: int) -> Plan:
    """The same with trials that go over so many bytes."""
    stages = [
        replace(stage, trials=tuple(replace(t, span_bytes=span_bytes) for t in stage.trials)) for stage in plan.stages
    ]
    return replace(plan, stages=tuple(stages))


def test_reads_of_what_was_not_written_are_told_of_flash_alone() -> None:
    plan = spanning(FLASH, 10**12)
    found = row(plan, handmade.state(plan), "rand_read")
    assert unwritten(found).startswith("of one disk, all at once and the array blocks read may be unwritten")
    assert not unwritten(row(plan, handmade.state(plan), "rand_read", flash=False))
    assert not unwritten(row(plan, handmade.state(plan), "rand_write"))


def test_a_sequential_test_that_wrote_the_whole_span_before_is_enough() -> None:
    plan = spanning(FLASH, 400 * 10**6)  # its writes moved 470 MB of one disk, 1410 of all, 840 of the array
    assert not unwritten(row(plan, handmade.state(plan), "rand_read"))
    plan = spanning(FLASH, 500 * 10**6)
    assert unwritten(row(plan, handmade.state(plan), "rand_read")).startswith("of one disk blocks read may be")


def test_what_was_filled_was_written() -> None:
    plan = spanning(FLASH, 10**12)
    filling = Command(what="Fill the test file (4 GiB)", role="fill", argv=("fio",))
    filled = [replace(stage, steps=(filling, *stage.steps)) for stage in plan.stages]
    plan = replace(plan, stages=(plan.stages[0], filled[1]))
    assert unwritten(row(plan, handmade.state(plan), "rand_read")).startswith(
        "of one disk and all at once blocks read may"
    )


@pytest.mark.parametrize("filesystem", ["none", "xfs"])
def test_a_recipe_may_ask_that_all_is_written_twice_before_it_is_measured(filesystem: str) -> None:
    quick = recipes.load("quick")
    plain = make(answers(filesystem=filesystem), quick, RACK, "here")
    made = make(answers(filesystem=filesystem), replace(quick, precondition=True), RACK, "here")
    for stage in made.stages:
        steps = [step for step in stage.steps if isinstance(step, Command) and step.argv[0] == "fio"]
        fills = [step for step in steps if step.what.startswith("Fill ")]
        assert steps[0] is fills[0] and len(fills) == (2 if stage.filesystem else 1)
        for fill in fills:
            assert "--loops=2" in fill.argv and "--rw=write" in fill.argv and fill.estimate_s > 0
            made_new = "--allow_file_create=0" not in fill.argv  # a device that is not there is not made as a file
            assert made_new is any(word.startswith("--filename=mnt/") for word in fill.argv)
    assert made.written_bytes > plain.written_bytes and made.estimate_s > plain.estimate_s
    assert not any(
        "--loops" in word for s in plain.stages for step in s.steps if isinstance(step, Command) for word in step.argv
    )
    assert any("written twice" in line for line in explain("x", replace(quick, precondition=True)))


def test_what_is_filled_on_a_device_is_as_large_as_what_is_read_there() -> None:
    made = make(answers(), replace(recipes.load("quick"), precondition=True), RACK, "here")
    array = made.stages[-1]
    (fill,) = [s for s in array.steps if isinstance(s, Command) and s.what.startswith("Fill ")]
    assert array.array
    offset_bytes = next(int(word.partition("=")[2]) for word in fill.argv if word.startswith("--offset="))
    span_bytes = array.array.capacity.array_bytes - offset_bytes
    assert f"--size={span_bytes}" in fill.argv
    assert all(trial.span_bytes == span_bytes for trial in array.trials if is_sequential(trial.rw))
