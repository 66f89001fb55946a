"""A release, all of it that needs no secret: `python -m packing.release VERSION [FOLDER]`, default dist/VERSION.

The open head of CHANGELOG becomes the version of today, every place that names the version is written, all that people
install is built, checked and summed. Then it is one commit; tag and push are a person's. Refused, in one sentence and
with exit status 2, where the tree is not clean, a tool is missing, or a place names another version than the program.
"""

import datetime
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import raidtui
from packing import trees
from raidtui.core.report import provenance
from raidtui.system.files.digests import digests

OPEN = "## Unreleased"
# file -> what it says of the version, each at least once
PLACES: dict[str, tuple[str, ...]] = {
    "raidtui/__init__.py": ('__version__ = "{}"',),
    "ansible/galaxy.yml": ("version: {}\n",),
    "ansible/README.md": ("raidtui-raidtui-{}.tar.gz",),
    "packing/redhat/raidtui.spec": ("Version:        {}\n", "raidtui-{}.tar.gz"),
    "docs/raidtui.1": ('"raidtui {}"',),
    "docs/install.md": ("raidtui-{}-py3-none-any.whl", "raidtui_{}_amd64.deb", "raidtui-{}-1.", "raidtui-{}.tar.gz"),
}
CHANGES = "CHANGELOG.md"
_TOOLS = trees.REPOSITORY / ".venv" / "packages" / "bin"
_GALAXY = trees.REPOSITORY / ".venv-ansible" / "bin" / "ansible-galaxy"
_VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", re.ASCII)


class NotReleased(Exception):
    """One sentence."""


def written(texts: dict[str, str], was: str, version: str, today: str) -> dict[str, str]:
    """The files of `texts` as the version has them. NotReleased where one does not name `was`, or no head is open."""
    new = {}
    for file, forms in PLACES.items():
        new[file] = texts[file]
        for form in forms:
            if form.format(was) not in new[file]:
                raise NotReleased(f"{file} does not say {form.format(was).strip()!r}: write the version there first")
            new[file] = new[file].replace(form.format(was), form.format(version))
    heads = [line for line in texts[CHANGES].splitlines() if line.startswith("## ")]
    if heads[:1] != [OPEN] or any("nreleased" in head for head in heads[1:]):
        raise NotReleased(f"{CHANGES} needs one open head, {OPEN!r}, above all others")
    if any(head.split()[1] == version for head in heads):
        raise NotReleased(f"{CHANGES} has a head for {version} already: give a later version")
    new[CHANGES] = texts[CHANGES].replace(OPEN, f"## {version} - {today}", 1)
    return new


def builds(folder: Path) -> list[tuple[str | Path, ...]]:
    """All that people install, into this folder."""
    own = (sys.executable, "-m")
    return [
        (_TOOLS / "python", "-m", "build", "--outdir", folder, trees.REPOSITORY),
        (*own, "packing.single", folder / "raidtui.pyz"),
        (*own, "packing.single", folder / "raidtui-aarch64.pyz", "aarch64"),
        (*own, "packing.deb", folder),
        (*own, "packing.rpm", folder),
        (*own, "packing.collection", _GALAXY, folder),
    ]


def checks(folder: Path) -> list[tuple[str | Path, ...]]:
    """Each ends with 0 where the file is as its readers want it."""
    (wheel,), (sdist,), (deb,) = folder.glob("*.whl"), folder.glob("raidtui-[0-9]*.tar.gz"), folder.glob("*.deb")
    return [(_TOOLS / "twine", "check", "--strict", wheel, sdist), ("lintian", "--fail-on", "error,warning", deb)]


def sums(folder: Path) -> str:
    """As sha256sum writes them and reads them."""
    return provenance.sums(digests(folder, (path.name for path in folder.iterdir() if path.name != provenance.SUMS)))


def make(version: str, folder: Path) -> list[str]:
    """Built, checked and committed; what is left to a person. NotReleased, and nothing is changed."""
    if not _VERSION.fullmatch(version):
        raise NotReleased(f"{version} is no version: write it as 0.1.0 or 0.2.0rc1")
    if changed := _git("status", "--porcelain").strip():
        raise NotReleased(f"the tree is not clean ({changed.split(maxsplit=1)[1].splitlines()[0]}): commit it first")
    if _git("tag", "--list", f"v{version}").strip():
        raise NotReleased(f"there is a tag v{version} already: give a later version")
    if folder.exists() and any(folder.iterdir()):
        raise NotReleased(f"{folder} holds files already: remove it first")
    tools = ("lintian", "rpmbuild", "dpkg-deb", _TOOLS / "twine", _GALAXY)
    if missing := [str(tool) for tool in tools if not shutil.which(tool)]:
        raise NotReleased(f"{', '.join(missing)} is missing: `make release` installs it")
    if not (os.environ.get("DEBFULLNAME") and "@" in os.environ.get("DEBEMAIL", "")):
        raise NotReleased("DEBFULLNAME and DEBEMAIL name the maintainer of the Debian package: set both")
    files = {file: (trees.REPOSITORY / file).read_text() for file in (*PLACES, CHANGES)}
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    new = written(files, raidtui.__version__, version, today)
    try:
        for file, text in new.items():
            (trees.REPOSITORY / file).write_text(text)
        folder.mkdir(parents=True, exist_ok=True)
        for argv in builds(folder):
            _carry_out(argv)
        for argv in checks(folder):
            _carry_out(argv)
        (folder / provenance.SUMS).write_text(sums(folder))
        _git("commit", "--quiet", "--message", f"Release {version}", "--", *new)
    except (NotReleased, OSError, KeyboardInterrupt):
        for file, text in files.items():
            (trees.REPOSITORY / file).write_text(text)
        raise
    return [f"git tag --sign v{version}", "git push origin HEAD", f"git push origin v{version}"]


def _git(*words: str) -> str:
    done = subprocess.run(("git", *words), cwd=trees.REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReleased(f"git {words[0]} failed: {done.stderr.strip()}")
    return done.stdout


def _carry_out(argv: Sequence[str | Path]) -> None:
    done = subprocess.run(argv, cwd=trees.REPOSITORY, stdout=sys.stderr, check=False)
    if done.returncode:
        words = " ".join(map(str, argv[:4]))
        raise NotReleased(f"{words} ended with {done.returncode}; it says above why, and nothing was committed")


def main(arguments: Sequence[str]) -> int:
    if len(arguments) not in (1, 2):
        print("python -m packing.release VERSION [FOLDER]", file=sys.stderr)
        return 2
    version = arguments[0]
    folder = Path(arguments[1]).resolve() if arguments[1:] else trees.DIST / version
    try:
        left = make(version, folder)
    except NotReleased as error:
        print(f"Not released: {error}.", file=sys.stderr)
        return 2
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.name}")
    print(f"\nCommitted as Release {version}. Left to you; the tag's workflow publishes it:", *left, sep="\n    ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
