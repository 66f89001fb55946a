"""The state of disks in a test: flash written before or not, and a write cache that is exhausted or not."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Command, Write
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.disk_operations import Side
from raidtui.core.run.samples import ARRAY
from tests.builders import handmade

FLASH = handmade.plan(model="INTEL SSDPE2KX010T8")
UNLIKE = "gain compares flash of two states: one disk unknown, the array written"


def over(plan: Plan, span_bytes: int, *, filled: bool = False, at: int = 0) -> Plan:
    """Trials over so many bytes; of the array, filled at this step."""
    stages = []
    for stage in plan.stages:
        trials = tuple(replace(trial, span_bytes=span_bytes) for trial in stage.trials)
        fill = [Command(what="Fill", role="fill", argv=("fio",))] if filled and stage.setup else []
        measures = [Command(what=one.title, role="measure", argv=("fio",), trial=one.id) for one in trials]
        steps = (*measures[:at], *fill, *measures[at:])
        stages.append(replace(stage, trials=trials, steps=steps))
    return replace(plan, stages=tuple(stages))


def row(plan: Plan, job: str, *, flash: bool = True, steps: float | None = None, level_s: float = 0.0) -> ResultRow:
    def rates(trial_id: str) -> dict[str, object]:
        trial = plan.trial(trial_id)
        assert trial
        disks = handmade.disks(plan, trial, 1.0)
        array = replace(next(iter(disks.values())), step=steps)
        return {"disks": {**disks, ARRAY: array}, "level_s": level_s}

    odd = {} if steps is None else {"filesystem_rand_write": rates("filesystem-rand_write")}
    return next(one for one in compare(plan, handmade.state(plan, **odd), flash).rows if one.job == job)


@pytest.mark.parametrize("job", ["rand_read", "rand_write"])
def test_a_gain_of_flash_of_two_states_is_marked(job: str) -> None:
    found = row(over(FLASH, 10**12, filled=True), job)
    states: dict[Side, str] = {"one disk": "unknown", "all at once": "unknown", "the array": "written"}
    assert found.flash_states == states and UNLIKE in found.flags
    alike = row(over(FLASH, 10**12), job)
    assert set(alike.flash_states.values()) == {"unknown"} and UNLIKE not in alike.flags
    assert row(over(FLASH, 10**12, filled=True), job, flash=False).flash_states == {}


def test_a_fill_after_a_test_is_that_of_a_file() -> None:
    last = len(handmade.JOBS)
    assert row(over(FLASH, 10**12, filled=True, at=last), "rand_read").flash_states["the array"] == "unknown"


def test_emulated_disks_have_no_state_to_compare() -> None:
    emulated = handmade.plan(model="scsi_debug")
    assert emulated.members[0].emulator
    assert UNLIKE not in row(over(emulated, 10**12, filled=True), "rand_read").flags


@pytest.mark.parametrize("step, state", [(None, "not exhausted"), (-0.04, "exhausted"), (-0.3, "not exhausted")])
def test_a_write_cache_is_exhausted_where_random_writes_stayed_level(step: float | None, state: str) -> None:
    found = row(handmade.plan(), "rand_write", flash=False, steps=step)
    assert found.write_cache == state
    assert any(flag.startswith("cache not exhausted") for flag in found.flags) is (state != "exhausted")


def test_random_writes_that_ended_level_have_exhausted_it() -> None:
    assert row(handmade.plan(), "rand_write", flash=False, steps=-0.3, level_s=30.0).write_cache == "exhausted"


@pytest.mark.parametrize("job", ["rand_read", "seq_write"])
def test_other_tests_have_no_cache_to_exhaust(job: str) -> None:
    assert row(handmade.plan(), job, flash=False).write_cache == ""


def test_a_cache_that_was_off_is_of_no_concern() -> None:
    plan = handmade.plan()
    off = Write(what="off", path="/sys/block/{member:0}/device/scsi_disk/*/cache_type", value="write through")
    stages = (plan.stages[0], replace(plan.stages[1], steps=(off, *plan.stages[1].steps)))
    assert row(replace(plan, stages=stages), "rand_write", flash=False).write_cache == ""
