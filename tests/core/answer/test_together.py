"""All disks at once that did less than one alone: said with what the counters show, and only with that."""

import msgspec
import pytest

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.fio.measurement import BUSIEST, FIO, Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from tests.builders import sweeps


def run(share: float, cpu: dict[str, float], util: float, recipe: str = "quick") -> tuple[Plan, RunState]:
    """All disks together do so many times what one does, beside these counters."""
    made = sweeps.plan(recipe, 4, setup=Setup(level="5", filesystem="ext4") if recipe == "quick" else Setup())
    state = sweeps.state(made, lambda stage, trial: 100.0 * (share if trial.target == "members" else 1.0))

    def counted(measurement: Measurement) -> Measurement:
        disks = {name: msgspec.structs.replace(rates, util=util) for name, rates in measurement.disks.items()}
        return msgspec.structs.replace(measurement, cpu=cpu, disks=disks)

    trials = tuple(
        msgspec.structs.replace(ended, measurement=counted(ended.measurement))
        for ended in state.trials
        if ended.measurement
    )
    return made, msgspec.structs.replace(state, trials=trials)


def found(share: float, cpu: dict[str, float], util: float, recipe: str = "quick") -> Answer:
    plan, state = run(share, cpu, util, recipe)
    return answer(plan, state, compare(plan, state))


@pytest.mark.parametrize(
    ("cpu", "util", "why", "then"),
    [
        (
            {BUSIEST: 0.97, FIO: 0.12},
            0.7,
            "the processor may have been the limit: a CPU was at work 97 % of the time (fio 12 %; the rest was the",
            "end what",
        ),
        ({FIO: 0.95}, 0.7, "fio used 95 % of a CPU, and cannot use more", "end what else runs"),
        (
            {FIO: 0.2},
            0.96,
            "the disks were at work 96 % of the time: the limit lies with them, or in what they",
            "look at",
        ),
        ({FIO: 0.2}, 0.3, "the disks were at work 30 % of the time: the limit lies above them", "end what else runs"),
    ],
)
def test_what_the_counters_show_is_named_and_is_the_next_step(
    cpu: dict[str, float], util: float, why: str, then: str
) -> None:
    told = found(0.6, cpu, util)
    assert told.sentences[0].startswith("All disks at once did less than one alone, 60.0 instead of 100 MB/s in seq")
    assert why in told.sentences[0] and told.next.why.startswith(then)


@pytest.mark.parametrize(("share", "util"), [(0.6, 0.7), (1.0, 0.3), (4.0, 0.3)])
def test_without_a_counter_or_where_it_is_not_less_nothing_is_named(share: float, util: float) -> None:
    plan, state = run(share, {FIO: 0.2}, util)
    assert not any("less than one alone" in text for text in answer(plan, state, compare(plan, state)).sentences)


def test_what_all_disks_share_is_named_where_a_processor_was_seen_at_its_limit() -> None:
    limit = "something that they share is the limit"
    (said,) = [text for text in found(2.0, {BUSIEST: 0.99}, 0.7, "disk-baseline").sentences if limit in text]
    at_work = "the processor was the limit: a CPU was at work 99 % of the time, and had time for 1 % more work at most"
    assert said.endswith(f"{limit} ({at_work}).")
    (said,) = [text for text in found(2.0, {BUSIEST: 0.3}, 0.7, "disk-baseline").sentences if limit in text]
    assert said.endswith(f"{limit}.")
