"""Devices named at boot: fstab, crypttab, mount units, kernel command line, EFI. Opens no device."""

from collections.abc import Iterator
from pathlib import Path

from raidtui.core.arrays.boot_files import fstab_of, mount_unit_of
from raidtui.core.disks.machine import BootLine
from raidtui.core.text import clean

_UNITS = ("etc/systemd/system/*.mount", "etc/systemd/system/*.swap")
_WORDS = {"root": "/", "resume": "resume", "mount.usr": "/usr"}  # kernel-parameters.txt, kernel-command-line(7)
# What systemd-boot and its stub set (Boot Loader Interface); four bytes of attributes come first (efivarfs.rst)
_EFI = "sys/firmware/efi/efivars/LoaderDevicePartUUID-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
_ATTRIBUTES = 4
_MOST_BYTES = 1 << 20


def read(missing: list[str], base: Path = Path("/")) -> tuple[BootLine, ...]:
    """Never raises: unreadable files are added to `missing`."""
    return tuple(_lines(missing, base))


def _lines(missing: list[str], base: Path) -> Iterator[BootLine]:
    for line in _bytes(base / "etc/fstab", missing).split(b"\n"):
        for mount in fstab_of("/etc/fstab", line, noauto=True):
            yield BootLine(file=mount.file, text=_text(line), source=mount.source, place=mount.mountpoint)
    for line in _bytes(base / "etc/crypttab", missing).split(b"\n"):
        fields = _text(line).split()
        if len(fields) >= 2 and not fields[0].startswith("#"):
            yield BootLine(
                file="/etc/crypttab",
                text=_text(line),
                source=fields[1],
                place="swap" if "swap" in "".join(fields[3:]).split(",") else fields[0],
            )
    for path in (path for pattern in _UNITS for path in sorted(base.glob(pattern))):
        for mount in mount_unit_of(f"/{path.relative_to(base)}", _bytes(path, missing)):
            yield BootLine(file=mount.file, text=f"What={mount.source}", source=mount.source, place=mount.mountpoint)
    for word in _text(_bytes(base / "proc/cmdline", missing)).split():
        key, _, source = word.partition("=")
        if source and key in _WORDS:
            yield BootLine(file="the kernel's command line", text=word, source=source, place=_WORDS[key])
    efi = _bytes(base / _EFI, missing)[_ATTRIBUTES:].decode("utf-16-le", errors="replace").strip("\0")
    if efi:
        name = _EFI.rpartition("/")[2].partition("-")[0]
        yield BootLine(file="EFI", text=f"{name}={clean(efi)}", source=f"PARTUUID={efi}", place="EFI system partition")


def _text(line: bytes) -> str:
    return clean(" ".join(line.decode(errors="replace").split()))


def _bytes(path: Path, missing: list[str]) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        missing.append(f"what {path} names ({error.strerror})")
        return b""
