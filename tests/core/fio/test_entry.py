"""fio's keys, whatever its version: bytes, ns, ms; what is not there is none."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.entry import read_job, window_s
from raidtui.core.fio.measurement import Measurement
from raidtui.core.fio.result import FioResultError, parse
from tests.builders.fio import TEXTS, one


def test_percentiles_are_of_the_whole_time_where_fio_has_both() -> None:
    read = one("lat-percentiles.json").read
    whole = json.loads(TEXTS["lat-percentiles.json"])["jobs"][0]["read"]["lat_ns"]["percentile"]
    assert read and read.lat_percentiles_ns and read.lat_mean_of == read.lat_percentiles_of == "lat"
    assert read.lat_percentiles_ns["99"] == whole["99.000000"]


@pytest.mark.parametrize("key", ["max", "٩٩", "9" * 20, "-1", "1.2.3", ""])
def test_what_is_no_percentile_is_left_out(key: str) -> None:
    document = json.loads(TEXTS["seq-read.json"])
    document["jobs"][0]["read"]["clat_ns"]["percentile"][key] = 7
    (found,) = parse(json.dumps(document), "x")
    assert found.read == one("seq-read.json").read


def test_flushes_without_a_mean_are_left_out() -> None:
    document = json.loads(TEXTS["seq-read.json"])
    document["jobs"][0]["sync"] = {"lat_ns": {"N": 7}}
    assert parse(json.dumps(document), "x")[0].flushes is None


def test_nan_is_no_figure() -> None:
    text = TEXTS["seq-read.json"].replace('"bw_dev" : ', '"bw_dev" : -nan, "x" : ')
    assert parse(text, "x")[0].read == one("seq-read.json").read


@given(
    name=st.sampled_from([name for name in sorted(TEXTS) if name.endswith(".json")]),
    data=st.data(),
    value=st.sampled_from([None, True, -1, 1e308, 2**70, "", "x", [], {}, [1], {"a": 1}]),
)
def test_any_value_of_any_kind_may_stand_anywhere(name: str, data: st.DataObject, value: object) -> None:
    document = here = json.loads(TEXTS[name])
    while True:
        key = data.draw(st.sampled_from(list(here) if isinstance(here, dict) else list(range(len(here)))))
        if not isinstance(here[key], dict | list) or not here[key] or data.draw(st.integers(0, 4)) == 0:
            here[key] = value
            break
        here = here[key]
    try:
        measurements = parse(json.dumps(document), "odd")
    except FioResultError:
        return
    assert msgspec.json.decode(msgspec.json.encode(measurements), type=list[Measurement])


def test_when_fio_measured_is_told_by_its_end_or_its_start_and_ramp() -> None:
    entry = {
        "jobname": "a",
        "job options": {"ramp_time": "2"},
        "read": {"runtime": 4000, "iops": 1.0, "io_bytes": 4096},
    }
    old = {"fio version": "fio-3.33", "timestamp_ms": 1_700_000_010_500}
    assert window_s(old, [read_job(entry, old)]) == (1_700_000_006.5, 1_700_000_010.5)
    new = read_job(entry | {"job_start": 1_700_000_004_000}, old)
    assert window_s(old, [new]) == (1_700_000_006.0, 1_700_000_010.0)
    assert window_s({}, [read_job(entry, {})]) is None


@pytest.mark.parametrize("joined_ms, threads", [(122_709, 24), (122_275, 24), (5_247, 1), (5_240, 1), (0, 1)])
def test_joined_threads_are_counted_also_where_some_end_before_the_last(joined_ms: int, threads: int) -> None:
    """fio 3.33: 24 threads of 32 in flight, of which 745 operations are missing after the ramp."""
    write = {"io_bytes": 44593 * 4096, "total_ios": 43848, "runtime": 5246, "iops": 8358.4, "bw_bytes": 34_818_000}
    entry = {
        "jobname": "joined",
        "job_runtime": joined_ms,
        "job options": {"bs": "4k", "iodepth": "32", "ramp_time": "1"},
        "write": write,
    }
    job = read_job(entry, {"fio version": "fio-3.33"})
    assert job.threads == threads
    assert job.transfers["write"].ios == (44593 if threads == 24 else 43848)
