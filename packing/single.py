"""One file with the program and all its packages: `python -m packing.single [FILE [MACHINE]]`, default
dist/raidtui.pyz, of this machine's architecture; MACHINE: another one, as `uname -m` prints it (aarch64).

For servers with Python and no packages. Compiled parts cannot be imported from a zip file, so it unpacks itself once
(`packing/unpack.py`).
"""

import hashlib
import platform
import sys
import tempfile
import zipapp
from pathlib import Path

from packing import trees

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_GLIBC = ("manylinux_2_17", "manylinux2014", "manylinux_2_28")


def make(target: Path, machine: str = platform.machine()) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "app"
        site = folder / "site"
        trees.fill(site)
        if machine != platform.machine():
            trees.without_compiled(site)
        trees.add_compiled(site, PYTHONS, [f"{glibc}_{machine}" for glibc in _GLIBC])
        unpack = Path(__file__).with_name("unpack.py").read_text()
        (folder / "__main__.py").write_text(unpack.replace("@DIGEST@", _digest(site)).replace("@MACHINE@", machine))
        target.parent.mkdir(parents=True, exist_ok=True)
        zipapp.create_archive(folder, target, interpreter="/usr/bin/env python3", compressed=True)
        target.chmod(0o755)  # zipapp lets its owner alone start it


def _digest(site: Path) -> str:
    """A digest of every name and byte: an unpacked copy is used only if it is equal."""
    digest = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(site)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:32]


if __name__ == "__main__":
    file = Path(sys.argv[1]) if sys.argv[1:] else trees.DIST / "raidtui.pyz"
    make(file, *sys.argv[2:3])
    print(file)
