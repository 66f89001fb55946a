"""Disks that the matrix makes itself, by LIO and tcm_loop: a store, and a path to it, or several.

Each path is a SCSI host of its own, and leads to the same blocks, serial number and WWN.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from tests.torture.stand import command, settle

_TARGET = Path("/sys/kernel/config/target")
_MODULES = ("configfs", "target_core_mod", "target_core_iblock", "target_core_file", "tcm_loop")


def _load() -> None:
    command("modprobe", "-a", *_MODULES)
    if not Path("/sys/kernel/config").is_mount():
        command("mount", "-t", "configfs", "configfs", "/sys/kernel/config")


def _digits(name: str) -> str:
    return f"{int(sha256(name.encode()).hexdigest(), 16) % 10**8:08}"


@contextmanager
def store(kind: str, name: str, control: str) -> Iterator[Path]:
    """A backstore of this `kind` ("iblock", "fileio"), whose serial number is its name in capitals."""
    _load()
    made = _TARGET / f"core/{kind}_1{_digits(name)}/{name}"
    made.mkdir(parents=True)
    (made / "control").write_text(control)
    (made / "wwn/vpd_unit_serial").write_text(name.upper())
    (made / "enable").write_text("1")
    try:
        yield made
    finally:
        made.rmdir()
        made.parent.rmdir()


@contextmanager
def path(to: Path, number: int = 1) -> Iterator[None]:
    """A disk that leads to this store; gone afterwards."""
    digits = f"{number}{_digits(to.name)}"
    loopback = _TARGET / f"loopback/naa.6001405{digits}"
    lun = loopback / "tpgt_1/lun/lun_0"
    lun.mkdir(parents=True)
    (loopback / "tpgt_1/nexus").write_text(f"naa.6001406{digits}")
    (lun / "disk").symlink_to(to)
    try:
        yield
    finally:
        settle()
        (lun / "disk").unlink()
        lun.rmdir()
        (loopback / "tpgt_1").rmdir()
        loopback.rmdir()
        settle()
