"""`__main__` of the single file: unpacks the program once, below the person's cache, and starts it from there.

For root it is /var/cache: under sudo HOME may be another person's. It uses nothing that others can write to. Only the
standard library, in syntax of older Pythons too: they have to reach the error about their version.
"""

import os
import shutil
import stat
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NoReturn

DIGEST = "@DIGEST@"
MACHINE = "@MACHINE@"
NEEDED = (3, 11)
ROOTS_CACHE = Path("/var/cache")


def main() -> None:
    if sys.version_info < NEEDED:
        needed, here = (".".join(map(str, version[:2])) for version in (NEEDED, sys.version_info))
        stop(f"Python {needed} or later is needed, this is {here}; run python{needed} {sys.argv[0]}")
    if os.uname().machine != MACHINE:
        stop(f"this file is for {MACHINE}, this machine is {os.uname().machine}; build its own with `make zipapp`")
    archive = Path(sys.argv[0]).absolute()
    before = os.umask(0o077)
    site = cache() / DIGEST
    if not site.is_dir():
        unpack(archive, site)
    os.umask(before)
    sys.argv[0] = str(archive)
    sys.path[0] = str(site)  # in place of the archive
    os.environ["PYTHONPATH"] = str(site)  # for the worker of a run, a process of its own
    from raidtui.cli.app import main as start

    start()


def cache() -> Path:
    """The folder of the unpacked program; it belongs to this user, and nobody else can write to it."""
    folder = (ROOTS_CACHE if os.geteuid() == 0 else own_cache()) / "raidtui" / "app"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        stop(f"{folder}: {error.strerror}; raidtui.pyz unpacks itself there")
    for path in (folder, folder.parent):
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            stop(f"{path}: others may write to it; remove it, nothing was started")
    return folder


def own_cache() -> Path:
    """A relative path is ignored, as the XDG base directory specification wants it."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return Path(given) if given.startswith("/") else Path.home() / ".cache"


def unpack(archive: Path, site: Path) -> None:
    """Unpack in one step: a process that starts meanwhile sees all of it, or nothing."""
    partial = tempfile.mkdtemp(prefix=".part-", dir=str(site.parent))
    try:
        with zipfile.ZipFile(str(archive)) as packed:
            packed.extractall(partial, [name for name in packed.namelist() if name.startswith("site/")])
        try:
            Path(partial, "site").rename(site)
        except OSError:
            if not site.is_dir():
                raise
    except OSError as error:
        stop(f"{error.filename or partial}: {error.strerror}")
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def stop(sentence: str) -> NoReturn:
    sys.stderr.write(f"raidtui: {sentence}\n")
    sys.exit(1)


if __name__ == "__main__":
    main()
