"""Every device's second as `iostat -x` writes it: requests, bytes, latency, queue depth. Pure."""

from collections.abc import Sequence

from raidtui.core.run.samples import DeviceTimes
from raidtui.core.units import Units, shown_in
from raidtui.ui.render.cells import Line, fit
from raidtui.ui.render.live_disks import mega

_NAME, _FIGURE, _WIDE = 9, 8, 96  # cells; from so many on discards and flushes have room
MEANINGS = (
    "As `iostat -x 1`. r/s, w/s: reads and writes completed per second; await: their mean latency in ms; aqu-sz: mean"
    " queue depth; %util: time with any request outstanding. d/s, f/s: discards and flushes. -: none, or not counted."
    " An array's values are of its own requests."
)


def times_heading(width: int, units: Units) -> Line:
    mega_name = shown_in("sequential", units)[0]
    names: tuple[str, ...] = ("r/s", "w/s", f"r{mega_name}", f"w{mega_name}", "r_await", "w_await", "aqu-sz", "%util")
    names += ("d/s", "f/s") if width >= _WIDE else ()
    return ((fit(" device", _NAME), "dim"), *((fit(name, _FIGURE, right=True), "dim") for name in names))


def times_lines(devices: Sequence[tuple[str, DeviceTimes | None]], width: int, units: Units) -> list[Line]:
    return [_line(name, found, width, units) for name, found in devices]


def _line(name: str, found: DeviceTimes | None, width: int, units: Units) -> Line:
    title = (fit(f" {name}", _NAME), "strong")
    if found is None:
        return (title, (fit("gone", _FIGURE, right=True), "dim"))
    rates = found.rates
    figures = [
        (_count(rates.reads_per_s), "read"),
        (_count(rates.writes_per_s), "write"),
        (mega(rates.read_bytes_per_s, units), "read"),
        (mega(rates.write_bytes_per_s, units), "write"),
        (_ms(found.read_await_ms), "read"),
        (_ms(found.write_await_ms), "write"),
        (_ms(found.queue), ""),
        (f"{100 * rates.util:.0f}", "util"),
    ]
    if width >= _WIDE:
        figures += [(_count(found.discards_per_s), ""), (_count(found.flushes_per_s), "")]
    return (title, *((fit(text, _FIGURE, right=True), look) for text, look in figures))


def _count(per_s: float | None) -> str:
    return "-" if per_s is None else f"{per_s:.0f}"


def _ms(value: float | None) -> str:
    """Three digits of it, as far as there are."""
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"
