"""All disks at once that did less than one alone: a fault with what the counters show, and only with that."""

import msgspec
import pytest

from raidtui.core.answer.values import Fault
from raidtui.core.fio.measurement import BUSIEST, FIO, Measurement
from raidtui.core.results.deviation import Cpu, FullThreads
from tests.builders import sweeps
from tests.core.answer.golden import answer_of, measured


def limits(share: float, cpu: dict[str, float], util: float) -> list[Fault]:
    """All disks together do so many times what one does, beside these counters."""
    made = sweeps.plan("quick", 4, level="5", filesystem="ext4")
    state = sweeps.state(made, lambda stage, trial: 100.0 * (share if trial.target == "members" else 1.0))

    def counted(_: str, taken: Measurement) -> dict[str, object]:
        disks = {name: msgspec.structs.replace(rates, util=util) for name, rates in taken.disks.items()}
        return {"cpu": cpu, "disks": disks}

    state = measured(state, counted)
    found = answer_of((made, state))
    return [fault for fault in found.faults if fault.name == "limit"]


@pytest.mark.parametrize(
    "cpu, util, where, cause, busy",
    [
        ({BUSIEST: 0.97, FIO: 0.12}, 0.7, "CPU", Cpu, ""),
        ({FIO: 0.95}, 0.7, "CPU", FullThreads, ""),
        ({FIO: 0.2}, 0.96, "disks", None, "96 %"),
        ({FIO: 0.2}, 0.3, "above the disks", None, "30 %"),
    ],
)
def test_what_the_counters_show_is_named(
    cpu: dict[str, float], util: float, where: str, cause: type | None, busy: str
) -> None:
    (fault,) = limits(0.6, cpu, util)
    assert (fault.where, fault.subject, fault.base, fault.unit) == (where, "all disks at once", "one disk", "bytes/s")
    assert fault.figure == pytest.approx(60e6) and fault.of == pytest.approx(100e6) and fault.test.startswith("Seq")
    assert isinstance(fault.cause, cause) if cause else fault.cause is None
    assert busy in " ".join(fault.evidence) and bool(fault.evidence) is bool(busy)


@pytest.mark.parametrize("share, util", [(0.6, 0.7), (1.0, 0.3), (4.0, 0.3)])
def test_without_a_counter_or_where_it_is_not_less_nothing_is_named(share: float, util: float) -> None:
    assert limits(share, {FIO: 0.2}, util) == []
