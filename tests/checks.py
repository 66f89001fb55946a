"""All checks at once, and what each of them took: `python -m tests.checks [--kernels] [--coverage]`.

Ruff and mypy go on beside pytest. `--kernels`: also what boots practice kernels, which wait for their disks: four
processes a processor keep this machine busy. Tests of the screens wait, too: two, and one beside kernels. `--coverage`:
which lines of raidtui.system and raidtui.runs nothing ran, on this machine or in a kernel.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
COVERAGE = REPOSITORY / ".coverage-data"
MISSED = REPOSITORY / "coverage.txt"
BESIDE = {
    "ruff check": ("ruff", "check", "."),
    "ruff format": ("ruff", "format", "--check", "."),
    "mypy": ("mypy",),
}
WITH_KERNELS = ("tests/lab", "tests/practice/test_kernel.py")  # all that is marked as `lab`
SLOWEST = 10
# What pytest makes of the tests' assertions, five seconds of work, each process and each kernel reads from a cache,
# whether or not this person's programs usually leave one: made once, before they begin, all at the same file.
_COLLECTED = ("pytest", "--collect-only", "--quiet")
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Ended:
    """How a check ended: its status, what it printed (nothing where it had the terminal), and what it took."""

    status: int
    output: str
    seconds: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.checks")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        environment = _coverage_environment() if wanted.coverage else {}
        beside = {name: pool.submit(_run, argv, capture=True) for name, argv in BESIDE.items()}
        if not any(REPOSITORY.glob("tests/**/*-pytest-*.pyc")):
            _run(_COLLECTED, capture=True)
        results = [Path(scratch) / "results.xml"]
        if wanted.kernels:
            results.append(Path(scratch) / "kernels.xml")
            beside["pytest"] = pool.submit(_run, _without_kernels(1, results[0]), environment, capture=True)
            tests = {"pytest with kernels": _run(_with_kernels(results[1]), environment)}
        else:
            tests = {"pytest": _run(_without_kernels(2, results[0]), environment)}
        ended = {name: check.result() for name, check in beside.items()} | tests
        for check in ended.values():
            if check.status:
                print(check.output)
        print(*times(ended, results), sep="\n")
    if wanted.coverage:
        print(_coverage_report())
    return int(any(check.status for check in ended.values()))


def _run(argv: Sequence[str], environment: Mapping[str, str] | None = None, *, capture: bool = False) -> Ended:
    began_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *argv],
        cwd=REPOSITORY,
        env={**_ENVIRONMENT, **(environment or {})},
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.STDOUT if capture else None,
        text=True,
        check=False,
    )
    return Ended(done.returncode, (done.stdout or "").strip(), time.monotonic() - began_s)


def _without_kernels(a_processor: int, results: Path) -> list[str]:
    """worksteal hands out half of the tests that are left, neighbours together, which share what they build; one after
    the other takes seconds, of thousands.
    """
    processes = f"--numprocesses={a_processor * (os.cpu_count() or 1)}"
    return ["pytest", f"--junitxml={results}", processes, "--dist=worksteal", "-m", "not lab"]


def _with_kernels(results: Path) -> list[str]:
    """loadgroup: tests of one kernel stay together; the order is that of tests/conftest.py, not the number of tests.
    All others in the same processes would be collected in each of them, seconds of work.
    """
    processes = f"--numprocesses={4 * (os.cpu_count() or 1)}"
    return ["pytest", f"--junitxml={results}", processes, "--dist=loadgroup", "--no-loadscope-reorder", *WITH_KERNELS]


def times(checks: Mapping[str, Ended], results: Sequence[Path]) -> list[str]:
    """The table: seconds from the beginning to the end; of tests without a kernel, which go side by side, their sum."""
    kernels: dict[str, tuple[float, float, float]] = {}
    folders: defaultdict[str, float] = defaultdict(float)
    for case in (case for path in results if path.exists() for case in ET.parse(path).iter("testcase")):
        properties = {one.get("name"): float(one.get("value", 0)) for one in case.iter("property")}
        module = case.get("classname", "")
        if properties:
            guest = case.get("name", "").partition("[")[2].partition("-")[0]
            kernels[guest] = properties["boot_s"], properties["tests_s"], properties["cpu_s"]
        else:
            folders[module] += float(case.get("time", 0))
    slowest = sorted(folders.items(), key=lambda module: -module[1])[:SLOWEST]
    lines = ["", f"{'check':<40}{'seconds':>10}"]
    lines += [f"{name:<40}{ended.seconds:>10.1f}{'  FAILED' if ended.status else ''}" for name, ended in checks.items()]
    lines += ["", f"{'slowest test modules':<40}{'seconds':>10}"]
    lines += [f"{module:<40}{seconds:>10.1f}" for module, seconds in slowest]
    lines += [f"{'all others':<40}{sum(folders.values()) - sum(seconds for _, seconds in slowest):>10.1f}"]
    if kernels:
        lines += ["", f"{'guest module':<40}{'boot s':>10}{'tests s':>10}{'CPU s':>10}"]
        ordered = sorted(kernels.items(), key=lambda kernel: -(kernel[1][0] + kernel[1][1]))
        lines += [f"{module:<40}{boot_s:>10.1f}{s:>10.1f}{cpu_s:>10.1f}" for module, (boot_s, s, cpu_s) in ordered]
    return lines


def _coverage_environment() -> dict[str, str]:
    """With this coverage begins in every Python process of its own accord (its .pth file), in the guests' too."""
    shutil.rmtree(COVERAGE, ignore_errors=True)
    COVERAGE.mkdir()
    return {"COVERAGE_PROCESS_START": str(REPOSITORY / "pyproject.toml"), "COVERAGE_FILE": str(COVERAGE / ".coverage")}


def _coverage_report() -> str:
    """A summary by module; the lines themselves go into a file."""
    data = {"COVERAGE_FILE": str(COVERAGE / ".coverage")}
    _run(("coverage", "combine", "--quiet"), data, capture=True)
    MISSED.write_text(_run(("coverage", "report", "--show-missing"), data, capture=True).output + "\n")
    summary = _run(("coverage", "report", "--skip-covered"), data, capture=True).output
    return f"\n{summary}\n\nThe lines that nothing ran: {MISSED.relative_to(REPOSITORY)}"


if __name__ == "__main__":
    sys.exit(main())
