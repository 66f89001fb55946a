"""The rows, in the order in which they are carried out: the first one makes what others install."""

import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

import raidtui
from packing import deb, rpm, single
from tests.packages import debian, demo, other_machine, prometheus, redhat
from tests.packages.row import REPOSITORY, TOOLS, Failed, Place, Row, need

# Of the sources these are for who works in a clone alone.
_NOT_IN_SDIST = (".gitignore",)
_RECORDED = REPOSITORY / "tests" / "recordings" / "runs" / "queue-by-jobs"
_SYSTEM_PYTHON = "/usr/bin/python3"
_OTHER_USER = "65534"
# How a command is started without root's rights; who has none needs nothing.
_PERSON = () if os.geteuid() else ("setpriv", f"--reuid={_OTHER_USER}", f"--regid={_OTHER_USER}", "--clear-groups")
_ROOTS_CACHE = Path("/var/cache/raidtui/app")  # of the single file


def _build(place: Place) -> str:
    """Sdist, and the wheel from it: complete, and as an index wants them."""
    place.run(TOOLS / "python", "-m", "build", "--outdir", place.made, REPOSITORY)
    (sdist,), (wheel,) = place.made.glob("*.tar.gz"), place.made.glob("*.whl")
    said = place.run(TOOLS / "twine", "check", "--strict", sdist, wheel)
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    kept = set(place.run("git", "-C", REPOSITORY, "ls-files").splitlines())
    need(not (missing := sorted(kept - held - set(_NOT_IN_SDIST))), f"not in the sdist: {missing[:20]}")
    pictures = set(re.findall(r"!\[[^]]*\]\(([^)]+)\)", (REPOSITORY / "README.md").read_text()))
    need(pictures and pictures <= held, f"pictures of README.md that the sdist lacks: {pictures - held}")
    need(said.count("PASSED") == 2, said)
    return f"sdist of {sdist.stat().st_size >> 10} KiB, {len(held)} names; wheel of {wheel.stat().st_size >> 10} KiB"


def _wheel(place: Place) -> Path:
    return next(place.made.glob("*.whl"))


def _works(place: Place, raidtui_command: str | Path) -> None:
    """It starts, reckons, finds its recipes and themes, and opens the screen in a terminal."""
    version = place.run(raidtui_command, "--version").strip()
    need(version == f"raidtui {raidtui.__version__}", version)
    need("survives  1 failed disk" in place.run(raidtui_command, "capacity", "5", "--disk", "4TBx4"), "capacity")
    need("raid0-gain" in place.run(raidtui_command, "recipes"), "recipes")
    screen = place.run(sys.executable, REPOSITORY / "tests/packages/screen.py", "Maintain", "--", raidtui_command)
    need("What do you want to do?" in screen, f"the first screen: {screen[-2000:]}")


def _pipx(place: Place, source: Path) -> str:
    own = {"PIPX_DEFAULT_PYTHON": _SYSTEM_PYTHON}
    place.run(TOOLS / "pipx", "install", source, environment=own)
    command = place.home / ".local" / "bin" / "raidtui"
    _works(place, command)
    manual = place.home / ".local" / "share" / "man" / "man1" / "raidtui.1"
    need(manual.is_file(), f"{manual} is not there")
    return f"starts; {_sudo_is_explained(place, command)}"


def _sudo_is_explained(place: Place, command: Path) -> str:
    """What `doctor` tells who is not root: the very command, as sudo alone finds nothing."""
    # 1: something is missing for a run, root's rights at least
    said = place.run(*_PERSON, command, "doctor", status=1)
    need(f"start it with `sudo {command}`" in said and "`sudo raidtui` finds no program" in said, said)
    return "doctor says how sudo starts it"


def _uv(place: Place, source: Path) -> str:
    place.run(TOOLS / "uv", "tool", "install", "--python", _SYSTEM_PYTHON, source)
    command = place.home / ".local" / "bin" / "raidtui"
    _works(place, command)
    return f"starts; {_sudo_is_explained(place, command)}"


