"""Which table jobs of one family have: by what they differ in, and nothing else."""

import pytest

from raidtui.core.results.series import kind_of


@pytest.mark.parametrize(
    "varied, kind",
    [
        ({}, "depths"),
        ({"iodepth": 1, "numjobs": 2}, "depths"),
        ({"offset": "0%"}, "zones"),
        ({"rate_iops": "10%"}, "loads"),
        ({"bs": "4k"}, ""),
        ({"offset": "0%", "iodepth": 1}, ""),
    ],
)
def test_what_jobs_differ_in_says_which_table_they_have(varied: dict[str, int | str], kind: str) -> None:
    assert kind_of("family", varied) == kind and kind_of("", varied) == ""
