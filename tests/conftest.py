"""Which tests run where: those in lab/guest run inside the practice kernel, `lab` tests only where it can run."""

import functools
import os

import pytest

from raidtui import practice

IN_GUEST = os.environ.get("RAIDTUI_PRACTICE") == "1"
collect_ignore_glob = [] if IN_GUEST else ["lab/guest/*"]

_refusal = functools.cache(practice.refusal)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs the practice kernel where there is none; where all must run, as in CI, fail instead."""
    if IN_GUEST or item.get_closest_marker("lab") is None:
        return
    reason = _refusal()
    if reason and os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    elif reason:
        pytest.skip(reason)
