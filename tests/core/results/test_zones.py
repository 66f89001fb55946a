"""Places on the disks: no difference where there is none, the inner tracks' share where they are slower."""

from collections.abc import Mapping

import pytest

from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.series import Zones, zones
from tests.builders import sweeps

OUTER = {"0%": 1.0, "45%": 1.0, "90%": 1.0}


def measured(places: Mapping[str, float], disks: int = 4) -> tuple[Zones, ...]:
    """Disks of 100, 101, 102 … MB/s or IOPS, each with these shares of it at the places, give or take 0.2 %."""
    made = sweeps.plan("zones", disks)

    def rate(_: Stage, trial: Trial) -> float:
        member = trial.member or 0
        noise = 1 + 0.002 * ((7 * member + 3 * len(trial.id)) % 3 - 1)
        return (100 + member) * places[str(trial.varied["offset"])] * noise

    return tuple(zones(made, sweeps.state(made, rate)))


def test_disks_that_are_the_same_everywhere_have_no_zones() -> None:
    sequential, random = measured(OUTER)
    assert (sequential.title, random.title) == ("Sequential read", "Random 4K read")
    assert sequential.places == ("0%", "45%", "90%") and len(sequential.alone) == 4
    assert {one.conclusion for test in (sequential, random) for one in test.over} == {"equal"}


def test_inner_tracks_at_half_the_speed_are_said_so() -> None:
    sequential, _ = measured({"0%": 1.0, "45%": 0.8, "90%": 0.5})
    middle, inner = sequential.over
    assert (middle.conclusion, inner.conclusion) == ("different", "different")
    assert inner.share == pytest.approx(-0.5, abs=0.01) and middle.share == pytest.approx(-0.2, abs=0.01)


def test_one_disk_measured_once_is_never_called_equal() -> None:
    sequential, _ = measured(OUTER, disks=1)
    assert {one.conclusion for one in sequential.over} == {"cannot tell"}
