"""The single file for arm64, built on this machine: its compiled parts, and a start by QEMU's user emulation over the
files of a Debian for arm64, none of whose programs is carried out to make it.
"""

import os
import platform
import struct
import zipfile
from pathlib import Path

from packing import single
from tests.packages.row import Failed, NotRun, Place, need

_MACHINE, _DEBIANS = "aarch64", "arm64"
_ELF_MACHINE_AT, _AARCH64 = 18, 183
_SUITE, _PYTHON = "bookworm", "usr/bin/python3.11"


def held(place: Place) -> str:
    """Each compiled part is of arm64, for each Python; on this machine a sentence says so."""
    file = _made(place)
    with zipfile.ZipFile(file) as archive:
        machines = {
            name: struct.unpack_from("<H", archive.read(name), _ELF_MACHINE_AT)[0]
            for name in archive.namelist()
            if name.endswith(".so")
        }
    need(machines and set(machines.values()) == {_AARCH64}, f"compiled for another machine: {machines}")
    for version in single.PYTHONS:
        part = f"site/msgspec/_core.cpython-{version.replace('.', '')}-{_MACHINE}-linux-gnu.so"
        need(part in machines, f"it lacks {part}")
    need("site/psutil/_psutil_linux.abi3.so" in machines, "it lacks psutil's")
    if platform.machine() != _MACHINE:
        said = place.run("/usr/bin/python3", file, "--version", status=1)
        need(f"this file is for {_MACHINE}, this machine is" in said, said)
    return f"{file.stat().st_size >> 10} KiB, {len(machines)} compiled parts, all of {_MACHINE}"


def started(place: Place) -> str:
    """What it says there."""
    file, root = _made(place), place.folder / "root"
    debian = ("--variant=extract", f"--architectures={_DEBIANS}", "--include=python3", _SUITE, root)
    try:
        place.run("mmdebstrap", "--quiet", *debian)
    except Failed as reason:
        raise NotRun(f"Debian's files for {_DEBIANS}: {str(reason).strip().splitlines()[-1]}") from None
    emulator = Path("/usr/bin/qemu-aarch64")
    if not emulator.is_file():
        raise NotRun(f"{emulator} is not here; install qemu-user")
    python: tuple[str | Path, ...] = (emulator, "-L", root, root / _PYTHON)
    theirs = {"XDG_CACHE_HOME": str(place.home / ".cache")}
    if os.geteuid() == 0:  # nothing in /var/cache of this machine
        place.folder.chmod(0o755)
        os.chown(place.home, 65534, 65534)
        python = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *python)
    machine = place.run(*python, "-c", "import os; print(os.uname().machine)").strip()
    need(machine == _MACHINE, f"the emulated machine is {machine}")
    version = place.run(*python, file, "--version", environment=theirs).strip()
    need(version.startswith("raidtui "), version)
    capacity = place.run(*python, file, "capacity", "5", "--disk", "4TBx4", environment=theirs)
    need("survives  1 failed disk" in capacity, capacity)
    report = place.run(*python, file, "demo", environment=theirs)
    need("# " in report and "RAID" in report, report)
    return f"{_MACHINE} by QEMU, Debian's Python 3.11: version, capacity, the demo's report"


def _made(place: Place) -> Path:
    file = place.folder / f"raidtui-{_MACHINE}.pyz"
    single.make(file, _MACHINE)
    return file
