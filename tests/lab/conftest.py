"""The lab: modules of lab/guest are run once in a kernel, and each of their tests is a result here."""

import functools
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from tests.lab.guest_modules import GUEST, INSTALLED, rack_of
from tests.lab.kernels import Booted, boot
from tests.lab.needs_kernel import pytest_runtest_setup as pytest_runtest_setup
from tests.lab.newer_kernel import newer_kernel

_HERE = "tests/lab/"  # as pytest names tests, of which there are thousands: paths are compared slowly


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder needs the kernel, whether its author has said so or not."""
    for item in items:
        if item.nodeid.startswith(_HERE) and item.get_closest_marker("lab") is None:
            item.add_marker(pytest.mark.lab)


@dataclass(frozen=True)
class GuestReport:
    """Of one kernel: per module and test function the failures' texts (empty: passed), those skipped; the kernel."""

    failures: Mapping[tuple[str, str], list[str]]
    skipped: Mapping[tuple[str, str], str]
    booted: Booted = field(repr=False)


@pytest.fixture(scope="session")
def guest_report(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], GuestReport]:
    """Boot a kernel with the modules' RACK and run pytest on them in there; once, however many tests ask."""

    @functools.cache
    def report(modules: tuple[str, ...]) -> GuestReport:
        (rack,) = {rack_of(GUEST / module) for module in modules}
        out_dir = tmp_path_factory.mktemp("out")
        results = out_dir / "results.xml"
        # pytest's plugins are none that a guest's tests use, and take a kernel seconds to import
        command = ["env", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1", sys.executable, "-m", "pytest"]
        command += [*(str(GUEST / module) for module in modules), f"--junitxml=/var/lib/raidtui/{results.name}"]
        command += ["-p", "no:cacheprovider", "-p", "tests.lab.guest_signs"]
        booted = boot(command, rack, out_dir, kernel=None if modules[0] in INSTALLED else newer_kernel())
        return _parse(results.read_text(), booted) if results.exists() else GuestReport({}, {}, booted)

    return report


def _parse(junit_xml: str, booted: Booted) -> GuestReport:
    failures: dict[tuple[str, str], list[str]] = {}
    skipped: dict[tuple[str, str], str] = {}
    for case in ET.fromstring(junit_xml).iter("testcase"):
        name = case.get("name", "")
        test = (f"{case.get('classname', '').rpartition('.')[2]}.py", name.partition("[")[0])
        texts = failures.setdefault(test, [])
        for verdict in case:
            if verdict.tag in ("failure", "error"):
                texts.append(f"{name}: {verdict.text or verdict.get('message', '')}")
            elif verdict.tag == "skipped":
                skipped[test] = verdict.get("message", "")
    return GuestReport(failures, skipped, booted)
