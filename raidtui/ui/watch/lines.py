"""Lines of Watch: all disks as a graph in fixed columns, every device as `iostat -x` has it, with bars. Pure."""

from collections.abc import Mapping, Sequence

from raidtui.core.run.at_work import Device, DeviceLine
from raidtui.core.run.samples import DeviceTimes
from raidtui.core.units import Units, shown_in
from raidtui.ui.render.cells import Line, Piece, fit
from raidtui.ui.render.glyphs import Glyphs, round_top
from raidtui.ui.render.live_disks import mega
from raidtui.ui.render.parts import bar, big, column, columns_to_lines, join
from raidtui.ui.render.times_lines import times_heading, times_lines

GAP = 3  # columns between the newest second and the oldest
BARS_FROM = 118  # columns of the window
_BUSY = 0.95
_NAME, _RATE_BAR, _FIGURE, _COUNT, _BUSY_BAR = 9, 10, 8, 7, 8
_LABEL, _RIGHT = 22, 12
_NARROW_LABEL, _NARROW_RIGHT = 11, 8
_AGO_S = (0, 20, 40, 60, 80)
Pair = tuple[float, float]  # bytes/s read, written


def widths(width: int) -> tuple[int, int, int]:
    """Of the label, the graph and the scale beside it."""
    label, right = (_LABEL, _RIGHT) if width >= BARS_FROM else (_NARROW_LABEL, _NARROW_RIGHT)
    return label, width - label - right, right


def hero_lines(
    seconds: Sequence[Pair], count: int, rows: int, width: int, units: Units, glyphs: Glyphs
) -> tuple[Line, ...]:
    """`seconds`: oldest first, of `count` that were ever seen. The newest overwrites the oldest at the cursor, so that
    one column changes.
    """
    label, columns_wide, _ = widths(width)
    shown = seconds[-(columns_wide - GAP) :]
    top = round_top(max([1e6, *(read + write for read, write in shown)]))
    head = (count - 1) % columns_wide
    columns: list[tuple[Piece, ...]] = [((" ", ""),) * rows for _ in range(columns_wide)]
    for back, pair in enumerate(reversed(shown)):
        columns[(head - back) % columns_wide] = column(pair, top, rows, glyphs)
    columns[(head + 1) % columns_wide] = (("│", "line"),) * rows
    graph = columns_to_lines(columns)
    beside = _labels(seconds[-1] if seconds else (0.0, 0.0), label, rows, width, units, glyphs)
    unit = shown_in("sequential", units)[0]
    scale = {0: f" {mega(top, units)}{f' {unit}' if width >= BARS_FROM else ''}", rows - 1: " 0"}
    lines = [join((*left, *graph[row], (scale.get(row, ""), "dim"))) for row, left in enumerate(beside)]
    return (*lines, join(((" " * label, ""), (_ago(len(shown), head, columns_wide), "dim"))))


