"""The Ansible collection, by Ansible itself: `python -m tests.ansible [sanity | plays]`, both if none is named.

The collection is built and installed from its archive. `sanity`: `ansible-test sanity`, without a container: what it
cannot run here it says. `plays`: the role and the modules on real md arrays in a practice kernel, raidtui installed
there from wheels. Ansible's own environment is .venv-ansible, or RAIDTUI_ANSIBLE. Exit status 1 where something failed.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
ANSIBLE = Path(os.environ.get("RAIDTUI_ANSIBLE", REPOSITORY / ".venv-ansible")) / "bin"
COLLECTIONS, WHEELS = "collections", "wheels"
_DISKS, _DISK_MIB = 6, 96


def _run(*argv: str | Path, cwd: Path = REPOSITORY) -> int:
    print("$", *argv, file=sys.stderr, flush=True)
    return subprocess.run([str(word) for word in argv], cwd=cwd, stdin=subprocess.DEVNULL, check=False).returncode


def _installed(out: Path) -> Path:
    """The collection as `ansible-galaxy` installs it from its archive."""
    galaxy = ANSIBLE / "ansible-galaxy"
    failed = _run(galaxy, "collection", "build", "--output-path", out, REPOSITORY / "ansible")
    (archive,) = out.glob("raidtui-raidtui-*.tar.gz")
    failed |= _run(galaxy, "collection", "install", "--offline", "--collections-path", out / COLLECTIONS, archive)
    if failed:
        sys.exit(1)
    return out / COLLECTIONS / "ansible_collections/raidtui/raidtui"


def _sanity(out: Path) -> int:
    collection = _installed(out)
    _run("git", "init", "--quiet", collection)  # by what git knows ansible-test finds the files
    _run(ANSIBLE / "ansible-test", "--version")
    os.environ["PATH"] = f"{ANSIBLE}:{os.environ['PATH']}"
    return _run(ANSIBLE / "ansible-test", "sanity", "--requirements", "--venv", "--color", "no", "-v", cwd=collection)


def _plays(out: Path) -> int:
    _installed(out)
    if _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", out / WHEELS, REPOSITORY):
        return 1
    guest = ("env", f"PYTHONPATH={REPOSITORY}", sys.executable, "-m", "tests.ansible.guest", str(ANSIBLE))
    rack = ("-n", str(_DISKS), "-s", str(_DISK_MIB), "-o", str(out))
    return _run(sys.executable, "-m", "raidtui.practice", *rack, "--", *guest)


_PARTS: dict[str, Callable[[Path], int]] = {"sanity": _sanity, "plays": _plays}


def main() -> int:
    wanted = sys.argv[1:] or list(_PARTS)
    if unknown := set(wanted) - set(_PARTS):
        print(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(_PARTS)}", file=sys.stderr)
        return 2
    status = 0
    for name in wanted:
        out = Path(tempfile.mkdtemp(prefix=f"raidtui-ansible-{name}-"))
        failed = bool(_PARTS[name](out))
        print(f"{name}: {'FAILED' if failed else 'ok'}; see {out}", file=sys.stderr)
        status |= failed
    return status


if __name__ == "__main__":
    sys.exit(main())
