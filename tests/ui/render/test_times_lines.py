"""Columns as iostat names them, none touching the next, however large the figures are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.run.samples import DeviceTimes
from raidtui.core.units import Units
from raidtui.ui.render.live_lines import times_heading, times_lines

FIGURE = st.floats(0, 999_999)
WAITED = st.none() | st.floats(0, 99_999)


@given(
    st.builds(
        DeviceTimes,
        st.builds(
            DiskRates, st.floats(0, 50e9), st.floats(0, 50e9), st.floats(0, 1), reads_per_s=FIGURE, writes_per_s=FIGURE
        ),
        WAITED, WAITED, WAITED, st.none() | FIGURE, st.none() | FIGURE,
    ),
    st.sampled_from([79, 119]),
)  # fmt: skip
def test_every_figure_stands_apart_below_its_name(found: DeviceTimes, width: int) -> None:
    ((line),) = times_lines([("sdaa", found)], width, Units.DECIMAL)
    text = "".join(words for words, _ in line)
    heading = "".join(words for words, _ in times_heading(width, Units.DECIMAL))
    assert len(text) == len(heading) <= width and len(text.split()) == len(heading.split())


@pytest.mark.parametrize(
    "await_ms, text", [(None, "-"), (0.123, "0.12"), (9.99, "9.99"), (12.34, "12.3"), (1234.5, "1234")]
)
def test_a_wait_has_three_digits(await_ms: float | None, text: str) -> None:
    (line,) = times_lines([("sda", DeviceTimes(DiskRates(0, 0, 0), read_await_ms=await_ms))], 79, Units.DECIMAL)
    assert line[5][0].strip() == text


def test_a_device_that_is_away_says_so() -> None:
    (line,) = times_lines([("sda", None)], 79, Units.DECIMAL)
    assert "".join(words for words, _ in line).split() == ["sda", "gone"]
