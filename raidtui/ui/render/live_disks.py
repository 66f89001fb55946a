"""What lies on the axis: the array's graph, every disk as a graph, a row of heat, half a row, or a tile. Pure."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.disks.disk import marks
from raidtui.core.plan.model import Plan
from raidtui.core.run.proof import out_now
from raidtui.core.run.state import RunState
from raidtui.core.units import Units, change, format_iops, format_rate, shown_in
from raidtui.ui.render.axis import AxisPiece
from raidtui.ui.render.cells import Glyphs, Line, Piece, fit, fit_end, fit_right, of_terminal, round_top
from raidtui.ui.render.parts import column, columns_to_lines, heat, join, tone
from raidtui.ui.render.rates import AxisColumn, Pair, Track, Unlike, pair_of, steady, unlike

FormKind = Literal["graphs", "rows", "halves", "tiles"]
_MOST_GRAPHS, _LEAST_GRAPH, _MOST_GRAPH = 10, 3, 6  # disks; lines of each
_LABEL, _LABEL_NARROW = 21, 9
_TILE, _MIDDLE, _BRIEF_FROM = 7, 0.45, 10.0  # cells; tone of the median, as a share; a rate that is rounded
_NAMED = 3  # of the disks that differ
_HATCH = "╱"  # noqa: RUF001


class DiskTitle(msgspec.Struct, frozen=True):
    name: str
    model: str = ""
    serial: str = ""


def titles_of(plan: Plan, state: RunState) -> dict[str, DiskTitle]:
    resolved = state.worker.resolved if state.worker else {}
    marked = marks(plan.disks)
    return {
        member.id: DiskTitle(resolved.get(member.id, member.name).rpartition("/")[2], member.model, marked[member.id])
        for member in plan.disks
    }


def seen_of(plan: Plan, state: RunState, track: Track, piece: AxisPiece | None) -> Unlike:
    """The newest second's disks, without those that wait beside the array or are out of it on purpose."""
    apart = sum(stage.spares + stage.journals for stage in plan.stages[max(0, state.stage) :][:1])
    identities = {plan.members[index].id for index in out_now(plan, state)}
    out = frozenset(at for at, slot in enumerate(track.members) if slot in identities)
    return unlike(track, piece, apart if state.array else 0, out)


def mega(bytes_per_s: float, units: Units) -> str:
    """A rate as a number alone, in MB/s or MiB/s; the heading names which."""
    number = bytes_per_s / shown_in("sequential", units)[1]
    return f"{number:.1f}" if number < 1000 else f"{number:.0f}"


def figure(value: float | None, piece: AxisPiece | None, units: Units, absent: str = "gone") -> str:
    if value is None:
        return absent
    return format_iops(value) if piece is not None and piece.is_random else mega(value, units)


def unit_of(piece: AxisPiece | None, units: Units) -> str:
    return "IOPS" if piece is not None and piece.is_random else shown_in("sequential", units)[0]


class Form(msgspec.Struct, frozen=True):
    """How disks are drawn: `lines` of each, `shown` at once, `height` of all, `label` cells before the axis, `name` of
    them for a name, `right` behind it, a `tile` wide.
    """

    kind: FormKind
    lines: int
    shown: int
    height: int
    label: int
    right: int
    name: int = 4
    tile: int = 0


