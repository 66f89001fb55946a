"""Disks that somebody uses without holding them for long: whoever looks at one moment alone finds them free.

A page is written now and then, by a mapping or by SCSI commands that no counter counts; a file system of the same
label is made anew; an array has a name in place of a number.
"""

import ctypes
import fcntl
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.system import block
from raidtui.system.claims import lock_nodes
from tests.torture.attempt import Answer
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, confirmed, mounted, raidtui, settle

_THEIRS = Path("/run/theirs")
_ANSWERS = Path("/run/unheld.toml")
_REFUSED = 3  # exit status
_DATA = b"theirs\n" * (1 << 17)
# Maps a disk, closes it, and writes a page of it each half second: nothing of it is open, or claimed.
_WRITER = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
libc.msync.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
disk = os.open(sys.argv[1], os.O_RDWR)
place = libc.mmap(None, 1 << 20, 3, 1, disk, 10 << 20)
os.close(disk)
for number in range(10000):
    ctypes.memmove(place + 4096 * (number % 256), b"row %08d " % number * 256, 4096)
    libc.msync(place, 1 << 20, 4)
    time.sleep(0.5)
"""
_SG_IO, _TO_DEVICE = 0x2285, -2
_SG_HEADER = "@iiBBHIPPPIIiPBBBBHHiII"  # struct sg_io_hdr
_BLOCK_BYTES, _WRITTEN_BYTES = 512, 4096


def refused(*argv: str, typed: str = "") -> Answer:
    """What is said to a command that has to be refused for safety."""
    done = subprocess.run(argv, input=typed, capture_output=True, text=True, check=False)
    if done.returncode != _REFUSED:
        raise AssertionError(f"exit status {done.returncode}, not {_REFUSED}: {done.stdout[-300:]}{done.stderr}")
    return Answer(" ".join(done.stderr.split()), done.returncode)


def _answers(stand: Stand, disks: Sequence[int], level: str) -> str:
    """Of what takes no time: nothing is carried out but what a row lets pass."""
    named = ", ".join(f'"{stand.members[index]}"' for index in disks)
    _ANSWERS.write_text(f'disks = [{named}]\nrecipe = "brief"\n[setup]\nlevel = "{level}"\n')
    recipe = Path(os.environ.setdefault("XDG_CONFIG_HOME", "/run/config")) / "raidtui/recipes/brief.toml"
    recipe.parent.mkdir(parents=True, exist_ok=True)
    recipe.write_text(
        'title = "Brief"\nsummary = "A second"\nbaseline = "none"\n[[job]]\nname = "write"\n[job.fio]\n'
        'ioengine = "libaio"\ndirect = true\nrw = "write"\nbs = "64k"\ntime_based = true\nruntime = "1s"\nsize = "8m"\n'
    )
    return str(_ANSWERS)


@contextmanager
def written_now_and_then(way: str, stand: Stand) -> Iterator[Answer]:
    """`run` with all that it asks for, and `disks --free`."""
    run = confirmed(_answers(stand, (0, 1, 2), "5"))
    asked = {"run": run, "free": raidtui("disks", "--free", stand.members[1])}[way]
    disk = stand.disk(1)
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, disk.path])
    try:
        while (before := block.text(f"/sys/block/{disk.name}/stat").split()[4]) == "0":
            time.sleep(0.1)
        with ExitStack() as guards:
            for index in (0, 2):
                guards.enter_context(stand.guarding(stand.disk(index)))
            answer = refused(*asked)
        if block.text(f"/sys/block/{disk.name}/stat").split()[4] == before:
            raise AssertionError("nobody wrote meanwhile")
    finally:
        writer.kill()
        writer.wait()
    yield answer


def _write_unseen(disk: Disk, offset_bytes: int) -> None:
    """By SCSI's WRITE(10): the block layer counts nothing."""
    data = ctypes.create_string_buffer(b"somebody's data " * (_WRITTEN_BYTES // 16), _WRITTEN_BYTES)
    sense = ctypes.create_string_buffer(32)
    blocks = struct.pack(">BBIBHB", 0x2A, 0, offset_bytes // _BLOCK_BYTES, 0, _WRITTEN_BYTES // _BLOCK_BYTES, 0)
    words = ctypes.create_string_buffer(blocks, len(blocks))
    head = (ord("S"), _TO_DEVICE, len(blocks), len(sense), 0, len(data))
    places = (ctypes.addressof(data), ctypes.addressof(words), ctypes.addressof(sense))
    header = bytearray(struct.pack(_SG_HEADER, *head, *places, 5000, *([0] * 12)))
    descriptor = os.open(disk.path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, _SG_IO, header)
    finally:
        os.close(descriptor)
    status, host, driver = (struct.unpack(_SG_HEADER, header)[index] for index in (13, 17, 18))
    if status or host or driver:
        raise RuntimeError(f"WRITE(10) to {disk.path}: {status} {host} {driver}")


@contextmanager
def written_unseen(stand: Stand) -> Iterator[Answer]:
    """A run has come to its end; blocks of what it left are written by SCSI commands."""
    disk = stand.disk(0)
    run = confirmed(_answers(stand, (0,), "jbod"))
    command(*run)
    settle()
    command(*raidtui("disks", "--free", "--blank", disk.id))  # its own traces are nobody's data
    counted = block.text(f"/sys/block/{disk.name}/stat").split()[6]
    for offset_bytes in (0, 1 << 20, disk.size_bytes // 4 // 4096 * 4096, disk.size_bytes // 2 // 4096 * 4096):
        _write_unseen(disk, offset_bytes)
    command("blockdev", "--flushbufs", disk.path)
    if block.text(f"/sys/block/{disk.name}/stat").split()[6] != counted:
        raise AssertionError("the kernel counted it")
    with stand.guarding(disk):
        refused(*raidtui("disks", "--free", "--blank", disk.id))
        again = confirmed(str(_ANSWERS))  # with another code than before, and the disk named
        said = refused(*again[: again.index("--erase")])
    command("dd", "if=/dev/zero", f"of={disk.path}", "bs=1M", "oflag=direct", ok=False)
    settle()
    yield said


@contextmanager
def made_anew(stand: Stand) -> Iterator[Answer]:
    """The file system that was agreed to is replaced by one of the same label, with a file in it."""
    disk = stand.disk(0)
    make = ("mkfs.ext4", "-q", "-F", "-L", "backup", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.path)
    command(*make)
    settle()
    run = confirmed(_answers(stand, (0,), "jbod"))
    command(*make)
    with mounted(disk.path, _THEIRS):
        (_THEIRS / "file").write_bytes(_DATA)
    settle()
    command("sync")
    with stand.guarding(disk):
        answer = refused(*run)
    with mounted(disk.path, _THEIRS):
        if (_THEIRS / "file").read_bytes() != _DATA:
            stand.lost.append("the new file system's file was changed")
    command("wipefs", "--all", "--force", disk.path)
    settle()
    yield answer


@contextmanager
def named_array(stand: Stand) -> Iterator[Answer]:
    """An array of somebody's without a number: it is offered nowhere, and its disk is not free."""
    config, disk = Path("/run/mdadm-names.conf"), stand.disk(3)
    config.write_text("CREATE names=yes\n")
    made = ("--run", "--quiet", "--bitmap=none", "--level=1", "--raid-devices=2", disk.path, "missing")
    command("mdadm", "--create", "/dev/md/home", f"--config={config}", *made)
    settle()
    try:
        if not Path("/sys/block/md_home").is_dir():
            raise RuntimeError(f"the array has another name: {sorted(Path('/sys/block').iterdir())}")
        if any(one.name == "md_home" for one in stand.disks().values()):
            raise AssertionError("the array md_home is offered as a disk")
        answer = refused(*raidtui("disks", "--free", disk.id))
    finally:
        with lock_nodes([disk.path]):
            command("mdadm", "--stop", "/dev/md_home")
            command("mdadm", "--zero-superblock", disk.path)
        settle()
    yield answer


ROWS = (
    *(
        Row(
            name=f"unheld-{way}",
            fault="a program that holds nothing writes a page to a member each half second",
            when=when,
            outcome="refused",
            says=("written by somebody",),
            act=partial(written_now_and_then, way),
        )
        for way, when in (("run", "between plan and run"), ("free", "`disks --free`"))
    ),
    Row(
        name="unheld-uncounted",
        fault="SCSI commands that the kernel does not count write to what a run left",
        when="before the next run",
        outcome="refused",
        says=("data without a known signature", "--erase"),
        act=written_unseen,
    ),
    Row(
        name="unheld-made-anew",
        fault="another file system of the same label is made, and a file stored",
        when="between plan and run",
        outcome="refused",
        says=("is not this plan's",),
        act=made_anew,
    ),
    Row(
        name="unheld-named-array",
        fault="a member of an array that has a name, no number",
        when="before the plan",
        outcome="refused",
        says=("md_home",),
        act=named_array,
    ),
)
