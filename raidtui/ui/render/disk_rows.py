"""The rows of the list of disks at any width, and all that is known of one disk. Pure."""

from collections.abc import Collection, Sequence

import msgspec
from rich.cells import cell_len

from raidtui.core.disks import buses
from raidtui.core.disks.disk import Disk, State, Usability, marks
from raidtui.core.units import Units, both, format_bytes
from raidtui.ui.render.cells import (
    Line,
    Piece,
    Row,
    Sheet,
    capital,
    fit,
    fit_end,
    fit_right,
    named_lines,
    plain,
    wrap,
    wrapped,
)
from raidtui.ui.render.parts import bar, big, join

WORDS = {Usability.OK: "ok", Usability.WARN: "warn", Usability.REFUSE: "no"}
_LOOKS = {Usability.OK: "good", Usability.WARN: "warn", Usability.REFUSE: "dim"}
_MARK, _SIZE = 8, 8
_LEAST_STATE = 24
_NAME = 11  # columns of a fact's name
_TWO_COLUMNS = 120
_VERDICT_LOOKS = {Usability.OK: "good", Usability.WARN: "warn", Usability.REFUSE: "bad"}
_MEDIA = {True: "rotating", False: "flash", None: "rotational or flash: unknown"}


class DiskEntry(msgspec.Struct, frozen=True):
    """A row: alike free disks, one disk (`inside` a group), or a heading."""

    disks: tuple[Disk, ...] = ()
    heading: str = ""
    inside: bool = False

    @property
    def is_group(self) -> bool:
        return len(self.disks) > 1


class Shown(msgspec.Struct, frozen=True):
    """A state on the screens. `bay`, `narrow`: its word in a bay of seven columns, of four."""

    heading: str
    bay: str
    narrow: str
    sign: str
    look: str = "warn"


SHOWN = {
    State.FREE: Shown("Free", "free", "free", "✓", "ok"),
    State.WARNED: Shown("Blank, with a warning", "warn!", "warn", "!"),
    State.NOT_CHECKED: Shown("Not checked, may hold data", "unread", "?", "?"),
    State.DATA: Shown("Holds data, would be erased", "data!", "data", "!"),
    State.IN_USE: Shown("In use, never touched", "in use", "used", "–", "dim"),
}


def kind_of(disk: Disk) -> tuple[str, int]:
    """Disks of one kind are alike."""
    return (disk.model, disk.size_bytes)


def entries(disks: Sequence[Disk], unfolded: Collection[tuple[str, int]], one_by_one: bool = False) -> list[DiskEntry]:
    """By what may be done with them. Only free disks are grouped: each other one has its own reason."""
    rows: list[DiskEntry] = []
    for state, shown in SHOWN.items():
        here = [disk for disk in disks if disk.state is state]
        if here:
            rows.append(DiskEntry(heading=shown.heading))
        groups: dict[object, list[Disk]] = {}
        for disk in here:
            grouped = state is State.FREE and not one_by_one
            groups.setdefault(kind_of(disk) if grouped else disk.id, []).append(disk)
        for key, group in groups.items():
            is_open = key in unfolded and len(group) > 1
            rows.append(DiskEntry(tuple(group)))
            rows += [DiskEntry((disk,), inside=True) for disk in group if is_open]
    return rows


