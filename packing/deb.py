"""A Debian package with the program's Python packages inside: `python -m packing.deb [FOLDER]`, default dist.

Debian 12 has older versions of half of them. It needs the Python that built it. A run is a transient systemd unit; the
timer of `status --prometheus` is installed and not enabled. The maintainer is in DEBFULLNAME and DEBEMAIL. Needs
dpkg-deb, and no root.
"""

import hashlib
import os
import pwd
import socket
import subprocess
import sys
import tempfile
import time
from email.utils import formataddr, formatdate
from pathlib import Path

import raidtui
from packing import installed, trees

_ZSH = "usr/share/zsh/vendor-completions"
_TEMPLATES = Path(__file__).parent / "debian"


def make(folder: Path) -> Path:
    """Build the package in `folder`."""
    name = f"raidtui_{raidtui.__version__}_{_said('dpkg', '--print-architecture')}.deb"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        installed.fill(root, _ZSH)
        _documents(root)
        _control(root)
        for path in (root, *root.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        _said("dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(folder / name))
    return folder / name


def _documents(root: Path) -> None:
    """The changelog and the lintian overrides."""
    entry = (_TEMPLATES / "changelog").read_text()
    words = entry.format(
        version=raidtui.__version__,
        maintainer=_maintainer(),
        date=formatdate(float(os.environ.get("SOURCE_DATE_EPOCH") or time.time())),
    )
    installed.write_gz(root / installed.DOCUMENTS / "changelog.gz", words)
    overrides = (_TEMPLATES / "lintian-overrides").read_text().replace("@SITE@", installed.SITE)
    installed.write(root / "usr/share/lintian/overrides/raidtui", overrides)


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
    installed.write(root / "DEBIAN/md5sums", "\n".join(sums) + "\n")
    installed.write(root / "DEBIAN/control", (_TEMPLATES / "control").read_text().format(**fields))
    for name in ("postinst", "prerm"):
        installed.write(
            root / "DEBIAN" / name, (_TEMPLATES / name).read_text().replace("@HOME@", f"/{installed.HOME}"), 0o755
        )


def _maintainer() -> str:
    person = pwd.getpwuid(os.geteuid())
    name = os.environ.get("DEBFULLNAME") or person.pw_gecos.split(",")[0] or person.pw_name
    return formataddr((name, os.environ.get("DEBEMAIL") or f"{person.pw_name}@{socket.getfqdn()}"))


def _said(*argv: str) -> str:
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


if __name__ == "__main__":
    print(make(Path(sys.argv[1]) if sys.argv[1:] else trees.DIST))
