"""Answers of series: places over the first, how much may be asked of an array, what rounds came to."""

import msgspec
import pytest

from raidtui.core.answer.answer import answer
from raidtui.core.fio.measurement import Direction
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from tests.builders import sweeps
from tests.builders.answers import answered, of
from tests.recordings.reports import kept

LOAD = sweeps.plan("latency-at-load", 4, setup=Setup(level="10", first_sync="skip"))


@pytest.mark.parametrize(
    ("inner", "begins", "words"),
    [
        (
            0.5,
            "Yes: sequential read 99.9 MB/s outer (from 0%) (the median of 4 disks); middle",
            "inner (from 90%) -50 %",
        ),
        (2.0, "Sequential read 99.9 MB/s outer (from 0%) (the median of 4 disks); middle", "inner (from 90%) +100 %"),
        (
            1.0,
            "No: sequential read 99.9 MB/s (the median of 4 disks), outer (from 0%), middle",
            "and inner (from 90%) equal within 3 %.",
        ),
    ],
)
def test_every_other_place_is_told_against_the_first(inner: float, begins: str, words: str) -> None:
    def rate(_: Stage, trial: Trial) -> float:
        noise = 1 + 0.002 * ((7 * (trial.member or 0) + 3 * len(trial.id)) % 3 - 1)
        return 100.0 * (inner if trial.varied["offset"] == "90%" else 1.0) * noise

    found = of(sweeps.plan("zones", 4), rate)
    assert found.question == "Is a disk slower towards its end, and by how much?"
    assert found.sentences[0].startswith(begins) and words in found.sentences[0]
    assert found.sentences[1].partition(":")[0] == begins.partition(":")[0] or "andom 4K read" in found.sentences[1]
    certain = next(one for one in found.sentences if one.startswith("Each test ran once"))
    assert certain.endswith("how the disks differ among themselves says what may be chance.")


def at_load(p99_ms: dict[int, float]) -> tuple[str, ...]:
    """The sentences of a run whose p99 at each share of 4000 IOPS is this; at others 1 ms, flat out 30 ms."""

    def share(trial: Trial) -> int:
        return int(str(trial.varied.get("rate_iops", "0")).removesuffix("%"))

    state = sweeps.state(LOAD, lambda _, trial: 40.0 * (share(trial) or 100))
    shares = {one.id: share(one) for one in LOAD.trials}

    def late(way: Direction | None, of: int) -> Direction | None:
        ns = (p99_ms.get(of, 1.0) if of else 30.0) * 1e6
        return way and msgspec.structs.replace(way, lat_percentiles_ns={"99": ns})

    trials = tuple(
        msgspec.structs.replace(
            one,
            measurement=msgspec.structs.replace(
                one.measurement,
                read=late(one.measurement.read, shares[one.trial]),
                write=late(one.measurement.write, shares[one.trial]),
            ),
        )
        for one in state.trials
        if one.measurement
    )
    told = msgspec.structs.replace(state, trials=trials)
    return answer(LOAD, told, compare(LOAD, told)).sentences


def test_how_much_may_be_asked_is_told_with_the_rate_and_its_latencies() -> None:
    reads, writes, *_ = at_load({70: 5.0, 80: 8.0, 90: 8.5, 100: 9.0})
    assert reads == (
        "Random 4K read: 4000 IOPS flat out; up to 60 % of that p99 hardly rises: 1.00 ms at 10 %, 1.00 ms at"
        " 60 % and 5.00 ms at 70 %."
    )
    assert writes.startswith("Random 4K write: ")
    reads, *_ = at_load({})
    assert "up to 100 % of that p99 hardly rises: 1.00 ms at 10 % and 1.00 ms at 100 %" in reads


def test_where_the_median_is_the_measure_p99_stands_beside_it() -> None:
    """The median hardly rises up to half of what it does flat out, and p99 by the half of itself."""
    plan, state = kept.load("latency-at-load")
    assert (
        answer(plan, state, compare(plan, state))
        .sentences[1]
        .endswith(
            "the median wait hardly rises: 3.52 ms at 10 %, 3.72 ms at 50 % and 6.78 ms at 60 %; p99 is 16.2 ms at 10"
            " %, 23.5 ms at 50 % and 41.7 ms at 60 %; of 1059 IOPS, the most that was offered, 87 % were done."
        )
    )


def rounds(rate: float) -> tuple[str, ...]:
    made = sweeps.plan("flash-steady-state", 4, flash=True, setup=Setup(level="0"))
    return of(made, lambda _, trial: 1000.0 + rate * trial.repetition).sentences


def test_what_is_steady_is_for_good_and_what_is_not_is_said_so() -> None:
    held, rising = rounds(0.0), rounds(500.0)
    assert held[0].startswith("After 25 of at most 25 rounds random 4K write is in steady state: the last 5 rounds")
    assert held[1].startswith("Random 4K write gives 1000 IOPS for good, 100 % of its first round; random 4K")
    assert "NOT in steady state" in rising[0] and "in the last rounds" in rising[1]
    assert "not steady yet" in rising[-1] and "not steady yet" not in held[-1]


def test_nothing_is_told_of_a_run_without_figures() -> None:
    assert answer(LOAD, RunState(), compare(LOAD, RunState())).sentences
    assert answered("zones", 1, lambda stage, trial: 100.0).sentences
