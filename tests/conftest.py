"""Which tests run where and when: those in lab/guest inside the practice kernel; what each takes of a processor."""

import gc
import os
import zlib
from collections.abc import Iterator

import pytest

gc.disable()  # until all is collected; what only hands tests out to other processes goes without
IN_GUEST = os.environ.get("RAIDTUI_PRACTICE") == "1"
_BEGAN_CPU_S = pytest.StashKey[float]()
if not IN_GUEST:  # a kernel would take seconds to import what its tests do not use
    from hypothesis import settings

    from tests.seeds import cases

    # Beside kernels and other tests any example may take its time: slowness is judged by the table of times. Each run
    # draws examples of its own, and `make fuzz` draws many more.
    settings.register_profile("all tests", max_examples=cases(20, few=5, many=200), deadline=None)
    settings.load_profile("all tests")

collect_ignore_glob = [] if IN_GUEST else ["lab/guest/*"]
# Where tests go side by side these begin first, the longest before the others, so that no processor is left alone
# with one of them at the end. Parts of the tests' names.
LONGEST = (
    *("test_containers.py-", "test_run.py-", "test_ends.py-", "test_permanence.py-", "test_whole_run.py-"),
    *("lab/test_wizard.py", "test_partition_care.py-", "test_rates.py-", "test_volumes.py-", "test_builds.py-"),
    *("test_care.py-", "test_spares.py-", "test_partitions.py-", "test_failures.py-", "test_discovery.py-"),
    *("test_ensure.py-", "practice/test_kernel.py", "test_capacity.py-", "lab/test_guest.py", "ui/test_snapshots.py"),
)


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: looking through it for garbage took a fifth of all time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Nor is it looked through five times at the end."""
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # one of several processes, which all must have the same order
        items.sort(key=_place)


def _place(item: pytest.Item) -> tuple[int, int]:
    """Other modules stand mixed: those of the screens, which wait more than they reckon, beside those that reckon."""
    place = next((place for place, name in enumerate(LONGEST) if name in item.nodeid), len(LONGEST))
    return place, zlib.crc32(item.nodeid.partition("::")[0].encode())


def _cpu_s() -> float:
    """Of this process, and of those that it started and that have ended."""
    return sum(os.times()[:4])


def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEGAN_CPU_S] = _cpu_s()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """What the test took of a processor, for the table of tests/checks.py."""
    try:
        return (yield)
    finally:
        item.user_properties.append(("process_cpu_s", f"{_cpu_s() - item.stash.get(_BEGAN_CPU_S, _cpu_s()):.2f}"))
