"""What the machine takes for an operation, as a run measured it."""

import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.raid.ceilings import ASSUMED_OF_HOST, HostLimits, Limit
from raidtui.core.results.disk_operations import host_limits
from tests.builders import handmade

TRIAL = handmade.trial("array", ("w", "Random", "randwrite", 4096, 32, 4))


def measured(**cpu: float) -> list[Measurement]:
    return [handmade.measurement(TRIAL, 1000, cpu=cpu)]


def test_the_busiest_of_fios_threads_tells_what_an_operation_costs() -> None:
    found = host_limits(measured(fio=0.8), {}, 4, None)
    assert found.fio_s_per_operation == pytest.approx(
        4 * 0.8 / 1000
    )  # each of four threads did a quarter of the operations
    assert found.processes == 4 and found.assumed == ASSUMED_OF_HOST - {Limit.CPU}


def test_mds_thread_tells_what_a_write_costs() -> None:
    found = host_limits(measured(md127_raid5=0.5), {}, 4, None)
    assert found.parity_writes_per_s == pytest.approx(2000)
    assert found.assumed == ASSUMED_OF_HOST - {Limit.MD_THREAD}
    stripes = host_limits(measured(md127_raid5=0.5), {}, 4, None, stripe_pages=128)  # pages an operation
    assert stripes.parity_pages_per_s == pytest.approx(128 * 2000) and stripes.parity_writes_per_s == 65e3


def test_the_kernel_tells_of_mds_lock() -> None:
    assert host_limits([], {}, 1, None, "5.10.0").parity_reads_per_s == 1.2e6
    assert host_limits([], {}, 1, None).parity_reads_per_s == 5.5e6


@pytest.mark.parametrize(
    "cpu, options, threads",
    [({"fio": 0.3}, {}, None), ({"fio": 0.9}, {"hipri": "1"}, None), ({"md127_raid5": 0.9}, {}, 4), ({}, {}, None)],
)
def test_what_tells_nothing_leaves_what_is_assumed(
    cpu: dict[str, float], options: dict[str, str], threads: int | None
) -> None:
    found = host_limits(measured(**cpu), options, 4, threads)
    assert found == HostLimits(processes=4, parity_threads=threads or 1) and found.assumed == ASSUMED_OF_HOST
