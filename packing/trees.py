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


def add_compiled(folder: Path, versions: Iterable[str], platforms: Sequence[str]) -> None:
    """Add each compiled part for other Pythons of these platforms. Their file names differ, so none is lost."""
    for distribution in distributions(folder):
        if is_compiled(distribution):
            for version in versions:
                _add(folder, distribution, version, platforms)


def without_compiled(folder: Path) -> None:
    """Take the compiled parts away: they are of this machine's architecture."""
    for path in folder.rglob("*.so"):
        path.unlink()


def is_compiled(distribution: Distribution) -> bool:
    tags = [line for line in (distribution.read_text("WHEEL") or "").splitlines() if line.startswith("Tag: ")]
    return not any(tag.endswith("-any") for tag in tags)


def _add(folder: Path, distribution: Distribution, version: str, platforms: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        wanted = ("--only-binary=:all:", "--no-deps", "--implementation", "cp", "--python-version", version)
        places = [word for platform in platforms for word in ("--platform", platform)]
        name = f"{distribution.name}=={distribution.version}"
        _run(*_PIP, "download", *wanted, *places, "--dest", scratch, name)
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder, [entry for entry in archive.namelist() if entry.endswith(".so")])


def _run(*argv: str | Path) -> None:
    subprocess.run([str(word) for word in argv], check=True, stdout=sys.stderr)
