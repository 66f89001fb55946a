"""The jail of the practice kernel, and the warden that stays with it.

Knows namespaces, mounts and how to end the kernel; refuses to know about disks, terminals or what runs inside.
It is run as a script of its own (`python -I -S jail.py SPEC`), with nothing but the standard library, so that
nothing of the launcher's threads or memory is in the kernel's ancestry.

The warden makes user, mount, pid, network, IPC and UTS namespaces, lets the kernel start in them as their first
process, and waits. In the jail the whole file system is read-only and without device nodes; writable are the
folders named in the spec and a private tmpfs. The capabilities that could undo this are dropped before the kernel
starts. If the launcher dies, however it dies, the warden gets SIGTERM: it asks the guest to write back what it
holds and to halt, and kills it if that takes too long. If the warden dies, the kernel is killed by the host.
"""

import ctypes
import fcntl
import json
import os
import select
import signal
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
_SYS_PIVOT_ROOT, _SYS_MOUNT_SETATTR = 155, 442  # x86-64, the only architecture of User-Mode Linux
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
_CAP_DAC_OVERRIDE = 1
_DEVICES = ("null", "zero", "full", "random", "urandom")


class _MountAttr(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns_fd")]


def _done(result: int, what: str) -> None:
    """Turn a libc call's -1 into an OSError that says what was being done."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(source: str, target: Path, kind: str, flags: int, options: str = "") -> None:
    result = _libc.mount(source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _done(result, f"mount {kind or 'bind'} on {target}")


def _set_attributes(target: Path, *, add: int = 0, clear: int = 0, recursive: bool = False) -> None:
    attributes = _MountAttr(add, clear, 0, 0)
    result = _libc.syscall(
        _SYS_MOUNT_SETATTR,
        _AT_FDCWD,
        os.fsencode(target),
        _AT_RECURSIVE if recursive else 0,
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _done(result, f"make {target} {'read-only' if add else 'writable'} (mount_setattr, Linux 5.12 or later)")


def _die_with(parent: int, with_signal: int) -> None:
    """Ask for `with_signal` at the parent's death; the parent may have died before we asked."""
    _done(_libc.prctl(_PR_SET_PDEATHSIG, with_signal, 0, 0, 0), "prctl")
    if parent and os.getppid() != parent:
        os._exit(FAILED)


def _identity_map(path: str, own: int, privileged: bool) -> str:
    """All ids onto themselves for root, so that a checkout of another user stays readable; else one's own onto 0."""
    if not privileged:
        return f"0 {own} 1"
    extents = (line.split() for line in Path(path).read_text().splitlines())
    return "\n".join(f"{first} {first} {count}" for first, _, count in extents)


def _enter_user_namespace() -> None:
    """Become root of a new user namespace; a helper left outside writes the maps, as only it may."""
    uid, gid, pid = os.geteuid(), os.getegid(), os.getpid()
    privileged = uid == 0
    uid_map = _identity_map("/proc/self/uid_map", uid, privileged)
    gid_map = _identity_map("/proc/self/gid_map", gid, privileged)
    ready, go = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(go)
        status = 0
        try:
            if os.read(ready, 1):
                own = Path(f"/proc/{pid}")
                if not privileged:
                    (own / "setgroups").write_text("deny")
                (own / "uid_map").write_text(uid_map)
                (own / "gid_map").write_text(gid_map)
        except OSError as error:
            status = error.errno or 1
        os._exit(status)
    os.close(ready)
    _done(_libc.unshare(_CLONE_NEWUSER), "new user namespace")
    os.write(go, b"1")
    os.close(go)
    status = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
    if status:
        raise OSError(status, f"map users into the new namespace: {os.strerror(status)}")


def _build_root(writable: dict[str, str], memory_bytes: int) -> None:
    """Make the jail's root of the host's, and step into it. `writable`: name in the nest to the host's folder."""
    _mount("none", Path("/"), "", _MS_REC | _MS_PRIVATE)
    base = Path("/sys")  # a folder that is always there, and that the jail covers anyway, holds the new root
    folders = {name: os.open(folder, os.O_PATH | os.O_DIRECTORY) for name, folder in writable.items()}
    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    host = os.open("/", os.O_PATH | os.O_DIRECTORY)
    _mount("jail", base, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755")
    root = base / "root"
    root.mkdir()
    _mount(f"/proc/self/fd/{host}", root, "", _MS_BIND | _MS_REC)
    _set_attributes(root, add=_ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, recursive=True)

    _mount("proc", root / "proc", "proc", _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    _mount("sys", root / "sys", "tmpfs", _MS_RDONLY | _MS_NOSUID | _MS_NODEV, "size=4k")
    _mount("dev", root / "dev", "tmpfs", _MS_NOSUID, "mode=755,size=64k")
    for name, descriptor in devices.items():
        (root / "dev" / name).touch()
        _mount(f"/proc/self/fd/{descriptor}", root / "dev" / name, "", _MS_BIND)
    (root / "dev/shm").mkdir()
    _mount("run", root / "run", "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=16m")
    _set_attributes(root / "dev", add=_ATTR_RDONLY)
    # The guest's memory is a file in here. Not noexec: the guest's programs are mapped from it.
    # Huge pages, where the host has them: the disks' content is touched at boot, and that takes a sixth of the time.
    memory = f"mode=700,size={memory_bytes + (64 << 20)}"
    try:
        _mount("memory", root / "dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV, f"{memory},huge=always")
    except OSError:
        _mount("memory", root / "dev/shm", "tmpfs", _MS_NOSUID | _MS_NODEV, memory)

    nest = root / NEST.relative_to("/")
    nest.mkdir()
    for name, descriptor in folders.items():
        (nest / name).mkdir()
        _mount(f"/proc/self/fd/{descriptor}", nest / name, "", _MS_BIND)
        _set_attributes(nest / name, add=_ATTR_NOSUID | _ATTR_NODEV)
    for descriptor in (*folders.values(), *devices.values(), host):
        os.close(descriptor)

    os.chdir(root)
    _done(_libc.syscall(_SYS_PIVOT_ROOT, b".", b"."), "pivot_root")
    _done(_libc.umount2(b".", _MNT_DETACH), "leave the host's root")
    os.chdir("/")


def _give_up_privileges() -> None:
    """Leave nothing but passing over file permissions: without it root could not read another user's checkout."""
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        if capability != _CAP_DAC_OVERRIDE:
            _done(_libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0), "drop capabilities")
    _done(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")


def _become_kernel(spec: dict[str, Any], warden_lives: int) -> NoReturn:
    """First process of the pid namespace: build the jail, fill the nest, become the kernel (or only try)."""
    _die_with(0, signal.SIGKILL)
    if select.select([warden_lives], [], [], 0)[0]:  # getppid() is 0 in here, whether the warden lives or not
        os._exit(FAILED)
    os.setsid()
    files = [(NEST / name, Path(source).read_bytes()) for name, source in spec["files"].items()]
    _build_root(spec["writable"], spec["memory_bytes"])
    for path, content in files:
        path.write_bytes(content)
        path.chmod(0o755)
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
    """Wait for the kernel; at SIGTERM ask it to halt, and end it after the grace."""
    signals = {signal.SIGTERM, signal.SIGCHLD}
    deadline = None
    while True:
        done, status = os.waitpid(kernel, os.WNOHANG)
        if done:
            return 0 if os.waitstatus_to_exitcode(status) == 0 else FAILED
        left = 3600.0 if deadline is None else deadline - time.monotonic()
        if left <= 0:
            os.kill(kernel, signal.SIGKILL)
            left = 3600.0
        arrived = signal.sigtimedwait(signals, left)
        if arrived and arrived.si_signo == signal.SIGTERM and deadline is None:
            deadline = time.monotonic() + GRACE_S
            try:
                os.write(control, b"halt\n")
            except OSError:
                deadline = time.monotonic()


def main(spec_text: str) -> int:
    """`spec_text`: JSON of kernel.py. Exit status 0: the kernel ran and halted; else its log says why not."""
    spec = json.loads(spec_text)
    for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(ignored, signal.SIG_IGN)
    # Blocked, and taken with sigtimedwait: none can arrive between a check and the wait that follows it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    _enter_user_namespace()
    _die_with(spec["launcher"], signal.SIGTERM)  # after the change of credentials, which forgets it
    _done(
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
            _become_kernel(spec, warden_lives)
        except OSError as error:
            print(f"jail: {error.strerror or error}", file=sys.stderr, flush=True)
            os._exit(FAILED)
    for descriptor in spec["descriptors"]:
        os.close(descriptor)
    return _watch(kernel, spec["control"])


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except OSError as error:
        sys.exit(f"jail: {error.strerror or error}")
