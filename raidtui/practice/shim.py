"""The compiled kernel_shim.c in the user's cache."""

import hashlib
import os
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

from raidtui.practice.errors import PracticeError
from raidtui.system.programs import search_path, which, xdg_folder

_FLAGS = ("-O2", "-shared", "-fPIC")


def compiler() -> str | None:
    return which("cc") or which("gcc")


def library() -> Path:
    """Compiled if not cached; its name has the source's hash."""
    source = files("raidtui.practice").joinpath("kernel_shim.c").read_bytes()
    name = f"kernel_shim-{hashlib.sha256(source + ' '.join(_FLAGS).encode()).hexdigest()[:16]}.so"
    folder = _cache_folder()
    target = folder / name
    if _is_ours(target):
        return target
    cc = compiler()
    if cc is None:
        raise PracticeError("No C compiler: install gcc and libc6-dev.")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        code, built = Path(scratch, "kernel_shim.c"), Path(scratch, name)
        code.write_bytes(source)
        path = {**os.environ, "PATH": search_path()}
        argv: list[str | Path] = [cc, *_FLAGS, "-o", built, code, "-ldl"]
        cc_run = subprocess.run(argv, capture_output=True, text=True, env=path, check=False)
        if cc_run.returncode:
            first = (cc_run.stderr.strip() or "no message").splitlines()[0]
            raise PracticeError(f"{cc} could not compile the practice kernel's shim: {first}")
        built.rename(target)
    return target


def _is_ours(path: Path) -> bool:
    """Loaded into our process: never a file that others own or can write."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return path.is_file() and not path.is_symlink() and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _cache_folder() -> Path:
    """Without home a private one in the temporary folder."""
    cache_folder = xdg_folder("XDG_CACHE_HOME", "~/.cache") / "raidtui"
    fallback = Path(tempfile.gettempdir()) / f"raidtui-cache-{os.geteuid()}"
    for folder in (cache_folder, fallback):
        try:
            folder.mkdir(mode=0o700, parents=folder is cache_folder, exist_ok=True)
            status = folder.lstat()
        except OSError:
            continue
        private = status.st_uid == os.geteuid() and not status.st_mode & 0o022 and not folder.is_symlink()
        if private and os.access(folder, os.W_OK):
            return folder
    raise PracticeError(
        f"Neither {cache_folder} nor {fallback} is a folder that only you can write to; set XDG_CACHE_HOME."
    )
