"""Links between disks and memory: what they carry, and which is too narrow. Speeds are written as sysfs writes them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.answer.numbers import lines
from raidtui.core.disks.buses import carries_bytes_per_s, dealt, most_behind, narrowest
from raidtui.core.disks.machine import Bus, BusKind, decode, encode
from raidtui.core.plan.model import confirmation_code
from raidtui.core.report.markdown import whole
from raidtui.core.results.analysis import compare
from tests.builders import handmade
from tests.builders.machines import MACHINES
from tests.builders.racks import RACK, answers, plan

HBA = Bus(kind="pcie", name="0000:03:00.0", speed="5.0 GT/s PCIe", width=4, best_speed="8.0 GT/s PCIe", best_width=8)
SATA = tuple(Bus(kind="sata", name=f"ata{number}", speed="6.0 Gbps") for number in range(6))


# Bits of a second by what the coding leaves (8b/10b, 128b/130b, 128b/132b), less the frames of SATA and USB.
@pytest.mark.parametrize(
    ("kind", "speeds"),
    [
        ("sata", {"1.5 Gbps": 150, "3.0 Gbps": 285, "6.0 Gbps": 560}),
        ("sas", {"1.5 Gbit": 150, "3.0 Gbit": 300, "6.0 Gbit": 600, "12.0 Gbit": 1200, "22.5 Gbit": 2400}),
        ("usb", {"480": 53, "5000": 500, "10000": 1212, "20000": 2424}),
        ("pcie", {"2.5 GT/s": 250, "5.0 GT/s": 500, "8.0 GT/s": 985, "16.0 GT/s": 1969, "32.0 GT/s PCIe": 3938}),
    ],
)
def test_each_speed_of_a_lane_is_known(kind: BusKind, speeds: dict[str, float]) -> None:
    found = {speed: carries_bytes_per_s(Bus(kind=kind, name="x", speed=speed, width=2)) for speed in speeds}
    assert found == {speed: 2e6 * mb for speed, mb in speeds.items()}


@pytest.mark.parametrize(
    "bus, mb_per_s",
    [
        (Bus(kind="sata", name="ata1", speed="3.0 Gbps"), 285),
        (Bus(kind="sata", name="ata1", speed="<unknown>"), None),
        (Bus(kind="sas", name="port-0:0", speed="12.0 Gbit", width=4), 4800),
        (Bus(kind="usb", name="2-1", speed="5000"), 500),
        (Bus(kind="pcie", name="a", speed="8.0 GT/s PCIe", width=8), 7880),
        (Bus(kind="pcie", name="a", speed="2.5 GT/s", width=1), 250),
        (Bus(kind="pcie", name="a", speed="Unknown", width=255), None),
        (Bus(kind="pcie", name="a", speed="8.0 GT/s PCIe", width=0), None),
    ],
)
def test_what_a_link_carries(bus: Bus, mb_per_s: float | None) -> None:
    assert carries_bytes_per_s(bus) == (None if mb_per_s is None else mb_per_s * 1e6)


def test_the_link_with_the_least_room_is_named_with_what_it_could_do() -> None:
    above = [(SATA[number], HBA) for number in range(6)]
    assert narrowest(above, [300e6] * 6) is None
    tight = narrowest(above, [400e6] * 6)
    assert tight and tight.describe(6) == (
        "PCIe link 0000:03:00.0 (5.0 GT/s x4, could be 8.0 GT/s x8): 2000 MB/s, all 6 disks behind it 2400 MB/s"
    )
    alone = narrowest([(SATA[0],), ()], [600e6, 900e6])
    assert alone and alone.describe(2).endswith(": 560 MB/s, one disk behind it 600 MB/s")


def test_both_ends_of_a_link_are_one_and_the_end_at_the_disks_is_named() -> None:
    port = Bus(kind="pcie", name="0000:00:01.0", speed="5.0 GT/s PCIe", width=4)
    tight = narrowest([(HBA, port)] * 3, [1e9] * 3)
    assert tight and tight.bus is HBA


def rack(speed: str) -> tuple[object, ...]:
    bus = replace(HBA, speed=speed, width=1)
    return tuple(replace(one, buses=(SATA[0], bus)) for one in RACK)


def test_a_plan_warns_of_it_and_its_code_does_not_change_with_a_links_speed() -> None:
    narrow, wide = plan(disks=rack("2.5 GT/s PCIe")), plan(disks=rack("8.0 GT/s PCIe"))  # type: ignore[arg-type]
    (note,) = [text for text in narrow.notes if "behind it" in text]
    assert "250 MB/s, all 3 disks behind it 540 MB/s (180 MB/s each assumed)" in note
    assert not any("behind it" in text for text in (*wide.notes, *plan().notes))
    assert confirmation_code(narrow) == confirmation_code(wide) == plan().code
    known = answers(disk_speed="80MB/s")
    assert not any("behind it" in text for text in plan(known, rack("2.5 GT/s PCIe")).notes)  # type: ignore[arg-type]


def test_it_is_a_reason_where_the_disks_alone_did_more_than_it_carries() -> None:
    bus = Bus(kind="pcie", name="0000:03:00.0", speed="2.5 GT/s PCIe", width=1)
    made = handmade.plan()
    members = tuple(replace(member, buses=(bus,), firmware="02.01") for member in made.members)
    made = replace(made, members=members)
    trial = made.trial("filesystem-seq_read")
    assert trial
    slow = handmade.state(made, filesystem_seq_read={"read": handmade.measurement(trial, 120).read})
    (row,) = [one for one in compare(made, slow).rows if one.job == "seq_read"]
    assert any("250 MB/s, all 3 disks behind it 284 MB/s" in text for text in lines(row.causes))
    assert not any(
        "behind it" in text for one in compare(made, slow).rows if one.kind == "random" for text in lines(one.causes)
    )
    text = whole(made, slow)
    assert "| 02.01 " in text and "PCIe link 0000:03:00.0 (2.5 GT/s x1)" in text


def test_links_stand_in_a_recording() -> None:
    machine = decode((MACHINES / "rack-of-three.json").read_bytes())
    disk = replace(machine.devices[0], buses=(SATA[0], HBA))
    machine = replace(machine, devices=(disk,))
    assert decode(encode(machine)) == machine


def behind(*names: str) -> tuple[Bus, ...]:
    return tuple(Bus(kind="sas", name=name, speed="12.0 Gbit") for name in names)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=24), st.integers(1, 4))
def test_disks_behind_a_link_are_spread_over_the_groups(places: list[tuple[int, int]], groups: int) -> None:
    """Of enclosures behind controllers, in any order: no group has more behind either than its share, rounded up."""
    places *= groups
    above = [behind(f"end-{number}", f"port-{hba}:{box}", f"port-{hba}") for number, (hba, box) in enumerate(places)]
    order, each = dealt(above, groups), len(places) // groups
    assert sorted(order) == list(range(len(places)))
    all_of = Counter(bus for links in above for bus in links)
    parts = [[above[disk] for disk in order[at : at + each]] for at in range(0, len(order), each)]
    for part in parts:
        own = Counter(bus for links in part for bus in links)
        assert all(count <= -(-all_of[bus] // groups) for bus, count in own.items())
    most, bus = most_behind(parts)
    assert most == max(sum(bus in links for links in part) for part in parts) == -(-max(all_of.values()) // groups)


def test_disks_of_one_link_keep_their_order() -> None:
    above = [behind(f"port-{number % 2}") for number in range(8)]
    assert dealt(above, 1) == list(range(8))
    assert dealt(above, 2) == [0, 1, 4, 5, 2, 3, 6, 7]
    assert most_behind([above[:4], above[4:]]) == (2, above[0][0])
