"""Contents of a file system without a write below it: root folder names, ext4's record. Mounted read-only in an own
mount namespace from a snapshot in memory, where a log is replayed. Without dm-snapshot the device is set read-only, and
a dirty log cannot be mounted.
"""

import ctypes
import os
import select
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import msgspec

from raidtui.core.text import clean
from raidtui.system import block
from raidtui.system.process import ProcessError, run

_FOLDER, _LOOK = Path("/run/raidtui"), "raidtui-look-"
_QUERY_S, _MOUNT_S = 30.0, 120.0  # a log may take a while to replay
_DYING_S = 10.0
_CHANGES_BYTES = 1 << 30  # of a sparse file in memory
_MOST_NAMES = 10_000
_CHUNK_SECTORS = 8
_NEW_NAMESPACE, _REMOUNTED_PRIVATE = 0x20000, 0x44000  # CLONE_NEWNS; MS_REC | MS_PRIVATE
_READ_ONLY = 0x1 | 0x2 | 0x4 | 0x8  # MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC
_SUPERBLOCK_BYTES = 1024
_EXT4_MAGIC, _BTRFS_MAGIC = 0xEF53, b"_BHRfS_M"
FOUND = "lost+found"
IN_FOUND = f"{FOUND}/*"  # a name that no file has: fsck, or somebody, has put something in there
_ALL_OF_IT = b"subvolid=5"  # of btrfs, whatever subvolume it mounts by default


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """`names`: of the root folder, IN_FOUND if FOUND is not empty; () with `why_not`. `mounts` (count), `last_mounted`:
    ext4's; else None and "".
    """

    names: tuple[str, ...] = ()
    why_not: str = ""
    mounts: int | None = None
    last_mounted: str = ""


def read(name: str, kind: str, mark: str) -> Contents:
    """Device `name` with unmounted `kind`. `mark`: in names of temporary objects."""
    contents, devices = _ext4_record(name), _btrfs_devices(name)
    if devices > 1:  # the others would be mounted, and written to, as they are
        return Contents(why_not=f"it is on {devices} devices")
    reasons = []
    for seen_through in (_snapshot, _read_only):
        try:
            with seen_through(name, f"{_LOOK}{mark}") as node:
                return msgspec.structs.replace(contents, names=_names(node, kind, _ALL_OF_IT if devices else None))
        except OSError as error:
            reasons.append(str(error))
    return msgspec.structs.replace(contents, why_not="; ".join(dict.fromkeys(reasons)))


def forget(mark: str) -> None:
    """Removes a killed `read`'s snapshot, which holds the array."""
    if any(block.text(name) == f"{_LOOK}{mark}" for name in Path("/sys/block").glob("dm-*/dm/name")):
        _remove(f"{_LOOK}{mark}")


def _ext4_record(name: str) -> Contents:
    """fs/ext4/ext4.h, struct ext4_super_block: s_mnt_count at 0x34, s_magic at 0x38, s_last_mounted at 0x88."""
    mounts, magic, folder = struct.unpack_from("<H2xH78x64s", _read_at(name, 1024), 0x34)
    if magic != _EXT4_MAGIC:
        return Contents()
    return Contents(mounts=mounts, last_mounted=clean(folder.partition(b"\0")[0].decode(errors="replace")))


def _btrfs_devices(name: str) -> int:
    """0: no btrfs. include/uapi/linux/btrfs_tree.h, super block at 64 KiB: magic at 0x40, num_devices at 0x88."""
    magic, devices = struct.unpack_from("<8s64xQ", _read_at(name, 64 << 10), 0x40)
    return int(devices) if magic == _BTRFS_MAGIC else 0


def _read_at(name: str, offset: int) -> bytes:
    """Zeros if unreadable: the mount reports the reason."""
    with suppress(OSError), Path(f"/dev/{name}").open("rb") as device:
        device.seek(offset)
        return device.read(_SUPERBLOCK_BYTES).ljust(_SUPERBLOCK_BYTES, b"\0")
    return bytes(_SUPERBLOCK_BYTES)


