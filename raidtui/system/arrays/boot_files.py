"""Boot files: mdadm.conf and its folder, fstab, enabled mount units, initramfs' age. mdadm.conf's place depends on the
distribution (mdadm.conf(5); Debian's first). Opens no device.

Places of boot files here, mountable folders, contents of the initramfs (by its own listing program). Read-only.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from raidtui.core.arrays.boot_files import BootFiles, fstab_of, mdadm_conf_of, mount_unit_of
from raidtui.core.boot import distributions, entries
from raidtui.core.boot.distributions import BootPlace
from raidtui.system import process
from raidtui.system.arrays import watching
from raidtui.system.programs import which

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
    mounts = [*fstab_of("/etc/fstab", _bytes(fstab, refused))] if fstab.is_file() else []
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


_LISTING_S = 300.0  # lsinitramfs starts hundreds of programs


def place_here() -> BootPlace | None:
    return distributions.place(
        os_release(),
        os.path.isfile,
        lambda program: which(program) is not None,
        systemd=Path("/run/systemd/system").is_dir(),
        mailaddr=read().mdadm.mailaddr,
        udev_rules=Path(entries.RULES_FOLDER).is_dir(),
        smartd_conf=watching.smartd_file()[1],
        smartd=watching.smartd(_disks())[1],
    )


def _disks() -> list[str]:
    try:
        return [entry.name for entry in Path("/sys/block").iterdir()]
    except OSError:
        return []


def why_not_mountable(folder: str, base: Path = Path("/")) -> str:
    files = read(base)
    fstab = str(base / "etc/fstab")
    if unread := next((sentence for sentence in files.not_read if sentence.startswith(f"{fstab}:")), ""):
        return f"nobody knows what is mounted at boot: {unread}"
    if line := next((line for line in files.mounts if line.mountpoint.rstrip("/") == folder), None):
        return f"{line.file} mounts {line.source} at {folder} already; choose another folder"
    path = base / folder.lstrip("/")
    if not os.path.lexists(path):
        parent = next(ancestor for ancestor in path.parents if os.path.lexists(ancestor))
        return "" if parent.is_dir() and _itself(parent) else f"{parent} is no folder of its own; choose another"
    if not path.is_dir() or not _itself(path):
        return f"{folder} is no folder, or a link to one; choose another"
    if os.path.ismount(path):
        return f"something is mounted at {folder}; choose another folder, or unmount it"
    try:
        full = any(path.iterdir())
    except OSError as error:
        return f"{folder} cannot be looked into: {error.strerror}; choose another folder, or none"
    if full:
        return f"{folder} is not empty: what is in it would be hidden; choose another folder"
    return ""


def _itself(path: Path) -> bool:
    return path.resolve() == path.absolute()


def why_not_in_initramfs(path: str) -> str:
    """Why the current initramfs is not known to contain `path`; "" if it does."""
    place = place_here()
    if place is None or place.initramfs is None:
        return "no program that makes an initramfs is installed"
    image = place.distribution.image.format(kernel=os.uname().release)
    argv = (*place.initramfs.listing, image)
    try:
        listing = process.run(argv, timeout_s=_LISTING_S)
    except process.ProcessError as error:
        return str(error)
    names = {
        "/" + line.split()[-1].removeprefix("./").lstrip("/") for line in listing.stdout.splitlines() if line.split()
    }
    if names & {path, *place.distribution.mdadm_confs}:
        return ""
    if listing.returncode:
        return f"{argv[0]} could not list {image}"
    return f"{image} has no copy of {path}: the array comes up after the root file system, by its own copy"
