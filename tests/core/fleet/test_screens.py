"""Who is named in a fleet, and who is not: by the screen of a single run, over hosts, models, slots and firmwares."""

import pytest

from raidtui.core.fleet.screens import screened
from tests.core.fleet.rack import host_run_of


def test_equal_machines_are_not_named() -> None:
    found = screened([host_run_of(number) for number in range(20)])
    assert (found.hosts, found.disks, found.groups, found.not_screened) == ((), (), (), ())
    assert found.hosts_screen.disks == 20


def test_a_slow_machine_is_named_and_its_disks_are_not_single_ones() -> None:
    found = screened([host_run_of(number, speed=0.7 if number == 4 else 1.0) for number in range(20)])
    (slow,) = found.hosts
    assert (slow.host, slow.disks, len(slow.tests)) == ("node4", 6, 3)
    assert all(0.6 < test.share < 0.8 for test in slow.tests)
    assert found.disks == () and found.groups == ()


def test_a_slow_disk_is_named_beside_the_fleet_where_its_own_few_neighbours_cannot_tell() -> None:
    runs = [host_run_of(number, disks=3, slow={1: 0.85} if number == 2 else None) for number in range(20)]
    (found,) = screened(runs).disks
    assert (found.host, found.disk.serial) == ("node2", "S2-1")
    assert found.beside_fleet and not found.beside_host and len(found.tests) == 3


def test_a_disk_that_its_own_host_named_is_named() -> None:
    runs = [host_run_of(number, slow={1: 0.6} if number == 2 else None, named=(1,) if number == 2 else ())
            for number in range(8)]  # fmt: skip
    (found,) = screened(runs).disks
    assert (found.beside_host, found.beside_fleet) == (True, True)


def test_a_slot_that_is_slow_everywhere_is_named() -> None:
    found = screened([host_run_of(number, slow={5: 0.85}) for number in range(20)])
    (slot,) = found.groups
    assert (slot.kind, slot.name, slot.disks) == ("slot", "5", 20)
    assert slot.tests[0].share == pytest.approx(0.85, abs=0.02)


def test_a_firmware_is_named_by_more_than_chance_even_beside_a_slow_machine() -> None:
    runs = [
        host_run_of(
            number,
            firmware="OLD" if number % 4 == 0 else "NEW",
            speed=0.94 if number % 4 == 0 else 0.7 if number == 7 else 1.0,
        )
        for number in range(20)
    ]
    found = screened(runs)
    (firmware,) = found.groups
    assert (firmware.kind, firmware.name, firmware.base, firmware.disks) == ("firmware", "OLD", "NEW", 30)
    assert [host.host for host in found.hosts] == ["node7"]


def test_firmwares_of_equal_disks_are_not_named() -> None:
    found = screened([host_run_of(number, firmware="OLD" if number % 2 else "NEW") for number in range(20)])
    assert found.groups == ()


def test_who_was_not_compared_is_said() -> None:
    runs = [host_run_of(number, lost=1 if number == 3 else 0, measured_disks=number != 5) for number in range(8)]
    found = screened(runs)
    assert found.hosts_screen.disks == 7
    assert [sentence.rpartition(": ")[2] for sentence in found.not_screened] == ["node3", "node5"]


def test_two_machines_are_not_compared() -> None:
    found = screened([host_run_of(0), host_run_of(1, speed=0.5)])
    assert found.hosts == () and found.hosts_screen.tests == 0


@pytest.mark.parametrize("seed", range(0, 400, 50))
def test_of_equal_fleets_hardly_any_is_accused(seed: int) -> None:
    found = screened([host_run_of(seed + number) for number in range(30)])
    assert (found.hosts, found.disks, found.groups) == ((), (), ())
