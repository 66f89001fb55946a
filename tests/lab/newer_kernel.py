"""A newer User-Mode Linux than a machine's Debian has: `python -m tests.lab.newer_kernel` fetches it for the lab.

md changes from kernel to kernel, and people run both. It is Debian's own package of the release to come, with the C
library that it needs, in a folder of this checkout; nothing of the machine is changed. Where it cannot be had, the
whole lab runs in the kernel that is installed.
"""

import subprocess
import sys
from pathlib import Path
from shutil import rmtree

FOLDER = Path(__file__).parents[2] / ".lab-kernel"
_PACKAGES = ("user-mode-linux=7.2um1", "libc6")
_DISTRIBUTION = "testing"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"


def newer_kernel() -> Path | None:
    """The folder that `-k` of the practice kernel takes; None where there is none."""
    return FOLDER if (FOLDER / "linux.uml").exists() else None


def main() -> int:
    if newer_kernel() is None:
        rmtree(FOLDER, ignore_errors=True)
        try:
            _fetch()
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"No newer kernel for the lab, all of it runs in the installed one: {error}", file=sys.stderr)
    return 0


def _fetch() -> None:
    """Download, unpack, and bind the program to the C library beside it. It comes last: where it is, all is."""
    scratch = FOLDER / "apt"
    (scratch / "lists" / "partial").mkdir(parents=True)
    _run("dpkg-query", "--show", "patchelf")
    (scratch / "sources.list").write_text(f"deb {_mirror()} {_DISTRIBUTION} main\n")
    options = {
        "Dir::Etc::sourcelist": scratch / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": scratch / "lists",
        "Dir::Cache": scratch,
        "Acquire::Languages": "none",
        "APT::Sandbox::User": "root",
    }
    apt_get = ("apt-get", "--quiet=2", *(f"--option={name}={value}" for name, value in options.items()))
    _run(*apt_get, "update")
    _run(*apt_get, "download", *_PACKAGES, folder=scratch)
    for package in scratch.glob("*.deb"):
        _run("dpkg", "--extract", str(package), str(scratch / "root"))
    root, libraries, program = scratch / "root", FOLDER / "lib", FOLDER / "linux.uml"
    (root / _LIBRARIES).rename(libraries)
    (root / "usr/lib/uml/modules").rename(FOLDER / "modules")
    loader = libraries / "ld-linux-x86-64.so.2"
    unbound = root / "usr/bin/linux.uml"
    _run("patchelf", "--set-interpreter", str(loader), "--set-rpath", str(libraries), str(unbound))
    unbound.rename(program)
    rmtree(scratch)


def _mirror() -> str:
    """Where this machine's own Debian comes from. CalledProcessError on another distribution."""
    targets = _run("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Component: main")
    origins = [line.split() for line in targets.splitlines()]
    mirrors = [uri for origin, uri in origins if origin == "Debian" and not uri.rstrip("/").endswith("-security")]
    if not mirrors:
        raise subprocess.CalledProcessError(1, ("apt-get indextargets, which names no mirror of Debian,",))
    return mirrors[0]


def _run(*argv: str, folder: Path | None = None) -> str:
    return subprocess.run(argv, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
