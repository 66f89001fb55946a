"""Of each host the newest run counts; machines of one name are told apart; capacity is counted once a disk."""

import pytest

from raidtui.core.fleet.fleet import fleet_of, natural
from tests.core.fleet.rack import host_run_of


def test_the_newest_run_of_each_host_counts() -> None:
    old = [host_run_of(number, began_s=1.0, outcome="failed") for number in range(4)]
    new = [host_run_of(number) for number in range(4)]
    found = fleet_of([*new, *old])
    (experiment,) = found.experiments
    assert (found.older, found.hosts, found.disks) == (4, 4, 24)
    assert {run.outcome for run in experiment.runs} == {"finished"}
    assert found.raw_bytes == 24 * 8_000_000_000_000 and (found.kept, found.kept_bytes) == (4, 16 * 8_000_000_000_000)


def test_two_machines_of_one_name_are_two() -> None:
    found = fleet_of([host_run_of(1, host="localhost"), host_run_of(2, host="localhost")])
    assert found.hosts == 2 and len({run.host for run in found.experiments[0].runs}) == 2


def test_hosts_stand_in_the_order_of_their_numbers_and_tests_with_their_spread() -> None:
    (experiment,) = fleet_of([host_run_of(number, lost=int(number == 2)) for number in (10, 2, 1)]).experiments
    assert [run.host for run in experiment.runs] == ["node1", "node2", "node10"]
    assert [test.hosts for test in experiment.tests] == [2, 3, 3]
    assert all(test.low <= test.median <= test.high for test in experiment.tests)
    assert [run.host for run in experiment.missing] == ["node2"]


@pytest.mark.parametrize("smaller, larger", [("node2", "node10"), ("a", "b"), ("2", "n1"), ("", "a"), ("n", "n1")])
def test_names_sort_as_a_person_counts(smaller: str, larger: str) -> None:
    assert natural(smaller) < natural(larger)