@contextmanager
def _snapshot(name: str, mark: str) -> Iterator[str]:
    """Node of a snapshot that takes all writes; OSError if impossible."""
    _FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = _FOLDER / mark
    with file.open("wb") as changes:
        changes.truncate(_CHANGES_BYTES)
    try:
        loop = _asked("losetup", "--find", "--show", str(file))
    finally:
        file.unlink()
    try:
        sectors = block.size_bytes(name) // 512
        table = f"0 {sectors} snapshot /dev/{name} {loop} N {_CHUNK_SECTORS}"
        _asked("dmsetup", "create", mark, "--noudevsync", "--noudevrules", "--table", table)
    finally:
        _asked("losetup", "--detach", loop)  # at once, or as soon as the snapshot is gone
    try:
        yield f"/dev/{_asked('dmsetup', 'info', '--columns', '--noheadings', '--options', 'blkdevname', mark)}"
    finally:
        _remove(mark)


def _remove(mark: str) -> None:
    with suppress(OSError):
        run(("dmsetup", "remove", "--retry", "--noudevsync", "--noudevrules", mark), _QUERY_S)


@contextmanager
def _read_only(name: str, mark: str) -> Iterator[str]:
    loop = _asked("losetup", "--find", "--show", "--read-only", f"/dev/{name}")
    try:
        yield loop
    finally:
        with suppress(OSError):
            run(("losetup", "--detach", loop), _QUERY_S)


def _asked(*argv: str) -> str:
    done = run(argv, _QUERY_S)
    if done.returncode:
        words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ProcessError(f"{argv[0]}: {clean(words[-1])}")
    return done.stdout.strip()


def _names(node: str, kind: str, options: bytes | None) -> tuple[str, ...]:
    """Mounted by a child in its own mount namespace."""
    folder = _FOLDER / "look"
    folder.mkdir(mode=0o700, exist_ok=True)
    reading, writing = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        _answer(writing, node, kind, folder, options)
    os.close(writing)
    answer = b""
    try:
        poll = select.poll()
        poll.register(reading, select.POLLIN)
        while poll.poll(_MOUNT_S * 1000):
            if not (part := os.read(reading, 1 << 16)):
                break
            answer += part
        else:
            raise ProcessError(f"mounting {kind} took longer than {_MOUNT_S:.0f} s")
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        if not _ended(child):
            raise ProcessError(f"mounting {kind} does not end: it waits for the kernel")
    names = msgspec.json.decode(answer, type=tuple[str, ...] | str) if answer else "no answer"
    if isinstance(names, str):
        raise ProcessError(f"{kind} cannot be mounted read-only: {names}")
    return names


def _ended(child: int) -> bool:
    """Within seconds: one waiting for a dead disk cannot be killed."""
    end_s = time.monotonic() + _DYING_S
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > end_s:
            return False
        time.sleep(0.01)
    return True


def _answer(writing: int, node: str, kind: str, folder: Path, options: bytes | None) -> None:
    """In the child: names or error; exits."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        _called(libc.unshare(_NEW_NAMESPACE))
        _called(libc.mount(b"none", b"/", None, _REMOUNTED_PRIVATE, None))
        _called(libc.mount(node.encode(), bytes(folder), kind.encode(), _READ_ONLY, options))
        answer: object = root_names(folder)
        _called(libc.umount2(bytes(folder), 0))  # now, not some time after this process has ended
    except BaseException as error:
        answer = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
    with suppress(BaseException), open(writing, "wb") as file:
        file.write(msgspec.json.encode(answer))
    os._exit(0)


def root_names(folder: Path) -> list[str]:
    """FOUND alone is what mkfs makes; with contents it holds somebody's files."""
    with os.scandir(folder) as entries:
        names = {clean(entry.name) for entry in islice(entries, _MOST_NAMES)}
    if FOUND in names:
        with os.scandir(folder / FOUND) as found:
            names |= {IN_FOUND} if any(found) else set()
    return sorted(names)


def _called(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