def _labels(now: Pair, label: int, rows: int, width: int, units: Units, glyphs: Glyphs) -> list[Line]:
    read, write = now
    total, unit = mega(read + write, units), shown_in("sequential", units)[0]
    both = (
        (fit(f" read {mega(read, units)}", label // 2), "*read"),
        (fit(f"write {mega(write, units)}", label - label // 2), "*write"),
    )
    if width >= BARS_FROM and rows >= 5:
        high = [
            (*((f" {text}", look) for text, look in line[:1]), (" " * (label - 1 - sum(len(t) for t, _ in line)), ""))
            for line in big(total, "strong", glyphs)
        ]
        lines: list[Line] = [*high, ((fit(f" {unit}, all disks", label), "*strong"),), both]
    else:
        lines = [
            ((fit(f" {total} {unit}", label), "*strong"),),
            ((fit(f" R {mega(read, units)}", label), "*read"),),
            ((fit(f" W {mega(write, units)}", label), "*write"),),
        ]
    return [*lines, *([((" " * label, ""),)] * (rows - len(lines)))][:rows]


def _ago(seconds: int, head: int, width: int) -> str:
    cells = [" "] * width
    for ago in _AGO_S:
        text = "now" if not ago else f"\N{MINUS SIGN}{ago} s"
        end = (head - ago) % width + 1  # a label ends at its second
        if ago < seconds and end >= len(text) and set(cells[end - len(text) : end]) == {" "}:
            cells[end - len(text) : end] = text
    return "".join(cells)


def table_lines(
    entries: Sequence[DeviceLine], width: int, units: Units, glyphs: Glyphs, *, figures: bool
) -> list[Line]:
    """Heading first; without bars as `iostat -x`, where there is no room for them or `figures` are asked for."""
    if figures or width < BARS_FROM:
        named = [(f"{' ' * one.is_member}{one.device.name}", one.times) for one in entries]
        lines = times_lines(named, width, units)
        return [times_heading(width, units), *map(_tailed, lines, entries)]
    tops = _tops(entries)
    return [_heading(units), *(_line(one, tops, units, glyphs) for one in entries)]


def _tops(entries: Sequence[DeviceLine]) -> Mapping[bool, float]:
    """The scale of bars of arrays, and of disks."""
    return {
        is_array: round_top(
            max(
                [
                    1e5,
                    *(
                        max(one.times.rates.read_bytes_per_s, one.times.rates.write_bytes_per_s)
                        for one in entries
                        if one.times and bool(one.device.level) == is_array
                    ),
                ]
            )
        )
        for is_array in (True, False)
    }


def _heading(units: Units) -> Line:
    unit = shown_in("sequential", units)[0]
    texts = [(" device", _NAME, False)]
    texts += [(f"{name} {unit}", _RATE_BAR + _FIGURE + 1, False) for name in ("read", "write")]
    texts += [(name, _COUNT, True) for name in ("r/s", "w/s")]
    texts += [(name, _FIGURE + 1, True) for name in ("r_await", "w_await", "aqu-sz")]
    texts += [("  %util", _BUSY_BAR + 8, False)]
    return tuple((fit(text, cells, right=right), "dim") for text, cells, right in texts)


def _line(one: DeviceLine, tops: Mapping[bool, float], units: Units, glyphs: Glyphs) -> Line:
    name_look = "*array" if one.device.level else "*warn" if one.off is not None else "*strong"
    name = (fit(f" {'  ' * one.is_member}{one.device.name}", _NAME), name_look)
    if one.times is None:
        return (name, ("no figures yet", "dim"), *_tail(one))
    rates, top = one.times.rates, tops[bool(one.device.level)]
    cells: list[Piece] = [name]
    for value, ramp, look in ((rates.read_bytes_per_s, "r5", "read"), (rates.write_bytes_per_s, "w5", "write")):
        cells += [*bar(round(value / top * _RATE_BAR * 2) / (_RATE_BAR * 2), _RATE_BAR, ramp, glyphs)]
        cells += [(fit(mega(value, units), _FIGURE, right=True), look if value else "dim"), (" ", "")]
    cells += [(fit(f"{count or 0:.0f}", _COUNT, right=True), "") for count in (rates.reads_per_s, rates.writes_per_s)]
    waits = (one.times.read_await_ms, one.times.write_await_ms, one.times.queue)
    cells += [(fit("-" if wait is None else f"{wait:.2f}", _FIGURE + 1, right=True), "") for wait in waits]
    busy = "warn" if rates.util >= _BUSY else "g5"
    share = round(rates.util * _BUSY_BAR * 2) / (_BUSY_BAR * 2)
    cells += [("  ", ""), *bar(share, _BUSY_BAR, busy, glyphs), (fit(f"{100 * rates.util:.0f} %", 6, right=True), "")]
    return join((*cells, *_tail(one)))


def _tailed(line: Line, one: DeviceLine) -> Line:
    return join((*line, *_tail(one)))


def _tail(one: DeviceLine) -> tuple[Piece, ...]:
    """How an array stands; by how much a member is unlike the others."""
    if one.device.level:
        sync = f", {one.device.sync}" if one.device.sync else ""
        if one.device.missing:
            return ((f"  {one.device.level} {one.device.missing} missing{sync}", "bad"),)
        return ((f"  {one.device.level} of {one.device.slots}{sync}", "dim"),)
    if one.off is None:
        return ()
    sign, minus = ("▼", "\N{MINUS SIGN}") if one.off < 0 else ("▲", "+")
    return ((f"  {sign} {minus}{abs(100 * one.off):.0f} %", "*warn"),)


def words(devices: Sequence[Device]) -> str:
    disks = sum(not device.level for device in devices)
    arrays = len(devices) - disks
    counted = f"{disks} disk{'' if disks == 1 else 's'}"
    return f"{counted}, {arrays} md array{'' if arrays == 1 else 's'}"


def total(devices: Sequence[Device], times: Mapping[str, DeviceTimes | None]) -> Pair:
    found = [one.rates for device in devices if not device.level and (one := times.get(device.name))]
    return sum(rate.read_bytes_per_s for rate in found), sum(rate.write_bytes_per_s for rate in found)
