"""What ends a rate besides the disks."""

import pytest

from raidtui.core.raid.ceilings import (
    HostLimits,
    Limit,
    Traffic,
    ceilings,
    parity_reads_per_s,
    stored_share,
    stripe_bytes_per_s,
)

RMW = Traffic(written=2, read_before=2)
HOST = HostLimits()


def test_only_those_that_there_are() -> None:
    assert ceilings("0", Traffic(1, 0), 1.0, HOST, None, endless=True) == {}
    assert set(ceilings("5", RMW, 0.0, HOST, 1e9, endless=False)) == {Limit.LINK, Limit.CPU, Limit.MD_THREAD}


def test_a_link_carries_both_ways_at_once() -> None:
    """4 KiB each: of a parity write two go down and two come up at the same time."""
    assert ceilings("5", RMW, 0.0, HOST, 4096e3, endless=True)[Limit.LINK] == pytest.approx(500)
    assert ceilings("5", RMW, 1.0, HOST, 4096e3, endless=True)[Limit.LINK] == pytest.approx(1000)


@pytest.mark.parametrize("processes, copies, measured", [(1, 1, 225e3), (1, 2, 143e3), (1, 4, 92e3), (4, 1, 900e3)])
def test_processors_of_those_who_submit(processes: int, copies: int, measured: float) -> None:
    """One process, elsewhere: 225,000, 143,000, 92,000 writes/s in 1, 2, 4 copies."""
    host = HostLimits(processes=processes)
    found = ceilings("1" if copies > 1 else "0", Traffic(copies, 0), 0.0, host, None, endless=False)[Limit.CPU]
    assert found == pytest.approx(measured, rel=0.05)


@pytest.mark.parametrize(
    "kernel, reads", [("5.10.0-28-amd64", 1.2e6), ("Linux 5.14", 5.5e6), ("6.1.176", 5.5e6), ("", 5.5e6)]
)
def test_small_reads_of_parity_share_a_lock_before_linux_5_14(kernel: str, reads: float) -> None:
    host = HostLimits(parity_reads_per_s=parity_reads_per_s(kernel))
    assert ceilings("5", RMW, 1.0, host, None, endless=True) == {Limit.MD_LOCK: reads}
    assert ceilings("5", RMW, 0.5, host, None, endless=True)[Limit.MD_LOCK] == 2 * reads
    assert ceilings("zfs-raidz1", RMW, 1.0, host, None, endless=True) == {}  # none of md's


def test_threads_let_so_many_pages_of_stripes_through() -> None:
    """24 NVMe drives of RAID 6: about 10 GB/s (elsewhere 9.9), RAID 5 of 4: 985 to 1,327 MB/s elsewhere."""
    assert stripe_bytes_per_s("6", 24, HOST) == pytest.approx(9.9e9, rel=0.01)
    assert 985e6 < stripe_bytes_per_s("5", 4, HOST) < 1.4e9
    assert stripe_bytes_per_s("5", 4, HostLimits(parity_threads=2)) == 2 * stripe_bytes_per_s("5", 4, HOST)
    assert stripe_bytes_per_s("10", 4, HOST) == stripe_bytes_per_s("zfs-raidz1", 4, HOST) == float("inf")


def test_one_thread_writes_parity_and_more_write_more() -> None:
    alone = ceilings("5", RMW, 0.0, HOST, None, endless=True)[Limit.MD_THREAD]
    several = ceilings("5", RMW, 0.0, HostLimits(parity_threads=4), None, endless=True)[Limit.MD_THREAD]
    assert (alone, several) == (65e3, 260e3)
    assert Limit.MD_THREAD not in ceilings("10", Traffic(2, 0), 0.0, HOST, None, endless=True)


def test_bytes_stored_for_a_byte_of_a_users() -> None:
    assert [stored_share(*row) for row in (("0", 4, None), ("10", 4, "n2"), ("5", 5, None), ("6", 6, None))] == [
        1, 2, 1.25, 1.5
    ]  # fmt: skip
