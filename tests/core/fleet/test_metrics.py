"""A run for Prometheus: its standing and each test, nothing of what is not known."""

import msgspec

from raidtui.core.fleet.metrics import text_of
from tests.core.fleet.rack import host_run_of


def test_standing_and_results_with_host_and_run() -> None:
    run = msgspec.structs.replace(host_run_of(3, lost=1), host='a"b', run="r")
    lines = text_of(run, alive=True, left_s=90.0).splitlines()
    assert 'raidtui_run_going_on{host="a\\"b",run="r"} 1' in lines
    assert 'raidtui_run_left_seconds{host="a\\"b",run="r"} 90' in lines
    assert 'raidtui_run_missing_tests{host="a\\"b",run="r"} 1' in lines
    tests = [line for line in lines if line.startswith("raidtui_run_test_bytes_per_second{")]
    assert len(tests) == 2 and 'test="sequential_write",direction="read"' in tests[0]
    assert "# TYPE raidtui_run_test_bytes_per_second gauge" in lines
    assert not any("operations_per_second" in line or "gain" in line for line in lines)


def test_what_was_not_looked_for_and_is_over_has_no_sample() -> None:
    text = text_of(host_run_of(1, measured_disks=False), alive=False, left_s=None)
    assert "slow_disks" not in text and "left_seconds" not in text and "raidtui_run_finished{" in text
