"""The live screen of 24 disks at 1 Hz, fed by a recorded run carried on at its own pace: CPU and bytes sent."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import msgspec

from raidtui.runs.directory import SAMPLES
from tests.bench.table import Row, verdict
from tests.bench.terminal import Terminal
from tests.replay import RUNS

RECORDING, _OF_FEW = RUNS / "rack-of-24", RUNS / "raid5-of-3"
_FROM_TRIAL = "members-seq_write"
_SETTLED_S, _MEASURED_S = 5, 60
_MOST_CPU, _MOST_OF_BTOP, _MOST_SLOW_BYTES_PER_S = 0.02, 0.5, 3_000
_MOST_CPU_OF_MANY, _MOST_BYTES_PER_S_OF_24 = 0.025, 5_000
_OTHER_DISKS = (6, 100, 1000)
_MOST_BYTES_PER_S = 9_000
_BTOP_CPU, _BTOP_BYTES_PER_S = 0.004, 14_000  # where it is not installed: of btop 1.2 on a machine of 24 disks


class Watched(msgspec.Struct, frozen=True):
    """`cpu`: share of a core. `bytes_per_s`: sent to the terminal."""

    cpu: float
    bytes_per_s: float


def live() -> tuple[Row, ...]:
    """The live screen of 24 disks, and of fewer and of more."""
    return (*_of_24(), *map(_of_others, _OTHER_DISKS))


def _of_others(disks: int) -> Row:
    with _going_on(disks) as run:
        watched = _watch((sys.executable, "-m", "raidtui", "attach", str(run)), (b"detach",))
    return Row(
        f"live screen, {disks:,} disks: CPU, bytes",
        f"{watched.cpu:.2%} of a core, {watched.bytes_per_s / 1e3:.1f} KB/s",
        "",
        "",
        "",
        f"{_MOST_CPU_OF_MANY:.1%} of a core, {_MOST_BYTES_PER_S / 1e3:.0f} KB/s",
        verdict(watched.cpu <= _MOST_CPU_OF_MANY, watched.bytes_per_s <= _MOST_BYTES_PER_S),
    )


@contextmanager
def _going_on(disks: int) -> Iterator[Path]:
    """The recorded run, of so many disks, carried on while the block lasts."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "20260101T000000Z-live"
        recording = RECORDING if disks >= 24 else _OF_FEW
        argv = (sys.executable, "-m", "tests.replay", str(recording), str(run), _FROM_TRIAL, str(disks))
        replay = subprocess.Popen(argv)
        try:
            _wait_for(run / SAMPLES)
            yield run
        finally:
            replay.kill()
            replay.wait()


def _of_24() -> tuple[Row, ...]:
    """CPU and bytes of the live screen, as on a slow line, too; btop over the same minute, where it is installed."""
    with _going_on(24) as run:
        ours, slow, btop = _together(run)
    measured = f"btop, {'measured' if btop else 'not installed'}"
    ratio = ours.bytes_per_s / (btop.bytes_per_s if btop else _BTOP_BYTES_PER_S)
    return (
        Row(
            "live screen, 24 disks: CPU over 60 s",
            f"{ours.cpu:.2%} of a core",
            f"{measured}, for information",
            f"{btop.cpu:.2%}" if btop else f"about {_BTOP_CPU:.1%}",
            f"{ours.cpu / (btop.cpu if btop else _BTOP_CPU):.1f}x",
            "2 % of a core",
            verdict(ours.cpu <= _MOST_CPU),
        ),
        Row(
            "live screen, 24 disks: bytes to the terminal",
            f"{ours.bytes_per_s / 1e3:.1f} KB/s",
            measured if btop else f"{measured}: reference",
            f"{btop.bytes_per_s / 1e3:.1f} KB/s" if btop else f"{_BTOP_BYTES_PER_S / 1e3:.0f} KB/s",
            f"{ratio:.2f}x",
            f"0.5x, {_MOST_BYTES_PER_S_OF_24 / 1e3:.0f} KB/s",
            verdict(ratio <= _MOST_OF_BTOP, ours.bytes_per_s <= _MOST_BYTES_PER_S_OF_24),
        ),
        Row(
            "the same on a slow line (serial)",
            f"{slow.bytes_per_s / 1e3:.1f} KB/s",
            "the live screen on a fast line",
            f"{ours.bytes_per_s / 1e3:.1f} KB/s",
            f"{slow.bytes_per_s / ours.bytes_per_s:.2f}x",
            "3 KB/s",
            verdict(slow.bytes_per_s <= _MOST_SLOW_BYTES_PER_S),
        ),
    )


def _together(run: Path) -> tuple[Watched, Watched, Watched | None]:
    """What the live screen, the live screen on a slow line, and btop take over the same minute."""
    attach = ("attach", str(run))
    with ThreadPoolExecutor() as pool:
        ours = pool.submit(_watch, (sys.executable, "-m", "raidtui", *attach), (b"sdx",))
        slow = pool.submit(_watch, (sys.executable, "-m", "tests.bench.slow_line", *attach), (b"sdx",))
        btop = pool.submit(_watch, _btop(run.parent), ()) if shutil.which("btop") else None
        return ours.result(), slow.result(), btop.result() if btop else None


def _btop(folder: Path) -> tuple[str, ...]:
    """btop at 1 s, by a configuration of its own: an option for it came with 1.3."""
    configuration = folder / "btop" / "btop.conf"
    configuration.parent.mkdir()
    configuration.write_text("update_ms = 1000\n")
    return "env", f"XDG_CONFIG_HOME={folder}", "btop", "--utf-force"


def _watch(argv: tuple[str, ...], shown: tuple[bytes, ...]) -> Watched:
    with Terminal(argv) as terminal:
        terminal.until(shown)
        terminal.listen(_SETTLED_S)
        cpu_s, sent, began_s = terminal.cpu_s(), len(terminal.sent), time.perf_counter()
        terminal.listen(_MEASURED_S)
        took_s = time.perf_counter() - began_s
        return Watched((terminal.cpu_s() - cpu_s) / took_s, (len(terminal.sent) - sent) / took_s)


def _wait_for(path: Path, seconds: float = 30) -> None:
    end_s = time.monotonic() + seconds
    while not path.exists() or path.stat().st_size < 1 << 11:
        if time.monotonic() > end_s:
            raise TimeoutError(f"{path} does not grow")
        time.sleep(0.1)
