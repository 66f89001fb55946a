"""Names and versions of this machine and its tools, recorded with every result."""

import os
import re
import time
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from raidtui.core.raid import filesystems
from raidtui.core.text import brief
from raidtui.core.units import both
from raidtui.system.block import text
from raidtui.system.hardware.controllers import adapters
from raidtui.system.process import run

_TOOLS = {"mdadm": ("mdadm", "--version"), "fio": ("fio", "--version")}
_TIMES = 3
COMMAND_TIME = Path("/run/raidtui/command-seconds")  # for this boot; only root can leave it there
_MOST_COMMAND_S = 10.0
_LEAST_BYTES = 1 << 30


def mdadm() -> str:
    """ "4.2"; also if not installed, as planning assumes."""
    version = re.search(r"v(\d+\.\d+)", _first_words(_TOOLS["mdadm"]))
    return version.group(1) if version else "4.2"


@cache
def has_rmapbt() -> bool:
    """Does mkfs make it unasked (XFS)? From xfsprogs 6.5 on, but for a packager's choice. Asked of a sparse file,
    which is left as it is; False also if not installed.
    """
    import tempfile  # late: a worker needs none

    row = next(row for row in filesystems.FILE_SYSTEMS if row.features_options)
    try:
        with tempfile.NamedTemporaryFile(prefix="raidtui-") as sparse:
            sparse.truncate(_LEAST_BYTES)
            asked = run((row.program or "", *row.features_options, sparse.name), timeout_s=10.0)
    except OSError:
        return False
    return asked.returncode == 0 and bool(re.search(r"\brmapbt=1\b", asked.stdout))


def tools(made: Collection[str]) -> dict[str, str]:
    """Program -> version, missing ones left out. `made`: the run's file systems; no other mkfs programs."""
    import psutil  # late: 30 ms

    first_lines = {
        "kernel": " ".join(os.uname()[0:3:2]),
        "machine": os.uname().machine,
        "processor": _processor(psutil.cpu_count() or 1),
        "memory": both(psutil.virtual_memory().total),
        "CPU governor": ", ".join(
            sorted(
                {text(file) for file in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor")}
                - {""}
            )
        ),
        "NUMA nodes": str(len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or ""),
    }
    first_lines |= adapters()
    kinds = (*filesystems.FILE_SYSTEMS, filesystems.POOLS_ALONE)
    rows = ((row.program, row.version) for row in kinds if row.key in made)
    makers = {program: (program, *version) for program, version in rows if program and version}
    first_lines |= {name: _first_words(argv) for name, argv in (_TOOLS | makers).items()}
    return {name: text for name, text in first_lines.items() if text}


@cache
def why_fio_refuses(argv: tuple[str, ...]) -> str:
    """fio's error for these options, not carried out; "" if accepted."""
    options = [word for word in argv[1:] if not word.startswith("--output")]
    try:
        parsed = run(("fio", "--parse-only", *options), timeout_s=10.0)
    except OSError:
        return ""  # what is missing is told of a run that begins
    message = brief(parsed.stderr.strip().partition("\n")[0].removeprefix("fio: "))
    return (message or f"it ended with {parsed.returncode}") if parsed.returncode else ""


def _first_words(argv: Sequence[str]) -> str:
    try:
        version_run = run(argv, timeout_s=10.0)
    except (OSError, ValueError):
        return ""
    return (version_run.stdout + version_run.stderr).strip().partition("\n")[0]


@cache
def command_s() -> float:
    """Minimum of several `fio --version`; 0: not installed. Cached per boot: equal estimates of one plan."""
    if seconds := _remembered_s():
        return seconds
    if measured := _measured_s():
        _remember(measured)
    return measured


def _remembered_s() -> float | None:
    try:
        seconds = float(COMMAND_TIME.read_text())
    except (OSError, ValueError):
        return None
    return seconds if 0 < seconds <= _MOST_COMMAND_S else None


def _remember(seconds: float) -> None:
    """Ignored without permission."""
    new = COMMAND_TIME.with_suffix(f".{os.getpid()}")
    try:
        COMMAND_TIME.parent.mkdir(mode=0o755, exist_ok=True)
        new.write_text(f"{seconds:.4f}")
        new.replace(COMMAND_TIME)  # whole or not at all
    except OSError:
        return


def _measured_s() -> float:
    times_s = []
    for _ in range(_TIMES):
        began_s = time.monotonic()
        try:
            run(_TOOLS["fio"], timeout_s=10.0)
        except (OSError, ValueError):
            return 0.0
        times_s.append(time.monotonic() - began_s)
    return min(times_s)


def _processor(threads: int) -> str:
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return f"{model[1] if model else 'unknown'}, {threads} thread{'' if threads == 1 else 's'}"
