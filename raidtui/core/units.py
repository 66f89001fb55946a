"""Bytes, rates, times: parsing and formatting. MB is 10^6, MiB 2^20 bytes. Rounded only for display."""

import enum
import re
from collections.abc import Sequence
from fractions import Fraction

from raidtui.core.text import brief

KB, MB, GB, TB = (10 ** (3 * power) for power in (1, 2, 3, 4))
MINUS = "\N{MINUS SIGN}"
KIB, MIB, GIB, TIB = (2 ** (10 * power) for power in (1, 2, 3, 4))

_HISTOGRAM_TOP_NS = 17_112_760_320  # fio's last bin since 3.0, where everything longer is counted too (stat.h)

_ACCEPTED = "write bytes (1000204886016), a disk's size (1.2TB, 931GiB) or a chunk (512K = 512 KiB)"
_NUMBER = re.compile(r"\s*([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([a-zA-Z]*)\s*")
_FACTORS = {
    "": 1,
    "b": 1,
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgtpe", start=1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgtpe", start=1)},
    **{letter: 1024**power for power, letter in enumerate("kmgtpe", start=1)},
}


class Units(enum.Enum):
    """Decimal (TB, as on labels) or binary (TiB)."""

    DECIMAL = "decimal"
    BINARY = "binary"

    def other(self) -> "Units":
        return Units.BINARY if self is Units.DECIMAL else Units.DECIMAL


_STEPS = {
    Units.DECIMAL: (1000, ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB")),
    Units.BINARY: (1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB")),
}


def parse_bytes(text: str) -> int:
    """Bytes. With B decimal (1.2TB), with iB binary (931GiB), bare K, M, G, T binary as in mdadm (64K).
    Case-insensitive; fractions of bytes are dropped. ValueError: one sentence with the text and accepted forms.
    """
    match = _NUMBER.fullmatch(text)
    factor = _FACTORS.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise ValueError(f"{brief(repr(text))} is not a size; {_ACCEPTED}")
    return int(Fraction(match[1]) * factor)


def parse_disks(text: str) -> tuple[int, ...]:
    """SIZE or SIZExN ("1.2TBx24", up to 9999), in bytes. ValueError as `parse_bytes`."""
    size, times, count = text.lower().partition("x")
    if times and not re.fullmatch(r"\s*[1-9][0-9]{0,3}\s*", count):
        raise ValueError(f"{brief(repr(text))}: not SIZExN; use e.g. 1.2TBx24")
    return (parse_bytes(size),) * int(count or 1)


def parse_bytes_per_s(text: str) -> int:
    try:
        return parse_bytes(text.strip().removesuffix("/s"))
    except ValueError:
        raise ValueError(f"{brief(repr(text))} is not a rate: write it as 94MB/s or 90MiB/s.") from None


def _three_digits(value: Fraction) -> str:
    """4.00, 28.8, 931, 1020."""
    if round(value, 2) < 10:
        return f"{float(value):.2f}"
    if round(value, 1) < 100:
        return f"{float(value):.1f}"
    return f"{round(value)}"


def _scaled(value: Fraction, base: int, names: Sequence[str]) -> tuple[Fraction, str]:
    """In the largest of `names` (steps of `base`) with a value of 1 or more."""
    for name in names[:-1]:
        if round(value) < base:
            return value, name
        value /= base
    return value, names[-1]


def _sized(value: Fraction, units: Units) -> str:
    base, names = _STEPS[units]
    number, name = _scaled(value, base, names)
    return f"{round(number) if name == 'B' else _three_digits(number)} {name}"


def format_bytes(size_bytes: int, units: Units = Units.DECIMAL) -> str:
    """ "4.00 TB", "3.64 TiB"."""
    return _sized(Fraction(size_bytes), units)


def format_round(size_bytes: int) -> str:
    """Of a chosen size: 512 KiB, 1 MiB."""
    number, unit = format_bytes(size_bytes, Units.BINARY).split()
    return f"{float(number):g} {unit}"


def format_rate(bytes_per_s: float, units: Units = Units.DECIMAL) -> str:
    """ "94.0 MB/s", "89.6 MiB/s"."""
    return _sized(Fraction(bytes_per_s), units) + "/s"


def both(size_bytes: int) -> str:
    """ "28.8 TB = 26.2 TiB"."""
    return f"{format_bytes(size_bytes, Units.DECIMAL)} = {format_bytes(size_bytes, Units.BINARY)}"


def format_iops(iops: float) -> str:
    """ "7.3", "343", "9120", "12.3k", "1.25M"."""
    if round(iops) >= 10_000:
        number, name = _scaled(Fraction(iops), 1000, ("", "k", "M", "G"))
        return _three_digits(number) + name
    return f"{iops:.1f}".removesuffix(".0") if round(iops, 1) < 100 else f"{round(iops)}"


def format_latency(latency_ns: float) -> str:
    """ "0.85 µs", "12.3 µs", "4.56 ms", "1.20 s"."""
    number, name = _scaled(Fraction(latency_ns) / 1000, 1000, ("µs", "ms", "s"))
    return f"{_three_digits(number)} {name}"


def shown_in(kind: str, units: Units = Units.DECIMAL) -> tuple[str, float]:
    """Unit of a kind of test, and its size."""
    if kind == "random":
        return "IOPS", 1.0
    return ("MB/s", MB) if units is Units.DECIMAL else ("MiB/s", MIB)


def format_number(value: float | None, scale: float = 1.0) -> str:
    """One decimal, whole from 10,000 on; "" for None."""
    if value is None:
        return ""
    scaled = value / scale
    return f"{scaled:.0f}" if scaled >= 10_000 else f"{scaled:.1f}"


def format_ms(latency_ns: float | None) -> str:
    """At least three digits; ≥ at the top of fio's histogram."""
    if latency_ns is None:
        return ""
    value = latency_ns / 1e6
    words = f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"
    return f"≥ {words}" if latency_ns == _HISTOGRAM_TOP_NS else words


def format_percent(share: float | None, decimals: int = 0) -> str:
    """Without unit; "" for None."""
    return "" if share is None else f"{100 * share:.{decimals}f}"


def signed_percent(share: float) -> str:
    """`+12`, `-3`; 0 without sign."""
    percent = round(100 * share)
    return f"{percent:+d}" if percent else "0"


def change(share: float) -> str:
    """A share more or less, as screens have it: `+36 %`, with a minus sign."""
    return f"{signed_percent(share)} %".replace("-", MINUS)


def format_duration(duration_s: float) -> str:
    """At most two units: "0.4 s", "45 s", "3 min 20 s", "2 h 05 min", "3 d 04 h"."""
    if round(duration_s, 1) < 10:
        return f"{duration_s:.1f}".removesuffix(".0") + " s"
    seconds = round(duration_s)
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if days:
        return f"{days} d {hours % 24:02} h"
    if hours:
        return f"{hours} h {minutes % 60:02} min"
    if minutes:
        return f"{minutes} min {seconds % 60:02} s"
    return f"{seconds} s"
