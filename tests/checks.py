"""All checks at once, and what each took, seconds and CPU seconds: `python -m tests.checks [OPTIONS]`.

Ruff and mypy go on beside pytest. `--chosen`: the tests near the change (tests/chosen.py), with few cases of each
simulation; `--many`: all, with many. `--kernels`: also what boots practice kernels, which wait for their disks:
three processes a processor keep this machine busy. Tests of the screens wait, too: two, and one beside kernels.
`--coverage`: which lines of raidtui.system and raidtui.runs nothing ran, on this machine or in a kernel.
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

from tests.chosen import NEAR, changed, concerned
from tests.seeds import HOW

REPOSITORY = Path(__file__).parents[1]
COVERAGE = REPOSITORY / ".coverage-data"
MISSED = REPOSITORY / "coverage.txt"
BESIDE = {"ruff check": ("ruff", "check", "."), "ruff format": ("ruff", "format", "--check", "."), "mypy": ("mypy",)}
WITH_KERNELS = ("tests/lab", "tests/practice/test_kernel.py")  # all that is marked as `lab`
PICTURES = "tests/screenshots/"  # what the snapshots hold, drawn again: chosen for a change of the screens alone
CORE = (  # what protects disks and runs
    "tests/core/disks", "tests/core/plan/checked", "tests/core/raid", "tests/core/run", "tests/runs/removal",
    "tests/runs/test_durability.py", "tests/runs/test_journal.py", "tests/runs/test_locks.py",
    "tests/runs/test_member_guard.py", "tests/runs/test_whose_array.py", "tests/test_layers.py", "tests/test_tables.py",
)  # fmt: skip
DRAWN = ("raidtui/ui/", "themes/", "screenshots/", PICTURES)
SLOWEST = 10
ROOM_BYTES = 8 << 30  # tests write 1 GiB; the memory of practice kernels lies there, too
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
    cpu_s: float


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.checks")
    for option in ("--chosen", "--many", "--kernels", "--coverage"):
        parser.add_argument(option, action="store_true")
    wanted = parser.parse_args()
    chosen = _chosen() if wanted.chosen else []
    with tempfile.TemporaryDirectory(dir=in_memory()) as scratch, ThreadPoolExecutor() as pool:
        Path(scratch).chmod(0o755)  # some tests go into theirs as somebody else
        environment = {"TMPDIR": scratch} | (_coverage_environment() if wanted.coverage else {})
        environment |= {HOW: "few"} if chosen else {HOW: "many"} if wanted.many else {}
        beside = {name: pool.submit(_run, argv, capture=True) for name, argv in BESIDE.items()}
        if not chosen and not any(REPOSITORY.glob("tests/**/*-pytest-*.pyc")):
            _run(_COLLECTED, capture=True)
        results = [Path(scratch) / "results.xml"]
        if wanted.kernels:
            results.append(Path(scratch) / "kernels.xml")
            beside["pytest"] = pool.submit(_run, _without_kernels(1, results[0]), environment, capture=True)
            tests = {"pytest with kernels": _run(_with_kernels(results[1]), environment)}
        else:
            tests = {"pytest": _run([*_without_kernels(2, results[0]), *chosen], environment)}
        ended = {name: check.result() for name, check in beside.items()} | tests
        for check in ended.values():
            if check.status:
                print(check.output)
        print(*times(ended, results, None if wanted.kernels else SLOWEST), sep="\n")
    if wanted.coverage:
        print(_coverage_report())
    return int(any(check.status for check in ended.values()))


def in_memory(memory: Path = Path("/dev/shm")) -> Path | None:
    """Where tests write: a journal's syncs on ext4 took a quarter of the processor time of tests/runs. None: where
    there is too little room.
    """
    return memory if memory.is_dir() and shutil.disk_usage(memory).free >= ROOM_BYTES else None


def _chosen() -> list[str]:
    """The test modules for pytest; none: all of them."""
    files = changed()
    if not files:
        print("nothing differs from main: a core of the tests; all others: `make check ALL=1`")
        return [*CORE]
    found = concerned(files)
    if found is None:
        print("all test modules: something differs that any test may read")
        return []
    near = {*(concerned(files, NEAR) or ())}
    left_out = WITH_KERNELS if any(name.startswith(DRAWN) for name in files) else (*WITH_KERNELS, PICTURES)
    chosen = [path for path in found if path in near and not path.startswith(left_out)]
    further = len(found) - len(chosen)
    print(f"{len(chosen)} test modules are near {len(files)} changed files; {further} others: `make check ALL=1`")
    return chosen


def _run(argv: Sequence[str], environment: Mapping[str, str] | None = None, *, capture: bool = False) -> Ended:
    began_s = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", *argv],
        cwd=REPOSITORY,
        env={**_ENVIRONMENT, **(environment or {})},
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.STDOUT if capture else None,
        text=True,
    ) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(process.returncode, output.strip(), time.monotonic() - began_s, used.ru_utime + used.ru_stime)


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
    processes = f"--numprocesses={3 * (os.cpu_count() or 1)}"
    return ["pytest", f"--junitxml={results}", processes, "--dist=loadgroup", "--no-loadscope-reorder", *WITH_KERNELS]


def times(checks: Mapping[str, Ended], results: Sequence[Path], most: int | None = SLOWEST) -> list[str]:
    """The table: seconds from the beginning to the end; of tests without a kernel, which go side by side, their sum.

    CPU: of the processes that a check or a test started, too; of a kernel what its host took. `most`: modules named.
    """
    kernels: dict[str, tuple[float, float, float]] = {}
    modules: defaultdict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for case in (case for path in results if path.exists() for case in ET.parse(path).iter("testcase")):
        properties = {one.get("name"): float(one.get("value", 0)) for one in case.iter("property")}
        module = case.get("classname", "")
        if "boot_s" in properties:
            guest = case.get("name", "").partition("[")[2].partition("-")[0]
            kernels[guest] = properties["boot_s"], properties["tests_s"], properties["cpu_s"]
        else:
            seconds, cpu_s = modules[module]
            modules[module] = seconds + float(case.get("time", 0)), cpu_s + properties.get("process_cpu_s", 0)
    slowest = sorted(modules.items(), key=lambda module: -module[1][0])
    others = [took for _, took in slowest[most:]] if most else []
    lines = [*_rows("check", ["seconds", "CPU s"], {name: (one.seconds, one.cpu_s) for name, one in checks.items()})]
    lines += [f"{name}: FAILED" for name, ended in checks.items() if ended.status]
    lines += _rows("test module", ["seconds", "CPU s"], dict(slowest[:most]))
    lines += _rows("all others", [f"{sum(column):.1f}" for column in zip(*others, strict=True)], {})[1:]
    ordered = sorted(kernels.items(), key=lambda kernel: -(kernel[1][0] + kernel[1][1]))
    return lines + (_rows("guest module", ["boot s", "tests s", "CPU s"], dict(ordered)) if kernels else [])


def _rows(head: str, columns: Sequence[str], rows: Mapping[str, Sequence[float]]) -> list[str]:
    """An empty line, the head, and a line for each row."""
    texts = {head: columns, **{name: [f"{number:.1f}" for number in row] for name, row in rows.items()}}
    return ["", *(f"{name:<60}" + "".join(f"{text:>10}" for text in row) for name, row in texts.items())]


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