def form_of(names: Sequence[str], width: int, room: int, wanted: FormKind | None = None, wide: bool = True) -> Form:
    """The one that shows the most of all disks in `room` lines of `width`, or the `wanted` one, in pages."""
    disks, name = max(1, len(names)), max(map(len, names), default=3)
    high = min(_MOST_GRAPH, room // disks)
    halves = (disks + 1) // 2
    fitting: FormKind = (
        "graphs" if disks <= _MOST_GRAPHS and high >= _LEAST_GRAPH else
        "rows" if disks <= room else "halves" if halves <= room else "tiles"
    )  # fmt: skip
    kind: FormKind = wanted or fitting
    if kind == "rows" and wanted and disks > room >= halves:
        kind = "halves"
    label = max(_LABEL, name + 12) if wide else max(_LABEL_NARROW, name + 9)
    if kind == "tiles":
        tile = max(name + 3, _TILE)
        across = max(1, width // tile)
        lines = 3 if -(-disks // across) * 3 <= room else 2
        return Form(kind, lines, across * max(1, room // lines), room, label, 12 if wide else 9, name + 1, tile)
    if kind == "halves":
        label = max(_LABEL, 2 * name + 2) if wide else max(_LABEL_NARROW, 2 * name + 2)
        return Form(kind, 1, 2 * min(halves, room), min(halves, room), label, 14 if wide else 10, label // 2)
    lines = max(_LEAST_GRAPH, high) if kind == "graphs" else 1
    shown = min(disks, max(1, room // lines))
    return Form(kind, lines, shown, lines * shown, label, 12 if wide else 9, name + 1)


def next_form(form: Form) -> FormKind:
    return {"graphs": "tiles", "tiles": "rows", "rows": "graphs", "halves": "graphs"}[form.kind]  # type: ignore[return-value]


def label_lines(
    form: Form, titles: Sequence[DiskTitle], first: int, seen: Unlike, piece: AxisPiece | None, track: Track,
    units: Units, cursor: int, wide: bool,
) -> tuple[Line, ...]:  # fmt: skip
    """Before the axis: names and rates, of graphs % busy, model and serial too."""
    lines: list[Line] = []
    shown = range(first, min(first + form.shown, len(titles)))
    if form.kind == "halves":
        for number in shown[::2]:
            pair = [at for at in (number, number + 1) if at < len(titles)]
            lines.append(join((fit(titles[at].name, form.name), _name_look(at, seen, cursor)) for at in pair))
        return tuple(lines)
    for number in shown:
        off = number in seen.off
        latest = track.latest(track.members[number])
        look = "*warn" if off else _direction(pair_of(latest, piece) if latest else None)
        now = "out" if number in seen.out else figure(seen.values[number], piece, units, seen.absent)
        value = fit_right(now, 7 if wide else 6)
        mark = " ▲" if seen.off.get(number, 0.0) > 0 else " ▼" if off else ""
        mark += f" {change(seen.off[number])}" if off and wide else ""
        lines.append(
            join(
                (
                    (fit(titles[number].name, form.name), _name_look(number, seen, cursor)),
                    (value, look),
                    (mark, "*warn"),
                )
            )
        )
        if form.lines > 1:
            unit = "" if number in seen.out else f" {unit_of(piece, units)}"
            fits = form.name + len(value) + len(mark) + len(unit) < form.label
            lines[-1] = join((*lines[-1], (unit if wide and fits else "", "dim")))
            both = f"{titles[number].model} {titles[number].serial}".strip()
            identity = (both,) if len(both) < form.label else (titles[number].serial, titles[number].model)
            texts = (f"{round(100 * latest.util)} % busy" if latest else "", *identity, *[""] * form.lines)
            lines += [((fit_end(text, form.label - 1), "dim"),) for text in texts[: form.lines - 1]]
    return tuple(lines)


def _name_look(number: int, seen: Unlike, cursor: int) -> str:
    return "!*strong" if number == cursor else "*warn" if number in seen.off else ""


def _direction(pair: Pair | None) -> str:
    return "lost" if not pair or not sum(pair) else "*write" if pair[1] > pair[0] else "*read"


def right_lines(
    form: Form, disks: int, first: int, seen: Unlike, piece: AxisPiece | None, units: Units, wide: bool
) -> tuple[Line, ...]:
    """Behind the axis: of two in a row their rates, in a narrow window how far off a disk is."""
    shown = range(first, min(first + form.shown, disks))
    lines: list[Line] = []
    if form.kind == "halves":
        for number in shown[::2]:
            cells: list[Piece] = []
            for at in (number, number + 1):
                if at < disks:
                    off = seen.off.get(at, 0.0)
                    text = figure(seen.values[at], piece, units, seen.absent)
                    text = text if len(text) < form.right // 2 else text[: form.right // 2 - 1].rstrip(".")
                    mark = "▼" if off < 0 else "▲" if off else " "
                    cells.append((mark + fit_right(text, form.right // 2 - 1), "*warn" if off else ""))
            lines.append(join(cells))
        return tuple(lines)
    for number in shown:
        off = seen.off.get(number, 0.0)
        lines.append(((f" {change(off)}", "*warn"),) if off and not wide else ())
        lines += [()] * (form.lines - 1)
    return tuple(lines)


def graph_lines(
    columns: Sequence[AxisColumn | None], place: tuple[int, int], gap: int, top: float, rows: int,
) -> tuple[Line, ...]:  # fmt: skip
    """One piece of the array's graph."""
    blank = ((" ", ""),) * rows
    ahead = (*blank[1:], ("┄", "lost"))
    drawn = [column(one.whole, top, rows) if one else blank for one in columns]
    return columns_to_lines([blank] * gap + (drawn + [ahead] * place[1])[: place[1]])


def piece_lines(
    form: Form, piece: AxisPiece, columns: Sequence[AxisColumn | None], place: tuple[int, int], gap: int, first: int,
    disks: int,
) -> tuple[Line, ...]:  # fmt: skip
    """A piece of the axis for every disk, `gap` cells behind the one before. Each test has a scale of its own: its
    fastest disk. One that is over is one tone a disk.
    """
    wide = place[1]
    shown = range(first, min(first + form.shown, disks))
    blank: Line = ((" " * gap, ""),)
    if piece.fault and columns:
        hatched: Line = ((" " * gap + _HATCH * max(1, wide - 1), "lost"),)
        return (hatched,) * form.height
    if not columns:
        return (blank,) * form.height
    is_over = bool(piece.rw and piece.ended_s)
    drawn: list[list[Pair | None]] = []
    for number in shown:
        if is_over:
            drawn.append([steady(columns, number)] * max(1, wide - 1))
        else:
            drawn.append([one.disks[number] if one else None for one in columns])
    most = max((sum(pair) for row in drawn for pair in row if pair), default=0.0)
    top = most if is_over else round_top(max(1.0, most))
    glyphs = of_terminal()
    if form.kind == "graphs":
        lines: list[Line] = []
        for row in drawn:
            of_one = [column(pair, top, form.lines) if pair else ((" ", ""),) * form.lines for pair in row]
            lines += [join((*blank, *line)) for line in columns_to_lines(of_one)]
        return tuple(lines)
    if form.kind == "halves":
        nobody: list[Pair | None] = [None] * len(drawn[0])
        below = [*drawn[1::2], nobody]
        return tuple(
            join((*blank, *_two(upper, lower, top, is_over, glyphs)))
            for upper, lower in zip(drawn[::2], below, strict=False)
        )
    return tuple(join((*blank, *(_warmth(pair, top, glyphs) for pair in row))) for row in drawn)


def _warmth(pair: Pair | None, top: float, glyphs: Glyphs) -> Piece:
    return heat(sum(pair) / top if pair and top else None, _ramp(pair), glyphs)


def _ramp(pair: Pair | None) -> str:
    return "w" if pair and pair[1] > pair[0] else "r"


def _two(
    upper: Sequence[Pair | None], lower: Sequence[Pair | None], top: float, is_over: bool, glyphs: Glyphs
) -> list[Piece]:
    """Half blocks: the upper half is the first disk. Where there are none, the left half or every other column."""
    cells: list[Piece] = []
    for number, (above, below) in enumerate(zip(upper, lower, strict=True)):
        if not glyphs.grounds:
            second = number >= len(upper) / 2 if is_over else number % 2
            cells.append(_warmth(below if second else above, top, glyphs))
            continue
        tones = [tone(sum(pair) / top if pair and top else None) for pair in (above, below)]
        looks = [f"{_ramp(pair)}{step}" if step else "" for pair, step in zip((above, below), tones, strict=True)]
        if looks[0] == looks[1]:
            cells.append((" ", f"/{looks[0]}" if looks[0] else ""))
        elif looks[0] and looks[1]:
            cells.append(("▀", f"{looks[0]}/{looks[1]}"))
        else:
            cells.append(("▀", looks[0]) if looks[0] else ("▄", looks[1]))
    return cells


def tile_lines(
    form: Form, titles: Sequence[DiskTitle], first: int, width: int, seen: Unlike, piece: AxisPiece | None,
    track: Track, units: Units, cursor: int,
) -> tuple[Line, ...]:  # fmt: skip
    """Name above rate; the median has the middle tone."""
    across, glyphs = max(1, width // form.tile), of_terminal()
    lines: list[Line] = []
    shown = list(range(first, min(first + form.shown, len(titles))))
    for start in range(0, len(shown), across):
        names: list[Piece] = []
        rates: list[Piece] = []
        for number in shown[start : start + across]:
            value, off = seen.values[number], seen.off.get(number, 0.0)
            latest = track.latest(track.members[number])
            step = tone((value or 0.0) / seen.middle * _MIDDLE if seen.middle else None)
            look = f"on/{_ramp(pair_of(latest, piece) if latest else None)}{step}" if step else ""
            look = ("*on/warn" if off else look) if glyphs.grounds else ("strong" if off else "")
            mark = "▼" if off < 0 else "▲" if off else " "
            names.append((fit(f"▏{titles[number].name}", form.tile), _name_look(number, seen, cursor)))
            rates.append((f"▏{mark}{fit_right(_brief(value, piece, units, seen.absent), form.tile - 3)} ", look))
        lines += [join(names), join(rates), *[()] * (form.lines - 2)]
    return tuple(lines)


def _brief(value: float | None, piece: AxisPiece | None, units: Units, absent: str) -> str:
    """Whole numbers: a rate that changes less often costs a line less."""
    text = figure(value, piece, units, absent)
    number, unit = (text[:-1], text[-1]) if text.endswith(("k", "M", "G")) else (text, "")
    return f"{float(number):.0f}{unit}" if number[:1].isdigit() and float(number) >= _BRIEF_FROM else text


KEY: Piece = ("   stronger: faster in its test   ╱╱ failed", "dim")  # noqa: RUF001


def group_pieces(groups: Sequence[Sequence[int]], seen: Unlike, piece: AxisPiece | None, units: Units) -> list[Piece]:
    """What each group's members do together in this second, by their places; nothing without groups."""
    if not groups:
        return []
    rates = (sum(seen.values[at] or 0 for at in group if at < len(seen.values)) for group in groups)
    by_group = " · ".join(f"g{number} {figure(rate, piece, units)}" for number, rate in enumerate(rates, 1))
    return [(by_group, ""), (f" {unit_of(piece, units)}   ", "dim")]


def verdict_pieces(
    titles: Sequence[DiskTitle], shown: str, seen: Unlike, piece: AxisPiece | None, units: Units, has_rates: bool
) -> list[Piece]:
    """The line above the disks: how many, and which of them differ in this second."""
    cells = [(f"{len(titles):,} disks" if len(titles) != 1 else "1 disk", "*strong"), ("   ", "")]
    if shown:
        cells[0] = (shown, "*strong")
    unit = unit_of(piece, units)
    values = sorted(value for at, value in enumerate(seen.values) if value is not None and at not in seen.out)
    if not has_rates:
        return [*cells, ("no samples yet", "dim")]
    if seen.off:
        names = ", ".join(
            f"{titles[at].name} {figure(seen.values[at], piece, units)} {unit}, {change(off)}"
            for at, off in list(seen.off.items())[:_NAMED]
        )
        sign = "▲" if all(off > 0 for off in seen.off.values()) else "▼"
        verb = "differs" if len(seen.off) == 1 else "differ"
        return [*cells, (f"{sign} {len(seen.off)} {verb} from the median: {names}", "*warn")]
    busy = sum(value > 0 for value in values)
    if not seen.is_judged:
        return [*cells, (f"{busy} of {len(titles)} active", "dim")]
    low, high = (figure(values[at], piece, units) for at in (0, -1))
    out = f", {len(seen.out)} out" if seen.out else ""
    return [*cells, (f"✓ {len(values)} alike now", "*ok"), (f"{out}  {low} to {high} {unit}", "dim")]


def disk_pieces(title: DiskTitle, track: Track, slot: str, units: Units) -> list[Piece]:
    """The disk under the cursor: identity and rates."""
    latest = track.latest(slot)
    cells = [(f" {title.name}  ", "*strong"), (f"{title.model} {title.serial}".strip(), "")]
    if latest is None:
        return [*cells, ("  gone" if track.has_rates else "", "warn")]
    read, write = (format_rate(value, units) for value in (latest.read_bytes_per_s, latest.write_bytes_per_s))
    cells += [(f"  read {read}", "read"), (f", write {write}", "write"), (f", {100 * latest.util:.0f} % busy", "dim")]
    if latest.reads_per_s is not None and latest.writes_per_s is not None:
        words = f", {format_iops(latest.reads_per_s)} read and {format_iops(latest.writes_per_s)} write IOPS"
        cells.append((words, "dim"))
    return cells
