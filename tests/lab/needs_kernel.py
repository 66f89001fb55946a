"""What a conftest file takes whose folder has tests that are marked as `lab`."""

import functools
import os

import pytest


@functools.cache
def _refusal() -> str | None:
    from raidtui import practice  # here: a kernel would take seconds to import what its tests do not use

    return practice.refusal()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs the practice kernel where there is none; where all must run, as in CI, fail instead."""
    if os.environ.get("RAIDTUI_PRACTICE") == "1" or item.get_closest_marker("lab") is None:
        return
    reason = _refusal()
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    elif reason:
        pytest.skip(reason)
