"""Of this folder test_kernel.py boots the practice kernel."""

from tests.lab.needs_kernel import pytest_runtest_setup as pytest_runtest_setup
