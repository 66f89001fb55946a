"""Every test of lab/guest, run inside a practice kernel of its module's own, is a result here."""

from collections.abc import Callable

import pytest

from tests.lab.conftest import GuestReport
from tests.lab.guest_modules import guest_tests

pytestmark = pytest.mark.lab


@pytest.mark.parametrize(("module", "function"), guest_tests())
def test_in_guest(module: str, function: str, guest_report: Callable[[str], GuestReport]) -> None:
    report = guest_report(module)
    if function not in report.failures:
        pytest.fail(f"{module} did not get to {function}; the guest said:\n{report.output[-6000:]}", pytrace=False)
    if report.failures[function]:
        pytest.fail("\n\n".join(report.failures[function]), pytrace=False)
    if function in report.skipped:
        pytest.fail(f"skipped in the guest, where nothing may be: {report.skipped[function]}", pytrace=False)
