"""An rpm with the program's Python packages inside, as in the Debian package: `python -m packing.rpm [FOLDER]`, default
dist. Needs rpmbuild, and no root. For the Python that builds it.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from packing import trees

SPEC = Path(__file__).parent / "redhat" / "raidtui.spec"


def make(folder: Path) -> Path:
    """Build the package in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        places = {"_topdir": scratch, "_rpmdir": f"{scratch}/made", "python": sys.executable}
        words = [word for name, value in places.items() for word in ("--define", f"{name} {value}")]
        # Debian's rpm knows none of the packages that are installed.
        argv = ("rpmbuild", "--quiet", "--nodeps", *words, "-bb", "--build-in-place", str(SPEC))
        subprocess.run(argv, check=True, stdout=sys.stderr, cwd=trees.REPOSITORY)
        (made,) = Path(scratch, "made").rglob("*.rpm")
        target = folder / made.name
        target.write_bytes(made.read_bytes())
    return target


if __name__ == "__main__":
    if not shutil.which("rpmbuild"):
        sys.exit("rpmbuild is missing: apt install rpm, or dnf install rpm-build")
    print(make(Path(sys.argv[1]) if sys.argv[1:] else trees.DIST))
