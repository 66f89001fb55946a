"""What ends a rate besides the disks."""

import pytest

from raidtui.core.raid.ceilings import HostLimits, Limit, Traffic, ceilings, stored_share

RMW = Traffic(written=2, read_before=2)
HOST = HostLimits()


def test_only_those_that_there_are() -> None:
    assert ceilings("0", Traffic(1, 0), 1.0, HOST, None, endless=True) == {}
    assert set(ceilings("5", RMW, 0.0, HOST, 1e9, endless=False)) == {Limit.LINK, Limit.CPU, Limit.MD_THREAD}


def test_a_link_carries_both_ways_at_once() -> None:
    """4 KiB each: of a parity write two go down and two come up at the same time."""
    assert ceilings("5", RMW, 0.0, HOST, 4096e3, endless=True)[Limit.LINK] == pytest.approx(500)
    assert ceilings("5", RMW, 1.0, HOST, 4096e3, endless=True)[Limit.LINK] == pytest.approx(1000)


@pytest.mark.parametrize("processes, reads", [(1, 250e3), (4, 1e6)])
def test_processors_of_those_who_submit(processes: int, reads: float) -> None:
    host = HostLimits(processes=processes)
    assert ceilings("0", Traffic(1, 0), 1.0, host, None, endless=False)[Limit.CPU] == pytest.approx(reads)


def test_one_thread_writes_parity_and_more_write_more() -> None:
    alone = ceilings("5", RMW, 0.0, HOST, None, endless=True)[Limit.MD_THREAD]
    several = ceilings("5", RMW, 0.0, HostLimits(parity_threads=4), None, endless=True)[Limit.MD_THREAD]
    assert (alone, several) == (1e5, 4e5)
    assert Limit.MD_THREAD not in ceilings("10", Traffic(2, 0), 0.0, HOST, None, endless=True)


def test_bytes_stored_for_a_byte_of_a_users() -> None:
    assert [stored_share(*row) for row in (("0", 4, None), ("10", 4, "n2"), ("5", 5, None), ("6", 6, None))] == [
        1, 2, 1.25, 1.5
    ]  # fmt: skip
