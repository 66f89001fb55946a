"""Every test of lab/guest, run inside a practice kernel, is a result here."""

from collections.abc import Callable

import pytest

from tests.lab.conftest import GuestReport
from tests.lab.guest_modules import guest_tests, in_one_kernel
from tests.lab.kernels import SILENCE_S

# One process boots a kernel, and reports all of its tests.
TESTS = [pytest.param(*test, marks=pytest.mark.xdist_group(in_one_kernel(test[0])[0])) for test in guest_tests()]

pytestmark = pytest.mark.lab


@pytest.mark.parametrize("module, function", TESTS)
def test_in_guest(
    module: str,
    function: str,
    guest_report: Callable[[tuple[str, ...]], GuestReport],
    record_property: Callable[[str, object], None],
) -> None:
    report, test = guest_report(in_one_kernel(module)), (module, function)
    booted = report.booted
    record_property("boot_s", booted.boot_s)
    record_property("tests_s", booted.tests_s)
    record_property("cpu_s", booted.cpu_s)
    if test not in report.failures:
        end = (
            f"it was ended, for {SILENCE_S:.0f} s silent in {booted.fell_silent_in}; " if booted.fell_silent_in else ""
        )
        pytest.fail(f"{module} did not get to {function}; {end}the guest said:\n{booted.output[-6000:]}", pytrace=False)
    if report.failures[test]:
        pytest.fail("\n\n".join(report.failures[test]), pytrace=False)
    if test in report.skipped:
        pytest.fail(f"skipped in the guest, where nothing may be: {report.skipped[test]}", pytrace=False)
