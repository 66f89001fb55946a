"""fio's arguments: every option under its own name, sizes as fio reads them."""

import math
from typing import Literal

import pytest

from raidtui.core.fio import job
from raidtui.core.fio.job import FioOptions, Job
from raidtui.core.units import GIB

JOB = Job(name="seq_read", fio={"rw": "read", "bs": "1m", "direct": True, "size": "100%", "runtime": "5s"})


def test_one_target_is_one_job_named_as_the_recipe_names_it() -> None:
    assert job.argv(JOB, "fio/t.json", ["{array}"]) == (
        "fio", "--output-format=json", "--output=fio/t.json", "--rw=read", "--bs=1m", "--direct=1", "--size=100%",
        "--runtime=5s", "--allow_file_create=0", "--name=seq_read", "--filename={array}",
    )  # fmt: skip


def test_several_targets_start_together_with_common_options() -> None:
    argv = job.argv(JOB, "fio/t.json", ["{member:0}", "{member:1}"])
    assert argv[-4:] == ("--name=seq_read.0", "--filename={member:0}", "--name=seq_read.1", "--filename={member:1}")
    assert argv.count("--rw=read") == 1


@pytest.mark.parametrize("own", ["lat_percentiles", "clat_percentiles", "disable_lat", "gtod_reduce"])
def test_percentiles_are_of_the_whole_time_unless_the_job_says_something_of_latencies(own: str) -> None:
    whole = job.with_whole_latency(JOB.fio)
    assert whole == {**JOB.fio, "lat_percentiles": True, "clat_percentiles": False}
    assert job.with_whole_latency({own: False}) == {own: False}


@pytest.mark.parametrize(
    "size, span, expected",
    [
        ("100%", GIB, GIB),
        ("33%", 1000, 330),
        ("25g", 100 * GIB, 25 * GIB),
        ("25g", GIB, GIB),
        ("100GB", 200 * GIB, 100 * GIB),
    ],
)
def test_a_file_is_never_larger_than_its_span_and_gb_is_gib_to_fio(size: str, span: int, expected: int) -> None:
    assert job.file_span_bytes({"size": size}, span) == expected


@pytest.mark.parametrize("text, seconds", [(5, 5.0), ("600s", 600.0), ("2m", 120.0), ("1h", 3600.0), ("500ms", 0.5)])
def test_durations(text: str | int, seconds: float) -> None:
    assert job.seconds({"runtime": text}, "runtime") == seconds


@pytest.mark.parametrize(
    ("name", "value"),
    [("runtime", "5 parsecs"), ("ramp_time", "x"), ("bs", "4q"), ("size", "101%"), ("size", "x"), ("iodepth", "many"),
     ("numjobs", 0), ("iodepth", 0), ("bs", 0)],
)  # fmt: skip
def test_what_is_no_number_of_its_option_is_named(name: str, value: str | int) -> None:
    with pytest.raises(ValueError, match=rf"^job\.seq_read: {name} cannot be {value!r}; write "):
        job.check(Job(name="seq_read", fio={**JOB.fio, name: value}))


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_is_endless_or_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=rf"^job\.seq_read: rate cannot be {value}$"):
        job.check(Job(name="seq_read", fio={**JOB.fio, "rate": value}))


@pytest.mark.parametrize("bs, expected", [("4k", 4096), ("1m", 1 << 20), ("512", 512), ("4M", 4 << 20)])
def test_block_sizes(bs: str, expected: int) -> None:
    assert job.block_bytes({"bs": bs}) == expected


@pytest.mark.parametrize(
    "rw, level_s, cache, ends",
    [
        ("randwrite", 120, "", {"runtime": "120s", "ss": "iops_slope:0.167%", "ss_dur": "30s"}),
        ("randwrite", 0, "", {"runtime": "5s"}),
        ("randread", 120, "", {"runtime": "5s"}),
        ("randwrite", 120, "off", {"runtime": "5s"}),
    ],
)
def test_random_writes_into_a_cache_go_on_until_their_rate_is_level(
    rw: str, level_s: int, cache: Literal["", "off"], ends: FioOptions
) -> None:
    asked = Job(name="a", fio={"rw": rw, "runtime": "5s"}, level_s=level_s, write_cache=cache)
    assert job.until_level(asked).fio == {"rw": rw, **ends}
    job.check(job.until_level(asked))
