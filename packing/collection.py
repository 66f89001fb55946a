"""The Ansible collection's archive: `python -m packing.collection ANSIBLE_GALAXY [FOLDER]`, default dist.

The sources in `ansible`, with the licence, the changes, and the addresses of raidtui/owner.toml that are filled in.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packing import trees
from raidtui import owner

SOURCES = trees.REPOSITORY / "ansible"
ADDED = ("LICENSE", "CHANGELOG.md")
_KEYS = {"Source": "repository", "Issues": "issues"}  # owner's word -> galaxy.yml's


def fill(folder: Path, urls: dict[str, str]) -> None:
    """What the archive is built from, into a folder that does not exist yet."""
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ADDED:
        shutil.copy(trees.REPOSITORY / name, folder / name)
    with (folder / "galaxy.yml").open("a") as about:
        about.writelines(f"{_KEYS[title]}: {address}\n" for title, address in urls.items())


def make(galaxy: Path, folder: Path) -> None:
    """The archive in `folder`, by this ansible-galaxy."""
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch) / "collection"
        fill(sources, owner.urls())
        argv = (galaxy, "collection", "build", "--output-path", folder, sources)
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]) if sys.argv[2:] else trees.DIST)
