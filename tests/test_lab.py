"""The host's side of the lab, without a kernel: a guest that prints goes on, one that falls silent is ended."""

import subprocess
from pathlib import Path

import pytest

from tests import checks
from tests.lab.kernels import Booted, listen

TESTS = Path(__file__).parent


def heard(script: str, silence_s: float) -> Booted:
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        return listen(process, silence_s)


def test_what_prints_may_take_longer_than_the_silence_that_ends_it() -> None:
    booted = heard("for i in 1 2 3 4 5 6; do echo $i; sleep 0.25; done; echo begins: a >&2", silence_s=1.0)
    assert (booted.output, booted.fell_silent_in) == ("1\n2\n3\n4\n5\n6\n\nbegins: a", None)
    assert booted.boot_s > 1.0 > booted.tests_s


@pytest.mark.parametrize(
    "script, test",
    [
        ("echo begins: a >&2; echo begins: 'b[1-x]' >&2; exec sleep 60", "b[1-x]"),
        ("exec sleep 60", "no test yet"),
        ("echo begins: a >&2; trap '' TERM; while :; do sleep 60 >/dev/null 2>&1; done", "a"),
    ],
)
def test_what_falls_silent_is_ended_and_its_test_named(script: str, test: str) -> None:
    assert heard(script, silence_s=0.3).fell_silent_in == test


def test_the_table_names_each_check_each_kernel_and_the_slowest_modules(tmp_path: Path) -> None:
    results = tmp_path / "results.xml"
    took = {"boot_s": "8.5", "tests_s": "61.25", "cpu_s": "20"}
    kernel = "".join(f'<property name="{name}" value="{seconds}"/>' for name, seconds in took.items())
    own = '<properties><property name="process_cpu_s" value="0.4"/></properties>'
    results.write_text(
        "<testsuites><testsuite>"
        f'<testcase classname="tests.core.test_units" name="test_a" time="1.5">{own}</testcase>'
        f'<testcase classname="tests.core.test_units" name="test_b" time="0.25">{own}</testcase>'
        f'<testcase classname="tests.test_a" name="test_a" time="0.1"/>'
        '<testcase classname="tests.lab.test_guest" name="test_in_guest[test_run.py-test_c]" time="70">'
        f"<properties>{kernel}</properties></testcase>"
        "</testsuite></testsuites>"
    )
    ended = {"mypy": checks.Ended(0, "", 9.0, 3.0), "pytest": checks.Ended(1, "", 80.0, 150.0)}
    rows = [line.split() for line in checks.times(ended, [results], 1)]
    assert [rows[2], rows[3], rows[4]] == [["mypy", "9.0", "3.0"], ["pytest", "80.0", "150.0"], ["pytest:", "FAILED"]]
    assert ["tests.core.test_units", "1.8", "0.8"] in rows and ["all", "others", "0.1", "0.0"] in rows
    assert ["test_run.py", "8.5", "61.2", "20.0"] in rows


def test_tests_write_into_memory_where_it_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "ROOM_BYTES", 1)
    assert checks.in_memory(tmp_path) == tmp_path and checks.in_memory(tmp_path / "none") is None
    monkeypatch.setattr(checks, "ROOM_BYTES", 1 << 60)
    assert checks.in_memory(tmp_path) is None


def test_what_is_marked_as_lab_lies_where_the_checks_look_for_it() -> None:
    marked = [path for path in TESTS.rglob("*.py") if "pytest.mark." + "lab" in path.read_text()]
    places = [TESTS.parent / place for place in checks.WITH_KERNELS]
    assert len(marked) > 2 and all(any(path.is_relative_to(place) for place in places) for path in marked), marked