def disk_sheet(
    rows: Sequence[DiskEntry], chosen: tuple[str, ...], width: int, units: Units, sorted_by: str = "name"
) -> Sheet:
    """The mark of a chosen disk is its place among the members, of a group how many. `sorted_by`: the column's name."""
    disks = tuple(disk for row in rows if not row.inside for disk in row.disks)
    name = max([5, *(len(disk.name) for disk in disks)])
    room = width - _MARK - name - _SIZE - 5
    model_wish = min(24, max([5, *(len(disk.model) for disk in disks)]))
    marked = marks(disks)
    serial_wish = min(20, max([10, *(len(mark) for mark in marked.values())]))
    found_wish = min(22, max([9, *(len(disk.found) for disk in disks)]))
    state = min(_LEAST_STATE, max([0, *(len(disk.verdict.reason or disk.found) for disk in disks)]))
    on_it = found_wish if room - model_wish - serial_wish - found_wish >= state else 0
    spare = room - on_it - 4 - state
    serial = max(6, min(serial_wish, max(spare * 45 // 100, spare - model_wish)))
    model = max(5, min(model_wish, spare - serial))
    reason = max(1, width - _MARK - name - _SIZE - model - serial - on_it - (8 if on_it else 6))
    look_of = {
        column: "head" if column == sorted_by else "dim" for column in ("name", "size", "model", "serial", "use")
    }
    heading: list[Piece] = [
        (fit("", _MARK), ""),
        (fit("name", name) + " ", look_of["name"]),
        (fit_right("size", _SIZE) + "  ", look_of["size"]),
        (fit("model", model) + " ", look_of["model"]),
        (fit("serial", serial) + " ", look_of["serial"]),
    ]
    if on_it:
        heading.append((fit("holds now", on_it) + "  ", "dim"))
    heading.append((fit("use", reason), look_of["use"]))
    lines = []
    for row in rows:
        if row.heading:
            look = next(shown.look for shown in SHOWN.values() if shown.heading == row.heading)
            lines.append(Row((((f" {row.heading}", f"*{look}"),),), is_heading=True))
            continue
        disk = row.disks[0]
        standing = disk.verdict.standing
        picked = [one.id for one in row.disks if one.id in chosen]
        look = "dim" if standing is Usability.REFUSE else ""
        mark = (
            f"[{len(picked)}/{len(row.disks)}]"
            if row.is_group
            else f"[{chosen.index(disk.id) + 1}]"
            if picked
            else "[ ]"
        )
        mark = "–" if standing is Usability.REFUSE else mark
        first = f"{len(row.disks)} ×" if row.is_group else f" {disk.name}" if row.inside else disk.name
        serials = f"{disk.name} … {row.disks[-1].name}" if row.is_group else marked[disk.id]
        cells: list[Piece] = [
            (fit(f" {mark}", _MARK), "accent" if picked else look),
            (fit(first, name) + " ", "strong" if picked or row.is_group else look),
            (fit_right(format_bytes(disk.size_bytes, units), _SIZE) + "  ", look),
            (fit(disk.model, model) + " ", look),
            ((fit if row.is_group else fit_end)(serials, serial) + " ", look),
        ]
        if on_it:
            cells.append((fit(disk.found, on_it) + "  ", look))
        why = disk.verdict.reason or ("usable" if on_it else disk.found)
        cells.append((fit(f"{SHOWN[disk.state].sign} {why}", reason), _LOOKS[standing]))
        lines.append(Row((tuple(cells),), possible=standing is not Usability.REFUSE))
    return Sheet(tuple(heading), tuple(lines))


_BAY, _BAY_NARROW, _BAY_LINES, _MANY = 7, 6, 3, 48  # cells and lines of a bay; disks beyond which it is three cells


def shelf_lines(disks: Sequence[Disk], chosen: tuple[str, ...], width: int, most: int) -> list[Line]:
    """A bay a disk: name, size, state as ground and word; more than fit in `most` lines, or many: sign and name."""
    bay = _BAY if len(disks) <= width // _BAY or len(disks) > width // _BAY_NARROW else _BAY_NARROW
    across = max(1, width // bay)
    if len(disks) <= _MANY and -(-len(disks) // across) * _BAY_LINES <= most:
        lines: list[Line] = []
        for start in range(0, len(disks), across):
            here = disks[start : start + across]
            for texts in zip(*(_bay(disk, chosen, bay - 1) for disk in here), strict=True):
                lines.append(join(piece for text, look in texts for piece in ((text, look), (" ", ""))))
        return lines
    name = max(len(_short(disk)) for disk in disks)
    across = max(1, width // (name + 2))
    cells = [(f"{_sign(disk, chosen)}{_short(disk):<{name}}", _bay_look(disk, chosen)) for disk in disks]
    rows = [cells[start : start + across] for start in range(0, len(cells), across)]
    kept = [join(piece for cell in row for piece in (cell, (" ", ""))) for row in rows]
    if len(kept) > most:
        counted = f"{len(disks) - (most - 1) * across:,} more disks: scroll the list"
        return [*kept[: most - 1], ((counted, "dim"),)]
    return kept


def _bay(disk: Disk, chosen: tuple[str, ...], width: int) -> list[Piece]:
    look = _bay_look(disk, chosen)
    shown = SHOWN[disk.state]
    word = shown.bay if width >= len(shown.bay) else shown.narrow
    word = f"no.{chosen.index(disk.id) + 1}" if disk.id in chosen else word
    size = format_bytes(disk.size_bytes).replace(" ", "").removesuffix("B")
    texts = zip((disk.name, size, word), ("*", "", ""), strict=True)
    return [(fit(text, width), bold + look) for text, bold in texts]


def _bay_look(disk: Disk, chosen: tuple[str, ...]) -> str:
    if disk.id in chosen:
        return "on/accent"
    return {Usability.OK: "on/g3", Usability.WARN: "on/warn", Usability.REFUSE: "dim"}[disk.verdict.standing]


def _sign(disk: Disk, chosen: tuple[str, ...]) -> str:
    return "●" if disk.id in chosen else "○" if disk.state is State.FREE else SHOWN[disk.state].sign


def _short(disk: Disk) -> str:
    return plain(disk.name.removeprefix("sd") or disk.name)


class LevelSum(msgspec.Struct, frozen=True):
    """What a level would give: its name, bytes of the array, failures it survives in any case."""

    name: str
    array_bytes: int
    survives: int


def sum_lines(raw_bytes: int, disks: int, levels: Sequence[LevelSum], width: int) -> list[Line]:
    """The total of the chosen disks; the usual levels of them."""
    if not disks:
        return [(("No disk selected", "dim"),)]
    number, unit = format_bytes(raw_bytes).split()
    beside = ("", f" {unit}", f" = {format_bytes(raw_bytes, Units.BINARY)}, {disks} disk{'' if disks == 1 else 's'}")
    lines: list[Line] = [
        join((*line, (text, look)))
        for line, text, look in zip(big(number, "accent"), beside, ("", "*accent", "dim"), strict=True)
    ]
    name = max((len(level.name) for level in levels), default=0)
    for level in levels:
        survives = f"survives any {level.survives}" if level.survives else "survives none"
        lines.append(())
        lines.append(join(((f"{fit(level.name, name)}  ", "strong"), (both(level.array_bytes), "strong"))))
        lines.append(
            join(
                (
                    *bar(level.array_bytes / raw_bytes, max(4, width - len(survives) - 2), "data", "·"),
                    (f"  {survives}", ""),
                )
            )
        )
    return lines


def sum_words(raw_bytes: int, disks: int, levels: Sequence[LevelSum]) -> list[str]:
    """The same in lines, for a small window."""
    if not disks:
        return ["No disk selected"]
    told = [f"{level.name} {both(level.array_bytes)}, survives {level.survives}" for level in levels]
    return [f"Total {both(raw_bytes)}, {disks} disk{'' if disks == 1 else 's'}", *told]


def packed(texts: Sequence[str], width: int, most: int) -> list[str]:
    """As many as fit beside each other, in `most` lines."""
    lines = [""]
    for text in texts:
        longer = f"{lines[-1]} · {text}" if lines[-1] else text
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(text)
    return lines[:most]


def group_detail(disks: Sequence[Disk]) -> tuple[str, str]:
    """Of alike free disks."""
    first = disks[0]
    found = " and ".join(dict.fromkeys(disk.found for disk in disks))
    names = ", ".join(disk.name for disk in disks)
    words = f"{len(disks)} alike disks ({first.model} {format_bytes(first.size_bytes)}): usable; on them now: {found}"
    return f"{words}. {names}. space: select this row, →: unfold", "dim"


def disk_detail(disk: Disk) -> tuple[str, str]:
    verdict = disk.verdict
    title = f"{disk.name} ({disk.title})"
    if verdict.standing is Usability.OK:
        return f"{title}: usable; on it now: {disk.found}", "dim"
    remedy = verdict.remedy.strip()
    sentence = f"{title}: {_ended(verdict.reason)}" + (f" {_ended(capital(remedy))}" if remedy else "")
    if verdict.standing is Usability.WARN:
        return f"{sentence} Selectable; confirmed by name on Review.", "warn"
    return f"Not possible: {sentence}", "bad"


def kept_detail(disk: Disk, run: str) -> tuple[str, str]:
    """Of a disk whose array a run of raidtui's keeps: which, and what can be done about it."""
    column_texts = f"{disk.name} ({disk.title}): {_ended(disk.verdict.reason)} The array is kept by raidtui run {run}."
    return f"{column_texts} o: open this run. D: remove its array.", "warn"


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else text + "."


class DiskFacts(msgspec.Struct, frozen=True):
    """What was asked for besides the disk itself. `health`: lines, the first of which judges; `runs`: newest first."""

    health: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


def disk_lines(disk: Disk, facts: DiskFacts | None, width: int) -> list[Line]:
    """All of it at one width, in two columns where they fit; `facts` None: they are being asked for."""
    if width < _TWO_COLUMNS:
        return [*_itself(disk, width), (), *_answer_lines(facts, width)]
    half = width // 2
    left_column, right_column = _itself(disk, half - 2), _answer_lines(facts, width - half)
    lines: list[Line] = []
    for at in range(max(len(left_column), len(right_column))):
        first = left_column[at] if at < len(left_column) else ()
        filling = half - sum(cell_len(plain(text)) for text, _ in first)
        lines.append((*first, (" " * max(1, filling), ""), *(right_column[at] if at < len(right_column) else ())))
    return lines


def _itself(disk: Disk, width: int) -> list[Line]:
    lines = wrapped(f"{disk.name}  {disk.title}", width, "strong")
    physical = disk.physical_sector_bytes
    sectors = f"sectors of {disk.logical_sector_bytes} B"
    sectors += f", {physical} B physical" if physical != disk.logical_sector_bytes else ""
    makes = f", by {disk.emulator}" if disk.emulator else ""
    verdict = disk.verdict
    use = verdict.standing.value if verdict.standing is not Usability.REFUSE else "no"
    rows = [
        ("identity", disk.id, ""),
        ("size", f"{both(disk.size_bytes)}; {sectors}", ""),
        ("kind", ", ".join(part for part in (_MEDIA[disk.rotational], disk.transport) if part) + makes, ""),
        ("firmware", disk.firmware, ""),
        ("slot", disk.slot, ""),
        *(("link", buses.title(bus), "") for bus in disk.buses),
        ("volume", disk.volume, ""),
        ("on it", disk.found, "" if disk.found == "blank" else "warn"),
        ("use", ": ".join(part for part in (use, verdict.reason) if part), _VERDICT_LOOKS[verdict.standing]),
        ("remedy", verdict.remedy, ""),
    ]
    return lines + named_lines((row for row in rows if row[1]), _NAME, width)


def _answer_lines(facts: DiskFacts | None, width: int) -> list[Line]:
    if facts is None:
        return [(("Health", "head"),), (("querying…", "dim"),)]
    lines: list[Line] = [(("Health", "head"),), *_indented(facts.health, width)]
    lines += [(), (("Runs", "head"),)]
    return [*lines, *_indented(facts.runs or ("none",), width)]


def _indented(texts: Sequence[str], width: int) -> list[Line]:
    """Lines whose columns stay as they are while they fit."""
    return [((line, ""),) for text in texts for line in ([text] if len(text) <= width else wrap(text, width))]
