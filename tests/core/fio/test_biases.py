"""What biases a figure of somebody else's fio: each row of the table, and whole files after public reports."""

from pathlib import Path

import pytest

from raidtui.core.fio.biases import _BIASES, SYNCHRONOUS, biases
from raidtui.core.fio.entry import _depth_reached

CASES = Path(__file__).parents[2] / "recordings" / "cases"
PLAIN = {"ioengine": "libaio", "direct": "1"}


@pytest.mark.parametrize(
    "option, value, words",
    [
        ("ioengine", "null", "engine null: no disk was used"),
        ("direct", "0", "page cache included"),
        ("invalidate", "0", "not dropped"),
        ("pre_read", "1", "into the page cache before"),
        ("zero_buffers", "1", "zeros were written"),
        ("buffer_compress_percentage", "80", "80 % compressible"),
        ("dedupe_percentage", "50", "50 % of the data was duplicates"),
        ("rate", "100m", "limited to 100m"),
        ("rate_iops", "500", "limited to 500 IOPS"),
        ("thinktime", "1000", "paused 1000 µs"),
    ],
)
def test_each_option_is_named(option: str, value: str, words: str) -> None:
    (told,) = biases(PLAIN | {option: value})
    assert words in told


def test_every_row_is_tried_and_a_plain_job_has_no_remark() -> None:
    assert [option for option, *_ in _BIASES] == [
        "ioengine", "direct", "invalidate", "pre_read", "zero_buffers", "buffer_compress_percentage",
        "dedupe_percentage", "rate", "rate_iops", "thinktime",
    ]  # fmt: skip
    assert list(biases(PLAIN)) == [] and list(biases({})) == []
    assert list(biases({"ioengine": "libaio"})) == ["page cache included (direct=0)"]


def test_engines_that_have_one_request_at_a_time_are_known() -> None:
    """fio's manual, `ioengine`: the others take more than one."""
    assert {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"} == SYNCHRONOUS


@pytest.mark.parametrize(
    "levels, asked, reached",
    [
        ({"1": 100.0}, 32, 1),
        ({"1": 0.1, "32": 99.9}, 32, 32),
        ({"32": 99.9}, 48, 48),  # a level goes up to the next
        ({"16": 60.0, "32": 40.0}, 32, 16),
        ({"16": 40.0, "32": 60.0}, 32, 32),
        ({">=64": 99.9}, 256, 256),
        ({}, 8, 0),
        ({"x": 3.0, "1": 0.0}, 8, 0),
    ],
)
def test_the_depth_that_half_of_the_requests_reached(levels: dict[str, float], asked: int, reached: int) -> None:
    assert _depth_reached(levels, asked) == reached
