"""The figures of a recipe's source, found for one row of ours."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.recipe import Published
from raidtui.core.results.comparison import published, published_ratio

FIGURES: Published = {
    "single.a.iops": 343,
    "array.a.iops": 1192,
    "level=0 filesystem=xfs.a.read_iops": 46461,
    "level=0 filesystem=xfs.a.read_p99_us": 5536,
    "level=5.b.mbps": 100,
    "level=5.b.mibps": 176,
    "level=5.b.disks_mibps": (86.84, 87.62),
}


@pytest.mark.parametrize(
    "setup, job, kind, way, value",
    [
        (None, "a", "random", "read", 343),
        (Setup(level="5"), "a", "random", "write", 1192),
        (Setup(level="0", filesystem="xfs"), "a", "random", "read", 46461),
        (Setup(level="5"), "b", "sequential", "write", 100e6),
        (Setup(level="5"), "b", "random", "write", None),
        (Setup(level="6"), "b", "sequential", "write", None),
        (None, "b", "sequential", "write", None),
    ],
)
def test_published_figures_are_found_by_setup_job_and_kind(setup, job, kind, way, value) -> None:  # type: ignore[no-untyped-def]
    assert published(FIGURES, setup, job).value(kind, way) == value


def test_published_figures_of_disks_and_latencies() -> None:
    assert published(FIGURES, Setup(level="5"), "b").disks_bytes_per_s == pytest.approx((91.06e6, 91.88e6), rel=1e-3)
    assert published(FIGURES, Setup(level="0", filesystem="xfs"), "a").number("p99_us", "read") == 5536


def test_a_source_may_give_no_more_than_what_one_value_makes_of_another() -> None:
    figures: Published = {"level=5 chunk=128KiB partition_start_sectors=128/63.write.ratio": 1.055}
    base = Setup(level="5", chunk="128KiB", partition_start_sectors=63)
    mine = replace(base, partition_start_sectors=128)
    assert published_ratio(figures, "write", mine, base) == 1.055
    assert published_ratio(figures, "write", base, mine) is None
    assert published_ratio(figures, "read", mine, base) is None
    assert published_ratio(figures, "write", *(replace(one, chunk="64KiB") for one in (mine, base))) is None
    assert published(figures, mine, "write").value("random", "write") is None
