"""Boot files: mdadm.conf and its folder, fstab, enabled mount units, initramfs' age. mdadm.conf's place depends on the
distribution (mdadm.conf(5); Debian's first). Opens no device.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from raidtui.core.arrays.boot import BootFiles, MountLine, fstab_of, mdadm_conf_of, mount_unit_of
from raidtui.core.boot import distributions

_UNITS = ("etc/systemd/system/*.wants/*.mount", "etc/systemd/system/*.requires/*.mount")
_MOST_BYTES = 1 << 20


def read(base: Path = Path("/")) -> BootFiles:
    """Never raises; unreadable files are in `not_read`."""
    refused: list[str] = []
    distribution = distributions.of(os_release(base)) or distributions.DISTRIBUTIONS[0]
    confs = [base / name.lstrip("/") for name in distribution.mdadm_confs]
    used = next((conf for conf in confs if conf.is_file()), confs[0])
    folders = [conf.with_name("mdadm.conf.d") for conf in confs]
    folder = next((folder_there for folder_there in folders if folder_there.is_dir()), folders[0])
    files = [path for path in (used, *sorted(folder.glob("*.conf"))) if path.is_file()]
    texts = [(_named(path, base), _bytes(path, refused)) for path in files]
    fstab = base / "etc/fstab"
    mounts: list[MountLine] = [*fstab_of("/etc/fstab", _bytes(fstab, refused))] if fstab.is_file() else []
    for unit in (unit for pattern in _UNITS for unit in sorted(base.glob(pattern))):
        mounts += mount_unit_of(_named(unit, base), _bytes(unit, refused))
    return BootFiles(
        mdadm=mdadm_conf_of(texts),
        mounts=tuple(mounts),
        changed_s=_changed_s(files),
        initramfs_s=_changed_s([base / distribution.image.lstrip("/").format(kernel=os.uname().release)]),
        not_read=tuple(refused),
    )


def os_release(base: Path = Path("/")) -> str:
    return _bytes(base / "etc/os-release", []).decode(errors="replace")


def _named(path: Path, base: Path) -> str:
    return f"/{path.relative_to(base)}"


def _bytes(path: Path, refused: list[str]) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        refused.append(f"{path}: {error.strerror}")
        return b""


def _changed_s(files: Iterable[Path]) -> float | None:
    times = []
    for path in files:
        try:
            times.append(path.stat().st_mtime)
        except OSError:
            continue
    return max(times, default=None)
