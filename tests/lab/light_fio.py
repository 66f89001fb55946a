"""What Debian's fio is linked with for Ceph, GlusterFS, RDMA, NBD and persistent memory, 50 libraries, without content:
in a practice kernel each start of fio took 0.05 to 0.2 s of a processor for them. The lab's fio reads and writes block
devices.

`python -m tests.lab.light_fio` makes one library in place of all of them; a guest binds it over each (`put_in_place`).
"""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from tests.lab.newer_kernel import FOLDER

_LIBRARY = FOLDER / "empty.so"
_INSTEAD_OF = (
    "libgfapi.so.0", "libibverbs.so.1", "libnbd.so.0", "libpmem.so.1", "libpmemblk.so.1", "librados.so.2",
    "librbd.so.1", "librdmacm.so.1",
)  # fmt: skip
_FUNCTION = re.compile(r"FUNC +GLOBAL +DEFAULT +UND ((?:glfs|ibv|nbd|pmem|pmemblk|rados|rbd|rdma)_\w+)(?:@(\S+))?")


def main() -> int:
    fio = shutil.which("fio")
    if fio is None or _LIBRARY.exists() or not FOLDER.exists():
        return 0
    by_version: defaultdict[str, list[str]] = defaultdict(list)
    for name, version in _FUNCTION.findall(_run("readelf", "--dyn-syms", "--wide", fio)):
        by_version[version].append(name)
    source, versions, made = FOLDER / "empty.c", FOLDER / "empty.map", FOLDER / "empty.part"
    names = sorted(name for of_version in by_version.values() for name in of_version)
    source.write_text("".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in names))
    del by_version[""]
    versions.write_text("".join(f"{version} {{ {'; '.join(of)}; }};\n" for version, of in by_version.items()))
    _run("gcc", "-shared", "-fPIC", f"-Wl,--version-script={versions}", "-o", str(made), str(source))
    made.rename(_LIBRARY)
    return 0


def put_in_place() -> None:
    """In a guest, as root: until it ends."""
    known = dict(re.findall(r"(\S+) => (\S+)", _run("ldd", shutil.which("fio") or "fio")))
    for name in _INSTEAD_OF if _LIBRARY.exists() else ():
        if name in known:
            _run("mount", "--bind", str(_LIBRARY), str(Path(known[name]).resolve()))


def _run(*argv: str) -> str:
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
