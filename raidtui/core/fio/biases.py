"""What makes a figure of somebody else's fio another one than its disks': one table, option -> sentence.

Source: fio's manual.
"""

from collections.abc import Callable, Iterator, Mapping

SYNCHRONOUS = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
_NO_STORAGE = frozenset({"null", "cpuio", "filecreate", "filedelete", "filestat"})
_OFF = ("0", "false", "")


def _is_on(value: str) -> bool:
    return value not in _OFF


def _number(value: str) -> bool:
    return any(digit in value for digit in "123456789")


# Option, its value where it is not given, whether a value biases the figure, and how.
_BIASES: tuple[tuple[str, str, Callable[[str], bool], str], ...] = (
    ("ioengine", "", lambda value: value in _NO_STORAGE, "engine {}: no disk was used"),
    ("direct", "0", lambda value: not _is_on(value), "page cache included (direct=0)"),
    ("invalidate", "1", lambda value: not _is_on(value), "cached blocks were not dropped before (invalidate=0)"),
    ("pre_read", "0", _is_on, "the file was read into the page cache before (pre_read)"),
    ("zero_buffers", "0", _is_on, "zeros were written: compression and thin disks store none (zero_buffers)"),
    ("buffer_compress_percentage", "0", _number, "{} % compressible data was written (buffer_compress_percentage)"),
    ("dedupe_percentage", "0", _number, "{} % of the data was duplicates (dedupe_percentage)"),
    ("rate", "", _number, "limited to {} (rate): not the most that the disks do"),
    ("rate_iops", "", _number, "limited to {} IOPS (rate_iops): not the most that the disks do"),
    ("thinktime", "0", _number, "paused {} µs between I/Os (thinktime): not the most that the disks do"),
)


def biases(options: Mapping[str, str]) -> Iterator[str]:
    """Sentences, for job options as fio printed them; nothing without any (fio up to 2.2)."""
    for option, usual, biased, words in _BIASES if options else ():
        value = options.get(option, usual)
        if biased(value):
            yield words.format(value)
