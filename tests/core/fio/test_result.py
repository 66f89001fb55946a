"""What fio printed, read as measurements: recordings of fio 3.33, and `shapes/` by hand for versions not at hand."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.fio.measurement import Measurement
from raidtui.core.fio.result import FioResultError, parse
from raidtui.core.results.expectation import little
from raidtui.core.text import decoded
from tests.builders.fio import TEXTS, jobs, one
from tests.builders.machines import CASES


def test_a_plain_result_is_fios_own_figures() -> None:
    fio = jobs("seq-read.json")[0]["read"]
    measurement = one("seq-read.json")
    assert (measurement.status, measurement.error, measurement.warnings) == ("ok", None, ())
    assert (measurement.rw, measurement.bs_bytes, measurement.iodepth, measurement.numjobs) == ("read", 2**20, 4, 1)
    assert measurement.targets == ("/tmp/fiorec/f",)
    assert measurement.runtime_ms == fio["runtime"]
    assert measurement.read and measurement.write is None
    assert (measurement.read.iops, measurement.read.bytes_per_s) == (fio["iops"], fio["bw_bytes"])
    assert measurement.read.io_bytes == fio["io_bytes"]
    assert measurement.read.lat_mean_ns == fio["lat_ns"]["mean"]
    assert (measurement.read.lat_mean_of, measurement.read.lat_percentiles_of) == ("lat", "clat")
    assert measurement.read.lat_max_ns == fio["lat_ns"]["max"]
    assert measurement.read.lat_percentiles_ns
    assert measurement.read.lat_percentiles_ns["99"] == fio["clat_ns"]["percentile"]["99.000000"]
    assert list(measurement.read.lat_percentiles_ns)[-3:] == ["99.9", "99.95", "99.99"]


def test_rates_are_of_the_time_in_which_fio_found_them_level() -> None:
    (job,) = jobs("steady-state.json")
    measurement = one("steady-state.json")
    level_iops = job["steadystate"]["data"]["iops_mean"]
    assert measurement.level_s == 2 and measurement.read and level_iops != job["read"]["iops"]
    assert (measurement.read.iops, measurement.read.bytes_per_s) == (level_iops, level_iops * 4096)
    job["job options"]["rw"] = "randrw"  # of which figure would it be?
    (both,) = parse(json.dumps({"fio version": "fio-3.33", "jobs": [job]}), "x")
    assert both.read and both.read.iops == job["read"]["iops"]
    assert measurement.runtime_ms == 1894 and measurement.window_s  # fio's last second was not whole
    assert measurement.window_s[1] - measurement.window_s[0] == pytest.approx(1.894)
    assert one("seq-read.json").level_s == 0


def test_operations_in_flight_at_the_end_of_a_ramp_are_counted() -> None:
    """fio 3.33 counts their bytes, not them: with 32 in flight, 32 are missing; its latencies are of all of them."""
    fio = jobs("ramp-in-flight.json")[0]["write"]
    write = one("ramp-in-flight.json").write
    assert fio["io_bytes"] / 2**20 == fio["total_ios"] + 32 == pytest.approx(fio["clat_ns"]["N"], abs=1)
    assert write and write.iops == pytest.approx(write.bytes_per_s / 2**20, rel=0.001)
    assert write.fio_iops == pytest.approx(fio["iops"], rel=0.001)
    assert write.fio_iops and write.fio_iops < write.iops
    assert one("ramp-in-flight.json").bs_bytes == 2**20


@pytest.mark.parametrize(
    "change",
    [{"ramp_time": "0"}, {"bsrange": "4k-1m"}, {"bssplit": "4k/50:1m/50"}, {"bs": "64k"}, {"iodepth": "1"}],
    ids=str,
)
def test_fios_own_count_stands_where_the_missing_operations_are_not_those_of_a_ramp(change: dict[str, str]) -> None:
    document = json.loads(TEXTS["ramp-in-flight.json"])
    document["jobs"][0]["job options"] |= change
    (measurement,) = parse(json.dumps(document), "x")
    assert measurement.write and measurement.write.fio_iops is None
    assert measurement.write.iops == jobs("ramp-in-flight.json")[0]["write"]["iops"]


def test_it_is_the_json_that_is_promised() -> None:
    keys = "name status error fio_version setup rw bs_bytes iodepth numjobs runtime_ms targets read write mixed disks"
    assert list(msgspec.to_builtins(one("group-mixed.json")))[:15] == keys.split()


def test_the_cpu_that_fio_used_is_its_busiest_jobs() -> None:
    (job,) = jobs("seq-read.json")
    assert one("seq-read.json").cpu == {"fio": pytest.approx((job["usr_cpu"] + job["sys_cpu"]) / 100)}
    most = max(job["usr_cpu"] + job["sys_cpu"] for job in jobs("jobs-apart.json"))
    assert one("jobs-apart.json").cpu["fio"] == pytest.approx(most / 100)


def test_reads_and_writes_of_a_mix_stand_apart() -> None:
    measurement = one("group-mixed.json")
    fio = jobs("group-mixed.json")[0]
    assert measurement.read and measurement.write
    assert (measurement.read.iops, measurement.write.iops) == (fio["read"]["iops"], fio["write"]["iops"])
    assert (measurement.numjobs, measurement.iodepth, measurement.rw) == (2, 8, "randrw")


def test_jobs_of_a_group_are_joined_over_the_longest_runtime() -> None:
    fio = [job["read"] for job in jobs("jobs-apart.json")]
    read = one("jobs-apart.json").read
    assert read and read.io_bytes == sum(job["io_bytes"] for job in fio)
    assert read.iops == pytest.approx(sum(job["iops"] for job in fio))
    assert read.bytes_per_s == pytest.approx(sum(job["bw_bytes"] for job in fio))
    assert read.lat_mean_ns and min(j["lat_ns"]["mean"] for j in fio) < read.lat_mean_ns
    assert read.lat_mean_ns < max(j["lat_ns"]["mean"] for j in fio)
    assert read.lat_percentiles_ns is None  # never averaged


def test_a_job_that_ended_first_does_not_make_the_group_faster() -> None:
    document = json.loads(TEXTS["jobs-apart.json"])
    first = document["jobs"][0]["read"]
    first["runtime"] //= 2
    first["iops"] *= 2
    first["bw_bytes"] *= 2
    (measurement,) = parse(json.dumps(document), "x")
    whole = one("jobs-apart.json").read
    assert measurement.read and whole and measurement.read.iops == pytest.approx(whole.iops, rel=0.001)


def test_bins_are_merged_the_way_fio_does_it() -> None:
    document = json.loads(TEXTS["json-plus.json"])
    for job in document["jobs"]:
        alone = {**document, "jobs": [job, {**job, "jobname": "idle", "read": {}}]}
        (measurement,) = parse(json.dumps(alone), "x")
        twice = {**document, "jobs": [job, job]}  # the same distribution twice has the same percentiles
        (doubled,) = parse(json.dumps(twice), "x")
        assert measurement.read and doubled.read
        assert doubled.read.lat_percentiles_ns == pytest.approx(measurement.read.lat_percentiles_ns, rel=0.02)
    whole = one("json-plus.json").read
    assert whole and whole.lat_percentiles_ns


def test_groups_are_measurements_of_their_own() -> None:
    first, second = parse(TEXTS["two-groups.json"], "two")
    assert (first.name, second.name) == ("two: a", "two: b, c")
    assert first.read and not first.write and second.read and second.write
    assert (second.rw, second.iodepth, second.numjobs) == ("", None, 2)


def test_figures_that_contradict_each_other_are_said() -> None:
    document = json.loads(TEXTS["seq-read.json"])
    document["jobs"][0]["read"]["bw_bytes"] *= 10
    assert "contradict" in parse(json.dumps(document), "x")[0].warnings[0]


@given(
    name=st.sampled_from(sorted(TEXTS)),
    other=st.sampled_from(sorted(TEXTS)),
    cuts=st.lists(st.floats(0, 1), min_size=2, max_size=2),
    noise=st.text(max_size=8),
    status=st.sampled_from([0, 1, 128, -9]),
)
def test_damaged_files_give_a_result_or_one_sentence(
    name: str, other: str, cuts: list[float], noise: str, status: int
) -> None:
    begin, end = (int(cut * len(TEXTS[name])) for cut in sorted(cuts))
    head, tail = TEXTS[name][:begin], TEXTS[name][end:]
    for text in (TEXTS[name][:end], head + noise + tail, head + TEXTS[other]):
        try:
            measurements = parse(text, "damaged", status)
        except FioResultError:
            continue
        assert measurements and msgspec.json.decode(msgspec.json.encode(measurements), type=list[Measurement])


def of_case(name: str) -> tuple[Measurement, ...]:
    return parse(decoded((CASES / name).read_bytes()), name)


def test_sections_of_clients_that_ran_one_after_the_other_are_tests_of_their_own() -> None:
    """fio adds up its clients' groups in "All clients", whenever they ran."""
    found = of_case("f05_client_two_groups_all_clients.json")
    assert [(one.name.partition(": ")[2], one.rw, one.read and one.read.iops) for one in found] == [
        ("seq", "read", 1000.0),
        ("rand", "randread", 1000.0),
    ]


