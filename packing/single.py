"""One file with the program and all its packages: `python -m packing.single [FILE]`, default dist/raidtui.pyz.

For servers with Python and no packages, of this machine's architecture. Compiled parts cannot be imported from a zip
file, so it unpacks itself once (`packing/unpack.py`).
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


def make(target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "app"
        site = folder / "site"
        trees.fill(site)
        here = f"{sys.version_info.major}.{sys.version_info.minor}"
        others = [version for version in PYTHONS if version != here]
        trees.add_other_pythons(site, others, [f"{glibc}_{platform.machine()}" for glibc in _GLIBC])
        unpack = Path(__file__).with_name("unpack.py").read_text()
        (folder / "__main__.py").write_text(unpack.replace("@DIGEST@", _digest(site)))
        target.parent.mkdir(parents=True, exist_ok=True)
        zipapp.create_archive(folder, target, interpreter="/usr/bin/env python3", compressed=True)


def _digest(site: Path) -> str:
    """A digest of every name and byte: an unpacked copy is used only if it is equal."""
    digest = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(site)}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:32]


if __name__ == "__main__":
    file = Path(sys.argv[1]) if sys.argv[1:] else trees.DIST / "raidtui.pyz"
    make(file)
    print(file)
