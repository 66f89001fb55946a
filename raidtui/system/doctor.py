"""What this machine lacks for raidtui, with remedies. Changes, loads nothing. Disks: `raidtui.practice`."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

import msgspec

from raidtui.core.arrays.monitor import SCHEDULES
from raidtui.core.documents.documents import Finding
from raidtui.core.raid import filesystems
from raidtui.system.packages import how_to_install
from raidtui.system.privilege import is_root, why_not_root, why_sudo_alone_fails
from raidtui.system.process import ProcessError, run
from raidtui.system.programs import which

_TIMEOUT_S = 10.0
_SMALLEST = (80, 24)
_AIO_EVENTS = 8192  # what a few jobs of deep queues ask for
_LIBRARIES = ("textual", "rich", "psutil", "pyudev", "plotext", "typer", "msgspec", "tomli-w")


class Program(msgspec.Struct, frozen=True):
    """`version`: arguments that print it. `needed`: no run without it."""

    name: str
    purpose: str
    version: tuple[str, ...] = ("--version",)
    needed: bool = False


_PROGRAMS = (
    Program("mdadm", "builds the arrays", needed=True),
    Program("fio", "measures them", needed=True),
    Program("wipefs", "clears disks of signatures", needed=True),
    Program("udevadm", "waits for device nodes", needed=True),
    Program("sfdisk", "writes partition tables"),
    Program("pvcreate", "puts LVM volumes on arrays that stay"),
    Program("cryptsetup", "puts LUKS containers on arrays that stay"),
    Program("nvme", "switches the write caches of NVMe disks", ("version",)),
    Program("smartctl", "reads the health of disks"),
)


def programs() -> tuple[Program, ...]:
    """mkfs programs before the last one."""
    *other_programs, health = _PROGRAMS
    rows = [row for row in filesystems.FILE_SYSTEMS if row.program and row.version]
    return *other_programs, *(Program(row.program or "", f"makes {row.title}", row.version) for row in rows), health


def doctor() -> tuple[Finding, ...]:
    return (
        _root(),
        _kernel(),
        *(_program(program) for program in programs()),
        _udev(Path("/")),
        _systemd(),
        _aio(),
        _terminal(),
        *_libraries(),
        _monthly_checks(Path("/")),
    )


def missing_for_run() -> str | None:
    """First obstacle to a run with its remedy; None if none."""
    if reason := why_not_root():
        return reason
    for program in programs():
        if program.needed and not which(program.name):
            return f"{program.name} is not installed, which {program.purpose}: {how_to_install(program.name)}."
    kernel = _kernel()
    return None if kernel.ok else f"{kernel.text}: {kernel.remedy}."


def _root() -> Finding:
    if is_root():
        return Finding("privilege", True, "root")
    sentences = (why_not_root(), why_sudo_alone_fails())
    remedy = " ".join(sentence.removesuffix(".") + "." for sentence in sentences if sentence)
    return Finding("privilege", False, "not root: planning and looking work, what disks hold is not read", remedy)


def _kernel() -> Finding:
    name = f"{platform.system()} {platform.release()}"
    if Path("/proc/mdstat").exists():
        return Finding("kernel", True, f"{name}, with md")
    try:
        if run(("modprobe", "--dry-run", "--quiet", "md_mod"), _TIMEOUT_S).returncode == 0:
            return Finding("kernel", True, f"{name}, md as a module")
    except ProcessError:
        pass
    return Finding(
        "kernel",
        False,
        f"This kernel ({name}) has no md driver",
        "boot the distribution's standard kernel",
    )


def _program(program: Program) -> Finding:
    if which(program.name) is None:
        return Finding(program.name, False, f"not installed; it {program.purpose}", how_to_install(program.name))
    try:
        version_run = run((program.name, *program.version), _TIMEOUT_S)
    except ProcessError as error:
        return Finding(program.name, False, str(error), how_to_install(program.name))
    lines = (version_run.stdout + version_run.stderr).strip().splitlines()
    return Finding(program.name, True, lines[0].strip() if lines else "installed")


def _udev(base: Path) -> Finding:
    """Its database has the identities and contents of disks; a container often lacks it."""
    if (base / "run/udev/data").is_dir():
        return Finding("udev", True, "running, or has run")
    return Finding(
        "udev",
        False,
        "/run/udev is missing: what udev has recorded of disks is not read",
        "start systemd-udevd; in a container run raidtui on the host instead",
    )


def _systemd() -> Finding:
    if Path("/run/systemd/system").is_dir() and which("systemd-run"):
        return Finding("systemd", True, "runs become units of their own")
    return Finding(
        "systemd",
        True,
        "not running: a run gets a session of its own instead (a login manager may still end it with the login)",
    )


def _aio() -> Finding:
    try:
        limit, used = (int(Path(f"/proc/sys/fs/aio-{name}").read_text()) for name in ("max-nr", "nr"))
    except (OSError, ValueError):
        return Finding(
            "libaio", False, "the kernel has no asynchronous I/O (CONFIG_AIO)", "choose another ioengine in the recipe"
        )
    text = f"{limit - used} of {limit} requests free (fs.aio-max-nr)"
    return Finding("libaio", limit - used >= _AIO_EVENTS, text, f"sysctl fs.aio-max-nr={max(limit, 65536) * 2}")


def _terminal() -> Finding:
    try:
        columns, rows = os.get_terminal_size(1)
    except OSError:
        return Finding("terminal", True, "none: commands and --json work, the wizard does not")
    large_enough = columns >= _SMALLEST[0] and rows >= _SMALLEST[1]
    return Finding("terminal", large_enough, f"{columns}x{rows}", "make it 80x24 or larger")


def _libraries() -> Iterator[Finding]:
    import importlib.metadata  # late: the worker, which asks only for programs, is spared 1.5 MB

    for name in _LIBRARIES:
        try:
            yield Finding(f"python: {name}", True, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(f"python: {name}", False, "not installed", f"pip install {name}")


def scheduled_checks(base: Path) -> tuple[str, ...]:
    return tuple(sorted(f"/{path.relative_to(base)}" for pattern in SCHEDULES for path in base.glob(pattern)))


def _monthly_checks(base: Path) -> Finding:
    timers = scheduled_checks(base)
    if not timers:
        return Finding("monthly checks", True, "none is scheduled")
    return Finding(
        "monthly checks",
        False,
        f"{', '.join(timers)} may start a check of all arrays inside a long run",
        "stop it for the time of the run (systemctl stop mdcheck_start.timer raid-check.timer, or AUTOCHECK=false"
        " in /etc/default/mdadm)",
    )
