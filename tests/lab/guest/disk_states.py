"""Disks brought into the states that real ones are found in, with the system's own tools; and cleared again."""

import fcntl
import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.system.claims import lock_nodes

SILENCE_S = 180.0
_BLKRRPART, _BLKZEROOUT = 0x125F, 0x127F  # linux/fs.h
_WRITTEN = slice(6, 14, 7)  # of Documentation/block/stat.rst: sectors written, sectors discarded


def command(*argv: str, stdin: str = "") -> str:
    """Run a program to its end; it must succeed. No terminal: nothing can ask."""
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(argv)}: {done.stdout}{done.stderr}"
    return done.stdout


def until(holds: Callable[[], object], sign: Callable[[], object] = Path("/proc/mdstat").read_text) -> None:
    """Wait until it is so. AssertionError once `sign` has stayed the same for SILENCE_S, however long it takes."""
    seen, end_s = sign(), time.monotonic() + SILENCE_S
    while not holds():
        assert time.monotonic() < end_s, f"it did not come to that: {seen}"
        time.sleep(0.1)
        if (now := sign()) != seen:
            seen, end_s = now, time.monotonic() + SILENCE_S


def whole(array: str) -> bool:
    """Is this array whole and at rest? `mdadm --wait` does not wait for what has not begun."""
    md = Path("/sys/block", array, "md")
    return ((md / "degraded").read_text(), (md / "sync_action").read_text()) == ("0\n", "idle\n")


def settle() -> None:
    """Until udev has no more to do. On a busy machine it hangs up on who waits for its answer, and is asked again."""
    while subprocess.run(["udevadm", "settle"], stderr=subprocess.PIPE, text=True, check=False).returncode:
        pass


def udev_looks(looks: bool) -> None:
    """Its daemon is halted or goes on. Of `udevadm control --stop-exec-queue` one in a hundred does nothing."""
    command("pkill", "-CONT" if looks else "-STOP", "--oldest", "--exact", "systemd-udevd")


@contextmanager
def udev_behind() -> Iterator[None]:
    """As on a busy machine: what is made meanwhile udev tells of afterwards."""
    udev_looks(False)
    try:
        yield
    finally:
        udev_looks(True)


def clear(*nodes: str) -> None:
    """No signature, no partition, no data: as it came from the factory. udev looks once at each."""
    settle()  # or udev still has a partition open, and the kernel keeps the old table
    for node in nodes:
        with Path(node).open("r+b", buffering=0) as disk:
            fcntl.ioctl(disk, _BLKZEROOUT, struct.pack("QQ", 0, disk.seek(0, os.SEEK_END)))
            fcntl.ioctl(disk, _BLKRRPART)
    settle()


def partition(node: str, *sizes: str) -> None:
    lines = "\n".join(f"size={size or '+'}" for size in sizes)
    command("sfdisk", "--quiet", "--label", "gpt", node, stdin=lines + "\n")
    settle()


def ext4(node: str, label: str = "") -> None:
    command("mkfs.ext4", "-q", "-F", *(("-L", label) if label else ()), node)
    settle()


@contextmanager
def mounted(node: str, folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    command("mount", node, str(folder))
    try:
        yield
    finally:
        command("umount", str(folder))


@contextmanager
def swapped(node: str) -> Iterator[None]:
    command("mkswap", node)
    command("swapon", node)
    try:
        yield
    finally:
        command("swapoff", node)


def create_array(array: str, *argv: str) -> None:
    """`mdadm --create`. It closes each member before it has written it, and again afterwards: a udev that looks
    meanwhile would never look again.
    """
    with lock_nodes([word for word in argv if word.startswith("/dev/")]):
        command("mdadm", "--create", array, "--run", "--quiet", *argv)
    settle()


def create(array: str, level: str, *members: str, metadata: str = "1.2") -> None:
    kind = (f"--metadata={metadata}", f"--level={level}", f"--raid-devices={len(members)}")
    redundant = () if level == "0" else ("--bitmap=none", "--assume-clean")  # refused where there is no redundancy
    create_array(array, "--homehost=server", *kind, *redundant, *members)


def stop(array: str, *disks: str) -> None:
    """Stop an array so that udev does not put it together again behind our back."""
    settle()
    with lock_nodes(disks):
        command("mdadm", "--stop", array)
    settle()


@contextmanager
def array(node: str, level: str, *members: str) -> Iterator[None]:
    create(node, level, *members)
    try:
        yield
    finally:
        stop(node, *members)


@contextmanager
def volume(group: str, *nodes: str) -> Iterator[None]:
    """A volume group over these devices with one active logical volume `home`."""
    command("vgcreate", "--yes", group, *nodes)
    command("lvcreate", "--yes", "--zero", "n", "--wipesignatures", "n", "--size", "40M", "--name", "home", group)
    settle()
    try:
        yield
    finally:
        command("vgremove", "--yes", "--force", group)


@contextmanager
def mapped(name: str, uuid: str, node: str) -> Iterator[None]:
    """A device-mapper device over the whole of `node`."""
    sectors = command("blockdev", "--getsz", node).strip()
    command("dmsetup", "create", name, "--uuid", uuid, "--table", f"0 {sectors} linear {node} 0")
    settle()
    try:
        yield
    finally:
        command("dmsetup", "remove", "--retry", name)


def writes_to_disks() -> dict[str, list[str]]:
    return writes_to(sorted(map(str, Path("/dev").glob("sd?"))))


def writes_to(nodes: Iterable[str]) -> dict[str, list[str]]:
    """Sectors written and discarded so far, as the kernel counts them: nothing else changes what a disk holds."""
    found = {}
    for node in nodes:
        with Path(node).open("rb") as disk:
            os.fsync(disk.fileno())  # what was written to its cache counts
        found[node] = Path("/sys/class/block", Path(node).resolve().name, "stat").read_text().split()[_WRITTEN]
    return found
