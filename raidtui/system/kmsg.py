"""Records of the kernel log; parsed in `core.run.kernel`."""

import errno
import os
from contextlib import suppress

_DEVICE = "/dev/kmsg"
_RECORD_BYTES = 8192  # the kernel's own limit of one (kernel/printk: CONSOLE_EXT_LOG_MAX)
_MOST_RECORDS = 10_000  # records of one look


def so_far() -> tuple[list[str], str]:
    """Of this boot, oldest first; or the reason why unreadable."""
    log = KernelLog(os.SEEK_SET)
    records = log.read()
    log.close()
    return records, log.why_not


class KernelLog:
    """From now on, or from the start (SEEK_SET). `why_not`: why unreadable, or ""."""

    def __init__(self, whence: int = os.SEEK_END) -> None:
        self.why_not = ""
        self._file = -1
        try:
            self._file = os.open(_DEVICE, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.lseek(self._file, 0, whence)
        except OSError as error:
            self.why_not = f"{_DEVICE}: {error.strerror}"

    def read(self) -> list[str]:
        """New records; overwritten ones are lost."""
        records: list[str] = []
        while self._file >= 0 and not self.why_not and len(records) < _MOST_RECORDS:
            try:
                records.append(os.read(self._file, _RECORD_BYTES).decode(errors="replace"))
            except OSError as error:
                if error.errno != errno.EPIPE:  # EAGAIN: no more of them
                    break
        return records

    def close(self) -> None:
        with suppress(OSError):
            os.close(self._file)
