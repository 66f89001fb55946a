"""Faults of a run, its disks and its figures by name, the worst first."""

from typing import Any

import msgspec
import pytest

from raidtui.core.answer.answer import Answer
from raidtui.core.answer.values import Fault
from raidtui.core.plan.answers import Axes
from raidtui.core.run.events import SelfTestResult, SelfTestsEnded
from raidtui.core.run.kernel import Message
from raidtui.core.run.state import RunState
from tests.builders import handmade, sweeps
from tests.core.answer import golden
from tests.core.answer.golden import answer_of

AXES = (Axes(level=("0", "5"), chunk=("64KiB",)),)
MEDIA = Message("I/O error", "sdc", "critical medium error, dev sdc")
HOT = Message("throttling", "sdc", "temperature above threshold")


def named(found: Answer) -> dict[str, Fault]:
    return {fault.name: fault for fault in found.faults}


@pytest.mark.parametrize(
    "told, name, figure, of",
    [
        ({"outcome": "stopped"}, "not whole", 15, 15),
        ({"outcome": "failed", "reason": "md: boom"}, "not whole", 15, 15),
        ({"outcome": ""}, "not whole", 15, 15),
        ({"damaged": 2}, "damaged", 2, None),
        ({"kernel": {"t": (MEDIA,)}}, "errors", None, None),
        ({"kernel": {"t": (HOT,)}}, "", None, None),
    ],
)
def test_a_fault_of_the_run(told: dict[str, Any], name: str, figure: float | None, of: float | None) -> None:
    plan = handmade.plan()
    state = msgspec.structs.replace(handmade.state(plan), **told)
    faults = answer_of((plan, state)).faults
    assert [fault.name for fault in faults] == ([name] if name else [])
    for fault in faults:
        assert (fault.figure, fault.of) == (figure, of)
        assert fault.evidence == ((told["reason"],) if "reason" in told else fault.evidence)
        assert name != "errors" or MEDIA.text in fault.evidence[0]


@pytest.mark.parametrize("passed, failed", [(False, 1), (True, 0), (None, 0)])
def test_a_disk_fails_by_its_own_test_alone(passed: bool | None, failed: int) -> None:
    plan = handmade.plan()
    one = plan.members[0]
    ended = SelfTestsEnded(at_s=1, stage=0, length="short", disks={one.id: SelfTestResult(passed=passed)})
    state = msgspec.structs.replace(handmade.state(plan), self_tests=ended)
    errors = [fault.evidence for fault in answer_of((plan, state)).faults if fault.name == "errors"]
    assert errors == [(f"disk {one.serial or one.id} failed its self-test",)] * failed


def test_the_worst_fault_is_first() -> None:
    broken = named(golden.answers()["made-up: disk-baseline, broken"])
    assert list(broken)[:5] == ["not whole", "failed", "errors", "damaged", "resumed"]
    assert list(broken)[5:] == ["disturbed", "limit", "unsure disk"]
    failed, (slow,) = broken["failed"], golden.answers()["made-up: disk-baseline, a slow disk"].faults
    assert (failed.figure, failed.of, failed.evidence) == (1, 24, ("boom",)) and "rand_write" in failed.subject
    assert (slow.name, slow.subject, slow.base) == ("slow disk", "SER2", "median disk")
    assert slow.figure == pytest.approx(0.7 * (slow.of or 0.0), rel=0.01)


def test_a_drift_over_the_passes_is_told() -> None:
    made = sweeps.plan("levels-random-4k", 6, repeat=5, axes=AXES)
    state = sweeps.state(made, lambda stage, trial: 100.0 - 4.0 * trial.block)
    drift = named(answer_of((made, state)))["drift"]
    assert drift.runs == 5 and drift.figure == pytest.approx(80 / 96, abs=0.02)


def test_disks_of_unequal_size_and_the_page_cache_are_told() -> None:
    recorded = named(golden.answers()["levels-sequential"])
    assert list(recorded) == ["two rates", "unequal", "buffered"] and recorded["unequal"].unit == "bytes"
    assert (round(recorded["unequal"].figure or 0), round(recorded["unequal"].of or 0)) == (209715200, 335544320)


def test_what_speaks_against_figures_is_told_where_there_are_any() -> None:
    made = sweeps.plan("levels-sequential", 4)
    one, *others = made.members
    small = msgspec.structs.replace(one, size_bytes=one.size_bytes // 2)
    made = msgspec.structs.replace(made, members=(small, *others))
    told = named(answer_of((made, sweeps.state(made))))
    assert {*told} >= {"unequal", "buffered"}
    assert not {*named(answer_of((made, RunState())))} & {"unequal", "buffered"}