def test_two_clients_of_one_section_are_joined_by_fio() -> None:
    entries = json.loads((CASES / "f05_client_two_groups_all_clients.json").read_text())["client_stats"]
    same = [{**entry, "groupid": 0} for entry in entries]
    (found,) = parse(json.dumps({"fio version": "fio-3.36", "client_stats": same}), "same")
    assert found.read and (found.read.iops, found.numjobs) == (2000.0, None)


def test_a_broken_document_after_a_whole_one_is_named() -> None:
    whole = json.dumps({"fio version": "fio-3.33", "jobs": jobs("seq-read.json")})
    (found,) = parse(whole + '\n{"fio version" : "fio-3.33",\n"iops" : 1,5,\n"x" : 1}', "two")
    assert found.warnings[0].startswith("fio's last document is broken in line 3, column 11: a decimal comma")


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({"read": {}, "write": {}}, "incomplete", "fio reports no operation at all"),
        ({"total_err": 3}, "ok", "3 failed operations were passed over (continue_on_error)"),
    ],
)
def test_what_a_job_lacks_is_told(change: dict[str, object], status: str, says: str) -> None:
    (job,) = jobs("seq-read.json")
    (found,) = parse(json.dumps({"fio version": "fio-3.33", "jobs": [job | change]}), "x")
    assert (found.status, found.warnings) == (status, (says,))


