"""Checks as JUnit XML for CI: a suite per run, a case per check."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as xml

from raidtui.core.acceptance.checks import CheckResult
from raidtui.core.text import clean


def document(run: str, host: str, began_s: float, checks: Sequence[CheckResult]) -> str:
    """`began_s`: Unix time."""
    outcomes = Counter(check.outcome for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(outcomes["failed"]), "errors": "0"}
    counts["skipped"] = str(outcomes["skipped"])
    suites = xml.Element("testsuites", counts)
    began = f"{datetime.fromtimestamp(began_s, UTC):%Y-%m-%dT%H:%M:%S}"
    named = {"name": f"raidtui {clean(run)}", "hostname": clean(host), "timestamp": began, "time": "0"}
    suite = xml.SubElement(suites, "testsuite", named | counts)
    for check in checks:
        title = clean(f"{check.name}: {check.of}" if check.of else check.name)
        case = xml.SubElement(suite, "testcase", {"classname": f"raidtui.{clean(run)}", "name": title, "time": "0"})
        if check.outcome == "failed":
            xml.SubElement(case, "failure", {"message": clean(check.sentence), "type": "threshold"})
        elif check.outcome == "skipped":
            xml.SubElement(case, "skipped", {"message": clean(check.sentence)})
    xml.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(suites, encoding="unicode") + "\n"
