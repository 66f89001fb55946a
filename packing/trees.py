"""The program and its Python packages in a folder: the content of the Debian package and the single file."""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
DIST = REPOSITORY / "dist"
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
_ANY_PYTHON = ("-py3-none-", "-py2.py3-none-", "-abi3-")  # in a wheel's tags


def fill(folder: Path) -> None:
    """Install this program and its packages for this Python into an empty folder, by pip."""
    with tempfile.TemporaryDirectory() as scratch:
        _run(*_PIP, "wheel", "--no-deps", "--wheel-dir", scratch, REPOSITORY)
        (wheel,) = Path(scratch).glob("*.whl")
        _run(*_PIP, "install", "--no-compile", "--target", folder, wheel)
    for name in ("bin", "share"):  # unused commands; files for other places of a system
        _run("rm", "-rf", folder / name)


def distributions(folder: Path) -> list[Distribution]:
    """The packages installed in `folder`, by name."""
    installed = [PathDistribution(path) for path in folder.glob("*.dist-info")]
    return sorted(installed, key=lambda distribution: distribution.name.lower())


def add_other_pythons(folder: Path, versions: Iterable[str], platforms: Sequence[str]) -> None:
    """Add each compiled part for other Pythons too. Their file names differ, so no file is lost."""
    for distribution in distributions(folder):
        tags = [line for line in (distribution.read_text("WHEEL") or "").splitlines() if line.startswith("Tag: ")]
        if any(kind in f"-{tag.removeprefix('Tag: ')}-" for tag in tags for kind in _ANY_PYTHON):
            continue
        for version in versions:
            with tempfile.TemporaryDirectory() as scratch:
                wanted = ("--only-binary=:all:", "--no-deps", "--implementation", "cp", "--python-version", version)
                places = [word for platform in platforms for word in ("--platform", platform)]
                name = f"{distribution.name}=={distribution.version}"
                _run(*_PIP, "download", *wanted, *places, "--dest", scratch, name)
                (wheel,) = Path(scratch).glob("*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    compiled = [entry for entry in archive.namelist() if entry.endswith(".so")]
                    archive.extractall(folder, compiled)


def _run(*argv: str | Path) -> None:
    subprocess.run([str(word) for word in argv], check=True, stdout=sys.stderr)
