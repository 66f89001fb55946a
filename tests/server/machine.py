"""One lab server: boot it, run commands as root over ssh on the loopback, take files out, cut the plug, power down.

Its root and its disks are files in a folder and outlive a boot. The checkout is seen at its own path, read-only. QEMU
emulates the processors (no KVM), so everything takes longer than on a server: waiting for a boot is limited by silence
on the console, not by a clock.
"""

import hashlib
import os
import select
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from raidtui.runs.child import obey
from tests.server import plug
from tests.server.image import LIBRARIES, READY, Image
from tests.server.rack import Disk, arguments

REPOSITORY = Path(__file__).parents[2]
_CPUS, _MEMORY_MIB = 2, 2048
_SILENCE_S = 900.0  # of the console, before a boot is given up
_GOES_S = 900.0  # from `poweroff` to the end of QEMU
_COMMAND_S = 1800.0
_QUIET_S = 3600.0  # of what is followed line by line: the longest step of a run
_MOMENT_S = 1800.0  # within which the moment for which the plug is watched comes
_NOT_CONNECTED = 255  # ssh's own exit status
_SHARE = "mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose share"
# Emulated processors may stand still for a minute where this machine is busy: no reason to panic ("IO-APIC + timer
# doesn't work"), to give up a disk or to start a service a second time.
_PATIENCE = (
    "no_timer_check nvme_core.io_timeout=3600 nvme_core.admin_timeout=3600 nowatchdog udev.event_timeout=3600 "
    "systemd.default_timeout_start_sec=3600 systemd.default_device_timeout_sec=3600 systemd.service_watchdogs=no"
)
_LIBRARIES = "/usr/local/lib/python3.11/dist-packages/lab.pth"
_COMMAND = "/usr/local/bin/raidtui"
_SSH = (
    *("ssh", "-F", "none", "-q", "-oBatchMode=yes", "-oStrictHostKeyChecking=no", "-oUserKnownHostsFile=/dev/null"),
    *("-oConnectTimeout=300", "-oServerAliveInterval=30", "-oServerAliveCountMax=40"),
)


class Broken(Exception):
    """The server, or a command in it, did not do what it should; the reason in one text."""


