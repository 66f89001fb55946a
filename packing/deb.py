"""A Debian package with the program's Python packages inside: `python -m packing.deb [FOLDER]`, default dist.

Debian 12 has older versions of half of them. They are in a virtual environment below /usr/lib/raidtui, from which
nothing else imports. It needs the Python that built it. A run is a transient systemd unit: no unit is installed.
The maintainer is in DEBFULLNAME and DEBEMAIL. Needs dpkg-deb, and no root.
"""

import gzip
import hashlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from email.utils import formataddr, formatdate
from importlib.metadata import Distribution
from pathlib import Path

import raidtui
from packing import trees
from raidtui.cli.completion import Shell, script

_HOME = "usr/lib/raidtui"
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_SITE = f"{_HOME}/lib/{_PYTHON}/site-packages"
_COMPLETIONS = {
    Shell.BASH: "usr/share/bash-completion/completions/raidtui",
    Shell.ZSH: "usr/share/zsh/vendor-completions/_raidtui",
    Shell.FISH: "usr/share/fish/vendor_completions.d/raidtui.fish",
}
_TEMPLATES = Path(__file__).parent / "debian"


def make(folder: Path) -> Path:
    """Build the package in `folder`."""
    name = f"raidtui_{raidtui.__version__}_{_said('dpkg', '--print-architecture')}.deb"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        _program(root)
        _documents(root)
        _control(root)
        for path in (root, *root.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        _said("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(folder / name))
    return folder / name


def _program(root: Path) -> None:
    """The virtual environment, the command, and the shells' completions."""
    site = root / _SITE
    site.parent.mkdir(parents=True)
    trees.fill(site)
    for path in site.rglob("*.so"):
        if shutil.which("strip"):
            _said("strip", "--strip-unneeded", str(path))
    python = root / _HOME / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.symlink_to(f"../../../bin/{_PYTHON}")
    version = sysconfig.get_python_version()
    _write(root / _HOME / "pyvenv.cfg", f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n")
    # -I: neither the folder nor the environment of the caller, who may be root, affects imports
    start = f"#!/{_HOME}/bin/python3 -I\nimport sys\nfrom raidtui.cli.app import main\n\nsys.exit(main())\n"
    _write(root / "usr/bin/raidtui", start, 0o755)
    for shell, place in _COMPLETIONS.items():
        # zsh expects the function in a file of its own, and calls it
        words = script(shell, "/usr/bin/raidtui")
        _write(root / place, f'#compdef raidtui\n{words}_raidtui_completion "$@"\n' if shell is Shell.ZSH else words)


def _documents(root: Path) -> None:
    """The manual page, changelog, licences and lintian overrides."""
    _write_gz(root / "usr/share/man/man1/raidtui.1.gz", (trees.REPOSITORY / "docs/raidtui.1").read_text())
    documents = root / "usr/share/doc/raidtui"
    entry = (_TEMPLATES / "changelog").read_text()
    words = entry.format(
        version=raidtui.__version__,
        maintainer=_maintainer(),
        date=formatdate(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())),
    )
    _write_gz(documents / "changelog.gz", words)
    _write(documents / "copyright", "\n".join(_copyright(root)))
    overrides = (_TEMPLATES / "lintian-overrides").read_text().replace("@SITE@", _SITE)
    _write(root / "usr/share/lintian/overrides/raidtui", overrides)


def _copyright(root: Path) -> Iterator[str]:
    """The program's own licence, and the licence files of each package."""
    yield "This package is raidtui with the Python packages that it needs, unchanged, as published by their authors.\n"
    yield f"raidtui {raidtui.__version__}\n\n{(trees.REPOSITORY / 'LICENSE').read_text()}"
    for distribution in trees.distributions(root / _SITE):
        if distribution.name != "raidtui":
            yield from _licence(distribution, root / _SITE)


def _licence(distribution: Distribution, site: Path) -> Iterator[str]:
    about = distribution.metadata
    named = next((about[key] for key in ("License-Expression", "License") if key in about), "see below")
    yield f"\n{'-' * 79}\n{distribution.name} {distribution.version}: {named.splitlines()[0]}\n"
    for file in distribution.files or ():
        if file.name.upper().startswith(("LICEN", "COPYING", "NOTICE")) and ".dist-info" in str(file):
            text = site / file
            yield text.read_text(errors="replace")
            text.unlink()  # in one place, as Debian has it


def _control(root: Path) -> None:
    """The control fields, and the scripts that compile the installed modules and remove the byte code."""
    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    fields = {
        "version": raidtui.__version__,
        "architecture": _said("dpkg", "--print-architecture"),
        "maintainer": _maintainer(),
        "size": sum(-(-path.stat().st_size // 1024) for path in files),
        "python": f"3.{sys.version_info.minor}",
        "next_python": f"3.{sys.version_info.minor + 1}",
    }
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}" for path in sorted(files)]
    _write(root / "DEBIAN/md5sums", "\n".join(sums) + "\n")
    _write(root / "DEBIAN/control", (_TEMPLATES / "control").read_text().format(**fields))
    for name in ("postinst", "prerm"):
        _write(root / "DEBIAN" / name, (_TEMPLATES / name).read_text().replace("@HOME@", f"/{_HOME}"), 0o755)


def _maintainer() -> str:
    person = pwd.getpwuid(os.geteuid())
    name = os.environ.get("DEBFULLNAME") or person.pw_gecos.split(",")[0] or person.pw_name
    return formataddr((name, os.environ.get("DEBEMAIL") or f"{person.pw_name}@{socket.getfqdn()}"))


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def _write_gz(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _said(*argv: str) -> str:
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    print(make(Path(sys.argv[1]) if sys.argv[1:] else trees.DIST))