def _single(place: Place) -> str:
    """By Debian's own Python, which has none of the packages, with and without root's rights; nothing of it stays."""
    before = set(_ROOTS_CACHE.glob("*"))
    try:
        return _single_file(place)
    finally:
        for unpacked in set(_ROOTS_CACHE.glob("*")) - before:
            shutil.rmtree(unpacked)


def _single_file(place: Place) -> str:
    file = place.folder / "raidtui.pyz"
    single.make(file)
    own = place.folder / "cache"
    started = place.folder / "start"
    started.write_text(f'#!/bin/sh\nexec {_SYSTEM_PYTHON} -S {file} "$@"\n')
    started.chmod(0o755)
    _works(place, started)
    own.mkdir()
    own.chmod(0o777)
    theirs = {"XDG_CACHE_HOME": str(own / "person")}
    said = place.run(*_PERSON, _SYSTEM_PYTHON, file, "doctor", environment=theirs, status=1)
    need("`sudo " in said and str(file) in said, said)
    (own / "person" / "raidtui" / "app").chmod(0o777)
    said = place.run(*_PERSON, _SYSTEM_PYTHON, file, "--version", environment=theirs, status=1)
    need("others may write to it" in said, said)
    report = place.run(_SYSTEM_PYTHON, file, "practice", "--disks", "3")
    need("# " in report and "RAID" in report, report[-2000:])
    return f"{file.stat().st_size >> 10} KiB; starts, refuses a folder of others, a run on practice disks reports"


def _single_in(place: Place, suite: str) -> str:
    file = place.folder / "raidtui.pyz"
    single.make(file)
    return debian.single(place, file, suite)


def _deb(place: Place) -> str:
    package = deb.make(place.folder)
    complaints = debian.lintian(place, package)
    need(not complaints, "\n".join(complaints))
    return f"{package.stat().st_size >> 10} KiB, lintian is content; {debian.installed(place, package)}"


def _rpm(place: Place) -> str:
    package = rpm.make(place.folder)
    return f"{package.stat().st_size >> 10} KiB; {redhat.installed(place, package)}"


def _fio_plot(place: Place) -> str:
    """Every command that `export --fio-plot` prints draws a picture."""
    recorded, charts = place.folder / "run", place.folder / "charts"
    place.run("cp", "-r", _RECORDED, recorded)
    recorded.chmod(0o700)
    said = place.run(sys.executable, "-m", "raidtui", "export", recorded, "--fio-plot", charts)
    commands = [line for line in said.splitlines() if line.startswith("fio-plot ")]
    for number, line in enumerate(commands):
        picture = place.folder / f"{number}.png"
        place.run("sh", "-c", f'PATH="{TOOLS}:$PATH"; {line} --output-filename {picture}')
        if not picture.is_file() or not picture.read_bytes().startswith(b"\x89PNG"):
            raise Failed(f"{line}: no picture")
    need(commands, said)
    return f"{len(commands)} pictures"


ROWS = (
    Row("build", _build),
    Row("pipx-wheel", lambda place: _pipx(place, _wheel(place))),
    Row("pipx-folder", lambda place: _pipx(place, REPOSITORY)),
    Row("uv-wheel", lambda place: _uv(place, _wheel(place))),
    Row("uv-folder", lambda place: _uv(place, REPOSITORY)),
    Row("single", _single),
    Row("single-debian-12", lambda place: _single_in(place, "bookworm")),
    Row("single-debian-13", lambda place: _single_in(place, "trixie")),
    Row("single-arm64", other_machine.held),
    Row("single-arm64-run", other_machine.started),
    Row("deb", _deb),
    Row("rpm", _rpm),
    Row("debian-13", lambda place: debian.cloned(place, "trixie")),
    Row("debian-testing", lambda place: debian.cloned(place, "testing")),
    Row("demo-debian-12", lambda place: demo.demonstrated(place, "bookworm", "3.11")),
    Row("demo-debian-13", lambda place: demo.demonstrated(place, "trixie", "3.13")),
    Row("demo-python-3.12", lambda place: demo.demonstrated(place, "bookworm", "3.12", of_debian=False)),
    Row("prometheus", prometheus.scraped),
    Row("fio-plot", _fio_plot),
)
