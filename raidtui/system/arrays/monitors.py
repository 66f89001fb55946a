"""Whether `mdadm --monitor` runs, by command lines. Read-only."""

import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from raidtui.core.arrays.boot_files import BootFiles
from raidtui.core.arrays.monitor import Monitor
from raidtui.core.boot.distributions import SENDMAIL
from raidtui.system import doctor
from raidtui.system.arrays import boot_files
from raidtui.system.block import process_words
from raidtui.system.programs import which

_WATCH = ("--monitor", "--follow")


def here() -> Monitor:
    found = look(boot_files.read())
    return msgspec.structs.replace(found, checks=doctor.scheduled_checks(Path("/")))


def look(files: BootFiles, proc: Path = Path("/proc")) -> Monitor:
    began = [
        began_s for folder in proc.iterdir() if folder.name.isdigit() and (began_s := _began_s(folder)) is not None
    ]
    return Monitor(
        running=bool(began),
        mailaddr=files.mdadm.mailaddr,
        older=bool(began) and files.changed_s is not None and max(began) < files.changed_s,
        no_sendmail=which(SENDMAIL) is None,
    )


def is_monitor(cmdline: bytes) -> bool:
    words = [os.fsdecode(word) for word in cmdline.split(b"\0") if word]
    if not words or Path(words[0]).name != "mdadm":
        return False
    return any(_is_watch(word) for word in words[1:])


def _is_watch(word: str) -> bool:
    """As mdadm parses it: abbreviated long options, combined short ones."""
    if word.startswith("--"):
        return len(word) > 4 and any(option.startswith(word) for option in _WATCH)
    return word.startswith("-") and "F" in word


def _began_s(folder: Path) -> float | None:
    with suppress(OSError):
        if is_monitor((folder / "cmdline").read_bytes()) and (words := process_words(folder)):
            up_s = time.clock_gettime(time.CLOCK_BOOTTIME)
            return time.time() - up_s + int(words[19]) / os.sysconf("SC_CLK_TCK")
    return None
