"""Jail of the practice kernel, and its warden. Run as a script (`python -I -S jail.py SPEC`), standard library only, so
the launcher's threads and memory are not in the kernel's ancestry.

The warden makes user, mount, pid, network, IPC and UTS namespaces, in which the kernel is the first process. There the
file system is read-only, without device nodes and without homes and services' places; writable are the spec's folders
and a private tmpfs. Its root is nobody outside: if started by root, an id that owns nothing, with owners of the spec's
folders mapped. Capabilities to undo this, and sockets, are dropped first. If the launcher dies, the warden gets
SIGTERM: it lets the guest sync and halt, then kills it. If the warden dies, the host kills the kernel.
"""

import ctypes
import errno
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

NEST = Path("/run/raidtui-practice")  # the jail's writable place, seen at the same path by the guest
GRACE_S = 1.5
FAILED = 125  # the warden's own exit status when the jail could not be built

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2
_SYS_PIVOT_ROOT, _SYS_OPEN_TREE, _SYS_MOVE_MOUNT, _SYS_MOUNT_SETATTR = 155, 428, 429, 442  # x86-64, as UML is
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _MOVE_MOUNT_F_EMPTY_PATH = 1, 4
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV, _ATTR_IDMAP = 1, 2, 4, 1 << 20
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
_CAP_DAC_OVERRIDE = 1
# Whom root becomes: ids that nothing hands out (systemd's UIDS-GIDS.md calls them unused), or nobody where they are not
# to be had. As many as a file system may have owners, so that a checkout of another user stays readable.
_FIRST_ID, _IDS, _NOBODY = 0x70000000, 0x0F000000, 65534
_DEVICES = ("null", "zero", "full", "random", "urandom")


