"""Boots the practice kernel. Talks to the guest ("up", "status N") and the warden (SIGTERM: halt)."""

import os
import selectors
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from shlex import join
from types import FrameType
from typing import IO

from raidtui.practice import guest_settings, shim, warden
from raidtui.practice.console import Console, LostError, console
from raidtui.practice.errors import BootError, PracticeError
from raidtui.practice.jail import NEST
from raidtui.practice.rack import Rack
from raidtui.practice.refusal import Kernel, installed_kernel, refusal
from raidtui.practice.warden import covered, folders_shown, outermost

_COMES_UP_WITHIN_S = 90.0
HALTS_WITHIN_S = 60.0  # after the command's status, which follows what the guest writes back: rarely, a kernel stays
_TELLS_EACH_S = 1.0  # until the guest shows something
_LOG_TAIL_BYTES = 2000
_PACKAGE_FOLDER = Path(__file__).parent


def boot(
    rack: Rack,
    command: Sequence[str],
    out_dir: Path,
    *,
    keep_disks: Path | None = None,
    systemd: bool = False,
    kernel: Kernel | None = None,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Exit status of `command`, run as root in the guest on this terminal or without. `out_dir`: its /var/lib/raidtui,
    with `keep_disks` its only writable places. `keep_disks`: disks are files there, with content, serial and WWN for
    the next boot. `systemd`: as first process. `kernel`: instead of the installed one. 128 + N after signal N.
    PracticeError: impossible here; BootError: did not boot. Signals only in the main thread.
    """
    reason = refusal()
    if reason:
        raise PracticeError(reason)
    kernel = kernel or installed_kernel()
    assert kernel is not None  # refusal() has looked
    out_dir.mkdir(parents=True, exist_ok=True)
    memory_bytes = rack.memory_bytes or rack.needed_bytes(with_content=keep_disks is None)
    empty, reachable = reach(kernel)
    control, guest_control = socket.socketpair()
    with tempfile.TemporaryFile() as log, closing(control), closing(guest_control), console() as screen:
        process = warden.start(
            warden.Sentence(
                argv=[
                    *guest_settings.kernel_arguments(kernel.program, memory_bytes, terminal=screen.master is not None),
                    *kernel.words,
                ],
                environment={"LD_PRELOAD": f"{NEST}/shim.so", "TMPDIR": "/dev/shm"},
                files={"init": str(_PACKAGE_FOLDER / "guest-init"), "shim.so": str(shim.library())},
                texts={
                    "command": f"exec {join(command)}\n",
                    "environment": guest_settings.environment_text(os.environ, environment or {}),
                    "settings": guest_settings.settings_text(
                        rack,
                        kernel.modules,
                        _directory(empty, reachable),
                        guest_settings.folders_in_tmp(reachable),
                        screen.screen,
                        keep_disks=keep_disks is not None,
                        systemd=systemd,
                    ),
                },
                writable={"out": str(out_dir)} | ({"disks": str(keep_disks)} if keep_disks else {}),
                covered=[str(place) for place in empty],
                shown=[str(folder) for folder in reachable],
                memory_bytes=memory_bytes,
                descriptors=(guest_control.fileno(), *screen.guest),
                control=control.fileno(),
            ),
            log,
        )
        try:
            guest_control.close()
            screen.started()
            with _signals(process, control, screen) as caught:
                ending = _see_through(process, control, screen, caught)
        finally:
            _end_process(process)
        return _verdict(ending, caught, log)


def reach(kernel: Kernel) -> tuple[list[Path], list[Path]]:
    """Covered places, and folders shown despite: command, Python, program, kernel. For root also the nearest folder not
    passable by all, where the jail's root is nobody.
    """
    of_python = (sys.prefix, sys.base_prefix, _PACKAGE_FOLDER.parent.parent, _PACKAGE_FOLDER.parent)
    folders_needed = (Path.cwd(), *of_python, kernel.program.parent, kernel.modules)
    names = [Path(place).absolute() for place in folders_needed]
    folders = dict.fromkeys(folder.resolve() for folder in names)
    empty = [place.resolve() for place in covered(Path("/etc/passwd").read_text(errors="replace"), Path.home())]
    if os.geteuid() == 0:
        for folder in folders:
            empty += [parent for parent in reversed(folder.parents) if not parent.stat().st_mode & stat.S_IXOTH][:1]
    hidden_names = [name for name in names if any(name.is_relative_to(place) for place in empty)]
    return outermost(empty), folders_shown([*folders, *hidden_names], empty)


def _directory(empty: Sequence[Path], reachable: Sequence[Path]) -> Path:
    """Here, or / if hidden, as a home is."""
    working_folder = Path.cwd()
    hidden = any(working_folder.is_relative_to(place) for place in empty)
    return (
        Path("/")
        if hidden and not any(working_folder.is_relative_to(folder) for folder in reachable)
        else working_folder
    )


@dataclass
class _Ending:
    """What the guest reported, and when the next report is due."""

    due: float
    up: bool = False
    status: int | None = None
    lost: bool = False

    def hear(self, line: bytes) -> None:
        word, _, argument = line.partition(b" ")
        if word == b"up":
            self.up, self.due = True, inf
        elif word == b"status" and argument.isdigit() and self.status is None:  # at "halt" another comes
            self.status, self.due = int(argument), time.monotonic() + HALTS_WITHIN_S


def _received(control: socket.socket) -> bytes:
    """b"" if gone, even with unread input."""
    try:
        return control.recv(4096)
    except ConnectionResetError:
        return b""


def _see_through(
    process: subprocess.Popen[bytes], control: socket.socket, screen: Console, caught: list[int]
) -> _Ending:
    begun_s = time.monotonic()
    ending, heard = _Ending(due=begun_s + _COMES_UP_WITHIN_S), b""
    ended = os.pidfd_open(process.pid)
    with selectors.DefaultSelector() as selector:
        for source in (ended, control.fileno(), *screen.routes):
            selector.register(source, selectors.EVENT_READ)
        running = True
        while running or selector.get_map():
            left_s = None if ending.due == inf else max(0.0, ending.due - time.monotonic())
            step = "its program starts" if ending.up else "boot, virtual disks"
            screen.tell(f"Practice kernel: {step}, {time.monotonic() - begun_s:.0f} s")
            soon_s = min(_TELLS_EACH_S, left_s or _TELLS_EACH_S) if screen.is_dark and left_s != 0.0 else left_s
            events = selector.select(soon_s if running else 0)
            if not events and (not running or left_s == 0.0):
                if not running:
                    break
                process.terminate()
                ending.due = inf
            for key, _ in events:
                source = key.fd
                if source not in selector.get_map():  # the kernel has ended, or the terminal is gone
                    continue
                if source == ended:
                    running = False
                    selector.unregister(ended)
                    if sys.stdin and sys.stdin.fileno() in selector.get_map():
                        selector.unregister(sys.stdin.fileno())
                elif source == control.fileno():
                    message = _received(control)
                    *lines, heard = (heard + message).split(b"\n")
                    for line in lines:
                        ending.hear(line)
                    if not message:
                        selector.unregister(source)
                else:
                    try:
                        if not screen.copy(source):
                            selector.unregister(source)
                    except LostError:
                        selector.unregister(source)
                        ending.lost = True
                        process.terminate()
    os.close(ended)
    return ending


@contextmanager
def _signals(process: subprocess.Popen[bytes], control: socket.socket, screen: Console) -> Iterator[list[int]]:
    """Fatal signals end the kernel first. Handlers act by themselves: the loop may block on a terminal."""
    caught = []

    def stop(number: int, _frame: FrameType | None) -> None:
        caught.append(number)
        process.terminate()

    def resize(_number: int, _frame: FrameType | None) -> None:
        screen.fit()
        size = screen.screen
        if size:
            with suppress(OSError):  # the kernel is ending
                control.send(f"size {size.rows} {size.columns}\n".encode())

    handlers = {signal.SIGHUP: stop, signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGWINCH: resize}
    old_handlers = {}
    try:
        for number, handler in handlers.items():
            old_handlers[number] = signal.signal(number, handler)
    except ValueError:
        old_handlers = {}  # not the main thread: its signals are not ours to take
    try:
        yield caught
    finally:
        for number, old in old_handlers.items():
            signal.signal(number, old)


def _end_process(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    process.wait()


def _verdict(ending: _Ending, caught: Sequence[int], log: IO[bytes]) -> int:
    if caught:
        return 128 + caught[0]
    if ending.lost:
        return 128 + signal.SIGHUP
    if ending.status is not None:
        return ending.status
    log.seek(max(0, log.seek(0, os.SEEK_END) - _LOG_TAIL_BYTES))
    tail = log.read().decode(errors="replace").strip()
    reason = "ended before its command had" if ending.up else "did not come up"
    raise BootError(f"The practice kernel {reason}.", tail)