class Server:
    """A server named `name`, whose root and disks lie in `folder`; `port` is where it answers on the loopback,
    `key` the file that lets root in.
    """

    def __init__(self, name: str, folder: Path, image: Image, disks: Sequence[Disk]) -> None:
        self.name, self.folder, self.disks = name, folder, tuple(disks)
        self.port = 0
        self.key = image.key
        self._qemu: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        root = folder / "root.img"
        if not root.exists():
            subprocess.run(("cp", "--sparse=always", str(image.root), str(root)), check=True)
        for disk in disks:
            with (folder / f"{disk.name}.img").open("ab") as file:
                file.truncate(disk.size_bytes)

    def without(self, name: str) -> None:
        """From the next boot on this disk is in a drawer."""
        self.disks = tuple(disk for disk in self.disks if disk.name != name)

    def boot(self) -> float:
        """Switch it on; the seconds until ssh answered. Raises Broken where it does not come up."""
        began_s = time.monotonic()
        self.port = self.port or _free_port()  # the same after each boot, for who waits there
        for file in ("console", "console.log"):
            (self.folder / file).unlink(missing_ok=True)
        with (self.folder / "qemu.log").open("wb") as log:
            self._qemu = subprocess.Popen(
                [*self._machine(), *arguments(self.disks, self.name, self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the lab, which then switches it off
                preexec_fn=partial(obey, signal.SIGKILL, os.getpid()),  # however the lab ends, it ends with it
            )
        self._wait_until_ready()
        self.run(f"mkdir -p {REPOSITORY}; {_SHARE} {REPOSITORY}")
        self.write(_LIBRARIES, f"{REPOSITORY}\n{LIBRARIES}\n")
        self.write(_COMMAND, '#!/bin/sh\nexec python3 -m raidtui "$@"\n')
        self.run(f"chmod +x {_COMMAND}")
        return time.monotonic() - began_s

    def run(self, command: str, timeout_s: float = _COMMAND_S, ok: Sequence[int] = (0,)) -> str:
        """What a shell's command as root prints. Raises Broken where its exit status is none of `ok`."""
        try:
            done = subprocess.run(
                self._ssh(command),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired:
            raise Broken(f"`{command}` had not ended after {timeout_s:.0f} s") from None
        if done.returncode not in ok:
            last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:])
            raise Broken(f"`{command}`: exit status {done.returncode}: {last}")
        return done.stdout

    def raidtui(self, *words: str, timeout_s: float = _COMMAND_S, ok: Sequence[int] = (0,)) -> str:
        """What a command of the checkout's raidtui prints; see `run`."""
        return self.run(shlex.join(("raidtui", *words)), timeout_s, ok)

    def terminal(self, command: str) -> list[str]:
        """What gives a shell's command a terminal of its own, which is the one that this is started in."""
        ssh, *words = self._ssh(command)
        return [ssh, "-tt", *words]

    def lines(self, command: str) -> Iterator[str]:
        """The lines of a command's output as they come, until it ends; it is ended where the iterator is closed.

        Raises Broken where none comes for a long time.
        """
        with subprocess.Popen(self._ssh(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as going:
            assert going.stdout
            begun = b""
            try:
                while select.select([going.stdout], [], [], _QUIET_S)[0]:
                    if not (more := os.read(going.stdout.fileno(), 65536)):
                        return
                    *whole, begun = (begun + more).split(b"\n")
                    yield from (line.decode(errors="replace") for line in whole)
                raise Broken(f"`{command}` was silent for {_QUIET_S:.0f} s")
            finally:
                going.kill()

    def write(self, path: str, text: str) -> None:
        """Lay a file there, and its folder."""
        folder = shlex.quote(str(Path(path).parent))
        self.run(f"mkdir -p {folder}; printf %s {shlex.quote(text)} >{shlex.quote(path)}")

    def take(self, path: str, to: Path) -> None:
        """Copy a folder of the server's out, as it is now."""
        to.mkdir(parents=True, exist_ok=True)
        pack = self._ssh(f"tar -C {shlex.quote(path)} -c .")
        with subprocess.Popen(pack, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as sending:
            unpack = ("tar", "-C", str(to), "--no-same-owner", "-x")
            unpacked = subprocess.run(unpack, stdin=sending.stdout, check=False)
        if unpacked.returncode or sending.returncode:
            raise Broken(f"{path} could not be copied out of {self.name}")

    def cut(self) -> None:
        """Pull the plug: what its kernel has not handed to the disks is lost. Nothing where it is off."""
        if self._qemu is not None:
            self._qemu.kill()
            self._qemu.wait()

    @contextmanager
    def cut_at(self, moment: plug.Moment) -> Iterator[None]:
        """Has its plug pulled at this moment of what is begun within; off at the end. Broken where it does not come."""
        assert self._qemu is not None
        command = shlex.join(("python3", "-P", plug.__file__, msgspec.json.encode(moment).decode()))
        with subprocess.Popen(self._ssh(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as told:
            try:
                assert told.stdout
                if told.stdout.readline().strip() != plug.WATCHING:
                    raise Broken(f"nobody watches for {moment}")
                yield
                self._qemu.wait(_MOMENT_S)
            except subprocess.TimeoutExpired:
                raise Broken(f"{moment} had not come after {_MOMENT_S:.0f} s") from None
            finally:
                told.kill()

    def digest(self, disk: str) -> str:
        """The SHA-256 of all that is on a disk of the rack, by its name there; seen from outside."""
        return hashlib.sha256((self.folder / f"{disk}.img").read_bytes()).hexdigest()

    def power_down(self) -> None:
        """Switch it off in order. Raises Broken where it goes on."""
        assert self._qemu is not None
        self.run("systemctl poweroff", ok=(0, _NOT_CONNECTED))  # the connection may end first
        try:
            self._qemu.wait(_GOES_S)
        except subprocess.TimeoutExpired:
            self.cut()
            raise Broken(f"{self.name} still ran {_GOES_S:.0f} s after `systemctl poweroff`") from None

    def _ssh(self, command: str) -> list[str]:
        return [*_SSH, "-i", str(self.key), "-p", str(self.port), "root@127.0.0.1", command]

    def _machine(self) -> list[str]:
        """QEMU's words for all but the rack. Kernel and initramfs are those in the root's /boot, as a loader's are."""
        kernel, initramfs = self._boot_files()
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:32]
        told = f"systemd.hostname={self.name} systemd.machine_id={digest} {plug.LAB_SERVER}"
        console = f"path={self.folder / 'console'},server=on,wait=off,logfile={self.folder / 'console.log'}"
        return [
            *("qemu-system-x86_64", "-machine", "q35,usb=off", "-accel", "tcg,thread=multi", "-cpu", "max,la57=off"),
            *("-smp", str(_CPUS), "-m", str(_MEMORY_MIB), "-nodefaults", "-display", "none", "-no-reboot"),
            *("-chardev", f"socket,id=console,{console}", "-serial", "chardev:console"),
            *("-kernel", str(kernel), "-initrd", str(initramfs)),
            *("-append", f"root=LABEL=root rw console=ttyS0 net.ifnames=1 mitigations=off {_PATIENCE} {told}"),
            *("-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:22"),
            *("-device", "virtio-net-pci,netdev=net,addr=2"),
            *("-drive", f"file={self.folder / 'root.img'},format=raw,if=virtio,cache=writeback"),
            *("-virtfs", f"local,path={REPOSITORY},mount_tag=share,security_model=none,readonly=on,multidevs=remap"),
        ]

    def _boot_files(self) -> list[Path]:
        """The newest kernel of /boot and its initramfs, copied out. After a cut the root's journal is replayed first:
        debugfs reads past it.
        """
        root = self.folder / "root.img"
        subprocess.run(("e2fsck", "-y", "-E", "journal_only", str(root)), capture_output=True, check=False)
        listed = _debugfs(root, "ls -p /boot")
        names = sorted(line.split("/")[5] for line in listed.splitlines() if line.count("/") > 5)
        taken = [self.folder / "vmlinuz", self.folder / "initrd.img"]
        for name, to in zip(loaded_at_boot(names), taken, strict=True):
            _debugfs(root, f"dump /boot/{name} {to}")
        return taken

    def _wait_until_ready(self) -> None:
        """Until the console says that ssh answers. What it says is taken as it comes; only silence is an error."""
        assert self._qemu
        with _connected(self.folder / "console", self._qemu) as console:
            console.settimeout(_SILENCE_S)
            seen = ""
            while READY not in seen:
                try:
                    more = console.recv(65536)
                except TimeoutError:
                    raise Broken(f"{self.name} was silent for {_SILENCE_S:.0f} s: {_last(seen)}") from None
                if not more:
                    raise Broken(f"{self.name} ended while it booted: {_last(seen)}")
                seen += more.decode(errors="replace")


@contextmanager
def _connected(path: Path, qemu: "subprocess.Popen[bytes]") -> Iterator[socket.socket]:
    """QEMU's console; its socket is there a moment after QEMU began."""
    end_s = time.monotonic() + _SILENCE_S
    with socket.socket(socket.AF_UNIX) as console:
        while True:
            try:
                console.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if qemu.poll() is not None or time.monotonic() > end_s:
                    raise Broken(f"QEMU does not run: {(path.parent / 'qemu.log').read_text()}") from None
                time.sleep(0.1)
        yield console


def loaded_at_boot(names: Sequence[str]) -> tuple[str, str]:
    """What a boot loader takes of the names in /boot: the newest kernel and its own initramfs, not what lies beside
    that one while it is made again. Broken where one is missing.
    """
    version = next((name.removeprefix("vmlinuz-") for name in names[::-1] if name.startswith("vmlinuz-")), "")
    wanted = (f"vmlinuz-{version}", f"initrd.img-{version}")
    if missing := [name for name in wanted if name not in names]:
        raise Broken(f"/boot has no {' and no '.join(missing)}; it has {', '.join(names)}")
    return wanted


def _last(text: str) -> str:
    return "\n".join(text.splitlines()[-5:])


def _debugfs(root: Path, request: str) -> str:
    return subprocess.run(("debugfs", "-R", request, str(root)), capture_output=True, text=True, check=True).stdout


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
