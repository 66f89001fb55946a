"""What this machine and its tools are called: provenance that travels with every figure."""

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
from raidtui.system.process import run

_TOOLS = {"mdadm": ("mdadm", "--version"), "fio": ("fio", "--version")}
_TIMES = 3
COMMAND_TIME = Path("/run/raidtui/command-seconds")  # for this boot; only root can leave it there
_MOST_COMMAND_S = 10.0


def mdadm() -> str:
    """mdadm's version as "4.2"; "4.2" where there is none, the one that planning without a machine assumes."""
    version = re.search(r"v(\d+\.\d+)", _first_words(_TOOLS["mdadm"]))
    return version.group(1) if version else "4.2"


def tools(made: Collection[str]) -> dict[str, str]:
    """Program or part of the machine -> what it says of itself; what is missing is left out.

    `made` are keys of file systems: of programs that make others, a run has nothing to say.
    """
    import psutil  # late: 30 ms

    first_lines = {
        "kernel": " ".join(os.uname()[0:3:2]),
        "machine": os.uname().machine,
        "processor": _processor(psutil.cpu_count() or 1),
        "memory": both(psutil.virtual_memory().total),
        "CPU governor": _governors(),
        "NUMA nodes": str(len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or ""),
    }
    kinds = (*filesystems.FILE_SYSTEMS, filesystems.POOLS_ALONE)
    rows = ((row.program, row.version) for row in kinds if row.key in made)
    makers = {program: (program, *version) for program, version in rows if program and version}
    first_lines |= {name: _first_words(argv) for name, argv in (_TOOLS | makers).items()}
    return {name: text for name, text in first_lines.items() if text}


@cache
def why_fio_refuses(argv: tuple[str, ...]) -> str:
    """What fio itself says against the options of this command, which is not carried out; "" where it takes them."""
    options = [word for word in argv[1:] if not word.startswith("--output")]
    try:
        parsed = run(("fio", "--parse-only", *options), timeout_s=10.0)
    except OSError:
        return ""  # what is missing is told of a run that begins
    said = brief(parsed.stderr.strip().partition("\n")[0].removeprefix("fio: "))
    return (said or f"it ended with {parsed.returncode}") if parsed.returncode else ""


def _first_words(argv: Sequence[str]) -> str:
    """The first line that a program says when it is asked for its version; "" where it is not there."""
    try:
        version_run = run(argv, timeout_s=10.0)
    except (OSError, ValueError):
        return ""
    return (version_run.stdout + version_run.stderr).strip().partition("\n")[0]


@cache
def command_s() -> float:
    """Seconds that a short program takes here: fio, asked for its version. 0 where it is not installed.

    The shortest of some, for what else goes on now may have ended by then. Asked once a boot where it can be
    remembered: what the machine did just then must not make two estimates of one plan differ.
    """
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
    """For other commands of this boot; who may not write there goes on without."""
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


def _governors(cpus: Path = Path("/sys/devices/system/cpu")) -> str:
    """What sets the processors' frequencies, each once; "" where the kernel leaves that to others."""
    return ", ".join(
        sorted({text(governor_file) for governor_file in cpus.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {""})
    )


def _processor(threads: int) -> str:
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return f"{model[1] if model else 'unknown'}, {threads} thread{'' if threads == 1 else 's'}"
