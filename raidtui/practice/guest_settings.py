"""Settings for guest-init (shell text), and the kernel's command line. Pure."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidtui.practice.jail import NEST
from raidtui.practice.rack import MIB, Rack
from raidtui.system.programs import search_path

# The command's environment in the guest is these, RAIDTUI_*, what the caller adds, and nothing else of the host's.
# PYTHONPATH: the single file has the program unpacked there, as a worker's unit has it (`runs/launch.py`).
_OF_COLOURS = ("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")
PASSED_ON = (*_OF_COLOURS, "LANG", "LC_ALL", "LC_CTYPE", "TZ", "CI", "PATH", "PYTHONPATH")


@dataclass(frozen=True)
class Screen:
    rows: int
    columns: int


def environment_text(host: Mapping[str, str], added: Mapping[str, str]) -> str:
    """`export` lines. HOME and XDG folders are on tmpfs."""
    variables = {name: value for name, value in host.items() if name in PASSED_ON or name.startswith("RAIDTUI_")}
    variables["PATH"] = search_path(host.get("PATH", "/usr/local/bin:/usr/bin:/bin"))
    variables.setdefault("LANG", "C.UTF-8")
    variables.setdefault("TERM", "dumb")
    variables |= {"HOME": "/run/home", "USER": "root", "LOGNAME": "root", "SHELL": "/bin/bash"}
    variables |= {"RAIDTUI_PRACTICE": "1", **added}
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())


def settings_text(
    rack: Rack,
    modules: Path,
    directory: Path,
    visible: Sequence[Path],
    screen: Screen | None,
    *,
    keep_disks: bool,
    systemd: bool,
) -> str:
    """For guest-init; `visible`: folders of the host's /tmp; `screen` None: no terminal."""
    size = screen or Screen(24, 80)
    values = {
        "disks": rack.disks,
        "bytes_per_s": rack.bytes_per_s,
        "iops": rack.iops,
        "queue_depth": rack.queue_depth,
        "files": "kept" if keep_disks else "in memory" if rack.unequal else "",
        "modules": str(modules),
        "systemd": int(systemd),
        "terminal": int(screen is not None),
        "rows": size.rows,
        "columns": size.columns,
        "directory": str(directory),
    }
    lines = [f"{name}={shlex.quote(str(value))}" for name, value in values.items()]
    lines.append(f"sizes_mib=({' '.join(str(size_bytes // MIB) for size_bytes in rack.sizes_bytes)})")
    lines.append(f"visible=({shlex.join(map(str, visible))})")
    return "\n".join(lines) + "\n"


def folders_in_tmp(folders: Sequence[Path]) -> list[Path]:
    """Hidden by the guest's /tmp; unique, none inside another."""
    hidden = sorted({folder for folder in folders if Path("/tmp") in folder.parents})
    return [folder for folder in hidden if not any(other in folder.parents for other in hidden)]


def kernel_arguments(program: Path, memory_bytes: int, *, terminal: bool) -> list[str]:
    """linux.uml. tty0: log (2), tty1: control (3), tty2: input (4), output (5) or stdout (4), tty3: stderr (5)."""
    consoles = ["con2=fd:4,fd:5"] if terminal else ["con2=null,fd:4", "con3=null,fd:5"]
    return [
        str(program),
        f"mem={memory_bytes // MIB}M",
        *("rootfstype=hostfs", "rootflags=/", "ro", f"init={NEST}/init"),
        *("con=null", "con0=null,fd:2", "con1=fd:3", *consoles),
        *(f"uml_dir={NEST}/", "umid=kernel", "quiet", "loglevel=1"),
    ]
