"""How many requests each test keeps in flight, jobs by depth; of what differs in its queue the least and the most."""

from raidtui.core.page.blocks import Text
from raidtui.core.plan.answers import Setup
from raidtui.core.report.asked import in_flight
from tests.builders import sweeps


def test_each_test_has_its_queue_with_how_it_is_made_up() -> None:
    (line,) = in_flight(sweeps.plan("levels-random-4k", 6))
    assert line == Text(
        "Requests in flight: Random 4K write 4 (one job, depth 4); Random 4K read 4 (one job, depth 4)."
    )


def test_tests_of_one_family_are_named_once_with_the_least_and_the_most() -> None:
    (line,) = in_flight(sweeps.plan("qd-x-jobs", 4, setup=Setup(level="5")))
    text = str(line.words)
    assert text.count("Random") == 1 and " 1 to " in text