def test_what_fio_says_of_itself_is_a_warning() -> None:
    (found,) = parse(f"fio: posix_fadvise is not there\n{TEXTS['seq-read.json']}", "x")
    assert found.warnings == ("fio: posix_fadvise is not there",)


def test_a_latency_that_nobody_took_is_none_and_clones_are_counted_once() -> None:
    (job,) = jobs("seq-read.json")
    del job["read"]["lat_ns"], job["read"]["clat_ns"]
    clones = [job | {"job options": job["job options"] | {"numjobs": "2"}}] * 2
    (found,) = parse(json.dumps({"fio version": "fio-3.33", "jobs": clones}), "x")
    assert found.read and (found.read.lat_max_ns, found.numjobs) == (None, 2)


def test_one_target_alone_has_no_figures_beside_the_whole_unless_it_was_verified() -> None:
    (job,) = jobs("seq-read.json")
    for verify, has in (({}, False), ({"verify": "pattern"}, True)):
        entry = job | {"job options": job["job options"] | verify}
        (found,) = parse(json.dumps({"fio version": "fio-3.33", "jobs": [entry]}), "x")
        assert bool(found.each) is has


def test_no_error_is_no_warning() -> None:
    """fio 3.33 --output-format=normal,json: "err= 0" stands in each job's line."""
    assert "err= 0" in TEXTS["normal-and-json.txt"]
    assert one("normal-and-json.txt").warnings == ()
    failed = TEXTS["normal-and-json.txt"].replace("err= 0", "err=28")
    assert any("err=28" in warning for warning in parse(failed, "failed")[0].warnings)


def test_flushes_are_beside_the_writes_that_wait_for_them() -> None:
    """fio counts a write's latency without its fdatasync: only both together are one request after the other."""
    fio = jobs("sync-write.json")[0]
    measurement = one("sync-write.json")
    assert measurement.flushes and measurement.write
    assert measurement.flushes.count == fio["sync"]["lat_ns"]["N"]
    assert measurement.flushes.percentiles_ns["99.9"] == fio["sync"]["lat_ns"]["percentile"]["99.900000"]
    together_ns = measurement.flushes.mean_ns + (measurement.write.lat_mean_ns or 0.0)
    assert together_ns == pytest.approx(1e9 / measurement.write.iops, rel=0.02)
    assert not little([measurement]).off and little([msgspec.structs.replace(measurement, flushes=None)]).off
    assert one("seq-read.json").flushes is None
