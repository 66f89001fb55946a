"""What the Debian package and the rpm install: `python -m packing.installed ROOT ZSH`, with the folder of zsh's
completions in that empty root.

The program and its Python packages are in a virtual environment below /usr/lib/raidtui, from which nothing else
imports. It works with the Python that built it. The build needs pip, and no other package.
"""

import gzip
import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution
from pathlib import Path

import raidtui
from packing import trees

HOME = "usr/lib/raidtui"
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
SITE = f"{HOME}/lib/{PYTHON}/site-packages"
DOCUMENTS = "usr/share/doc/raidtui"
COMMAND = "usr/bin/raidtui"
UNITS = Path(__file__).parent / "systemd"  # installed, and not enabled
_BASH, _FISH = "usr/share/bash-completion/completions", "usr/share/fish/vendor_completions.d"
# The packages of this Python need not be there: those in the root are asked.
_SCRIPTS = f"""\
import json, sys
sys.path.insert(0, sys.argv[1])
from raidtui.cli.completion import Shell, script
print(json.dumps({{shell: script(shell, "/{COMMAND}") for shell in Shell}}))
"""


def fill(root: Path, zsh: str) -> None:
    site = root / SITE
    site.parent.mkdir(parents=True)
    trees.fill(site)
    for path in site.rglob("*.so"):
        if shutil.which("strip"):
            subprocess.run(("strip", "--strip-unneeded", path), check=True)
    python = root / HOME / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.symlink_to(f"../../../bin/{PYTHON}")
    version = sysconfig.get_python_version()
    write(root / HOME / "pyvenv.cfg", f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version}\n")
    # -I: neither the folder nor the environment of the caller, who may be root, affects imports
    start = f"#!/{HOME}/bin/python3 -I\nimport sys\nfrom raidtui.cli.app import main\n\nsys.exit(main())\n"
    write(root / COMMAND, start, 0o755)
    _completions(root, zsh)
    write_gz(root / "usr/share/man/man1/raidtui.1.gz", (trees.REPOSITORY / "docs/raidtui.1").read_text())
    for unit in sorted(UNITS.iterdir()):
        write(root / "usr/lib/systemd/system" / unit.name, unit.read_text())
    write(root / DOCUMENTS / "copyright", "\n".join(_copyright(root)))


def _completions(root: Path, zsh: str) -> None:
    asked = (sys.executable, "-B", "-c", _SCRIPTS, root / SITE)
    scripts = json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True, cwd="/").stdout)
    write(root / _BASH / "raidtui", scripts["bash"])
    write(root / _FISH / "raidtui.fish", scripts["fish"])
    # zsh expects the function in a file of its own, and calls it
    write(root / zsh / "_raidtui", f'#compdef raidtui\n{scripts["zsh"]}_raidtui_completion "$@"\n')


def _copyright(root: Path) -> Iterator[str]:
    """The program's own licence, and the licence files of each package."""
    yield "This package is raidtui with the Python packages that it needs, unchanged, as published by their authors.\n"
    yield f"raidtui {raidtui.__version__}\n\n{(trees.REPOSITORY / 'LICENSE').read_text()}"
    for distribution in trees.distributions(root / SITE):
        if distribution.name != "raidtui":
            yield from _licence(distribution, root / SITE)


def _licence(distribution: Distribution, site: Path) -> Iterator[str]:
    about = distribution.metadata
    named = next((about[key] for key in ("License-Expression", "License") if key in about), "see below")
    yield f"\n{'-' * 79}\n{distribution.name} {distribution.version}: {named.splitlines()[0]}\n"
    for file in distribution.files or ():
        if file.name.upper().startswith(("LICEN", "COPYING", "NOTICE")) and ".dist-info" in str(file):
            text = site / file
            yield text.read_text(errors="replace")
            text.unlink()  # in one place


def write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def write_gz(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    fill(Path(sys.argv[1]), sys.argv[2])
