"""The setups of a sweep, a line each: what was planned beside what was read back, and the difference."""

from msgspec.structs import replace

from raidtui.core.plan.answers import Axes
from raidtui.core.report.markdown import whole
from tests.builders import sweeps
from tests.builders.tables import tables_of

MADE = sweeps.plan("levels-sequential", 4)
STATE = sweeps.state(MADE)


def test_every_array_is_a_line_with_its_size_as_computed() -> None:
    (arrays, *_) = tables_of(whole(MADE, STATE).split("## Setups\n")[1])
    built = [stage for stage in MADE.stages if stage.array]
    assert 1 < len(arrays) - 2 <= len(built)
    assert all(row[arrays[0].index("Kernel's size, bytes")].endswith("as computed") for row in arrays[2:])
    assert "stripe_cache_size 256" in arrays[2][arrays[0].index("Settings")]


def test_an_array_that_the_kernel_made_otherwise_says_by_how_much() -> None:
    number = next(iter(STATE.arrays))
    smaller = replace(STATE.arrays[number], size_bytes=STATE.arrays[number].size_bytes - 4096)
    text = whole(MADE, replace(STATE, arrays=STATE.arrays | {number: smaller}))
    assert text.count("(-4096)") == 1


def test_a_setting_that_setups_on_one_array_vary_is_told_with_all_its_values() -> None:
    """It was read when the array had been built, before the first setup set it."""
    axes = Axes(level=("5",), chunk=("64KiB",), first_sync=("skip",), wbt_lat_usec=(2000, 0))
    made = sweeps.plan("levels-random-4k", 6, axes=(axes,))
    state = sweeps.state(made)
    standing = {
        number: replace(one, detail={"wbt_lat_usec": "2000", "read_ahead_kb": "640"})
        for number, one in state.arrays.items()
    }
    text = whole(made, replace(state, arrays=standing))
    assert "wbt_lat_usec 2000 and 0 in turn, read" in text.replace("\\", "").replace("read_ahead", "read_ahead")
    assert "Level: RAID 5." in text.split("## What was asked")[1]
