"""Arrays on sparse disks of up to 4 TB, as loop devices: what md makes of them, against what `capacity` says.

Of the practice kernel, as its root.
"""

import contextlib
import fcntl
import os
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from raidtui.core.raid.capacity import Capacity, capacity
from raidtui.core.raid.filesystems import geometry, mkfs_argv, parse_geometry, readback_argv
from raidtui.core.raid.levels import level
from raidtui.core.units import GIB, KIB

_LOOP_SET_CAPACITY, _BLKFLSBUF = 0x4C07, 0x1261  # linux/loop.h, linux/fs.h
NODE = "/dev/md90"
SYSFS = Path("/sys/block/md90")


def run(*argv: str) -> str:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(argv)}: {done.stdout}{done.stderr}"
    return done.stdout


class Loops:
    """Loop devices on sparse files, made once: each test gives them other sizes, blank again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._nodes: list[str] = []

    def file(self, disk: int) -> Path:
        return self._folder / f"disk{disk}"

    @contextlib.contextmanager
    def of(self, sizes: Sequence[int]) -> Iterator[list[str]]:
        """Loop devices of these bytes, locked so that udev does not assemble what is being taken apart."""
        while len(self._nodes) < len(sizes):
            file = self.file(len(self._nodes))
            file.touch()
            self._nodes.append(run("losetup", "--find", "--show", str(file)).strip())
        nodes = self._nodes[: len(sizes)]
        with contextlib.ExitStack() as stack:
            for disk, (node, size) in enumerate(zip(nodes, sizes, strict=True)):
                lock = os.open(node, os.O_RDONLY)
                stack.callback(os.close, lock)
                fcntl.flock(lock, fcntl.LOCK_EX)
                for length in (0, size):
                    os.truncate(self.file(disk), length)
                fcntl.ioctl(lock, _LOOP_SET_CAPACITY)
                fcntl.ioctl(lock, _BLKFLSBUF)  # what was read of it as it was
            yield nodes


@contextlib.contextmanager
def array(
    key: str,
    disks: Sequence[str],
    chunk_bytes: int | None = None,
    layout: str | None = None,
    bitmap: str = "none",
) -> Iterator[str]:
    """A running array; stopped, and its members blank again, afterwards."""
    row = level(key)
    options = [f"--level={row.md_name}", f"--raid-devices={len(disks)}", "--metadata=1.2"]
    options += [f"--chunk={chunk_bytes // KIB}"] if chunk_bytes else []
    options += [f"--layout={layout}"] if layout else []
    kept = "--consistency-policy=ppl" if bitmap == "ppl" else f"--bitmap={bitmap}"
    options += [kept] if row.has_bitmap else []
    options += ["--assume-clean"] if row.has_sync else []
    run("mdadm", "--create", NODE, "--run", "--quiet", *options, *disks)
    try:
        yield NODE
    finally:
        run("mdadm", "--stop", NODE)
        run("mdadm", "--zero-superblock", *disks)


def kernel_says(disks: Sequence[str]) -> tuple[int, set[int]]:
    """The running array's bytes, and where data starts on its members."""
    offsets = {512 * int((SYSFS / f"md/dev-{Path(disk).name}/offset").read_text()) for disk in disks}
    return 512 * int((SYSFS / "size").read_text()), offsets


def hold_to_the_byte(
    loops: Loops,
    key: str,
    sizes: Sequence[int],
    chunk_bytes: int | None = None,
    layout: str | None = None,
    bitmap: str = "none",
) -> Capacity:
    said = capacity(key, sizes, chunk_bytes, layout, parity_log=bitmap == "ppl")
    with loops.of(sizes) as disks, array(key, disks, chunk_bytes, layout, bitmap):
        assert kernel_says(disks) == (said.array_bytes, {said.data_offset_bytes}), (key, sizes, chunk_bytes, layout)
        component = int((SYSFS / "md/component_size").read_text()) * KIB
        if component:
            assert component == said.member_used_bytes, (key, sizes, chunk_bytes, layout)
    return said


def take_geometry(loops: Loops, key: str, disks: int, chunk_bytes: int | None, layout: str | None) -> None:
    """Each file system that can be told its stripe has the one that it was told."""
    asked = geometry(key, disks, chunk_bytes, layout)
    with loops.of([2 * GIB] * disks) as nodes, array(key, nodes, chunk_bytes, layout) as node:
        for name in ("ext2", "ext4", "xfs"):
            run(*mkfs_argv(name, node, str(uuid.uuid4()), asked, label="proof"))
            readback = readback_argv(name, node)
            assert readback is not None
            assert parse_geometry(name, run(*readback)) == asked, name
            run("wipefs", "--all", node)