class _MountAttr(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd")]


def _check_returned(returned: int, operation: str) -> None:
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{operation}: {os.strerror(number)}")


def _mount(source: str, target: Path, kind: str, flags: int, options: str = "") -> None:
    returned = _libc.mount(source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _check_returned(returned, f"mount {kind or 'bind'} on {target}")


def _set_attributes(target: Path | int, attributes: _MountAttr, *, recursive: bool = False) -> None:
    returned = _libc.syscall(
        _SYS_MOUNT_SETATTR,
        target if isinstance(target, int) else _AT_FDCWD,
        b"" if isinstance(target, int) else os.fsencode(target),
        (_AT_RECURSIVE if recursive else 0) | (_AT_EMPTY_PATH if isinstance(target, int) else 0),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _check_returned(returned, f"set what may be done in {target} (mount_setattr, Linux 5.12 or later)")


def _detached(folder: str, attributes: int, owners: int | None, *, recursive: bool) -> int:
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | (_AT_RECURSIVE if recursive else 0)
    mount = _libc.syscall(_SYS_OPEN_TREE, _AT_FDCWD, os.fsencode(folder), flags)
    _check_returned(mount, f"open {folder}")
    if owners is not None:
        attributes |= _ATTR_IDMAP
    _set_attributes(mount, _MountAttr(attributes, 0, _MS_PRIVATE, owners or 0), recursive=recursive)
    return int(mount)


def _trees(spec: dict[str, Any], owners: int | None) -> list[int]:
    writable = []
    for folder in spec["writable"].values():
        try:
            writable.append(_detached(folder, _ATTR_NOSUID | _ATTR_NODEV, owners, recursive=False))
        except OSError as error:
            if owners is None:
                raise
            what_failed = (
                f"{folder}: its file system cannot map owners ({os.strerror(error.errno or 0)}), so root cannot become"
            )
            raise OSError(
                error.errno, f"{what_failed} nobody there: start without root, or use a folder on ext4"
            ) from error
    laid_open = []
    for folder in spec["shown"]:
        read_only = _ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV
        try:
            laid_open.append(_detached(folder, read_only, owners, recursive=True))
        except OSError:  # as everybody sees it, then
            laid_open.append(_detached(folder, read_only, None, recursive=True))
    return writable + laid_open


def _move(mount: int, target: Path) -> None:
    returned = _libc.syscall(
        _SYS_MOVE_MOUNT, mount, b"", _AT_FDCWD, os.fsencode(target), ctypes.c_uint(_MOVE_MOUNT_F_EMPTY_PATH)
    )
    _check_returned(returned, f"move a mount to {target}")
    os.close(mount)


def _die_with(parent: int, with_signal: int) -> None:
    """`with_signal` at the parent's death, also if it died before."""
    _check_returned(_libc.prctl(_PR_SET_PDEATHSIG, with_signal, 0, 0, 0), "prctl")
    if parent and os.getppid() != parent:
        os._exit(FAILED)


def _id_map(path: str, own_id: int, privileged: bool) -> str:
    """For root ids that own nothing; else the own id as 0."""
    if not privileged:
        return f"0 {own_id} 1"
    extents = (map(int, line.split()) for line in Path(path).read_text().splitlines())
    unused = any(first <= _FIRST_ID and first + count >= _FIRST_ID + _IDS for first, _, count in extents)
    return f"0 {_FIRST_ID} {_IDS}" if unused else f"0 {_NOBODY} 1"


def _enter_user_namespace(spec: dict[str, Any]) -> list[int]:
    """As root of a new one; an outside helper writes the maps, as only it may. For root also the mounts of `_trees`,
    with mapped owners, which are returned.
    """
    uid, gid, pid = os.geteuid(), os.getegid(), os.getpid()
    privileged = uid == 0
    uid_map = _id_map("/proc/self/uid_map", uid, privileged)
    gid_map = _id_map("/proc/self/gid_map", gid, privileged)
    our_end, helpers = socket.socketpair()
    helper = os.fork()
    if helper == 0:
        our_end.close()
        try:
            if helpers.recv(1):
                process = Path(f"/proc/{pid}")
                if not privileged:
                    (process / "setgroups").write_text("deny")
                (process / "uid_map").write_text(uid_map)
                (process / "gid_map").write_text(gid_map)
                owners = os.open(process / "ns/user", os.O_RDONLY | os.O_CLOEXEC)
                socket.send_fds(helpers, [b"+"], _trees(spec, owners) if privileged else [])
        except OSError as error:
            helpers.send(b"-" + str(error.strerror or error).encode())
        os._exit(0)
    helpers.close()
    _check_returned(_libc.unshare(_CLONE_NEWUSER), "new user namespace")
    our_end.send(b"1")
    answer, mounts, _, _ = socket.recv_fds(our_end, 4096, len(spec["writable"]) + len(spec["shown"]))
    os.waitpid(helper, 0)
    our_end.close()
    if answer != b"+":
        raise OSError(1, answer[1:].decode(errors="replace") or "users could not be mapped into the new namespace")
    if privileged:
        os.setgroups([])
        os.setresgid(0, 0, 0)
        os.setresuid(0, 0, 0)
        _check_returned(
            _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl"
        )  # else /proc/self is root's, who we are no more
    return mounts


def _build_root(spec: dict[str, Any], mounts: list[int]) -> None:
    """Makes the jail's root and pivots into it. `mounts`: of `_trees`, if made by root."""
    memory_bytes: int = spec["memory_bytes"]
    _mount("none", Path("/"), "", _MS_REC | _MS_PRIVATE)
    base = Path("/sys")  # a folder that is always there, and that the jail covers anyway, holds the new root
    mounts = mounts or _trees(spec, None)
    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    host = os.open("/", os.O_PATH | os.O_DIRECTORY)
    _mount("jail", base, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755")
    root = base / "root"
    root.mkdir()
    _mount(f"/proc/self/fd/{host}", root, "", _MS_BIND | _MS_REC)
    _set_attributes(root, _MountAttr(_ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV), recursive=True)

    _mount("proc", root / "proc", "proc", _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _mount("sys", root / "sys", "tmpfs", _MS_RDONLY | _MS_NOSUID | _MS_NODEV, "size=4k")
    _mount("dev", root / "dev", "tmpfs", _MS_NOSUID, "mode=755,size=64k")
    for name, descriptor in devices.items():
        (root / "dev" / name).touch()
        _mount(f"/proc/self/fd/{descriptor}", root / "dev" / name, "", _MS_BIND)
    (root / "dev/shm").mkdir()
    _mount("run", root / "run", "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=16m")
    _set_attributes(root / "dev", _MountAttr(_ATTR_RDONLY))
    # The guest's memory is a file in here. Not noexec: the guest's programs are mapped from it.
    # Huge pages, where the host has them: the disks' content is touched at boot, and that takes a sixth of the time.
    memory = f"mode=700,size={memory_bytes + (64 << 20)}"
    try:
        _mount("memory", root / "dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV, f"{memory},huge=always")
    except OSError:
        _mount("memory", root / "dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV, memory)

    nest = root / NEST.relative_to("/")
    nest.mkdir()
    for name, mount in zip(spec["writable"], mounts, strict=False):
        (nest / name).mkdir()
        _move(mount, nest / name)
    _cover(root, spec["covered"], spec["shown"], mounts[len(spec["writable"]) :])
    for descriptor in (*devices.values(), host):
        os.close(descriptor)

    os.chdir(root)
    _check_returned(_libc.syscall(_SYS_PIVOT_ROOT, b".", b"."), "pivot_root")
    _check_returned(_libc.umount2(b".", _MNT_DETACH), "leave the host's root")
    os.chdir("/")


def _cover(root: Path, covered: list[str], laid_open: list[str], mounts: list[int]) -> None:
    """Empty folders over covered places, with the shown ones in them."""
    inside_paths = []
    for place in covered:
        if place == "/run":  # the jail has its own
            continue
        target = root / place.lstrip("/")
        try:
            _mount(
                "covered",
                target,
                "tmpfs",
                _MS_NOSUID | _MS_NODEV,
                f"mode={1777 if target.name == 'tmp' else 755},size=256k",
            )
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.ENOENT):  # out of reach, or not there: nothing to cover
                raise
        else:
            inside_paths.append(target)
    for folder, mount in zip(laid_open, mounts, strict=True):
        target = root / folder.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        _move(mount, target)
    for target in inside_paths:
        _set_attributes(target, _MountAttr(_ATTR_RDONLY))


def _forbid_sockets() -> None:
    """seccomp(2), since a read-only mount does not block sockets: other ABIs (i386, x32), socket, connect,
    io_uring_setup and non-stream socketpairs fail. The guest's own programs are served by its kernel.
    """
    load, equal, at_least, also, end = 0x20, 0x15, 0x35, 0x54, 0x06  # BPF: ld abs, jeq, jge, and, ret
    allow, refuse = 0x7FFF0000, 0x00050000 | errno.EPERM
    number, architecture, second_argument = 0, 4, 24  # in struct seccomp_data
    x86_64, x32, socket_call, connect, pair, io_uring = 0xC000003E, 0x40000000, 41, 42, 53, 425
    program = (  # code, jump if true, jump if not (both counted from the next line), operand
        (load, 0, 0, architecture),
        (equal, 0, 10, x86_64),
        (load, 0, 0, number),
        (at_least, 8, 0, x32),
        (equal, 7, 0, socket_call),
        (equal, 6, 0, connect),
        (equal, 5, 0, io_uring),
        (equal, 0, 3, pair),
        (load, 0, 0, second_argument),
        (also, 0, 0, 0xF),
        (equal, 0, 1, socket.SOCK_STREAM),
        (end, 0, 0, allow),
        (end, 0, 0, refuse),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    filtering = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    _check_returned(_libc.prctl(_PR_SET_SECCOMP, 2, ctypes.c_char_p(filtering), 0, 0), "forbid sockets")


def _give_up_privileges() -> None:
    """Keeps only the file-permission override, to read another user's checkout."""
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        if capability != _CAP_DAC_OVERRIDE:
            _check_returned(_libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0), "drop capabilities")
    _check_returned(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    _forbid_sockets()


def _become_kernel(spec: dict[str, Any], files: dict[str, bytes], mounts: list[int], warden_lives: int) -> NoReturn:
    """First process of the pid namespace: builds the jail, fills the nest, executes the kernel (or only tries)."""
    _die_with(0, signal.SIGKILL)
    if select.select([warden_lives], [], [], 0)[0]:  # getppid() is 0 in here, whether the warden lives or not
        os._exit(FAILED)
    os.setsid()
    _build_root(spec, mounts)
    for name, content in files.items():
        (NEST / name).write_bytes(content)
        (NEST / name).chmod(0o755)
    for name, text in spec["texts"].items():
        (NEST / name).write_text(text)
    (NEST / "guest").mkdir()
    _give_up_privileges()
    if not spec["argv"]:
        os._exit(0)
    # Two steps, for a source may lie where a target must go; then nothing else of the launcher stays open.
    moved = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 64) for descriptor in spec["descriptors"]]
    for number, descriptor in enumerate(moved, start=3):
        os.dup2(descriptor, number)
    os.closerange(3 + len(moved), 1 << 20)
    os.execve(spec["argv"][0], spec["argv"], spec["environment"])


def _watch(kernel: int, control: int) -> int:
    """Until the kernel ends; at SIGTERM asks it to halt, kills it after the grace time."""
    signals = {signal.SIGTERM, signal.SIGCHLD}
    deadline = None
    while True:
        ended_pid, status = os.waitpid(kernel, os.WNOHANG)
        if ended_pid:
            return 0 if os.waitstatus_to_exitcode(status) == 0 else FAILED
        left_s = 3600.0 if deadline is None else deadline - time.monotonic()
        if left_s <= 0:
            os.kill(kernel, signal.SIGKILL)
            left_s = 3600.0
        arrived = signal.sigtimedwait(signals, left_s)
        if arrived and arrived.si_signo == signal.SIGTERM and deadline is None:
            deadline = time.monotonic() + GRACE_S
            try:
                os.write(control, b"halt\n")
            except OSError:
                deadline = time.monotonic()


def main(spec_text: str) -> int:
    """`spec_text`: JSON of kernel.py. 0: the kernel ran and halted; else see its log."""
    spec = json.loads(spec_text)
    for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_IGN)
    # Blocked, and taken with sigtimedwait: none can arrive between a check and the wait that follows it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    files = {name: Path(source).read_bytes() for name, source in spec["files"].items()}  # while we may read them
    mounts = _enter_user_namespace(spec)
    _die_with(spec["launcher"], signal.SIGTERM)  # after the change of credentials, which forgets it
    _check_returned(
        _libc.unshare(_CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS),
        "new mount, pid, network, IPC and UTS namespaces",
    )
    warden_lives, held_by_warden = os.pipe()
    kernel = os.fork()
    if kernel == 0:
        os.close(held_by_warden)
        try:
            for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
                signal.signal(ignored, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGCHLD})
            _become_kernel(spec, files, mounts, warden_lives)
        except OSError as error:
            print(f"jail: {error.strerror or error}", file=sys.stderr, flush=True)
            os._exit(FAILED)
    for descriptor in (*spec["descriptors"], *mounts):
        os.close(descriptor)
    return _watch(kernel, spec["control"])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except OSError as error:
        sys.exit(f"jail: {error.strerror or error}")
