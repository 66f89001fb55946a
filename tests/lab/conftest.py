"""The lab: commands in the practice kernel, started from the host's tests as a process of its own.

`boot_lab` runs any command; `guest_report` runs a module of lab/guest once and tells what became of its tests.
"""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.lab.guest_modules import GUEST, rack_of

REPOSITORY = Path(__file__).parents[2]
LIMIT_S = 1200
_LONG = ("test_run.py", "test_builds.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder needs the kernel, whether its author has said so or not."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.get_closest_marker("lab") is None:
            item.add_marker(pytest.mark.lab)


@dataclass(frozen=True)
class Booted:
    """What a command in the kernel left: its status, what it printed, and the folder that was /var/lib/raidtui."""

    status: int
    stdout: str
    stderr: str
    out_dir: Path


class BootLab(Protocol):
    """`boot_lab(command, disks=…, …)`; `options` are further ones of `python -m raidtui.practice`."""

    def __call__(
        self,
        command: list[str],
        *,
        disks: int = 3,
        size_mib: int = 256,
        mbps: float = 0,
        iops: int = 0,
        memory_mib: int = 0,
        options: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        timeout_s: float = LIMIT_S,
    ) -> Booted: ...


@pytest.fixture(scope="session")
def boot_lab(tmp_path_factory: pytest.TempPathFactory) -> BootLab:
    """Run a command in a kernel of its own, without a terminal."""
    tmp_path_factory.getbasetemp()  # made here, as two threads would make two of it

    def boot(
        command: list[str],
        *,
        disks: int = 3,
        size_mib: int = 256,
        mbps: float = 0,
        iops: int = 0,
        memory_mib: int = 0,
        options: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        timeout_s: float = LIMIT_S,
    ) -> Booted:
        out_dir = tmp_path_factory.mktemp("out")
        rack = f"-n {disks} -s {size_mib} -b {mbps} -i {iops} -m {memory_mib}".split()
        variables = [f"{name}={value}" for name, value in (environment or {}).items()]
        inside = ["env", *variables, *command] if variables else command
        process = subprocess.Popen(
            [sys.executable, "-m", "raidtui.practice", *rack, "-o", str(out_dir), *options, "--", *inside],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.terminate()
            stdout, stderr = process.communicate()
            stderr += f"\nended after {timeout_s:.0f} s"
        return Booted(process.returncode, stdout, stderr, out_dir)

    return boot


@dataclass(frozen=True)
class GuestReport:
    """Of one guest module: per test function the failures' texts (empty: passed), those skipped, and all output."""

    failures: Mapping[str, list[str]]
    skipped: Mapping[str, str]
    output: str = field(repr=False)


@pytest.fixture(scope="session")
def guest_report(boot_lab: BootLab, request: pytest.FixtureRequest) -> Iterator[Callable[[str], GuestReport]]:
    """Boot a kernel with the module's RACK and run pytest on it in there; once, however many tests ask.

    A kernel has one processor: as many go side by side as this machine has, the longest modules first.
    """

    def report(module: str, rack: dict[str, Any]) -> GuestReport:
        results = "/var/lib/raidtui/results.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            str(GUEST / module),
            f"--junitxml={results}",
            "-p",
            "no:cacheprovider",
        ]
        booted = boot_lab(command, **rack)
        output = f"{booted.stdout}\n{booted.stderr}".strip()
        found = booted.out_dir / "results.xml"
        return _parse(found.read_text(), output) if found.exists() else GuestReport({}, {}, output)

    items = [item for item in request.session.items if isinstance(item, pytest.Function) and hasattr(item, "callspec")]
    modules = {str(item.callspec.params["module"]) for item in items if "module" in item.callspec.params}
    longest_first = sorted(modules, key=lambda module: (module not in _LONG, module))
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        racks = {module: rack_of(GUEST / module) for module in longest_first}  # Python's parser likes no threads
        reports = {module: pool.submit(report, module, rack) for module, rack in racks.items()}
        yield lambda module: reports[module].result()


def _parse(junit_xml: str, output: str) -> GuestReport:
    failures: dict[str, list[str]] = {}
    skipped: dict[str, str] = {}
    for case in ET.fromstring(junit_xml).iter("testcase"):
        name = case.get("name", "")
        texts = failures.setdefault(name.partition("[")[0], [])
        for verdict in case:
            if verdict.tag in ("failure", "error"):
                texts.append(f"{name}: {verdict.text or verdict.get('message', '')}")
            elif verdict.tag == "skipped":
                skipped[name.partition("[")[0]] = verdict.get("message", "")
    return GuestReport(failures, skipped, output)
