"""What is assumed of a disk that nobody measured."""

from raidtui.core.raid.depth_curve import ASSUMED_KINDS
from raidtui.core.raid.disk_kinds import ASSUMED_RATES, HDD, KINDS, NVME, SSD, kind_of, slowest


def test_the_slowest_kind_decides_and_an_unknown_one_rotates() -> None:
    assert [kind_of(True, False), kind_of(None, True), kind_of(False, False), kind_of(False, True)] == [
        HDD,
        HDD,
        SSD,
        NVME,
    ]
    assert slowest((NVME, SSD)) == SSD and slowest((NVME, HDD, SSD)) == HDD and slowest(()) == HDD
    assert sorted(KINDS, key=lambda kind: (kind.bytes_per_s, kind.iops)) == list(KINDS)


def test_each_kind_has_a_rate_of_failures_with_its_source() -> None:
    assert [kind.afr for kind in KINDS] == [0.0157, 0.0098, 0.0098]
    assert [kind.afr_source for kind in KINDS] == ["Backblaze 2024", "Backblaze 2022", "assumed, as SSD"]
    assert set(ASSUMED_RATES) == set(ASSUMED_KINDS) and set(ASSUMED_RATES.values()) == set(KINDS)
