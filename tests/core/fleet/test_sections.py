"""The sentences at the head of a fleet's report, and that no word of a table is lost between its renderings."""

import msgspec

from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.sections import blocks, sections
from raidtui.core.page.markdown import markdown
from tests.core.fleet.rack import host_run_of

SLOW = {2: {1: 0.6}}  # a disk of a host


def test_a_fleet_with_faults_names_them_first() -> None:
    runs = [
        host_run_of(
            number, lost=int(number == 3), speed=0.7 if number == 5 else 1.0, slow={1: 0.6} if number == 2 else None
        )
        for number in range(12)
    ]
    first, *others = sections(fleet_of(runs, ["x/plan.json: not JSON"]))
    said = "\n".join(first.sentences)
    assert first.title == "12 hosts, 72 disks"
    assert "1 of 12 runs incomplete: node3." in said
    assert "Slow machines: node5." in said and "Slow disks: S2-1 (node2, slot 1)." in said
    assert "Not read: x/plan.json: not JSON." in said
    assert [part.title for part in others] == [
        "What failed", "Slow machines", "Slow disks", "Acceptance: RAID 6", "Host by host",
    ]  # fmt: skip
    hosts = others[-1].table
    assert hosts and [row[6] for row in hosts.rows].index("1") == 2  # beside the fleet alone
    assert hosts and hosts.marked == {3, 5} and hosts.rows[3][2] == "1 missing" and hosts.rows[5][2] == "slow"


def test_of_an_equal_fleet_it_says_what_could_have_been_seen() -> None:
    first, *others = sections(fleet_of([host_run_of(number) for number in range(12)]))
    said = "\n".join(first.sentences)
    assert "All 12 runs complete." in said and "Slow disks: none." in said
    assert "% of the median: 12 machines, 3 tests)" in said and "12 arrays kept, 384 TB" in said
    assert [part.title for part in others] == ["Acceptance: RAID 6", "Host by host"]


def test_of_two_hosts_nothing_is_claimed() -> None:
    runs = [host_run_of(number, measured_disks=False) for number in range(2)]
    said = "\n".join(sections(fleet_of(runs))[0].sentences)
    assert "Machines not compared: needs three" in said and "Disks not compared" in said


def test_it_holds_each_host_and_no_name_breaks_it() -> None:
    runs = [host_run_of(number) for number in range(5)]
    hostile = msgspec.structs.replace(runs[4], host="a|b\n# c\x1b[2J", outcome="failed", errors=("<script>",))
    text = markdown(blocks(fleet_of([*runs[:4], hostile])))
    assert text.startswith("# 5 hosts, 30 disks\n")
    assert all(f"| node{number} " in text for number in range(4))
    assert "\x1b" not in text and "\n# c" not in text and r"a\|b" in text and r"\<script\>" in text
