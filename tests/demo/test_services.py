"""The services of the demo: what a replay shows at which moment, and that nothing is carried out."""

from collections.abc import Callable
from pathlib import Path

import pytest

from raidtui.demo import recording
from raidtui.demo.services import NOTHING, SPEED, DemoServices
from raidtui.ui.draft import answers
from raidtui.ui.services import read_whole
from tests.ui.machines import FOUND

RUN = Path("raid6-of-6")


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def replayed(name: str = "raid6-of-6") -> tuple[DemoServices, Clock, Path]:
    clock = Clock()
    services = DemoServices(name, clock)
    scan = services.scan()
    assert scan.last is not None
    return services, clock, services.start(services.plan(answers(scan.last), scan))


@pytest.mark.parametrize("name", recording.SHIPPED)
def test_the_recorded_machine_has_the_disks_of_the_recorded_run_all_free(name: str) -> None:
    services = DemoServices(name)
    members = recording.load(recording.folder_of(name)).plan.members
    disks = {disk.id: disk for disk in services.scan().disks}
    assert {member.id: member.size_bytes for member in members} == {disk.id: disk.size_bytes for disk in disks.values()}
    assert {disk.verdict.reason for disk in disks.values()} == {""}


@pytest.mark.parametrize("name", recording.SHIPPED)
def test_what_is_offered_first_is_planned_as_it_was_recorded(name: str) -> None:
    services = DemoServices(name)
    scan = services.scan()
    assert scan.last is not None
    recorded = recording.load(recording.folder_of(name)).plan
    assert services.plan(answers(scan.last), scan).title == recorded.title


@pytest.mark.parametrize("name", recording.SHIPPED)
def test_a_second_of_the_clock_is_twenty_of_the_recording(name: str) -> None:
    services, clock, path = replayed(name)
    feed = services.feed(path, live=True)
    view = feed.poll()
    assert view is not None and view.alive and not view.history
    for seconds in (1, 2, 3):
        clock.now_s = 1000.0 + seconds
        view = feed.poll()
        assert view is not None and view.alive and not view.state.ended
        assert len(view.history) == pytest.approx(SPEED * seconds, abs=6)
    assert feed.poll() is None  # nothing has come since
    clock.now_s += 60
    view = feed.poll()
    assert view is not None and view.state.ended and not view.alive and feed.poll() is None


def test_runs_are_recorded_ones_and_one_is_running_while_it_is_replayed() -> None:
    services, clock, path = replayed()
    clock.now_s += 4
    by_name = {run.name: run for run in services.runs()}
    assert [*by_name] == [*recording.SHIPPED]
    assert (by_name["raid6-of-6"].word, by_name["raid6-of-6"].alive) == ("going on", True)
    assert by_name["raid6-of-6"].measured == 8 and not by_name["slow-of-24"].alive
    clock.now_s += 60
    assert [run.word for run in services.runs()] == ["finished", "finished"]
    view = read_whole(services.feed(path))
    assert view is not None and view.state.kept


ASKED: dict[str, Callable[[DemoServices], object]] = {
    "stop": lambda services: services.stop(RUN),
    "removal": lambda services: services.removal(RUN),
    "remove": lambda services: services.remove(RUN, FOUND),
    "keep": lambda services: services.keep(RUN),
    "resumption": lambda services: services.resumption(RUN),
    "resume": lambda services: services.resume(RUN, erases=True),
    "forget": lambda services: services.forget(RUN),
    "fleet": lambda services: services.fleet(RUN),
}


@pytest.mark.parametrize("asked", ASKED)
def test_whatever_would_change_something_is_not_carried_out(asked: str) -> None:
    with pytest.raises(ValueError, match=NOTHING):
        ASKED[asked](DemoServices("raid6-of-6"))
