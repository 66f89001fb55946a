"""Checks as JUnit's XML: counts agree, and no name of a device breaks it."""

from xml.etree import ElementTree as xml

from raidtui.core.answer.acceptance import CheckResult, document


def test_a_suite_of_a_run_with_a_case_a_check() -> None:
    checks = [
        CheckResult(name="a.gain < 5", outcome="failed", sentence='it is 3 "<&>\x1b', of="x"),
        CheckResult(name="slow_disks > 0", outcome="passed", sentence="it is 0"),
        CheckResult(name="b.gain < 5", outcome="skipped", sentence="no b"),
    ]
    root = xml.fromstring(document("the\x1b-run", "host\x07", 0.0, checks))
    (suite,) = root
    assert [suite.get(name) for name in ("tests", "failures", "skipped", "errors", "hostname", "timestamp")] == [
        "3", "1", "1", "0", "host", "1970-01-01T00:00:00",
    ]  # fmt: skip
    failed, passed, skipped = suite
    assert failed.get("name") == "a.gain < 5: x" and failed[0].get("message") == 'it is 3 "<&>'
    assert not list(passed) and [inner.tag for inner in skipped] == ["skipped"]
